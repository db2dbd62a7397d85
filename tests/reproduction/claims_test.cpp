#include "rfnn/reproduction/claims.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <stdexcept>

#include "reproduction/support.hpp"

namespace rfnn::reproduction {
namespace {

using test::made_up_run;

const Claim& claim(const std::vector<Claim>& claims, const std::string& id) {
  for (const Claim& each : claims)
    if (each.id == id) return each;
  throw std::logic_error("no claim " + id);
}

/// Ten blocks whose error falls like (W·ℓ)^power.
std::vector<double> falling(double first, double power) {
  std::vector<double> errors;
  for (int l = 1; l <= 10; ++l) errors.push_back(first * std::pow(l, power));
  return errors;
}

TEST(Verdicts, ThreeQuartersHoldAQuarterIsPartly) {
  const auto verdict = [](std::size_t met, std::size_t seeds) {
    Evidence evidence;
    for (std::size_t i = 0; i < seeds; ++i) evidence.readings.push_back({i + 1, 1.0, i < met});
    return evidence.verdict();
  };
  EXPECT_EQ(verdict(8, 10), Verdict::holds);
  EXPECT_EQ(verdict(3, 4), Verdict::holds);
  EXPECT_EQ(verdict(7, 10), Verdict::partly);
  EXPECT_EQ(verdict(1, 4), Verdict::partly);
  EXPECT_EQ(verdict(2, 10), Verdict::does_not_hold);
  EXPECT_EQ(verdict(0, 1), Verdict::does_not_hold);
  EXPECT_EQ(verdict(0, 0), Verdict::not_run);
}

TEST(Claims, FollowTheData) {
  // The same claim, with errors that make it true on all, on one and on none of three seeds.
  for (const auto& [powers, verdict] : {std::pair{std::array{-3.0, -2.5, -2.1}, Verdict::holds},
                                        std::pair{std::array{-3.0, -1.0, -0.5}, Verdict::partly},
                                        std::pair{std::array{-1.9, -1.0, 0.0}, Verdict::does_not_hold}}) {
    std::vector<reproduction::Run> runs;
    for (std::uint64_t seed = 1; seed <= 3; ++seed)
      runs.push_back(made_up_run(Target::multiscale, "method1", seed, falling(0.5, powers[seed - 1])));
    const Claim rate = claim(claims_of(runs), "a4-rate");
    EXPECT_EQ(rate.published.verdict(), verdict);
    EXPECT_NEAR(quartiles(rate.published.values()).median, powers[1], 1e-9);
    ASSERT_TRUE(rate.best);
    EXPECT_EQ(rate.best->verdict(), Verdict::not_run);
  }
}

TEST(Claims, TheLearnedLineIsDecidedByTheAnchor) {
  std::vector<reproduction::Run> runs = {made_up_run(Target::multiscale, "method1", 1, {1.24e-3}),
                                         made_up_run(Target::multiscale, "method1-best", 1, {1.26e-3})};
  const Claim error = claim(claims_of(runs), "a1-error");
  EXPECT_EQ(error.published.verdict(), Verdict::holds);
  EXPECT_EQ(error.best->verdict(), Verdict::does_not_hold);
}

TEST(Claims, MethodsAreComparedSeedBySeed) {
  std::vector<reproduction::Run> runs;
  for (const auto& [seed, error] : {std::pair{1, 1e-4}, std::pair{2, 1e-3}, std::pair{3, 1e-5}})
    runs.push_back(made_up_run(Target::stairstep, "method1", static_cast<std::uint64_t>(seed), {0.1, error}));
  for (const std::uint64_t seed : {2U, 1U})
    runs.push_back(made_up_run(Target::stairstep, "method2", seed, {0.1, 2e-3}));
  const Evidence ratio = claim(claims_of(runs), "b1-ratio").published;
  ASSERT_EQ(ratio.readings.size(), 2u) << "seed 3 has no Method 2";
  EXPECT_DOUBLE_EQ(ratio.readings[0].value, 20.0);
  EXPECT_TRUE(ratio.readings[0].met);
  EXPECT_DOUBLE_EQ(ratio.readings[1].value, 2.0);
  EXPECT_FALSE(ratio.readings[1].met);
  EXPECT_EQ(ratio.verdict(), Verdict::partly);
}

TEST(Claims, APlateauComesAfterAFall) {
  const auto verdict = [](const std::vector<double>& errors) {
    return claim(claims_of(std::vector{made_up_run(Target::stairstep, "method1", 1, errors)}), "b3-plateau")
        .published.verdict();
  };
  EXPECT_EQ(verdict({0.1, 0.05, 0.02, 0.01, 0.005, 0.002, 0.001, 9e-4, 8e-4, 8e-4}), Verdict::holds);
  EXPECT_EQ(verdict({0.1, 0.05, 0.02, 0.01, 0.005, 0.002, 0.001, 5e-4, 2e-4, 1e-4}), Verdict::does_not_hold);
  EXPECT_EQ(verdict({0.1, 0.1, 0.1, 0.1, 0.1, 0.1, 0.1, 0.1, 0.1, 0.1}), Verdict::does_not_hold);
}

TEST(Claims, AdamIsReadAtItsStartAndEnd) {
  reproduction::Run stalls = made_up_run(Target::multiscale, "adam-text", 1, {0.045});
  stalls.curve = {{0, 0.9, 0.9}, {100, 0.06, 0.05}, {30000, 0.05, 0.045}};
  reproduction::Run learns = made_up_run(Target::multiscale, "adam-table", 1, {0.001});
  learns.curve = {{0, 0.9, 0.9}, {100, 0.2, 0.2}, {15000, 0.001, 0.001}};
  const std::vector<Claim> claims = claims_of(std::vector{stalls, learns});
  EXPECT_EQ(claim(claims, "a5-text-start").published.verdict(), Verdict::holds);
  EXPECT_EQ(claim(claims, "a5-text-end").published.verdict(), Verdict::holds);
  EXPECT_EQ(claim(claims, "a5-table-start").published.verdict(), Verdict::does_not_hold);
  EXPECT_EQ(claim(claims, "a5-table-end").published.verdict(), Verdict::does_not_hold);
  EXPECT_FALSE(claim(claims, "a5-text-end").best) << "Adam has no chain to keep the best of";
  EXPECT_EQ(claim(claims, "a1-error").published.verdict(), Verdict::not_run);
}

TEST(Claims, AdamWithThreeBlocksIsComparedWithBlockThree) {
  const std::vector<double> errors = {0.1, 0.01, 4e-3, 1e-3, 1e-4};
  std::vector<reproduction::Run> runs = {made_up_run(Target::multiscale, "method1", 1, errors),
                                         made_up_run(Target::multiscale, "method1-best", 1, {0.1, 0.01, 1e-3}),
                                         made_up_run(Target::multiscale, "adam-text", 1, {0.02})};
  const Claim worse = claim(claims_of(runs), "a5-block-3");
  ASSERT_EQ(worse.published.readings.size(), 1u);
  EXPECT_DOUBLE_EQ(worse.published.readings[0].value, 5.0) << "not the 200 of the last block";
  ASSERT_TRUE(worse.best);
  ASSERT_EQ(worse.best->readings.size(), 1u) << "Adam has one state only: it serves both";
  EXPECT_DOUBLE_EQ(worse.best->readings[0].value, 20.0);
  EXPECT_EQ(claim(claims_of(runs), "a1-error-3").published.verdict(), Verdict::does_not_hold);
  EXPECT_EQ(claim(claims_of(runs), "a1-error").published.verdict(), Verdict::holds);
}

TEST(Claims, BothReadingsOfNegativeAreMeasured) {
  std::vector<reproduction::Run> runs = {made_up_run(Target::sine, "method1", 1, falling(0.5, -3.0)),
                                         made_up_run(Target::sine, "component", 1, falling(0.5, -1.2))};
  const std::vector<Claim> claims = claims_of(runs);
  EXPECT_EQ(claim(claims, "c-rate").published.verdict(), Verdict::holds);
  EXPECT_EQ(claim(claims, "c-recovers").published.verdict(), Verdict::does_not_hold);
  EXPECT_EQ(claim(claims, "c-rate-component").published.verdict(), Verdict::holds);
  EXPECT_EQ(claim(claims, "c-recovers-component").published.verdict(), Verdict::holds);
}

TEST(Claims, OtherSettingsHaveNoBestState) {
  std::vector<reproduction::Run> runs = {made_up_run(Target::stairstep, "method1", 1, {1e-3}),
                                         made_up_run(Target::stairstep, "gamma-1", 1, {5e-3})};
  const Claim gamma = claim(claims_of(runs), "e-gamma");
  EXPECT_DOUBLE_EQ(gamma.published.readings.at(0).value, 5.0);
  EXPECT_FALSE(gamma.best);
  EXPECT_EQ(claim(claims_of(runs), "e-delta-small").published.verdict(), Verdict::not_run);
}

TEST(Claims, AreOnlyAboutExamplesThatWereRun) {
  const std::vector<Claim> claims = claims_of(std::vector{made_up_run(Target::sine, "method1", 1, {0.1, 0.01})});
  ASSERT_FALSE(claims.empty());
  for (const Claim& each : claims) EXPECT_EQ(each.target, Target::sine) << each.id;
  EXPECT_TRUE(claims_of({}).empty());
}

TEST(Claims, EveryOneHasWordsAndItsOwnName) {
  std::vector<reproduction::Run> runs;
  for (const Target target : {Target::multiscale, Target::stairstep, Target::sine})
    runs.push_back(made_up_run(target, "method1", 1, {0.1}));
  std::set<std::string> ids;
  std::string groups;
  for (const Claim& each : claims_of(runs)) {
    EXPECT_TRUE(ids.insert(each.id).second) << each.id;
    EXPECT_FALSE(each.statement.empty() || each.measure.empty() || each.condition.empty()) << each.id;
    if (groups.find(each.id[0]) == std::string::npos) groups += each.id[0];
  }
  EXPECT_EQ(std::set<char>(groups.begin(), groups.end()), (std::set<char>{'a', 'b', 'c', 'd', 'e'}));
}

TEST(Claims, ReadAsMedianAndQuartiles) {
  const Evidence evidence{{{1, 0.1, true}, {2, 0.2, true}, {3, 0.3, false}}};
  EXPECT_EQ(median_and_quartiles(evidence, false), "0.2 [0.15, 0.25]");
  EXPECT_EQ(median_and_quartiles(evidence, true), "20 % [15 %, 25 %]");
  EXPECT_EQ(median_and_quartiles(Evidence{{{1, 0.5, true}}}, false), "0.5");
  EXPECT_EQ(median_and_quartiles(Evidence{}, false), "–");
  EXPECT_EQ(median_and_quartiles(std::vector{-2.3456, -1.0}), "−1.67 [−2.01, −1.34]");
}

}  // namespace
}  // namespace rfnn::reproduction
