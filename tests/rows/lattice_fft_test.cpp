#include "rfnn/rows/lattice/fft.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <complex>
#include <numbers>

#include "rfnn/core/error.hpp"
#include "rfnn/core/random.hpp"

namespace rfnn::rows {
namespace {

FftColumns random_columns(std::size_t size, std::size_t batch) {
  const Stream stream(size, Purpose::data, batch);
  FftColumns x(size, batch);
  for (std::size_t i = 0; i < size * batch; ++i) {
    x.re[i] = stream.normal(2 * i);
    x.im[i] = stream.normal(2 * i + 1);
  }
  return x;
}

TEST(Fft, IsTheSumForEveryRadixAndBatch) {
  for (const std::size_t size : {1u, 2u, 3u, 4u, 5u, 6u, 8u, 9u, 10u, 16u, 25u, 30u, 32u, 60u, 72u, 125u, 240u})
    for (const std::size_t batch : {1u, 3u, 8u}) {
      const FftColumns given = random_columns(size, batch);
      FftColumns x = given, spare(size, batch);
      Fft(size).forward(x, spare, batch);
      for (std::size_t k = 0; k < size; ++k)
        for (std::size_t q = 0; q < batch; ++q) {
          std::complex<double> sum = 0.0;
          for (std::size_t i = 0; i < size; ++i)
            sum += std::complex(given.re[i * batch + q], given.im[i * batch + q]) *
                   std::polar(1.0,
                              -2.0 * std::numbers::pi * static_cast<double>(i * k % size) / static_cast<double>(size));
          EXPECT_NEAR(x.re[k * batch + q], sum.real(), 1e-12) << size << " " << batch;
          EXPECT_NEAR(x.im[k * batch + q], sum.imag(), 1e-12) << size << " " << batch;
        }
    }
}

TEST(Fft, BackwardUndoesForward) {
  const std::size_t size = 1200, batch = 5;
  const FftColumns given = random_columns(size, batch);
  FftColumns x = given, spare(size, batch);
  const Fft fft(size);
  fft.forward(x, spare, batch);
  fft.backward(x, spare, batch);
  for (std::size_t i = 0; i < size * batch; ++i) {
    EXPECT_NEAR(x.re[i] / static_cast<double>(size), given.re[i], 1e-14);
    EXPECT_NEAR(x.im[i] / static_cast<double>(size), given.im[i], 1e-14);
  }
}

TEST(Fft, SizesHaveSmallFactorsOnly) {
  EXPECT_EQ(fft_size(0), 1u);
  EXPECT_EQ(fft_size(7), 8u);
  EXPECT_EQ(fft_size(11), 12u);
  EXPECT_EQ(fft_size(25), 25u);
  EXPECT_EQ(fft_size(25, true), 30u);
  EXPECT_THROW(Fft(7), UsageError);
}

}  // namespace
}  // namespace rfnn::rows
