#include "rfnn/diagnostics/law_density.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <numbers>

#include "io/support.hpp"

namespace rfnn::test {
namespace {

constexpr double pi = std::numbers::pi;

/// Of |ω| for t · (Cauchy; Student's law of 3 or 5 degrees of freedom over the root of their number).
double student_density(int order, double t, double frequency) {
  const double u = frequency / t, constant = order == 0 ? 1.0 : order == 1 ? 2.0 : 8.0 / 3.0;
  return 2.0 * constant / (pi * t) * std::pow(1.0 + u * u, -1 - order);
}

TEST(MarginalLaw, OfOneKindIsTheTextbookDensity) {
  for (const double t : {1e-3, 1.0, 700.0})
    for (const double u : {0.0, 0.3, 1.0, 5.0, 1e3}) {
      for (int order = 0; order < 3; ++order) {
        const double expected = student_density(order, t, u * t);
        EXPECT_NEAR(MarginalLaw({.rough = t, .order = order}).density(u * t), expected, 1e-7 * expected);
      }
      const double normal = 2.0 / (t * std::sqrt(2.0 * pi)) * std::exp(-0.5 * u * u);
      EXPECT_NEAR(MarginalLaw({.smooth = t}).density(u * t), normal, 1e-13 * normal);
    }
  const MarginalLaw cauchy{.rough = 2.0};
  EXPECT_NEAR(cauchy.quantile(0.5), 2.0, 1e-8);
  EXPECT_NEAR(cauchy.quantile(0.9), 2.0 * std::tan(0.45 * pi), 1e-7);
  EXPECT_NEAR(cauchy.quantile(0.999), 2.0 * std::tan(0.4995 * pi), 1e-4);
  EXPECT_NEAR(MarginalLaw({.smooth = 3.0}).quantile(0.5), 3.0 * 0.6744897501960817, 1e-9);
}

// What makes it the law of the kernel: the mean of cos(ωδ) is the kernel.
TEST(MarginalLaw, IsTheFourierTransformOfTheKernel) {
  for (int order = 0; order < 3; ++order)
    for (const double centre : {0.0, 2.5})
      for (const double smooth : {0.6, 2.0}) {
        const MarginalLaw marginal{.centre = centre, .smooth = smooth, .rough = 0.4, .order = order};
        FrequencyLaw law;
        law.parts = {{1.0, {smooth}, {0.4}, order, {centre}}};
        for (const double delta : {0.2, 1.0, 2.0}) {
          // The last whole half turn before the end, where cutting off costs least.
          const double step = pi / delta / 40.0, end = (std::floor(300.0 * delta / pi) + 0.5) * pi / delta;
          double sum = 0.5 * marginal.density(0.0);
          for (double frequency = step; frequency < end; frequency += step)
            sum += std::cos(frequency * delta) * marginal.density(frequency);
          EXPECT_NEAR(sum * step, kernel_value(law, &delta), 1e-4) << order << " " << centre << " " << delta;
        }
      }
}

TEST(MarginalLaw, QuantilesAndSharesAreInverse) {
  for (const MarginalLaw& law : {MarginalLaw{0.0, 1.0, 0.3, 0}, MarginalLaw{5.0, 0.1, 0.0, 0},
                                 MarginalLaw{5.0, 1e-3, 1e-2, 2}, MarginalLaw{0.0, 1e-9, 1e-6, 1}}) {
    EXPECT_NEAR(law.beyond(0.0), 1.0, 1e-7);
    for (const double share : {0.05, 0.5, 0.9, 0.99})
      EXPECT_NEAR(law.beyond(law.quantile(share)), 1.0 - share, 1e-7) << law.centre << " " << share;
    double sum = 0.0;  // the density is minus the slope of `beyond`
    const double from = law.quantile(0.2), to = law.quantile(0.8), step = (to - from) / 2000.0;
    for (int i = 0; i < 2000; ++i) sum += step * law.density(from + (i + 0.5) * step);
    EXPECT_NEAR(sum, 0.6, 1e-4);
  }
}

TEST(MarginalLaw, WithoutScalesIsAPoint) {
  const MarginalLaw none, line{.centre = 3.0};
  EXPECT_TRUE(none.is_point() && line.is_point());
  EXPECT_EQ(none.density(1.0), 0.0);
  EXPECT_EQ(none.quantile(0.9), 0.0);
  EXPECT_EQ(none.turning(100.0), 0.0);
  EXPECT_EQ(line.quantile(0.1), 3.0);
  EXPECT_EQ(line.beyond(2.9), 1.0);
  EXPECT_EQ(line.beyond(3.1), 0.0);
  EXPECT_NEAR(line.turning(0.1), 0.09, 1e-15);
  EXPECT_EQ(line.turning(1.0), 1.0);
}

TEST(MarginalLaw, TurningIsTheMeanOfMinOneAndTheSquare) {
  const MarginalLaw slow{.smooth = 1e-3}, fast{.smooth = 1e6}, even{.centre = 0.4, .smooth = 0.7, .rough = 0.2};
  EXPECT_NEAR(slow.turning(1.0), 1e-6, 1e-12);
  EXPECT_NEAR(fast.turning(1.0), 1.0, 1e-5);
  EXPECT_EQ(even.turning(0.0), 0.0);
  for (const double distance : {0.5, 2.0}) {
    double sum = 0.0;
    const double step = 1e-3 / distance;
    for (int i = 0; i < 1000; ++i) {
      const double frequency = (i + 0.5) * step;
      sum += step * even.density(frequency) * frequency * frequency * distance * distance;
    }
    EXPECT_NEAR(even.turning(distance), sum + even.beyond(1.0 / distance), 1e-6);
  }
}

TEST(Laws, AreInTheUnitsOfTheData) {
  const Model model = model_with_closed_forms();
  const std::vector<BranchLaw> all = laws(model);
  ASSERT_EQ(all.size(), 3U);
  const BranchLaw& joint = all[0];
  EXPECT_EQ(joint.member, 0U);
  EXPECT_EQ(joint.block, 2U);
  EXPECT_EQ(joint.branch, BranchKind::joint);
  EXPECT_EQ(joint.centres, 3U);
  EXPECT_EQ(joint.variables, (std::vector<std::string>{"log(x)", "größe, \"m\"", "y1", "y2"}));
  EXPECT_EQ(joint.variance, (std::vector<double>{1.625, 1.625}));  // the outputs are not standardised
  ASSERT_EQ(joint.parts.size(), 2U);
  EXPECT_DOUBLE_EQ(joint.parts[0].share, 1.5 / 1.625);
  EXPECT_DOUBLE_EQ(joint.parts[1].variance[1], 0.125);

  const ClosedForm& form = *model.members[0].blocks[1].branches[2].closed_form;
  const std::vector<double> units = {0.25, 1e-19, 1.0, 1.0};
  for (std::size_t k = 0; k < 4; ++k) {
    double squares = 0.0;
    for (std::size_t j = 0; j < 3; ++j) squares += std::pow(form.law.parts[0].smooth[j] * form.law.map(j, k), 2);
    const MarginalLaw& first = joint.parts[0].marginals[k];
    const MarginalLaw& second = joint.parts[1].marginals[k];
    EXPECT_DOUBLE_EQ(first.smooth, std::sqrt(squares) / units[k]);
    EXPECT_EQ(first.rough, 0.0);
    EXPECT_DOUBLE_EQ(second.smooth, std::abs(0.5 * form.law.map(1, k)) / units[k]);
    EXPECT_DOUBLE_EQ(second.rough, 1.25 / units[k]);
    EXPECT_DOUBLE_EQ(second.centre, 0.75 / units[k]);
    EXPECT_EQ(second.order, 2);
  }
  EXPECT_EQ(all[1].branch, BranchKind::input);
  EXPECT_EQ(all[2].member, 1U);
  EXPECT_DOUBLE_EQ(all[2].parts[0].marginals[0].smooth, 0.5 / 0.25);
  EXPECT_TRUE(laws(full_model()).empty());
}

TEST(Laws, PartsCountByTheirShares) {
  const std::vector<BranchLaw> all = laws(model_with_closed_forms());
  for (std::size_t k = 0; k < 2; ++k) {
    const BranchLaw& law = all[2];
    for (const double share : {0.5, 0.9}) {
      const double frequency = law_quantile(law, k, share);
      double beyond = 0.0;
      for (const LawPart& part : law.parts) beyond += part.share * part.marginals[k].beyond(frequency);
      EXPECT_NEAR(beyond, 1.0 - share, 1e-7);
    }
    double density = 0.0;
    for (const LawPart& part : law.parts) density += part.share * part.marginals[k].density(1.5);
    EXPECT_DOUBLE_EQ(law_density(law, k, 1.5), density);
  }
  // Over the inputs alone, which all of them have.
  const BranchLaw mean = mean_law(all);
  EXPECT_EQ(mean.variables.size(), 2U);
  EXPECT_EQ(mean.centres, 4U);
  double shares = 0.0, density = 0.0;
  for (const LawPart& part : mean.parts) shares += part.share;
  for (const BranchLaw& law : all) density += law_density(law, 0, 2.0) / 3.0;
  EXPECT_NEAR(shares, 1.0, 1e-15);
  EXPECT_NEAR(law_density(mean, 0, 2.0), density, 1e-15);
}

TEST(Laws, OfNoVarianceHaveNoFrequencies) {
  Model model = model_with_closed_forms();
  for (FrequencyLaw::Part& part : model.members[1].blocks[0].branches[0].closed_form->law.parts) part.strength = 0.0;
  const BranchLaw law = laws(model).back();
  EXPECT_EQ(law_density(law, 0, 1.0), 0.0);
  EXPECT_EQ(law_quantile(law, 0, 0.9), 0.0);
}

// Windows have scales of their own: what is shown is the law in the middle of them.
TEST(Laws, OfWindowsAreThoseOfTheirScales) {
  Model model = model_with_windows();
  Windows& windows = model.members[0].blocks[1].branches[2].closed_form->windows;
  const auto rough = [&] { return laws(model)[0].parts[1].marginals[0].rough; };
  for (std::size_t i = 0; i < windows.scale.size(); ++i) windows.scale.data()[i] = 1.0;
  const double plain = rough();
  ASSERT_GT(plain, 0.0);
  for (std::size_t k = 0; k < windows.scale.cols(); ++k) windows.scale(1, k) = 16.0;
  EXPECT_NEAR(rough(), 4.0 * plain, 1e-12 * plain);
}

}  // namespace
}  // namespace rfnn::test
