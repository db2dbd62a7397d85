#include "rfnn/training/ranks/agreement.hpp"

#include <exception>
#include <new>

#include "rfnn/core/error.hpp"

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

}  // namespace rfnn::training
