#pragma once

// Private header.

#include <algorithm>
#include <cstddef>
#include <vector>

#include "rfnn/core/aligned.hpp"

namespace rfnn::rows {

/// The smallest n ≥ least with no prime factor above 5, even where asked for.
[[nodiscard]] std::size_t fft_size(std::size_t least, bool even = false);

/// A batch of complex sequences, real and imaginary parts apart: element i of sequence q lies at [i · batch + q].
struct FftColumns {
  AlignedVector re, im;

  FftColumns() = default;
  FftColumns(std::size_t size, std::size_t batch) : re(size * batch), im(size * batch) {}

  void clear() {
    std::fill(re.begin(), re.end(), 0.0);
    std::fill(im.begin(), im.end(), 0.0);
  }
};

/// Discrete Fourier transforms of one length, many at once so that the inner loop runs over the batch (Stockham's
/// scheme with radices 4, 2, 3 and 5: every pass reads and writes contiguously, no reordering at the end).
class Fft {
 public:
  /// A size that `fft_size` may return.
  explicit Fft(std::size_t size);

  [[nodiscard]] std::size_t size() const { return size_; }

  /// x_k ← Σ_i x_i exp(−2πi·ik/size) for each sequence of the batch. `spare` has the shape of `x` and is overwritten.
  void forward(FftColumns& x, FftColumns& spare, std::size_t batch) const;
  /// x_i ← Σ_k x_k exp(+2πi·ik/size): the inverse without its factor 1/size.
  void backward(FftColumns& x, FftColumns& spare, std::size_t batch) const;

 private:
  std::size_t size_;
  std::vector<std::size_t> radices_;
  AlignedVector cosine_, sine_;  ///< exp(−2πi·j/size), real and imaginary part
  bool wide_;
};

}  // namespace rfnn::rows
