#pragma once

#include <gtest/gtest.h>

#include <cmath>

#include "identities/naive_training.hpp"
#include "rfnn/rows/predict.hpp"

namespace rfnn::testing {

/// Sound, explained, with records that make sense, and predicts finite numbers.
inline void expect_valid(const Model& model, const Dataset& data) {
  EXPECT_NO_THROW(check(model));
  EXPECT_TRUE(to_eigen(predict(model, data.inputs.view())).allFinite());
  EXPECT_FALSE(model.stop_text.empty());
  for (const BlockRecord& record : model.history.blocks) {
    EXPECT_TRUE(std::isfinite(record.train_mse));
    EXPECT_LE(record.solver_fallbacks, record.solves);
  }
}

}  // namespace rfnn::testing
