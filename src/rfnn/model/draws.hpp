#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "rfnn/core/export.hpp"
#include "rfnn/core/matrix.hpp"
#include "rfnn/model/network.hpp"

namespace rfnn {

/// What the chains of preset paper say of how sure the network is (docs/uncertainty.md). Draw k is a whole network: the
/// frequencies of its blocks are the k-th state that was kept of each block's chain, and the amplitudes of a block are
/// drawn from their posterior given these and what the draw's own blocks before leave of the targets.
struct ChainDraws {
  std::vector<Network> networks;  ///< each with blocks, branches and features like those of the model's one member
  Matrix loss;  ///< draws × blocks: what each leaves of the training rows, mean squared error in the target's units

  [[nodiscard]] bool empty() const { return networks.empty(); }
  [[nodiscard]] std::size_t count() const { return networks.size(); }

  friend bool operator==(const ChainDraws&, const ChainDraws&) = default;
};

/// What is wrong with draws of a network, in words; nothing where they fit together and all is finite.
RFNN_API std::optional<std::string> what_is_wrong(const ChainDraws& draws, const Network& network);

}  // namespace rfnn
