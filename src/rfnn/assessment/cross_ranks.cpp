#include "rfnn/assessment/cross_ranks.hpp"

#include <cstdint>
#include <string>
#include <utility>

#include "rfnn/rows/ranks/message.hpp"

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

}  // namespace

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
