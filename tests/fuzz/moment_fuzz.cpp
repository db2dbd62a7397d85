// Texts that may be dates or times: what is read is a moment of the calendar, and its own text leads back to it.

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "rfnn/data/moment.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const auto moment = rfnn::parse_moment({reinterpret_cast<const char*>(data), size});
  if (!moment) return 0;
  using rfnn::TimeForm;
  const bool clock = moment->form == TimeForm::time_of_day;
  if (moment->nanoseconds < 0 || moment->nanoseconds > rfnn::nanoseconds_per_day) std::abort();
  if (!clock && moment->nanoseconds == rfnn::nanoseconds_per_day) std::abort();
  const double days = rfnn::days_from(moment->days, moment->days, moment->nanoseconds);
  if (!(days >= 0.0 && days <= 1.0)) std::abort();
  if (clock || days >= 1.0) return 0;
  const auto again = rfnn::parse_moment(rfnn::date_text(moment->days));
  if (moment->days > -719'528 && moment->days < 2'932'896 && (!again || again->days != moment->days)) std::abort();
  rfnn::moment_text(days, moment->days, moment->form);
  return 0;
}
