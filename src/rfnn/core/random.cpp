#include "rfnn/core/random.hpp"

#include <Random123/philox.h>

#include <cmath>
#include <numbers>

namespace rfnn {
namespace {

r123::Philox4x64::ctr_type draw(const Address& address, Purpose purpose, std::uint64_t index) {
  const r123::Philox4x64::ctr_type counter = {{index, address.member, address.attempt, address.part}};
  const r123::Philox4x64::key_type key = {{address.seed, static_cast<std::uint64_t>(purpose)}};
  return r123::Philox4x64()(counter, key);
}

// The 52 high bits, moved to the middle of their interval (exactly: 53 bits hold the half) so that 0 and 1 never occur.
double open_unit(std::uint64_t bits) { return (static_cast<double>(bits >> 12) + 0.5) * 0x1p-52; }

}  // namespace

std::uint64_t Stream::bits(std::uint64_t index) const { return draw(address_, purpose_, index)[0]; }

double Stream::uniform(std::uint64_t index) const { return open_unit(bits(index)); }

double Stream::normal(std::uint64_t index) const {
  const auto words = draw(address_, purpose_, index);
  return std::sqrt(-2.0 * std::log(open_unit(words[0]))) * std::cos(2.0 * std::numbers::pi * open_unit(words[1]));
}

}  // namespace rfnn
