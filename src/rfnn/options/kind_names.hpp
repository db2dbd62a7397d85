#pragma once

// Private header.

#include <string_view>

#include "rfnn/options/table.hpp"

namespace rfnn {

/// The kind of a field in words, as `rfnn options --json` and Python have it.
constexpr std::string_view name_of(FieldKind kind) {
  switch (kind) {
    case FieldKind::integer:
      return "integer";
    case FieldKind::integer_or_auto:
      return "integer or auto";
    case FieldKind::input_or_auto:
      return "input or auto";
    case FieldKind::number:
      return "number";
    case FieldKind::number_or_auto:
      return "number or auto";
    case FieldKind::numbers_or_auto:
      return "numbers or auto";
    case FieldKind::boolean:
      return "boolean";
    case FieldKind::choice:
      return "choice";
    case FieldKind::size:
      return "size";
    case FieldKind::text:
      return "text";
    case FieldKind::texts:
      return "texts";
  }
  return "";
}

}  // namespace rfnn
