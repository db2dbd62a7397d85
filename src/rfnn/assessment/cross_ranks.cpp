#include "rfnn/assessment/cross_ranks.hpp"

#include <cstdint>
#include <string>
#include <utility>

#include "rfnn/data/dataset.hpp"
#include "rfnn/rows/ranks/message.hpp"
#include "rfnn/training/ranks/agreement.hpp"

namespace rfnn::assessment {
namespace {

std::string as_message(const std::optional<FoldPrediction>& result) {
  rows::Writer out;
  out.put(result.has_value());
  if (!result) return out.take();
  out.put_matrix(result->predictions);
  out.put<std::uint64_t>(result->blocks);
  out.put(result->seconds);
  out.put(result->cut);
  out.put<std::uint64_t>(result->warnings.size());
  for (const std::string& warning : result->warnings) out.put_text(warning);
  return out.take();
}

std::optional<FoldPrediction> from_message(const std::string& message) {
  rows::Reader in(message);
  if (!in.get<bool>()) return std::nullopt;
  FoldPrediction result;
  result.predictions = in.get_matrix();
  result.blocks = in.get<std::uint64_t>();
  result.seconds = in.get<double>();
  result.cut = in.get<bool>();
  result.warnings.resize(in.get<std::uint64_t>());
  for (std::string& warning : result.warnings) warning = in.get_text();
  return result;
}

/// The rows of the folds, as one number.
std::string print_of(const std::vector<FoldRows>& folds) {
  std::vector<double> places;
  for (const FoldRows& fold : folds) {
    for (const auto* side : {&fold.train, &fold.test}) {
      places.push_back(-1.0);
      for (const std::size_t row : *side) places.push_back(static_cast<double>(row));
    }
  }
  return fingerprint(Columns(places.size(), {ColumnView(places.data())}), Columns(places.size()));
}

}  // namespace

void agree_on_cross(const CrossTable& table, const std::vector<FoldRows>& folds, const Options& options,
                    Communicator& ranks) {
  const DatasetView& data = table.data;
  const auto named = [](const std::vector<std::string>& names) {
    std::string text;
    for (const std::string& name : names) text += (text.empty() ? "" : ", ") + name;
    return text;
  };
  training::agree_on_options(ranks, options);
  training::agree_on(
      ranks,
      {{"the number of rows", std::to_string(data.rows())},
       {"the list of inputs", named(data.input_names)},
       {"the list of targets", named(data.target_names)},
       {"the table's fingerprint", fingerprint(data.inputs, data.targets)},
       {"the fingerprint of the weights",
        data.weights ? fingerprint(Columns(data.rows(), {*data.weights}), Columns(data.rows())) : ""},
       {"the number of folds", std::to_string(folds.size())},
       {"the fingerprint of the folds", print_of(folds)}},
      "Every rank reads the whole table: give all of them the same file and the same words. For many tables run a "
      "process each (a job array).");
}

std::vector<std::optional<FoldPrediction>> cross_predict(const CrossTable& table, const std::vector<FoldRows>& folds,
                                                         const Options& options, const CrossObserver& observer,
                                                         Communicator& ranks) {
  const std::size_t here = ranks.rank(), all = ranks.size();
  std::vector<std::optional<FoldPrediction>> results = cross_predict(table, folds, options, observer, {here, all});
  for (std::size_t fold = 0; fold < folds.size(); ++fold) {
    const std::size_t rank = fold % all;
    if (here != 0 && rank == here) ranks.send(0, as_message(results[fold]));
    if (here != 0 || rank == 0) continue;
    results[fold] = from_message(ranks.receive(rank));
    if (results[fold] && observer.done) observer.done(fold, *results[fold]);
  }
  return results;
}

}  // namespace rfnn::assessment
