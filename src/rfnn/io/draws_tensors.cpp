#include "rfnn/io/draws_tensors.hpp"

#include <algorithm>
#include <cstring>
#include <utility>

#include "rfnn/io/model_decoder.hpp"
#include "rfnn/io/text.hpp"

namespace rfnn::io {
namespace {

std::string name_of_branch(std::size_t block, BranchKind kind) {
  return "block" + std::to_string(block + 1) + "." + std::string(name_of(kind));
}

/// Takes the tensors out of the list, each once.
class Reader {
 public:
  Reader(const DrawsEntries& entries, std::string_view data, const std::string& origin)
      : left_(entries), data_(data), origin_(origin) {}

  const double* numbers(const std::string& name, const std::vector<std::uint64_t>& shape) {
    const TensorEntry& entry = take(name);
    if (entry.shape != shape) fail_tensor_shape(origin_, entry.name);
    values_.emplace_back((entry.end - entry.begin) / sizeof(double));
    if (entry.end > entry.begin)
      std::memcpy(values_.back().data(), data_.data() + entry.begin, entry.end - entry.begin);
    return values_.back().data();
  }

  /// Draws: the rows of `loss`, which has a number for each block.
  std::size_t count(std::size_t blocks) const {
    const auto found = left_.find("loss");
    if (found == left_.end()) fail_model_file(origin_, "the tensor " + std::string(draws_prefix) + "loss is missing");
    const std::vector<std::uint64_t>& shape = found->second->shape;
    if (blocks == 0 || shape.size() != 2 || shape[0] == 0 || shape[1] != blocks)
      fail_tensor_shape(origin_, found->second->name);
    return static_cast<std::size_t>(shape[0]);
  }

  void end() const {
    if (!left_.empty())
      fail_model_file(origin_,
                      "there is a tensor " + shown(left_.begin()->second->name) + " that does not belong to the model");
  }

 private:
  const TensorEntry& take(const std::string& name) {
    const auto found = left_.find(name);
    if (found == left_.end())
      fail_model_file(origin_, "the tensor " + std::string(draws_prefix) + name + " is missing");
    const TensorEntry& entry = *found->second;
    left_.erase(found);
    return entry;
  }

  DrawsEntries left_;
  std::string_view data_;
  const std::string& origin_;
  std::deque<std::vector<double>> values_;
};

}  // namespace

std::vector<TensorToWrite> draws_tensors(const ChainDraws& draws, std::deque<std::vector<double>>& made) {
  std::vector<TensorToWrite> tensors;
  if (draws.empty()) return tensors;
  const std::uint64_t count = draws.count();
  const std::vector<Block>& blocks = draws.networks.front().blocks;
  for (std::size_t l = 0; l < blocks.size(); ++l)
    for (std::size_t b = 0; b < blocks[l].branches.size(); ++b) {
      const Branch& branch = blocks[l].branches[b];
      std::vector<double>&frequencies = made.emplace_back(), &amplitudes = made.emplace_back();
      for (const Network& network : draws.networks) {
        const Branch& drawn = network.blocks[l].branches[b];
        frequencies.insert(frequencies.end(), drawn.frequencies.data(),
                           drawn.frequencies.data() + drawn.frequencies.size());
        amplitudes.insert(amplitudes.end(), drawn.amplitudes.data(), drawn.amplitudes.data() + drawn.amplitudes.size());
      }
      const std::uint64_t features = branch.frequencies.rows();
      tensors.push_back({name_of_branch(l, branch.kind) + ".frequencies",
                         {count, features, branch.frequencies.cols()},
                         frequencies.data()});
      tensors.push_back({name_of_branch(l, branch.kind) + ".amplitudes",
                         {count, features, 2, branch.amplitudes.cols()},
                         amplitudes.data()});
    }
  tensors.push_back({"loss", {count, draws.loss.cols()}, draws.loss.data()});
  return tensors;
}

ChainDraws draws_of(const DrawsEntries& entries, const Network& network, std::string_view data,
                    const std::string& origin) {
  Reader reader(entries, data, origin);
  const std::size_t blocks = network.blocks.size(), count = reader.count(blocks);
  ChainDraws draws;
  draws.networks.resize(count);
  draws.loss = Matrix(count, blocks);
  std::memcpy(draws.loss.data(), reader.numbers("loss", {count, blocks}), draws.loss.size() * sizeof(double));
  for (Network& drawn : draws.networks) drawn.blocks.resize(blocks);
  for (std::size_t l = 0; l < blocks; ++l)
    for (const Branch& branch : network.blocks[l].branches) {
      const std::string name = name_of_branch(l, branch.kind);
      const std::size_t features = branch.frequencies.rows(), variables = branch.frequencies.cols(),
                        outputs = branch.amplitudes.cols();
      const double* frequencies = reader.numbers(name + ".frequencies", {count, features, variables});
      const double* amplitudes = reader.numbers(name + ".amplitudes", {count, features, 2, outputs});
      for (Network& drawn : draws.networks) {
        Branch one{branch.kind, Matrix(features, variables), Matrix(2 * features, outputs)};
        std::copy_n(std::exchange(frequencies, frequencies + one.frequencies.size()), one.frequencies.size(),
                    one.frequencies.data());
        std::copy_n(std::exchange(amplitudes, amplitudes + one.amplitudes.size()), one.amplitudes.size(),
                    one.amplitudes.data());
        drawn.blocks[l].branches.push_back(std::move(one));
      }
    }
  reader.end();
  return draws;
}

}  // namespace rfnn::io
