#include "cli/progress.hpp"

#include <algorithm>
#include <cmath>
#include <vector>

#include <fmt/format.h>

#include "cli/terminal.hpp"

namespace rfnn::cli {
namespace {

constexpr auto redraw_interval = std::chrono::milliseconds(100);
constexpr double longest_silence = 30.0;  // seconds

/// Width of lines where nobody wraps them.
constexpr std::size_t whole_line = 1000;

/// A piece of a line; the larger `spare`, the sooner it goes when the line is too long. 0 stays.
struct Piece {
  std::string text;
  int spare;
};

std::string join(std::vector<Piece> pieces, std::size_t width) {
  const auto length = [&] {
    std::size_t sum = 0;
    for (const Piece& piece : pieces) sum += piece.text.size() + 2;
    return sum;
  };
  while (!pieces.empty() && length() > width + 2) {
    const auto first =
        std::max_element(pieces.begin(), pieces.end(), [](auto& a, auto& b) { return a.spare < b.spare; });
    if (first->spare == 0) break;
    pieces.erase(first);
  }
  std::string line;
  for (const Piece& piece : pieces) line += (line.empty() ? "" : "  ") + piece.text;
  return line.substr(0, width);
}

/// Of lines that stay nothing is left out: the pieces that find no room go to the next one.
std::string folded(const std::vector<Piece>& pieces, std::size_t width) {
  std::string lines;
  std::size_t column = 0;
  for (const Piece& piece : pieces) {
    const bool fits = column == 0 || column + 2 + piece.text.size() <= width;
    lines += (column == 0 ? "" : fits ? "  " : "\n    ") + piece.text;
    column = (fits ? column + (column == 0 ? 0 : 2) : 4) + piece.text.size();
  }
  return lines;
}

std::string count_of(std::int64_t done, std::int64_t all) {
  const std::string total = std::to_string(all);
  return fmt::format("{:>{}}/{}", done, total.size(), total);
}

/// How much of the error a block took away.
std::string gain(double before, double after) {
  if (!(before > 0.0) || !std::isfinite(after)) return {};
  return fmt::format("gain {:>5.1f}%", 100.0 * (before - after) / before);
}

}  // namespace

ProgressLines::ProgressLines(const Options& options)
    : blocks_(options.blocks), several_(options.members > 1), live_(live_terminal()) {}

void ProgressLines::progress(const Progress& now) {
  if (now.block > 0) before_[now.member] = now.previous_validation_mse.value_or(now.previous_train_mse);
  if (live_) {
    const auto time = std::chrono::steady_clock::now();
    if (time < next_draw_) return;
    next_draw_ = time + redraw_interval;
  } else {
    if (said_) quiet_since_ = now.elapsed;
    said_ = false;
    if (now.elapsed < quiet_since_ + longest_silence) return;
  }

  std::vector<Piece> pieces;
  pieces.push_back({!now.stage.empty() ? printable(now.stage)
                    : now.block == 0   ? "preparing the rows"
                                       : "block " + count_of(now.block, now.blocks),
                    0});
  const bool chain = now.block > 0 && now.iterations > 0;
  if (chain) pieces.push_back({count_of(now.iteration, now.iterations), 1});
  if (chain) pieces.push_back({fmt::format("accepted {:>3.0f}%", 100.0 * now.acceptance), 5});
  if (std::isfinite(now.loss)) {
    pieces.push_back({fmt::format("train {:.3e}", now.loss), 2});
    if (const std::string text = gain(now.previous_train_mse, now.loss); !text.empty()) pieces.push_back({text, 6});
  }
  if (now.previous_validation_mse)
    pieces.push_back({fmt::format("valid {:.3e} before", *now.previous_validation_mse), 7});
  pieces.push_back({io::duration(now.elapsed), 4});
  if (now.remaining) pieces.push_back({io::duration(*now.remaining) + " left", 3});
  if (!live_) return line("... " + join(std::move(pieces), whole_line));
  // One column stays free: some terminals wrap when the last one is written.
  const std::size_t width = std::max<std::size_t>(terminal_width(), 2) - 1;
  say("\r" + styled(Style::faint, join(std::move(pieces), width)) + "\x1b[K");
  drawn_ = true;
}

void ProgressLines::block(const BlockRecord& record, double elapsed) {
  std::uint64_t proposed = 0, accepted = 0;
  for (const BranchRecord& branch : record.branches) {
    proposed += branch.proposed;
    accepted += branch.accepted;
  }
  std::vector<Piece> pieces;
  several_ = several_ || record.member > 0;
  pieces.push_back(
      {(several_ ? fmt::format("member {}, ", record.member) : "") + "block " + count_of(record.block, blocks_), 0});
  if (record.method != Method::sampled)
    pieces.push_back({fmt::format("{}, width {}", name_of(record.method), record.width), 3});
  const std::string_view ended = record.complete ? "" : " (cut short)";
  if (record.has_chain() || record.method == Method::sampled)
    pieces.push_back({fmt::format("{} iterations{}", record.iterations, ended), 3});
  else if (!record.complete)
    pieces.push_back({"(cut short)", 3});
  if (proposed > 0) {
    pieces.push_back(
        {fmt::format("accepted {:>3.0f}%", 100.0 * static_cast<double>(accepted) / static_cast<double>(proposed)), 5});
  }
  pieces.push_back({fmt::format("train {:.3e}", record.train_mse), 1});
  if (record.validation_mse) pieces.push_back({fmt::format("valid {:.3e}", *record.validation_mse), 2});
  const double after = record.validation_mse.value_or(record.train_mse);
  if (const auto before = before_.find(record.member); before != before_.end()) {
    if (const std::string text = gain(before->second, after); !text.empty()) pieces.push_back({text, 4});
  }
  before_[record.member] = after;
  pieces.push_back({io::duration(elapsed), 6});
  line(folded(pieces, live_ ? terminal_width() : whole_line));
}

void ProgressLines::line(std::string_view text) {
  clear();
  say(std::string(text) + "\n");
  said_ = true;
}

void ProgressLines::clear() {
  if (drawn_) say("\r\x1b[K");
  drawn_ = false;
  next_draw_ = {};
}

}  // namespace rfnn::cli
