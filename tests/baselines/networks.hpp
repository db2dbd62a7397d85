#pragma once

// Networks to take gradients of, and their loss written down once more without the library's arithmetic.

#include <cstddef>
#include <cstdint>
#include <vector>

#include "rfnn/baselines/parameters.hpp"
#include "rows/naive.hpp"

namespace rfnn::testing {

/// Block 1 sees the inputs, later blocks also the state.
inline Network random_network(std::size_t blocks, std::size_t features, std::size_t inputs, std::size_t outputs,
                              std::uint64_t seed) {
  Network network;
  for (std::size_t l = 0; l < blocks; ++l) {
    Block& block = network.blocks.emplace_back();
    block.branches.push_back(random_branch(BranchKind::input, features, inputs, outputs, seed + 10 * l));
    if (l > 0) block.branches.push_back(random_branch(BranchKind::state, features, inputs, outputs, seed + 10 * l + 5));
  }
  return network;
}

/// Σ |z_L − Q|².
inline double naive_squared_error(const Network& network, const Matrix& inputs, const Matrix& targets) {
  const Eigen::MatrixXd wanted = to_eigen(targets);
  return (naive_states(network, to_eigen(inputs), wanted.cols()).back() - wanted).squaredNorm();
}

/// All parameters one after the other.
inline std::vector<double> flat(const Network& network) {
  std::vector<double> all;
  baselines::for_each_parameters([&](const Matrix& m) { all.insert(all.end(), m.data(), m.data() + m.size()); },
                                 network);
  return all;
}

/// Central differences of value(network) in every parameter, in the order of `flat`.
template <class Value>
std::vector<double> differences(Network network, const Value& value) {
  constexpr double h = 1e-5;
  std::vector<double> slopes;
  baselines::for_each_parameters(
      [&](Matrix& parameters) {
        for (std::size_t i = 0; i < parameters.size(); ++i) {
          double& p = parameters.data()[i];
          const double middle = p;
          p = middle + h;
          const double up = value(network);
          p = middle - h;
          const double down = value(network);
          p = middle;
          slopes.push_back((up - down) / (2.0 * h));
        }
      },
      network);
  return slopes;
}

}  // namespace rfnn::testing
