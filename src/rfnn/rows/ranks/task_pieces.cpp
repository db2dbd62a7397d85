#include "rfnn/rows/ranks/task_pieces.hpp"

#include <bit>
#include <utility>

#include "rfnn/rows/ranks/message.hpp"

namespace rfnn::rows {
namespace {

std::size_t middle_of(std::size_t from, std::size_t to) { return from + std::bit_floor(to - from - 1); }

Partial joined(Partial left, Partial right, const PieceTree::Join& join) {
  if (left.failure.empty()) left.failure = std::move(right.failure);
  if (left.failure.empty()) join(left.numbers, right.numbers);
  return left;
}

/// The sum of a branch that is here.
Partial whole(std::size_t from, std::size_t to, PieceTree::Leaf leaf, const PieceTree::Join& join) {
  if (to - from == 1) return leaf(from);
  const std::size_t middle = middle_of(from, to);
  Partial left = whole(from, middle, leaf, join);
  return joined(std::move(left), whole(middle, to, leaf, join), join);
}

/// Calls visit(from, to) for the largest branches of [from, to) within [begin, end), in order.
void largest_within(std::size_t from, std::size_t to, std::size_t begin, std::size_t end,
                    const std::function<void(std::size_t, std::size_t)>& visit) {
  if (to <= begin || from >= end) return;
  if (begin <= from && to <= end) return visit(from, to);
  const std::size_t middle = middle_of(from, to);
  largest_within(from, middle, begin, end, visit);
  largest_within(middle, to, begin, end, visit);
}

/// Adds up branches of which the sums are known, by their first piece and the one behind their last.
Partial sum_of(std::size_t from, std::size_t to, std::map<std::pair<std::size_t, std::size_t>, Partial>& known,
               const PieceTree::Join& join) {
  if (const auto found = known.find({from, to}); found != known.end()) return std::move(found->second);
  if (to - from <= 1) return {{}, "A task has not answered for piece " + std::to_string(from) + "."};
  const std::size_t middle = middle_of(from, to);
  Partial left = sum_of(from, middle, known, join);
  return joined(std::move(left), sum_of(middle, to, known, join), join);
}

PieceTree::Join join_for(std::string_view message, std::size_t outputs) {
  const std::vector<Step> steps = steps_of(message);
  if (!steps.empty() && steps.back().pass == Pass::triangle) {
    const auto columns = static_cast<Eigen::Index>(Reader(steps.back().bytes).get_list<std::size_t>().size());
    return [columns, m = static_cast<Eigen::Index>(outputs)](Numbers& into, const Numbers& from) {
      join_triangles(columns, m, into, from);
    };
  }
  return [](Numbers& into, const Numbers& from) { add(into, from); };
}

}  // namespace

PieceRun::PieceRun(std::size_t first, std::vector<RowState> pieces, std::vector<double> scales,
                   std::vector<std::size_t> cuts, std::size_t threads)
    : PieceHolder(alone, threads) {
  SpreadRows rows;
  rows.cuts = std::move(cuts);
  rows.first = {first, first + pieces.size()};
  rows.pieces = std::move(pieces);
  rows.scales = std::move(scales);
  hold(std::move(rows));
}

std::string PieceRun::answer(const std::string& message) {
  sums_.clear();
  Interrupt never;
  run(message, never);
  Writer out;
  out.put<std::uint64_t>(sums_.size());
  for (const Partial& sum : sums_) {
    out.put_text(sum.failure);
    out.put_list(std::span<const double>(sum.numbers));
  }
  sums_.clear();
  return out.take();
}

Partial PieceRun::reduce(const SpreadRows& rows, PieceTree::Leaf leaf, const PieceTree::Join& join) {
  largest_within(0, rows.cuts.size() - 1, rows.first[0], rows.first[1],
                 [&](std::size_t from, std::size_t to) { sums_.push_back(whole(from, to, leaf, join)); });
  return {};
}

TaskPieces::TaskPieces(std::size_t rows, std::size_t pieces, std::size_t outputs, Ask ask, std::size_t threads)
    : rows_(rows),
      pieces_(pieces),
      outputs_(outputs),
      ask_(std::move(ask)),
      work_(make_row_work(Implementation::threads, threads)) {}

Partial TaskPieces::call(std::string message, Interrupt& interrupt) {
  std::vector<Answer> answers;
  const std::vector<Step> steps = steps_of(message);
  for (const Step& step : steps)
    if (step.pass == Pass::copy) ++next_;
  // A pass that nobody waits for any more has changed what it was to change all the same.
  const bool answered = steps.empty() || steps.back().pass == Pass::finish || ask_(message, answers, interrupt);
  log_.note(message);
  if (!answered) {
    interrupt.stop();
    return {};
  }
  if (answers.empty()) return {};
  std::map<std::pair<std::size_t, std::size_t>, Partial> known;
  for (const Answer& answer : answers) {
    Reader in(answer.text);
    if (in.get<std::uint64_t>() == 0) continue;
    largest_within(0, pieces_, answer.begin, answer.end, [&](std::size_t from, std::size_t to) {
      Partial& sum = known[{from, to}];
      sum.failure = in.get_text();
      sum.numbers = in.get_list<double>();
    });
  }
  return sum_of(0, pieces_, known, join_for(message, outputs_));
}

}  // namespace rfnn::rows
