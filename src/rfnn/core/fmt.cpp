// fmt's functions, compiled once for the library, the command and the tests; every other file only declares them. With
// the header-only fmt each file that formats a text would compile them again, which costs seconds per file. Linking
// Debian's libfmt instead would give users of the archive one more dependency. cmake/RfnnFlags.cmake puts all of it
// into a namespace of its own, so that this copy and a user's own fmt, of whatever version, can be in one program.

#include <fmt/format-inl.h>

// What headers leave to the library that is compiled: templates that are declared there for char, and used.
FMT_BEGIN_NAMESPACE
namespace detail {

template auto dragonbox::to_decimal(float) noexcept -> dragonbox::decimal_fp<float>;
template auto dragonbox::to_decimal(double) noexcept -> dragonbox::decimal_fp<double>;
template locale_ref::locale_ref(const std::locale&);
template auto locale_ref::get<std::locale>() const -> std::locale;
template auto thousands_sep_impl<char>(locale_ref) -> thousands_sep_result<char>;
template auto decimal_point_impl<char>(locale_ref) -> char;
template void buffer<char>::append<char>(const char*, const char*);
template void vformat_to<char>(buffer<char>&, string_view, basic_format_args<buffer_context<char>>, locale_ref);

}  // namespace detail
FMT_END_NAMESPACE
