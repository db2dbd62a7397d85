#include "rfnn/rows/ranks/piece_holder.hpp"

#include <algorithm>
#include <cmath>
#include <exception>
#include <new>
#include <utility>

#include "rfnn/core/as_index.hpp"
#include "rfnn/rows/threads/direct_engine.hpp"

namespace rfnn::rows {
namespace {

Numbers scaled(Numbers numbers, double scale) {
  if (scale != 1.0)
    for (double& number : numbers) number *= scale;
  return numbers;
}

/// A closure: of a plain function the standard library would show the type in the shared library.
const PieceTree::Join plus = [](Numbers& into, const Numbers& from) { add(into, from); };

/// All pieces together may keep so many bytes of features, a rule of their number alone; those on disk keep none, which
/// changes no bit.
DirectEngine::Limits limits_of(std::size_t pieces, Storage storage) {
  constexpr std::size_t together = std::size_t{512} << 20;
  DirectEngine::Limits limits;
  limits.cache = storage == Storage::disk ? 0 : std::min(limits.cache, together / pieces);
  return limits;
}

std::size_t columns_of(const std::vector<BranchShape>& branches) {
  std::size_t columns = 0;
  for (const BranchShape& branch : branches) columns += 2 * branch.features;
  return columns;
}

/// Rows of a piece among those chosen, as places in the piece.
std::vector<std::size_t> chosen_in(const std::vector<std::size_t>& chosen, std::size_t begin, std::size_t end) {
  std::vector<std::size_t> places;
  for (const std::size_t row : chosen)
    if (row >= begin && row < end) places.push_back(row - begin);
  return places;
}

}  // namespace

PieceHolder::PieceHolder(Communicator& ranks, std::size_t threads)
    : ranks_(ranks), work_(make_row_work(Implementation::threads, threads)) {}

std::uint64_t PieceHolder::hold(SpreadRows rows) {
  rows_.emplace(next_, std::move(rows));
  return next_++;
}

std::string PieceHolder::serve() {
  Interrupt never;
  while (!finished_) {
    std::string message;
    ranks_.broadcast(message);
    run(message, never);
  }
  return *finished_;
}

Partial PieceHolder::call(std::string message, Interrupt& interrupt) {
  ranks_.broadcast(message);
  return run(message, interrupt);
}

Partial PieceHolder::run(const std::string& message, Interrupt& interrupt) {
  Reader in(message);
  while (!in.at_end()) {
    const auto pass = in.get<Pass>();
    if (pass > Pass::sums) return sum(pass, in, interrupt);
    change(pass, in);
  }
  return {};
}

void PieceHolder::change(Pass pass, Reader& in) {
  const auto number = in.get<std::uint64_t>();
  if (pass == Pass::copy) {
    hold(SpreadRows(rows_.at(number)));
    return;
  }
  if (pass == Pass::drop) {
    rows_.erase(number);
    return;
  }
  if (pass == Pass::drop_chain) {
    chains_.erase(number);
    return;
  }
  Chains& chains = chains_.at(number);
  if (pass == Pass::scale_chain) {
    const auto mean = in.get<double>();
    for (Chain& chain : chains.pieces) chain.scale = chain.weight / mean;
  } else if (pass == Pass::keep || pass == Pass::propose) {
    const auto branch = in.get<std::uint64_t>();
    const Matrix frequencies = in.get_matrix();
    if (pass == Pass::propose) chains.proposed = 2 * frequencies.rows();
    for (Chain& chain : chains.pieces)
      pass == Pass::keep ? chain.engine->keep(branch, frequencies) : chain.engine->propose(branch, frequencies);
  } else if (pass == Pass::accept) {
    const std::vector<char> accepted = in.get_list<char>();
    for (Chain& chain : chains.pieces) chain.engine->accept(accepted);
  }
}

Partial PieceHolder::sum(Pass pass, Reader& in, Interrupt& interrupt) {
  if (pass == Pass::finish) {
    finished_ = in.get_text();
    return {};
  }
  if (pass == Pass::begin_block) return begin_block(in);
  if (pass >= Pass::reduce_kept && pass <= Pass::normal_product) return sum_of_chain(pass, in, interrupt);
  SpreadRows& rows = rows_.at(in.get<std::uint64_t>());
  if (pass == Pass::advance) return advance(rows, in.get_block(), interrupt);
  if (pass == Pass::mean_squares)
    return over(rows, [&](const RowState& piece) {
      const Eigen::VectorXd means = work_->mean_squares(piece);
      return scaled(Numbers(means.data(), means.data() + means.size()), static_cast<double>(piece.count()));
    });
  const std::vector<Feature> list = get_features(in);
  if (pass == Pass::features)
    return over(rows, [&](const RowState& piece) {
      FeatureSums sums;
      return work_->features(piece, list, sums, interrupt) ? packed(sums) : Numbers();
    });
  const FeatureBlock block{list, in.get_eigen()};
  if (pass == Pass::jacobian)
    return over(rows, [&](const RowState& piece) {
      JacobianSums sums;
      return work_->jacobian(piece, block, sums, interrupt) ? packed(sums) : Numbers();
    });
  return over(rows, [&](const RowState& piece) {
    Eigen::VectorXd energy;
    if (!work_->misfit(piece, block, energy, interrupt)) return Numbers();
    return Numbers(energy.data(), energy.data() + energy.size());
  });
}

Partial PieceHolder::advance(SpreadRows& rows, const Block& block, Interrupt& interrupt) {
  return over(rows, plus, [&](std::size_t piece) {
    work_->advance(block, rows.pieces[piece], interrupt);
    return Numbers();
  });
}

Partial PieceHolder::sum_of_chain(Pass pass, Reader& in, Interrupt& interrupt) {
  Chains& chains = chains_.at(in.get<std::uint64_t>());
  const std::size_t n = columns_of(chains.branches), p = chains.proposed,
                    m = rows_.at(chains.rows).pieces.empty() ? 0 : rows_.at(chains.rows).pieces.front().outputs();
  if (pass == Pass::reduce_kept)
    return over_chains(chains, n * (n + 1) / 2 + n * m + m + 1, plus, [&](Chain& chain) {
      least_squares::NormalEquations problem;
      if (!chain.engine->reduce_kept(problem, interrupt)) return Numbers();
      const double rows = problem.rows;
      Numbers numbers = scaled(packed(problem), chain.scale);
      numbers.back() = rows;
      return numbers;
    });
  if (pass == Pass::reduce_proposed)
    return over_chains(chains, p * n + p * (p + 1) / 2 + p * m, plus, [&](Chain& chain) {
      least_squares::NormalEquations problem;
      problem.gram = Eigen::MatrixXd::Zero(as_index(n + p), as_index(n + p));
      problem.rhs = Eigen::MatrixXd::Zero(as_index(n + p), as_index(m));
      if (!chain.engine->reduce_proposed(problem, interrupt)) return Numbers();
      return scaled(packed_proposed(problem, as_index(p)), chain.scale);
    });
  const std::vector<std::size_t> columns = in.get_list<std::size_t>();
  const std::size_t c = columns.size();
  if (pass == Pass::triangle) {
    const auto join = [&](Numbers& into, const Numbers& from) { join_triangles(as_index(c), as_index(m), into, from); };
    return over_chains(chains, c * (c + 1) / 2 + c * m + m + 1, join, [&](Chain& chain) {
      least_squares::Triangle problem;
      if (!chain.engine->triangle(columns, problem, interrupt)) return Numbers();
      problem.upper *= std::sqrt(chain.scale);
      problem.projected *= std::sqrt(chain.scale);
      problem.rest *= chain.scale;
      return packed(problem);
    });
  }
  if (pass == Pass::correlate)
    return over_chains(chains, c * m + m, plus, [&](Chain& chain) {
      Eigen::MatrixXd rhs;
      Eigen::VectorXd energy;
      if (!chain.engine->correlate(columns, rhs, energy, interrupt)) return Numbers();
      Packer out;
      out.put(rhs);
      out.put(energy);
      return scaled(out.take(), chain.scale);
    });
  const Eigen::MatrixXd v = in.get_eigen();
  return over_chains(chains, c * static_cast<std::size_t>(v.cols()), plus, [&](Chain& chain) {
    Eigen::MatrixXd product;
    if (!chain.engine->normal_product(columns, v, product, interrupt)) return Numbers();
    return scaled(Numbers(product.data(), product.data() + product.size()), chain.scale);
  });
}

Partial PieceHolder::begin_block(Reader& in) {
  const auto number = in.get<std::uint64_t>();
  Chains& chains = chains_[number];
  const auto of_rows = in.get<std::uint64_t>();
  const SpreadRows& rows = rows_.at(of_rows);
  chains.branches = in.get_list<BranchShape>();
  const std::vector<std::size_t> chosen = in.get_list<std::size_t>();
  if (chains.rows != of_rows || chains.pieces.size() != rows.pieces.size()) {
    chains.pieces.clear();
    for (const RowState& piece : rows.pieces) {
      const DirectEngine::Limits limits = limits_of(rows.cuts.size() - 1, piece.residual.storage());
      chains.pieces.push_back(
          {std::make_unique<DirectEngine>(piece, work_->workers(), rfnn::features::kernels(), limits)});
    }
  }
  chains.rows = of_rows;
  chains.proposed = 0;
  return over(rows, plus, [&](std::size_t piece) { return begin_piece(rows, piece, chosen, chains); });
}

// How many of the block's rows are in the piece, and the sum of their weights.
Numbers PieceHolder::begin_piece(const SpreadRows& rows, std::size_t piece, const std::vector<std::size_t>& chosen,
                                 Chains& chains) {
  const std::size_t number = rows.first[ranks_.rank()] + piece;
  const std::vector<std::size_t> places = chosen_in(chosen, rows.cuts[number], rows.cuts[number + 1]);
  Chain& chain = chains.pieces[piece];
  const RowState& state = rows.pieces[piece];
  chain.idle = !chosen.empty() && places.empty();
  chain.engine->begin_block(chains.branches, chain.idle ? std::vector<std::size_t>{0} : places);
  if (chain.idle) return {0.0, 0.0};
  const std::size_t count = chosen.empty() ? state.count() : places.size();
  double sum = 0.0;
  for (std::size_t i = 0; i < count; ++i)
    sum += state.weighted() ? state.given_weights()[chosen.empty() ? i : places[i]] : 1.0;
  chain.weight = sum / static_cast<double>(count);
  chain.scale = 1.0;
  return {static_cast<double>(count), sum};
}

Partial PieceHolder::over(const SpreadRows& rows, const PieceTree::Join& join,
                          const std::function<Numbers(std::size_t)>& on_piece) {
  const std::size_t begin = rows.first[ranks_.rank()];
  return reduce(
      rows,
      [&](std::size_t piece) -> Partial {
        try {
          return {on_piece(piece - begin), ""};
        } catch (const std::bad_alloc&) {
          return {{}, name() + " is out of memory."};
        } catch (const std::exception& error) {
          return {{}, name() + ": " + error.what()};
        }
      },
      join);
}

Partial PieceHolder::reduce(const SpreadRows& rows, PieceTree::Leaf leaf, const PieceTree::Join& join) {
  return PieceTree(ranks_, rows.first).reduce(leaf, join);
}

std::string PieceHolder::name() const { return "Rank " + std::to_string(ranks_.rank()); }

Partial PieceHolder::over(const SpreadRows& rows, const OnPiece& on_piece) {
  return over(rows, plus, [&](std::size_t piece) { return scaled(on_piece(rows.pieces[piece]), rows.scales[piece]); });
}

Partial PieceHolder::over_chains(Chains& chains, std::size_t numbers, const PieceTree::Join& join,
                                 const OnChain& on_chain) {
  return over(rows_.at(chains.rows), join, [&](std::size_t piece) {
    Chain& chain = chains.pieces[piece];
    return chain.idle ? Numbers(numbers, 0.0) : on_chain(chain);
  });
}

}  // namespace rfnn::rows
