#include "rfnn/diagnostics/problems.hpp"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

namespace rfnn {
namespace diagnosis {

std::string where(std::size_t count, std::size_t blocks, const BlockRecord& worst) {
  if (blocks == 1) return "in the only block";
  if (count == blocks) return fmt::format("in all {} blocks, most of all in block {}", blocks, worst.block);
  if (count == 1) return fmt::format("in block {}", worst.block);
  return fmt::format("in {} of {} blocks, most of all in block {}", count, blocks, worst.block);
}

std::string round_number(double value) { return fmt::format("{:.2g}", value); }

std::optional<Problem> unfinished(const Evidence& evidence) {
  if (evidence.unfinished.empty()) return std::nullopt;
  return Problem{ProblemKind::unfinished, evidence.unfinished, "rerun, or fit --from MODEL to go on"};
}

std::optional<Problem> too_few_rows(const Evidence& evidence) {
  constexpr double per_coefficient = 2.0, per_input = 10.0;
  const auto rows = static_cast<double>(evidence.rows);
  if (evidence.rows == 0) return std::nullopt;
  const double of_a_plane = per_input * (static_cast<double>(evidence.inputs) + 1.0);
  if (rows < of_a_plane)
    return Problem{
        ProblemKind::too_few_rows,
        fmt::format("{:.0f} row{} for {} input{}: fewer than {:.0f}, ten for each and the constant", rows,
                    evidence.rows == 1 ? "" : "s", evidence.inputs, evidence.inputs == 1 ? "" : "s", of_a_plane),
        "more rows, or --ignore for inputs that tell nothing"};
  // Preset auto weighs its features by rows held out: it may have as many as there are rows.
  if (evidence.options.preset != Preset::paper) return std::nullopt;
  for (const BlockRecord& record : evidence.blocks) {
    const double coefficients = 2.0 * static_cast<double>(record.width) * static_cast<double>(record.branches.size());
    const auto here = static_cast<double>(record.rows);
    if (record.rows == 0 || here >= per_coefficient * coefficients) continue;
    return Problem{
        ProblemKind::too_few_rows,
        fmt::format("{:.0f} rows for the {:.0f} coefficients of block {}: fewer than two for each", here, coefficients,
                    record.block),
        fmt::format("--width {:.0f}, or more rows", std::max(1.0, std::floor(here / (4.0 * per_coefficient))))};
  }
  return std::nullopt;
}

std::optional<Problem> ill_conditioned(const Evidence& evidence) {
  constexpr double largest = 1e10, lost = 0.01;
  const BlockRecord* worst = nullptr;
  std::size_t count = 0, solved = 0;
  std::uint64_t solves = 0, fallbacks = 0;
  for (const BlockRecord& record : evidence.blocks) {
    solves += record.solves;
    fallbacks += record.solver_fallbacks;
    solved += record.condition > 0.0 ? 1 : 0;
    if (!(record.condition > largest)) continue;
    ++count;
    if (worst == nullptr || record.condition > worst->condition) worst = &record;
  }
  const double share = solves == 0 ? 0.0 : static_cast<double>(fallbacks) / static_cast<double>(solves);
  if (worst == nullptr && share <= lost) return std::nullopt;
  std::string text = "the amplitudes are hardly determined: ";
  if (worst != nullptr)
    text += fmt::format("condition number {:.1g} {} (up to {:.0g} is sound)", worst->condition,
                        where(count, solved, *worst), largest);
  if (fallbacks > 0)
    text += fmt::format("{}{:.0f} % of the least-squares problems fell back to QR", worst != nullptr ? "; " : "",
                        std::max(1.0, 100.0 * share));
  double ridge = worst != nullptr ? worst->ridge : 0.0;
  for (const BlockRecord& record : evidence.blocks) ridge = std::max(ridge, worst == nullptr ? record.ridge : 0.0);
  return Problem{ProblemKind::ill_conditioned, std::move(text),
                 ridge < 1e-4 ? "--ridge 1e-4" : "--ridge " + round_number(100.0 * ridge)};
}

namespace {

/// The errors of each network of the run after its blocks, on rows that it was not fitted to where there are any.
struct Course {
  std::vector<double> error;        ///< with 0, 1, … blocks; not a number where it is not known
  std::vector<double> train;        ///< the same on training rows
  std::size_t kept = 0;             ///< blocks of the model
  std::optional<double> uncertain;  ///< standard error of the last of `error`
  bool apart = false;               ///< rows that the network was not fitted to
};

std::optional<Course> course_of(const Evidence& evidence) {
  if (evidence.model == nullptr || evidence.model->members.empty()) return std::nullopt;
  const Model& model = *evidence.model;
  Course course;
  course.kept = model.members.front().blocks.size();
  course.train.push_back(model.history.empty_train_mse);
  course.error.push_back(model.history.empty_validation_mse.value_or(NAN));
  for (const BlockRecord& record : model.history.blocks) {
    if (record.member != 0 || !is_kept(model, record)) continue;
    course.train.push_back(record.train_mse);
    course.error.push_back(record.validation_mse.value_or(NAN));
  }
  course.uncertain = model.history.final_validation_se;
  if (evidence.seen && !evidence.seen->known && evidence.seen->error_by_blocks.size() == course.kept + 1) {
    course.error = evidence.seen->error_by_blocks;
    course.uncertain.reset();
  }
  if (course.train.size() != course.kept + 1) return std::nullopt;
  course.apart = std::none_of(course.error.begin(), course.error.end(), [](double e) { return std::isnan(e); });
  if (!course.apart) course.error = course.train;
  return course;
}

/// "26 % larger", "40 times as large"
std::string larger_by(double ratio) {
  return ratio < 3.0 ? fmt::format("{:.0f} % larger", 100.0 * (ratio - 1.0))
                     : fmt::format("{:.3g} times as large", ratio);
}

}  // namespace

std::optional<Problem> overfitting(const Evidence& evidence) {
  constexpr double noticeable = 0.1, far_apart = 2.0, worth_a_word = 0.01;
  const std::optional<Course> course = course_of(evidence);
  if (!course || !course->apart || course->kept == 0) return std::nullopt;
  const std::vector<double>& error = course->error;
  const double last = error.back(), doubt = course->uncertain.value_or(0.0);
  const auto least = std::min_element(error.begin(), error.end());
  const auto best = static_cast<std::size_t>(least - error.begin());
  if (best < course->kept && last > (1.0 + noticeable) * *least && last - *least > doubt)
    return Problem{ProblemKind::overfitting,
                   fmt::format("the error on rows not fitted is least with {} block{} ({:.3g}) and {} with "
                               "all {} ({:.3g})",
                               best, best == 1 ? "" : "s", *least, larger_by(last / *least), course->kept, last),
                   best == 0 ? "--width, smaller, or more rows"
                             : fmt::format("--blocks {}, or --patience 2 --validation-fraction 0.2", best)};
  // An interpolant of exact data is no worse for an error of next to nothing on the rows it goes through.
  if (evidence.options.preset == Preset::automatic) return std::nullopt;
  const double train = course->train.back();
  if (last > far_apart * train && last - train > doubt && last > worth_a_word * error.front()) {
    std::size_t since = course->kept;
    while (since > 1 && error[since - 1] > far_apart * course->train[since - 1]) --since;
    return Problem{
        ProblemKind::overfitting,
        fmt::format("the error on rows not fitted, {:.3g}, is {:.1f} times that on training rows, {:.3g} (more "
                    "than twice since block {})",
                    last, last / train, train, since),
        since > 1 ? fmt::format("--blocks {}, or a larger --ridge", since - 1) : "--width, smaller, or more rows"};
  }
  return std::nullopt;
}

std::optional<Problem> underfitting(const Evidence& evidence) {
  constexpr double noticeable = 0.1, worth_a_word = 0.01;
  const std::optional<Course> course = course_of(evidence);
  if (!course || course->kept < 2 || evidence.model->stop_reason != StopReason::all_blocks) return std::nullopt;
  const std::vector<double>& error = course->error;
  const double before = error[course->kept - 1], last = error.back();
  const double fall = before > 0.0 ? 1.0 - last / before : 0.0;
  const double earlier = error[course->kept - 2] > 0.0 ? 1.0 - before / error[course->kept - 2] : 0.0;
  // Two blocks in a row: one lucky block is no trend. The theory's own rate falls by 1/ℓ with block ℓ.
  const double expected = std::max(noticeable, 1.5 / static_cast<double>(course->kept));
  if (fall < expected || earlier < expected || before - last < course->uncertain.value_or(0.0) ||
      last < worth_a_word * error.front())
    return std::nullopt;
  return Problem{
      ProblemKind::underfitting,
      fmt::format("the error on {} was still falling when training ended: by {:.0f} % and {:.0f} % with the "
                  "last two of {} blocks",
                  course->apart ? "rows not fitted" : "training rows", 100.0 * earlier, 100.0 * fall, course->kept),
      fmt::format("--blocks {}", 2 * course->kept)};
}

}  // namespace diagnosis

std::vector<Problem> problems(const Evidence& evidence) {
  using namespace diagnosis;
  std::vector<Problem> found;
  for (const auto look : {unfinished, too_few_rows, ill_conditioned, acceptance, sampling_limit, twins, overfitting,
                          underfitting, mixing, residuals})
    if (auto problem = look(evidence)) found.push_back(std::move(*problem));
  std::stable_sort(found.begin(), found.end(), [](const Problem& a, const Problem& b) { return a.kind < b.kind; });
  return found;
}

}  // namespace rfnn
