#include "cli/predict_uncertainty.hpp"

#include <cmath>

#include <fmt/format.h>

#include "cli/terminal.hpp"
#include "rfnn/core/error.hpp"
#include "rfnn/options/number_text.hpp"

namespace rfnn::cli {

double given_share(const std::string& text, const std::string& flag) {
  const std::optional<double> share = number_from<double>(text);
  if (text.empty())
    throw UsageError(fmt::format("{} has an empty place where a share should be.", flag),
                     fmt::format("Give a number like 0.9, several with single commas between them: {} 0.1,0.9", flag));
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
  arguments.value(draws, "--draws", "K",
                  "add NAME_draw1 … NAME_drawK, samples of whole functions that the model holds possible");
  arguments.value(draw_seed, "--draw-seed", "N", "which samples: those of the same seed are the same functions [0]");
  arguments.flag(draw_noise, "--draw-noise", "add a measurement's noise to the samples");
}

UncertaintyColumns::UncertaintyColumns(const Model& model, const UncertaintyWishes& wishes)
    : outputs_(model.outputs()) {
  if ((wishes.draw_seed || wishes.draw_noise) && !wishes.draws)
    throw UsageError("--draw-seed and --draw-noise say which samples, and none are asked for.",
                     "Give --draws 10, say.");
  if (wishes.any_bars()) prepare_bars(model, wishes);
  if (wishes.draws) prepare_draws(model, wishes);
}

void UncertaintyColumns::prepare_draws(const Model& model, const UncertaintyWishes& wishes) {
  constexpr std::size_t most = 10000;
  drawn_ = whole_number(*wishes.draws, "--draws", 1, most);
  const std::size_t seed =
      wishes.draw_seed ? whole_number(*wishes.draw_seed, "--draw-seed", 0, std::size_t{1} << 53U) : 0;
  draws_.emplace(model, DrawOptions{.count = drawn_, .seed = seed, .noise = wishes.draw_noise});
  for (const Column& target : model.targets)
    for (std::size_t k = 1; k <= drawn_; ++k) names_.push_back(fmt::format("{}_draw{}", target.name, k));
}

void UncertaintyColumns::prepare_bars(const Model& model, const UncertaintyWishes& wishes) {
  std::vector<std::pair<std::string, double>> shares;
  if (wishes.quantiles) {
    for (std::size_t begin = 0; begin <= wishes.quantiles->size();) {
      const std::size_t end = std::min(wishes.quantiles->find(',', begin), wishes.quantiles->size());
      const std::string text = wishes.quantiles->substr(begin, end - begin);
      const double share = given_share(text, "--quantiles");
      for (const auto& [other, same] : shares)
        if (same == share)
          throw UsageError(fmt::format("--quantiles names {} twice.", printable(other)), "Name it once.");
      shares.emplace_back(text, share);
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
  if (names_.empty()) return {};
  if (numbers_.rows() != predictions.rows()) numbers_ = Matrix(predictions.rows(), names_.size());
  if (bars_) {
    if (widths_.rows() != predictions.rows()) widths_ = Matrix(predictions.rows(), outputs_);
    bars_->widths(inputs, predictions, widths_.view(), options);
  }
  for (std::size_t i = 0; i < predictions.rows(); ++i)
    for (std::size_t k = 0; k < kinds_.size(); ++k) {
      const Kind& kind = kinds_[k];
      numbers_(i, k) = (kind.around ? predictions(i, kind.output) : 0.0 * predictions(i, kind.output)) +
                       kind.score * widths_(i, kind.output);
    }
  if (draws_)
    draws_->values(inputs, predictions,
                   MatrixView(numbers_.data() + kinds_.size(), numbers_.rows(), outputs_ * drawn_,
                              static_cast<std::ptrdiff_t>(numbers_.cols()), 1),
                   options);
  return numbers_.view();
}

}  // namespace rfnn::cli
