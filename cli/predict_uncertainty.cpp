#include "cli/predict_uncertainty.hpp"

#include <cmath>

#include <fmt/format.h>

#include "cli/terminal.hpp"
#include "rfnn/core/error.hpp"
#include "rfnn/options/number_text.hpp"

namespace rfnn::cli {

double given_share(const std::string& text, const std::string& flag) {
  const std::optional<double> share = number_from<double>(text);
  if (!share || !(*share > 0.0) || !(*share < 1.0))
    throw UsageError(fmt::format("{} {}: that is no share between 0 and 1.", flag, printable(text)),
                     fmt::format("Give a number like 0.9: {} 0.9", flag));
  return *share;
}

void UncertaintyWishes::add_flags(Arguments& arguments) {
  arguments.flag(deviation, "--std", "add NAME_std, the standard deviation of the target around the prediction");
  arguments.value(interval, "--interval", "C",
                  "add NAME_lower and NAME_upper, between which a share C of new rows lies, 0.9 say");
  arguments.value(quantiles, "--quantiles", "P[,P...]",
                  "add NAME_qP, below which a share P of new rows lies, for each P");
}

UncertaintyColumns::UncertaintyColumns(const Model& model, const UncertaintyWishes& wishes)
    : outputs_(model.outputs()) {
  if (!wishes.any()) return;
  std::vector<std::pair<std::string, double>> shares;
  if (wishes.quantiles) {
    for (std::size_t begin = 0; begin <= wishes.quantiles->size();) {
      const std::size_t end = std::min(wishes.quantiles->find(',', begin), wishes.quantiles->size());
      const std::string text = wishes.quantiles->substr(begin, end - begin);
      shares.emplace_back(text, given_share(text, "--quantiles"));
      begin = end + 1;
    }
  }
  const double coverage = wishes.interval ? given_share(*wishes.interval, "--interval") : 0.0;
  bars_.emplace(model);
  const auto add = [&](const std::string& suffix, auto&& score, bool around) {
    for (std::size_t o = 0; o < outputs_; ++o) {
      names_.push_back(model.targets[o].name + suffix);
      kinds_.push_back({o, score(o), around});
    }
  };
  const auto quantile = [&](double p) { return [this, p](std::size_t o) { return bars_->quantile(o, p); }; };
  if (wishes.deviation)
    add(
        "_std", [&](std::size_t o) { return bars_->deviation(o); }, false);
  if (wishes.interval) {
    add("_lower", quantile(0.5 * (1.0 - coverage)), true);
    add("_upper", quantile(0.5 * (1.0 + coverage)), true);
  }
  for (const auto& [text, share] : shares) add("_q" + text, quantile(share), true);
}

ConstMatrixView UncertaintyColumns::numbers(ConstMatrixView inputs, ConstMatrixView predictions,
                                            const PredictOptions& options) {
  if (!bars_) return {};
  if (widths_.rows() != predictions.rows()) {
    widths_ = Matrix(predictions.rows(), outputs_);
    numbers_ = Matrix(predictions.rows(), kinds_.size());
  }
  bars_->widths(inputs, predictions, widths_.view(), options);
  for (std::size_t i = 0; i < predictions.rows(); ++i)
    for (std::size_t k = 0; k < kinds_.size(); ++k) {
      const Kind& kind = kinds_[k];
      numbers_(i, k) = (kind.around ? predictions(i, kind.output) : 0.0 * predictions(i, kind.output)) +
                       kind.score * widths_(i, kind.output);
    }
  return numbers_.view();
}

}  // namespace rfnn::cli
