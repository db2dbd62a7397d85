#include "rfnn/training/ranks/placing.hpp"

#include <algorithm>
#include <cstring>
#include <numeric>
#include <string>
#include <utility>

#include "rfnn/core/heap.hpp"
#include "rfnn/training/prepare.hpp"
#include "rfnn/training/ranks/agreement.hpp"

namespace rfnn::training {
namespace {

/// Rows that a rank hands over at a time.
constexpr std::size_t rows_at_once = 16384;

/// Walks over records, freeing those behind.
class Walk {
 public:
  Walk(Records& records, std::size_t width) : records_(records), width_(width) {}

  /// At most so many rows, which lie together; none at the end.
  std::vector<double> next(std::size_t rows) {
    while (list_ < records_.size() && at_ == records_[list_].size()) {
      records_[list_++] = {};
      at_ = 0;
      give_back_memory();
    }
    if (list_ == records_.size()) return {};
    const std::size_t end = std::min(records_[list_].size(), at_ + rows * width_);
    const auto first = records_[list_].begin();
    std::vector<double> some(first + static_cast<std::ptrdiff_t>(at_), first + static_cast<std::ptrdiff_t>(end));
    at_ = end;
    return some;
  }

 private:
  Records& records_;
  std::size_t width_, list_ = 0, at_ = 0;
};

/// The pieces of a rank as their records arrive, from several ranks at once, each in order.
class Arrivals {
 public:
  Arrivals(rows::SpreadRows& rows, const RecordShape& shape, const Model& model, bool weighted, rows::Storage storage,
           std::size_t rank)
      : rows_(rows), shape_(shape), model_(model), weighted_(weighted), storage_(storage), first_(rows.first[rank]) {
    const std::size_t pieces = rows.first[rank + 1] - first_;
    rows_.pieces.resize(pieces);
    rows_.scales.assign(pieces, 0.0);
    raw_.resize(pieces);
    arrived_.assign(pieces, 0);
  }

  void take(const std::string& message) {
    std::size_t row = 0;
    std::memcpy(&row, message.data(), sizeof row);
    const std::size_t bytes = shape_.width() * sizeof(double);
    for (std::size_t at = sizeof row; at < message.size(); at += bytes, ++row) {
      const auto above = std::upper_bound(rows_.cuts.begin(), rows_.cuts.end(), row);
      const std::size_t number = static_cast<std::size_t>(above - rows_.cuts.begin()) - 1, piece = number - first_;
      const std::size_t begin = rows_.cuts[number], count = rows_.cuts[number + 1] - begin;
      if (raw_[piece].empty()) raw_[piece].resize(count * shape_.width());
      std::memcpy(raw_[piece].data() + (row - begin) * shape_.width(), message.data() + at, bytes);
      if (++arrived_[piece] == count) complete(piece);
    }
  }

 private:
  void complete(std::size_t piece) {
    const std::vector<double> records = std::move(raw_[piece]);
    raw_[piece] = {};
    DatasetView table = shape_.view(records);
    std::vector<double> weights(table.rows());
    table.weights->read(0, weights.size(), weights.data());
    rows_.scales[piece] = std::accumulate(weights.begin(), weights.end(), 0.0);
    if (!weighted_) weights.clear();
    rows_.pieces[piece] = rows::RowState(scaled_rows(table, model_, {}, weights), storage_);
  }

  rows::SpreadRows& rows_;
  const RecordShape& shape_;
  const Model& model_;
  bool weighted_;
  rows::Storage storage_;
  std::size_t first_;
  Records raw_;
  std::vector<std::size_t> arrived_;
};

/// Sums of weights become what SpreadRows::scales is.
void set_scales(rows::SpreadRows& rows, bool weighted, Communicator& ranks) {
  std::vector<double> sums;
  for (const auto& each : gather<double>(ranks, std::span<const double>(rows.scales)))
    sums.insert(sums.end(), each.begin(), each.end());
  const double mean = std::accumulate(sums.begin(), sums.end(), 0.0) / static_cast<double>(rows.rows());
  const std::size_t first = rows.first[ranks.rank()];
  for (std::size_t piece = 0; piece < rows.scales.size(); ++piece) {
    const auto count = static_cast<double>(rows.cuts[first + piece + 1] - rows.cuts[first + piece]);
    rows.scales[piece] = weighted ? rows.scales[piece] / count / mean : 1.0;
  }
}

}  // namespace

rows::SpreadRows place_records(Records& records, const RecordShape& shape, const Model& model, bool weighted,
                               rows::Storage storage, Communicator& ranks) {
  const std::vector<std::uint64_t> counts = gather_counts(ranks, count_of(records, shape));
  const std::uint64_t all = std::accumulate(counts.begin(), counts.end(), std::uint64_t{0});
  rows::SpreadRows rows;
  rows.cuts = rows::piece_cuts(all);
  rows.first = rows::pieces_of_ranks(rows.cuts.size() - 1, ranks.size());
  std::vector<std::size_t> begins;  // of the rows of each rank
  for (const std::size_t piece : rows.first) begins.push_back(rows.cuts[piece]);
  Arrivals arrivals(rows, shape, model, weighted, storage, ranks.rank());
  Walk walk(records, shape.width());
  std::size_t row =
      std::accumulate(counts.begin(), counts.begin() + static_cast<std::ptrdiff_t>(ranks.rank()), std::size_t{0});
  for (bool more = true; more;) {
    std::vector<std::string> messages(ranks.size());
    const std::vector<double> some = walk.next(rows_at_once);
    for (std::size_t at = 0; at < some.size(); at += shape.width(), ++row) {
      const auto above = std::upper_bound(begins.begin(), begins.end() - 1, row);
      std::string& message = messages[static_cast<std::size_t>(above - begins.begin()) - 1];
      if (message.empty()) message.append(reinterpret_cast<const char*>(&row), sizeof row);
      message.append(reinterpret_cast<const char*>(some.data() + at), shape.width() * sizeof(double));
    }
    const bool sends = !some.empty();
    for (const std::string& message : ranks.exchange(std::move(messages)))
      if (!message.empty()) arrivals.take(message);
    const std::vector<std::uint64_t> senders = gather_counts(ranks, sends ? 1 : 0);
    more = std::any_of(senders.begin(), senders.end(), [](std::uint64_t each) { return each > 0; });
  }
  set_scales(rows, weighted, ranks);
  return rows;
}

}  // namespace rfnn::training
