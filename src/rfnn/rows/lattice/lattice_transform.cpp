#include "rfnn/rows/lattice/lattice_transform.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>

namespace rfnn::rows {
namespace {

// Sequences transformed together: two registers' worth, and a transform of a thousand points still lies in the cache.
constexpr std::size_t batch_limit = 8;

std::size_t chunks(std::size_t count, std::size_t size) { return (count + size - 1) / size; }

}  // namespace

LatticeTransform::GridSize LatticeTransform::grid_size(std::size_t variables, std::size_t least0, std::size_t least1) {
  if (variables == 1) return {2 * fft_size((least0 + 1) / 2), 1};
  return {fft_size(least0), fft_size(least1, true)};
}

LatticeTransform::LatticeTransform(HalfLattice lattice, std::size_t variables, GridSize size, Workers& workers)
    : lattice_(lattice),
      variables_(variables),
      n0_(variables == 1 ? size[0] / 2 : size[0]),
      n1_(variables == 1 ? 2 : size[1]),
      batch0_(std::min(batch_limit, n1_ / 2)),
      batch1_(std::min(batch_limit, lattice.columns())),
      workers_(&workers),
      fft0_(n0_),
      fft1_(n1_),
      half_re_(n1_ * lattice.columns()),
      half_im_(n1_ * lattice.columns()) {
  for (std::size_t w = 0; w < workers.threads(); ++w) {
    scratch0_.push_back({FftColumns(n0_, batch0_), FftColumns(n0_, batch0_)});
    if (variables == 2) scratch1_.push_back({FftColumns(n1_, batch1_), FftColumns(n1_, batch1_)});
  }
  if (variables == 1)
    for (std::size_t k = 0; k <= lattice.m0; ++k) {
      const double angle = std::numbers::pi * static_cast<double>(k) / static_cast<double>(n0_);
      shift_re_.push_back(std::cos(angle));
      shift_im_.push_back(std::sin(angle));
    }
}

bool LatticeTransform::for_columns(FunctionRef<void(std::size_t, Scratch&)> work, Interrupt& interrupt) {
  const std::size_t tasks = chunks(lattice_.columns(), batch1_);
  return interrupt.proceed() &&
         workers_->run(
             tasks, tasks > 1, [&](std::size_t task, std::size_t worker) { work(task, scratch1_[worker]); }, interrupt);
}

bool LatticeTransform::for_pairs(FunctionRef<void(std::size_t, Scratch&)> work, Interrupt& interrupt) {
  const std::size_t tasks = chunks(n1_ / 2, batch0_);
  return workers_->run(
      tasks, tasks > 1, [&](std::size_t task, std::size_t worker) { work(task, scratch0_[worker]); }, interrupt);
}

void LatticeTransform::synthesise_rows(const Coefficients& b, std::size_t chunk, Scratch& scratch) {
  const std::size_t columns = lattice_.columns(), points = lattice_.points(), batch = batch1_;
  const std::size_t first = chunk * batch, count = std::min(batch, columns - first);
  auto& [x, spare] = scratch;
  x.clear();
  for (std::size_t row = 0; row < lattice_.rows(); ++row) {
    const std::size_t place = (row + n1_ - lattice_.m1) % n1_ * batch;
    for (std::size_t q = 0; q < count; ++q) {
      x.re[place + q] = b[row * columns + first + q];
      x.im[place + q] = b[points + row * columns + first + q];
    }
  }
  fft1_.backward(x, spare, batch);
  for (std::size_t i = 0; i < n1_; ++i)
    for (std::size_t q = 0; q < count; ++q) {
      half_re_[i * columns + first + q] = x.re[i * batch + q];
      half_im_[i * columns + first + q] = x.im[i * batch + q];
    }
}

void LatticeTransform::analyse_rows(Coefficients& b, std::size_t chunk, double factor, Scratch& scratch) {
  const std::size_t columns = lattice_.columns(), points = lattice_.points(), batch = batch1_;
  const std::size_t first = chunk * batch, count = std::min(batch, columns - first);
  auto& [x, spare] = scratch;
  if (count < batch) x.clear();
  for (std::size_t i = 0; i < n1_; ++i)
    for (std::size_t q = 0; q < count; ++q) {
      x.re[i * batch + q] = half_re_[i * columns + first + q];
      x.im[i * batch + q] = half_im_[i * columns + first + q];
    }
  fft1_.forward(x, spare, batch);
  for (std::size_t row = 0; row < lattice_.rows(); ++row) {
    const std::size_t place = (row + n1_ - lattice_.m1) % n1_ * batch;
    for (std::size_t q = 0; q < count; ++q) {
      b[row * columns + first + q] = factor * x.re[place + q];
      b[points + row * columns + first + q] = factor * x.im[place + q];
    }
  }
}

/// Coefficients to half-transformed values: along k1, or to the even and the odd points.
bool LatticeTransform::synthesise(const Coefficients& b, Interrupt& interrupt) {
  if (variables_ == 2)
    return for_columns([&](std::size_t chunk, Scratch& s) { synthesise_rows(b, chunk, s); }, interrupt);
  const std::size_t columns = lattice_.columns();
  for (std::size_t k = 0; k < columns; ++k) {
    const double re = b[k], im = b[columns + k];
    half_re_[k] = re;
    half_im_[k] = im;
    half_re_[columns + k] = re * shift_re_[k] - im * shift_im_[k];
    half_im_[columns + k] = re * shift_im_[k] + im * shift_re_[k];
  }
  return interrupt.proceed();
}

bool LatticeTransform::analyse(Coefficients& b, double factor, Interrupt& interrupt) {
  if (variables_ == 2)
    return for_columns([&](std::size_t chunk, Scratch& s) { analyse_rows(b, chunk, factor, s); }, interrupt);
  const std::size_t columns = lattice_.columns();
  for (std::size_t k = 0; k < columns; ++k) {
    const double re = half_re_[columns + k], im = half_im_[columns + k];
    b[k] = factor * (half_re_[k] + (re * shift_re_[k] + im * shift_im_[k]));
    b[columns + k] = factor * (half_im_[k] + (im * shift_re_[k] - re * shift_im_[k]));
  }
  return interrupt.proceed();
}

/// Two real sequences g, h make one complex sequence g + ih, whose transform at k and −k holds those of both.
void LatticeTransform::load_pairs(std::size_t chunk, Scratch& scratch) const {
  const std::size_t columns = lattice_.columns(), batch = batch0_;
  const std::size_t first = chunk * batch, count = std::min(batch, n1_ / 2 - first);
  FftColumns& x = scratch.x;
  x.clear();
  for (std::size_t q = 0; q < count; ++q) {
    const double* g_re = &half_re_[2 * (first + q) * columns];
    const double* g_im = &half_im_[2 * (first + q) * columns];
    const double *h_re = g_re + columns, *h_im = g_im + columns;
    x.re[q] = g_re[0];  // the mean of a real sequence is real
    x.im[q] = h_re[0];
    for (std::size_t k = 1; k < columns; ++k) {
      x.re[k * batch + q] = g_re[k] - h_im[k];
      x.im[k * batch + q] = g_im[k] + h_re[k];
      x.re[(n0_ - k) * batch + q] = g_re[k] + h_im[k];
      x.im[(n0_ - k) * batch + q] = h_re[k] - g_im[k];
    }
  }
}

void LatticeTransform::store_pairs(std::size_t chunk, const Scratch& scratch) {
  const std::size_t columns = lattice_.columns(), batch = batch0_;
  const std::size_t first = chunk * batch, count = std::min(batch, n1_ / 2 - first);
  const FftColumns& x = scratch.x;
  for (std::size_t q = 0; q < count; ++q) {
    double* g_re = &half_re_[2 * (first + q) * columns];
    double* g_im = &half_im_[2 * (first + q) * columns];
    double *h_re = g_re + columns, *h_im = g_im + columns;
    g_re[0] = x.re[q];
    h_re[0] = x.im[q];
    g_im[0] = h_im[0] = 0.0;
    for (std::size_t k = 1; k < columns; ++k) {
      const std::size_t plus = k * batch + q, minus = (n0_ - k) * batch + q;
      g_re[k] = 0.5 * (x.re[plus] + x.re[minus]);
      g_im[k] = 0.5 * (x.im[plus] - x.im[minus]);
      h_re[k] = 0.5 * (x.im[plus] + x.im[minus]);
      h_im[k] = 0.5 * (x.re[minus] - x.re[plus]);
    }
  }
}

bool LatticeTransform::to_grid(const Coefficients& b, AlignedVector& grid, Interrupt& interrupt) {
  grid.resize(n0_ * n1_);
  return synthesise(b, interrupt) && for_pairs(
                                         [&](std::size_t chunk, Scratch& s) {
                                           load_pairs(chunk, s);
                                           fft0_.backward(s.x, s.spare, batch0_);
                                           const std::size_t first = chunk * batch0_,
                                                             count = std::min(batch0_, n1_ / 2 - first);
                                           for (std::size_t i = 0; i < n0_; ++i)
                                             for (std::size_t q = 0; q < count; ++q) {
                                               grid[i * n1_ + 2 * (first + q)] = s.x.re[i * batch0_ + q];
                                               grid[i * n1_ + 2 * (first + q) + 1] = s.x.im[i * batch0_ + q];
                                             }
                                         },
                                         interrupt);
}

bool LatticeTransform::from_grid(const AlignedVector& grid, Coefficients& b, Interrupt& interrupt) {
  b.resize(2 * lattice_.points());
  return for_pairs(
             [&](std::size_t chunk, Scratch& s) {
               const std::size_t first = chunk * batch0_, count = std::min(batch0_, n1_ / 2 - first);
               if (count < batch0_) s.x.clear();
               for (std::size_t i = 0; i < n0_; ++i)
                 for (std::size_t q = 0; q < count; ++q) {
                   s.x.re[i * batch0_ + q] = grid[i * n1_ + 2 * (first + q)];
                   s.x.im[i * batch0_ + q] = grid[i * n1_ + 2 * (first + q) + 1];
                 }
               fft0_.forward(s.x, s.spare, batch0_);
               store_pairs(chunk, s);
             },
             interrupt) &&
         analyse(b, 1.0, interrupt);
}

bool LatticeTransform::multiply(const AlignedVector& weights, const Coefficients& b, Coefficients& out,
                                Interrupt& interrupt) {
  out.resize(2 * lattice_.points());
  const double factor = 1.0 / (static_cast<double>(n0_) * static_cast<double>(n1_));
  return synthesise(b, interrupt) &&
         for_pairs(
             [&](std::size_t chunk, Scratch& s) {
               load_pairs(chunk, s);
               fft0_.backward(s.x, s.spare, batch0_);
               const std::size_t first = chunk * batch0_, count = std::min(batch0_, n1_ / 2 - first);
               for (std::size_t i = 0; i < n0_; ++i) {
                 const double* weight = &weights[i * n1_ + 2 * first];
                 for (std::size_t q = 0; q < count; ++q) {
                   s.x.re[i * batch0_ + q] *= weight[2 * q];
                   s.x.im[i * batch0_ + q] *= weight[2 * q + 1];
                 }
               }
               fft0_.forward(s.x, s.spare, batch0_);
               store_pairs(chunk, s);
             },
             interrupt) &&
         analyse(out, factor, interrupt);
}

}  // namespace rfnn::rows
