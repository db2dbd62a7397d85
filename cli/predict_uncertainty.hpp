#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "cli/arguments.hpp"
#include "rfnn/core/matrix.hpp"
#include "rfnn/rows/predict.hpp"
#include "rfnn/uncertainty/error_bars.hpp"
#include "rfnn/uncertainty/function_draws.hpp"

namespace rfnn::cli {

/// What `rfnn predict` is asked to say about the errors of its predictions.
struct UncertaintyWishes {
  bool deviation = false;
  std::optional<std::string> interval, quantiles, draws, draw_seed;  ///< as given
  bool draw_noise = false;

  void add_flags(Arguments& arguments);
  [[nodiscard]] bool any_bars() const { return deviation || interval || quantiles; }
  [[nodiscard]] bool any() const { return any_bars() || draws; }
};

/// The columns NAME_std, NAME_lower, NAME_upper, NAME_q… and NAME_draw… behind the predictions.
class UncertaintyColumns {
 public:
  /// Throws UsageError for what cannot be asked, and where the model does not know its errors or has no functions to
  /// draw.
  UncertaintyColumns(const Model& model, const UncertaintyWishes& wishes);

  [[nodiscard]] const std::vector<std::string>& names() const { return names_; }
  /// Of a batch of rows, whose predictions are finite or there is none. Widths are those of the whole model.
  ConstMatrixView numbers(ConstMatrixView inputs, ConstMatrixView predictions, const PredictOptions& options);

 private:
  /// A column: ŷ + s · score of an output or, for a standard deviation, s · score.
  struct Kind {
    std::size_t output = 0;
    double score = 0.0;
    bool around = true;  ///< the prediction
  };

  void prepare_bars(const Model& model, const UncertaintyWishes& wishes);
  void prepare_draws(const Model& model, const UncertaintyWishes& wishes);

  std::size_t outputs_, drawn_ = 0;
  std::optional<ErrorBars> bars_;
  std::optional<FunctionDraws> draws_;
  std::vector<std::string> names_;
  std::vector<Kind> kinds_;
  Matrix widths_, numbers_;
};

/// A share of the rows, 0 < share < 1: "0.9".
double given_share(const std::string& text, const std::string& flag);

}  // namespace rfnn::cli
