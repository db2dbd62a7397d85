#pragma once

// Private header: the NPY reader.

#include <memory>
#include <string>
#include <string_view>

#include "rfnn/io/source.hpp"
#include "rfnn/io/table.hpp"

namespace rfnn::io {

std::unique_ptr<TableReader> open_npy(std::unique_ptr<ByteSource> source, const TableFormat& format = {});
/// The same from bytes owned by someone who outlives the reader.
std::unique_ptr<TableReader> open_npy_bytes(std::string_view bytes, std::string origin = "bytes");

}  // namespace rfnn::io
