#include "rfnn/uncertainty/law_draws.hpp"

#include <algorithm>
#include <cmath>
#include <vector>

#include "rfnn/core/random.hpp"
#include "rfnn/finders/wide/tuning.hpp"

namespace rfnn::uncertainty {
namespace {

/// The errors of a kernel approximated by features fall with their number, so the strongest part has most of them.
std::vector<std::size_t> features_of_parts(const FrequencyLaw& law, std::size_t features) {
  std::vector<double> shares;
  double all = 0.0;
  for (const FrequencyLaw::Part& part : law.parts) {
    shares.push_back(part.strength > 0.0 ? std::max(part.strength / law.variance(), wide::tuning::least_share_of_part)
                                         : 0.0);
    all += shares.back();
  }
  std::vector<std::size_t> counts;
  for (const double share : shares)
    counts.push_back(
        share > 0.0 ? std::max<std::size_t>(1, static_cast<std::size_t>(share / all * static_cast<double>(features)))
                    : 0);
  return counts;
}

/// Normal numbers one after the other.
class Normals {
 public:
  explicit Normals(const Stream& stream) : stream_(stream) {}
  double next() { return stream_.normal(index_++); }

 private:
  const Stream& stream_;
  std::uint64_t index_ = 0;
};

/// A frequency of a part. The rough factors are Student's laws with 1, 3 and 5 degrees of freedom, t z/√χ²; of a radial
/// part all variables have the same χ².
void draw_frequency(const FrequencyLaw& law, const FrequencyLaw::Part& part, Normals& normals, double* frequency) {
  const std::size_t variables = part.rough.size();
  for (std::size_t k = 0; k < variables; ++k) frequency[k] = part.centre.empty() ? 0.0 : part.centre[k];
  for (std::size_t j = 0; j < part.smooth.size(); ++j) {
    const double smooth = part.smooth[j] * normals.next();
    if (law.map.rows() == 0)
      frequency[j] += smooth;
    else
      for (std::size_t k = 0; k < variables; ++k) frequency[k] += law.map(j, k) * smooth;
  }
  const int freedom = 2 * part.order + 1;
  const auto root_of_chi_squared = [&] {
    double sum = 0.0;
    for (int i = 0; i < freedom; ++i) {
      const double normal = normals.next();
      sum += normal * normal;
    }
    return std::sqrt(sum);
  };
  const double common = part.radial ? root_of_chi_squared() : 0.0;
  for (std::size_t k = 0; k < variables; ++k) {
    const double normal = normals.next(), root = part.radial ? common : root_of_chi_squared();
    if (part.rough[k] > 0.0) frequency[k] += part.rough[k] * normal / root;
  }
}

}  // namespace

Branch draw_function(const FrequencyLaw& law, std::size_t features, std::size_t outputs, std::uint64_t seed,
                     std::uint64_t draw) {
  const std::vector<std::size_t> counts = features_of_parts(law, features);
  std::size_t all = 0;
  for (const std::size_t count : counts) all += count;
  Branch function{.kind = BranchKind::input, .frequencies = Matrix(all, law.variables())};
  function.amplitudes = Matrix(2 * all, outputs);
  std::size_t feature = 0;
  for (std::size_t p = 0; p < counts.size(); ++p) {
    const Stream stream({seed, draw, 0, p}, Purpose::function_law);
    Normals normals(stream);
    const double sd = std::sqrt(law.parts[p].strength / static_cast<double>(std::max<std::size_t>(counts[p], 1)));
    for (std::size_t i = 0; i < counts[p]; ++i, ++feature) {
      draw_frequency(law, law.parts[p], normals, function.frequencies.data() + feature * law.variables());
      for (std::size_t row = 2 * feature; row < 2 * feature + 2; ++row)
        for (std::size_t o = 0; o < outputs; ++o)
          function.amplitudes(row, o) = sd * Stream({seed, draw, 0, o}, Purpose::function_amplitudes).normal(row);
    }
  }
  return function;
}

}  // namespace rfnn::uncertainty
