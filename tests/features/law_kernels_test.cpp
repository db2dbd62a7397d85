#include "rfnn/features/law_kernels.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <cstddef>
#include <vector>

#include "rfnn/core/random.hpp"
#include "rfnn/features/kernels.hpp"
#include "rfnn/features/law_slopes.hpp"
#include "rfnn/model/law.hpp"
#include "rfnn/rows/law_terms.hpp"

namespace rfnn::features {
namespace {

using rows::AlignedNumbers;
using rows::Centres;
using rows::LawTerms;
using rows::TilePoints;

constexpr std::size_t variables = 3, centre_count = 5;
const Stream stream(7, Purpose::data);

Matrix random_points(std::size_t count, std::uint64_t from) {
  Matrix points(count, variables);
  for (std::size_t i = 0; i < count * variables; ++i) points.data()[i] = stream.normal(from + i);
  return points;
}

FrequencyLaw law_of(std::size_t parts, bool mapped, bool decorated) {
  FrequencyLaw law;
  for (std::size_t p = 0; p < parts; ++p) {
    FrequencyLaw::Part part;
    part.strength = 0.5 + 0.3 * static_cast<double>(p);
    for (std::size_t k = 0; k < variables; ++k) {
      part.smooth.push_back(0.2 + 0.1 * static_cast<double>(p + k));
      part.rough.push_back(p == 0 ? 0.0 : 0.3 / static_cast<double>(1 + k));
    }
    if (decorated) {
      part.order = static_cast<int>(p % 3);
      if (p > 0) part.centre = {1.0, -0.5, 0.25};
    }
    law.parts.push_back(part);
  }
  if (mapped) {
    law.map = Matrix(variables, variables);
    for (std::size_t i = 0; i < variables * variables; ++i) law.map.data()[i] = stream.normal(900 + i);
  }
  return law;
}

template <class T>
struct Panel {
  Panel(const FrequencyLaw& law, const LawKernels<T>& kernels, const Matrix& points, const Matrix& list)
      : terms(law), centres(terms, list), values(list.rows() * tile_rows) {
    tile.place(terms, Centres<T>(terms, points), 0);
    for (std::size_t i = 0; i < list.rows(); ++i) columns.push_back(values.data() + i * tile_rows);
    kernels.panel(terms.view(), tile.columns(), centres.from(0), list.rows(), columns.data());
  }
  LawTerms<T> terms;
  Centres<T> centres;
  TilePoints<T> tile;
  AlignedNumbers<T> values;
  std::vector<T*> columns;
};

double plain_kernel(const FrequencyLaw& law, const Matrix& a, std::size_t i, const Matrix& b, std::size_t j) {
  double difference[variables];
  for (std::size_t k = 0; k < variables; ++k) difference[k] = a(i, k) - b(j, k);
  return kernel_value(law, difference);
}

template <class T>
void expect_panel(const char* level, double tolerance) {
  const LawKernels<T>* const kernels = law_kernels<T>(level);
  if (kernels == nullptr) return;  // this CPU does not have it
  const Matrix points = random_points(tile_rows, 0), list = random_points(centre_count, 5000);
  for (const std::size_t parts : {1U, 2U, 3U, 4U, 5U, 9U})
    for (const bool mapped : {false, true})
      for (const bool decorated : {false, true}) {
        const FrequencyLaw law = law_of(parts, mapped, decorated);
        const Panel<T> panel(law, *kernels, points, list);
        for (std::size_t i = 0; i < list.rows(); ++i)
          for (std::size_t row = 0; row < tile_rows; ++row)
            ASSERT_NEAR(panel.columns[i][row], plain_kernel(law, points, row, list, i), tolerance * law.variance())
                << level << ", " << parts << " parts";
      }
}

TEST(LawKernels, ThePanelIsTheFormula) {
  for (const char* level : {"baseline", "avx2", "avx512"}) {
    expect_panel<double>(level, 1e-14);
    expect_panel<float>(level, 2e-6);
  }
}

/// Columns of k and of its derivatives for every centre, one behind the other.
AlignedNumbers<double> slope_columns(const FrequencyLaw& law, const LawSlopes& slopes, const Matrix& points,
                                     const Matrix& list) {
  const LawTerms<double> terms(law);
  const Centres<double> centres(terms, list);
  TilePoints<double> tile;
  tile.place(terms, Centres<double>(terms, points), 0);
  const std::size_t each = 1 + terms.coordinates();
  AlignedNumbers<double> columns(list.rows() * each * tile_rows);
  std::vector<double*> values, derivatives;
  for (std::size_t i = 0; i < list.rows(); ++i)
    for (std::size_t c = 0; c < each; ++c)
      (c == 0 ? values : derivatives).push_back(columns.data() + (i * each + c) * tile_rows);
  slopes.panel(terms.view(), tile.columns(), centres.from(0), list.rows(), values.data(), derivatives.data());
  return columns;
}

// What the derivatives are is tests/sensitivity's business; here: the values are the panel's, and levels agree.
TEST(LawSlopes, ValuesAreThePanelAndLevelsAgree) {
  const Matrix points = random_points(tile_rows, 0), list = random_points(centre_count, 5000);
  for (const std::size_t parts : {1U, 3U, 9U})
    for (const bool mapped : {false, true})
      for (const bool decorated : {false, true}) {
        const FrequencyLaw law = law_of(parts, mapped, decorated);
        const AlignedNumbers<double> baseline = slope_columns(law, *law_slopes("baseline"), points, list);
        AlignedNumbers<double> before;
        for (const char* level : {"avx2", "avx512", "baseline"}) {
          if (law_slopes(level) == nullptr) continue;
          const AlignedNumbers<double> found = slope_columns(law, *law_slopes(level), points, list);
          const Panel<double> panel(law, *law_kernels<double>(level), points, list);
          const std::size_t each = found.size() / (list.rows() * tile_rows);
          for (std::size_t i = 0; i < list.rows(); ++i)
            for (std::size_t row = 0; row < tile_rows; ++row)
              ASSERT_EQ(found[i * each * tile_rows + row], panel.columns[i][row]) << level;
          for (std::size_t c = 0; c < found.size(); ++c)
            ASSERT_NEAR(found[c], baseline[c], 1e-13 * law.variance() * (1.0 + std::abs(baseline[c]))) << level;
          if (std::string_view(level) == "avx512") ASSERT_EQ(found, before);
          before = found;
        }
      }
}

// A part that is radial beside one that is not: of the lengths of scaled differences, whatever their direction.
TEST(LawKernels, RadialPartsAreOfLengths) {
  FrequencyLaw law = law_of(4, false, false);
  for (const int order : {0, 1, 2}) {
    FrequencyLaw::Part& part = law.parts[static_cast<std::size_t>(order) + 1];
    part.smooth.assign(variables, 0.0);
    part.order = order;
    part.radial = true;
  }
  const Matrix points = random_points(tile_rows, 0), list = random_points(centre_count, 5000);
  const auto expect = [&]<class T>(const LawKernels<T>* kernels, double tolerance) {
    if (kernels == nullptr) return;
    const Panel<T> panel(law, *kernels, points, list);
    for (std::size_t i = 0; i < list.rows(); ++i)
      for (std::size_t row = 0; row < tile_rows; ++row)
        ASSERT_NEAR(panel.columns[i][row], plain_kernel(law, points, row, list, i), tolerance * law.variance());
  };
  for (const char* level : {"baseline", "avx2", "avx512"}) {
    expect(law_kernels<double>(level), 1e-14);
    expect(law_kernels<float>(level), 2e-6);
  }
  FrequencyLaw alone;
  alone.parts = {{1.0, {0.0, 0.0}, {2.0, 2.0}, 1, {}, true}};
  const double along[] = {0.5, 0.0}, diagonal[] = {0.5 * std::sqrt(0.5), -0.5 * std::sqrt(0.5)};
  EXPECT_NEAR(kernel_value(alone, along), 2.0 * std::exp(-1.0), 1e-15);
  EXPECT_NEAR(kernel_value(alone, diagonal), 2.0 * std::exp(-1.0), 1e-15);
}

TEST(LawKernels, LevelsWithFusedOperationsGiveTheSameBits) {
  const auto *const one = law_kernels<double>("avx2"), *const other = law_kernels<double>("avx512");
  if (one == nullptr || other == nullptr) return;
  const Matrix points = random_points(tile_rows, 0), list = random_points(centre_count, 5000);
  const FrequencyLaw law = law_of(3, true, false);
  EXPECT_EQ(Panel<double>(law, *one, points, list).values, Panel<double>(law, *other, points, list).values);
}

struct Sums {
  explicit Sums(const LawView<double>& law)
      : strength(law.parts * law_lanes<double>),
        slope(law.variables * law.parts * law_lanes<double>),
        curvature(slope.size()),
        of_mapped(law.mapped * law.parts * law_lanes<double>),
        map(law.mapped * law.variables * law_lanes<double>) {}
  AlignedNumbers<double> strength, slope, curvature, of_mapped, map;
  LawSums<double> view() { return {strength.data(), slope.data(), curvature.data(), of_mapped.data(), map.data()}; }
  static double total(const AlignedNumbers<double>& list, std::size_t i) {
    double sum = 0.0;
    for (std::size_t lane = 0; lane < law_lanes<double>; ++lane) sum += list[i * law_lanes<double> + lane];
    return sum;
  }
};

/// Σ q k, by the formula.
double weighted_sum(const FrequencyLaw& law, const Matrix& points, const Matrix& list, const Panel<double>& q) {
  double sum = 0.0;
  for (std::size_t i = 0; i < list.rows(); ++i)
    for (std::size_t row = 0; row < tile_rows; ++row)
      sum += q.columns[i][row] * plain_kernel(law, points, row, list, i);
  return sum;
}

TEST(LawKernels, TheGradientIsThatOfTheWeightedSum) {
  const Matrix points = random_points(tile_rows, 0), list = random_points(centre_count, 5000);
  for (const char* level : {"baseline", "avx2", "avx512"}) {
    const LawKernels<double>* const kernels = law_kernels<double>(level);
    if (kernels == nullptr) continue;
    for (const bool mapped : {false, true}) {
      FrequencyLaw law = law_of(2, mapped, false);
      const Panel<double> q(law_of(1, false, false), *kernels, points, list);
      const LawTerms<double> terms(law);
      TilePoints<double> tile;
      tile.place(terms, Centres<double>(terms, points), 0);
      const Centres<double> centres(terms, list);
      Sums sums(terms.view());
      std::vector<const double*> weights(q.columns.begin(), q.columns.end());
      kernels->gradient(terms.view(), tile.columns(), centres.from(0), list.rows(), weights.data(), sums.view());
      const auto slope_of = [&](double& parameter) {
        const double kept = parameter, step = 1e-5;
        parameter = kept + step;
        const double up = weighted_sum(law, points, list, q);
        parameter = kept - step;
        const double down = weighted_sum(law, points, list, q);
        parameter = kept;
        return (up - down) / (2.0 * step);
      };
      const double scale = weighted_sum(law, points, list, q);
      for (std::size_t p = 0; p < 2; ++p) {
        FrequencyLaw::Part& part = law.parts[p];
        EXPECT_NEAR(Sums::total(sums.strength, p) / part.strength, slope_of(part.strength), 1e-7 * scale);
        for (std::size_t k = 0; k < variables; ++k) {
          const std::size_t place = k * 2 + p;
          if (p > 0) {  // a step below zero is no law
            EXPECT_NEAR(-Sums::total(sums.slope, place), slope_of(part.rough[k]), 1e-7 * scale);
          }
          const double squares = Sums::total(mapped ? sums.of_mapped : sums.curvature, place);
          EXPECT_NEAR(-part.smooth[k] * squares, slope_of(part.smooth[k]), 1e-7 * scale);
        }
      }
      for (std::size_t j = 0; mapped && j < variables; ++j)
        for (std::size_t k = 0; k < variables; ++k)
          EXPECT_NEAR(-Sums::total(sums.map, j * variables + k), slope_of(law.map(j, k)), 1e-7 * scale);
    }
  }
}

TEST(LawKernels, CombineAndCorrelateAreAdjoint) {
  const LawKernels<double>& kernels = law_kernels<double>();
  const Matrix points = random_points(tile_rows, 0), list = random_points(centre_count, 5000);
  const Panel<double> panel(law_of(1, false, false), kernels, points, list);
  const Panel<double> right(law_of(2, false, false), kernels, points, random_points(2, 8000));
  const std::vector<const double*> columns(panel.columns.begin(), panel.columns.end()),
      rights(right.columns.begin(), right.columns.end());
  std::vector<double> coefficients(centre_count * 2), sums(centre_count * 2, 0.0);
  for (std::size_t i = 0; i < coefficients.size(); ++i) coefficients[i] = stream.normal(20000 + i);
  AlignedNumbers<double> out(2 * tile_rows, 0.0);
  double* const places[] = {out.data(), out.data() + tile_rows};
  kernels.combine(columns.data(), centre_count, coefficients.data(), 2, places);
  kernels.correlate(columns.data(), centre_count, rights.data(), 2, sums.data());
  double one = 0.0, other = 0.0;
  for (std::size_t o = 0; o < 2; ++o)
    for (std::size_t row = 0; row < tile_rows; ++row) one += places[o][row] * rights[o][row];
  for (std::size_t i = 0; i < coefficients.size(); ++i) other += coefficients[i] * sums[i];
  EXPECT_NEAR(one, other, 1e-11 * std::abs(one));
}

}  // namespace
}  // namespace rfnn::features
