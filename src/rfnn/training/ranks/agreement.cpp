#include "rfnn/training/ranks/agreement.hpp"

#include <algorithm>
#include <array>
#include <exception>
#include <new>
#include <string_view>

#include "rfnn/core/error.hpp"
#include "rfnn/options/table.hpp"

namespace rfnn::training {
namespace {

std::string encoded(char kind, const std::string& cause, const std::string& cure) {
  rows::Writer out;
  out.put(kind);
  out.put_text(cause);
  out.put_text(cure);
  return out.take();
}

}  // namespace

std::string failure_text() {
  try {
    throw;
  } catch (const UsageError& error) {
    return encoded('u', error.cause(), error.cure());
  } catch (const InputError& error) {
    return encoded('i', error.cause(), error.cure());
  } catch (const Error& error) {
    return encoded('n', error.cause(), error.cure());
  } catch (const std::bad_alloc&) {
    return encoded('n', "A rank is out of memory.", "Use more ranks, on more machines, or fewer rows.");
  } catch (const std::exception& error) {
    return encoded('o', error.what(), "");
  }
}

void rethrow(const std::string& failure) {
  rows::Reader in(failure);
  const char kind = in.get<char>();
  const std::string cause = in.get_text(), cure = in.get_text();
  if (kind == 'u') throw OfAll<UsageError>(cause, cure);
  if (kind == 'i') throw OfAll<InputError>(cause, cure);
  if (kind == 'n') throw OfAll<NumericalError>(cause, cure);
  throw NumericalError(cause, cure);
}

// What is not rfnn's own, an exception of Python say, stays what it is for whoever has called the fit.
void rethrow_told(const std::string& failure) {
  if (failure.front() != 'o') rethrow(failure);
  throw;
}

void agree(Communicator& ranks, const std::function<void()>& work) {
  std::string failure;
  try {
    work();
  } catch (const std::exception&) {
    failure = failure_text();
  }
  for (const std::string& each : all_gather(ranks, failure))
    if (!each.empty()) rethrow(each);
}

std::vector<std::uint64_t> gather_counts(Communicator& ranks, std::uint64_t own) {
  std::vector<std::uint64_t> counts;
  for (const auto& each : gather<std::uint64_t>(ranks, std::span<const std::uint64_t>(&own, 1)))
    counts.push_back(each.front());
  return counts;
}

void agree_on(Communicator& ranks, const std::vector<Named>& all, const std::string& cure) {
  rows::Writer out;
  for (const auto& [name, value] : all) out.put_text(value);
  std::vector<std::vector<std::string>> values;
  for (const std::string& message : all_gather(ranks, out.take())) {
    rows::Reader in(message);
    std::vector<std::string>& of_rank = values.emplace_back();
    for (std::size_t k = 0; k < all.size(); ++k) of_rank.push_back(in.get_text());
  }
  const auto told = [](const std::string& value) { return value.empty() ? std::string("not given") : value; };
  for (std::size_t k = 0; k < all.size(); ++k)
    for (std::size_t r = 1; r < values.size(); ++r)
      if (values[r][k] != values[0][k])
        throw OfAll<UsageError>("The ranks were not all given the same: " + all[k].first + " is " + told(values[0][k]) +
                                    " on rank 0 and " + told(values[r][k]) + " on rank " + std::to_string(r) + ".",
                                cure);
}

void agree_on_options(Communicator& ranks, const Options& options) {
  constexpr std::array<std::string_view, 3> free{"threads", "memory", "max_time"};
  std::vector<Named> all;
  for (const Field& field : option_table())
    if (std::find(free.begin(), free.end(), field.name) == free.end())
      all.emplace_back(flag_name(field), field.print(options));
  agree_on(ranks, all,
           "Ranks do one piece of work together: give all of them the same options. For many seeds or options run a "
           "process each (a job array), or let `mpirun -n P rfnn tune` deal them out.");
}

}  // namespace rfnn::training
