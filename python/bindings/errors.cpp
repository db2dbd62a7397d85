#include <exception>

#include "python/bindings/bindings.hpp"
#include "rfnn/core/error.hpp"

namespace rfnn::python {
namespace {

/// Raises the class of rfnn._errors with this name: they are Python's own, so that an error can be pickled and carries
/// cause and cure.
void raise(const char* name, const Error& error) {
  const nb::object type = nb::module_::import_("rfnn._errors").attr(name);
  const auto text = [](const std::string& words) {
    return nb::steal<nb::str>(PyUnicode_DecodeUTF8(words.data(), static_cast<Py_ssize_t>(words.size()), "replace"));
  };
  const nb::object value = type(text(error.cause()), text(error.cure()));
  PyErr_SetObject(type.ptr(), value.ptr());
}

}  // namespace

void bind_errors(nb::module_&) {
  nb::register_exception_translator([](const std::exception_ptr& thrown, void*) {
    try {
      std::rethrow_exception(thrown);
    } catch (const UsageError& error) {
      raise("UsageError", error);
    } catch (const InputError& error) {
      raise("InputError", error);
    } catch (const NumericalError& error) {
      raise("NumericalError", error);
    }
  });
}

}  // namespace rfnn::python
