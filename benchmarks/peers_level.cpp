// Compiled once per SIMD level. The build gives RFNN_LEVEL (its name), RFNN_SIMD_BYTES, the level's flags, and another
// name for the namespace Eigen: code of different levels must not meet under one name.

#include <sleef.h>

#include <Eigen/Dense>

#include "peers.hpp"

namespace rfnn::bench {
namespace {

using Columns = Eigen::Map<const Eigen::MatrixXd, 0, Eigen::OuterStride<>>;
using Square = Eigen::Map<Eigen::MatrixXd>;

Eigen::Index as_index(std::size_t n) { return static_cast<Eigen::Index>(n); }
Columns tall(const double* values, std::size_t columns, const GramJob& job) {
  return {values, as_index(job.rows), as_index(columns), Eigen::OuterStride<>(as_index(job.tall_stride))};
}
Columns wide(const double* values, std::size_t columns, const GramJob& job) {
  return {values, as_index(columns), as_index(job.rows), Eigen::OuterStride<>(as_index(columns))};
}
Square result(const GramJob& job) { return {job.c, as_index(job.p), as_index(job.n)}; }

void upper_tall(const GramJob& job) {
  Square c = result(job);
  c.setZero();
  c.selfadjointView<Eigen::Upper>().rankUpdate(tall(job.tall_a, job.p, job).transpose());
}
void upper_wide(const GramJob& job) {
  Square c = result(job);
  c.setZero();
  c.selfadjointView<Eigen::Upper>().rankUpdate(wide(job.wide_a, job.p, job));
}
void product_tall(const GramJob& job) {
  result(job).noalias() = tall(job.tall_a, job.p, job).transpose() * tall(job.tall_b, job.n, job);
}
void product_wide(const GramJob& job) {
  result(job).noalias() = wide(job.wide_a, job.p, job) * wide(job.wide_b, job.n, job).transpose();
}

#if RFNN_SIMD_BYTES == 64
void sleef_loop(const double* phases, std::size_t count, double* cosine, double* sine) {
  for (std::size_t i = 0; i < count; i += 8) {
    const Sleef___m512d_2 both = Sleef_finz_sincosd8_u35avx512f(_mm512_loadu_pd(phases + i));
    _mm512_storeu_pd(sine + i, both.x);
    _mm512_storeu_pd(cosine + i, both.y);
  }
}
#elif RFNN_SIMD_BYTES == 32
void sleef_loop(const double* phases, std::size_t count, double* cosine, double* sine) {
  for (std::size_t i = 0; i < count; i += 4) {
    const Sleef___m256d_2 both = Sleef_finz_sincosd4_u35avx2(_mm256_loadu_pd(phases + i));
    _mm256_storeu_pd(sine + i, both.x);
    _mm256_storeu_pd(cosine + i, both.y);
  }
}
#elif defined(__x86_64__)
void sleef_loop(const double* phases, std::size_t count, double* cosine, double* sine) {
  for (std::size_t i = 0; i < count; i += 2) {
    const Sleef___m128d_2 both = Sleef_cinz_sincosd2_u35sse2(_mm_loadu_pd(phases + i));
    _mm_storeu_pd(sine + i, both.x);
    _mm_storeu_pd(cosine + i, both.y);
  }
}
#else
void sleef_loop(const double* phases, std::size_t count, double* cosine, double* sine) {
  for (std::size_t i = 0; i < count; ++i) {
    const Sleef_double_2 both = Sleef_cinz_sincosd1_u35purec(phases[i]);
    sine[i] = both.x;
    cosine[i] = both.y;
  }
}
#endif

}  // namespace

#define RFNN_JOIN(a, b) a##b
#define RFNN_NAME(level) RFNN_JOIN(peers_, level)
extern const Peers RFNN_NAME(RFNN_LEVEL);
const Peers RFNN_NAME(RFNN_LEVEL) = {{upper_tall, upper_wide}, {product_tall, product_wide}, sleef_loop};

}  // namespace rfnn::bench
