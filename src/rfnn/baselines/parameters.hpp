#pragma once

// Private header. The frequencies and amplitudes of a network as the unknowns of an optimisation: gradients and moments
// are networks of the same shape.

#include <cstddef>

#include "rfnn/core/matrix.hpp"
#include "rfnn/model/network.hpp"

namespace rfnn::baselines {

/// visit(matrix, matrices...) for every matrix of parameters of the network and the same one of each of the others.
template <class Visit, class First, class... Others>
void for_each_parameters(const Visit& visit, First& network, Others&... others) {
  for (std::size_t l = 0; l < network.blocks.size(); ++l)
    for (std::size_t b = 0; b < network.blocks[l].branches.size(); ++b) {
      visit(network.blocks[l].branches[b].frequencies, others.blocks[l].branches[b].frequencies...);
      visit(network.blocks[l].branches[b].amplitudes, others.blocks[l].branches[b].amplitudes...);
    }
}

inline void set_to_zero(Network& network) {
  for_each_parameters(
      [](Matrix& values) {
        for (std::size_t i = 0; i < values.size(); ++i) values.data()[i] = 0.0;
      },
      network);
}

inline Network zeros_like(Network network) {
  set_to_zero(network);
  return network;
}

/// |b|² over all amplitudes of all blocks.
inline double squared_amplitudes(const Network& network) {
  double sum = 0.0;
  for (const Block& block : network.blocks)
    for (const Branch& branch : block.branches)
      for (std::size_t i = 0; i < branch.amplitudes.size(); ++i)
        sum += branch.amplitudes.data()[i] * branch.amplitudes.data()[i];
  return sum;
}

/// gradient += ∂/∂b λ|b|².
inline void add_ridge_gradient(const Network& network, double lambda, Network& gradient) {
  for (std::size_t l = 0; l < network.blocks.size(); ++l)
    for (std::size_t b = 0; b < network.blocks[l].branches.size(); ++b) {
      const Matrix& amplitudes = network.blocks[l].branches[b].amplitudes;
      double* out = gradient.blocks[l].branches[b].amplitudes.data();
      for (std::size_t i = 0; i < amplitudes.size(); ++i) out[i] += 2.0 * lambda * amplitudes.data()[i];
    }
}

}  // namespace rfnn::baselines
