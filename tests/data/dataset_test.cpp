#include <gtest/gtest.h>

#include <set>
#include <vector>

#include "rfnn/data/dataset.hpp"

namespace rfnn {
namespace {

TEST(Fingerprint, SeesEveryBitAndTheShape) {
  Matrix inputs(4, 3), targets(4, 1);
  for (std::size_t i = 0; i < inputs.size(); ++i) inputs.data()[i] = static_cast<double>(i) / 7.0;
  const std::string base = fingerprint(inputs.view(), targets.view());
  EXPECT_EQ(base.size(), 32u);
  EXPECT_EQ(base.find_first_not_of("0123456789abcdef"), std::string::npos);
  EXPECT_EQ(base, fingerprint(inputs.view(), targets.view()));
  std::set<std::string> seen = {base};
  Matrix changed = inputs;
  changed(3, 2) *= 1.0 + 3e-16;
  EXPECT_TRUE(seen.insert(fingerprint(changed.view(), targets.view())).second);
  changed = targets;
  changed(0, 0) = 1e-300;
  EXPECT_TRUE(seen.insert(fingerprint(inputs.view(), changed.view())).second);
  EXPECT_TRUE(seen.insert(fingerprint(ConstMatrixView(inputs.data(), 3, 4), targets.view())).second);
  EXPECT_TRUE(seen.insert(fingerprint(inputs.view().rows_from(0, 3), targets.view())).second);
  EXPECT_TRUE(seen.insert(fingerprint(targets.view(), inputs.view())).second);
}

TEST(Fingerprint, DoesNotSeeTheLayout) {
  Matrix by_rows(5, 2);
  std::vector<double> by_columns(10);
  for (std::size_t i = 0; i < 5; ++i) {
    for (std::size_t k = 0; k < 2; ++k) by_rows(i, k) = by_columns[k * 5 + i] = static_cast<double>(i * 2 + k);
  }
  const Matrix targets(5, 1, 2.0);
  EXPECT_EQ(fingerprint(by_rows.view(), targets.view()),
            fingerprint(ConstMatrixView(by_columns.data(), 5, 2, 1, 5), targets.view()));
}

}  // namespace
}  // namespace rfnn
