#include "peers.hpp"

#include <cblas.h>

#include <string_view>

namespace rfnn::bench {

extern const Peers peers_baseline;
#if defined(__x86_64__)
extern const Peers peers_avx2, peers_avx512;
#endif

const Peers* peers(const char* level) {
  const std::string_view name = level;
#if defined(__x86_64__)
  if (name == "avx512") return &peers_avx512;
  if (name == "avx2") return &peers_avx2;
#endif
  return name == "baseline" ? &peers_baseline : nullptr;
}

namespace {

blasint as_int(std::size_t n) { return static_cast<blasint>(n); }

void upper_tall(const GramJob& job) {
  cblas_dsyrk(CblasColMajor, CblasUpper, CblasTrans, as_int(job.n), as_int(job.rows), 1.0, job.tall_a,
              as_int(job.tall_stride), 0.0, job.c, as_int(job.p));
}
void upper_wide(const GramJob& job) {
  cblas_dsyrk(CblasColMajor, CblasUpper, CblasNoTrans, as_int(job.n), as_int(job.rows), 1.0, job.wide_a, as_int(job.p),
              0.0, job.c, as_int(job.p));
}
void product_tall(const GramJob& job) {
  cblas_dgemm(CblasColMajor, CblasTrans, CblasNoTrans, as_int(job.p), as_int(job.n), as_int(job.rows), 1.0, job.tall_a,
              as_int(job.tall_stride), job.tall_b, as_int(job.tall_stride), 0.0, job.c, as_int(job.p));
}
void product_wide(const GramJob& job) {
  cblas_dgemm(CblasColMajor, CblasNoTrans, CblasTrans, as_int(job.p), as_int(job.n), as_int(job.rows), 1.0, job.wide_a,
              as_int(job.p), job.wide_b, as_int(job.n), 0.0, job.c, as_int(job.p));
}

}  // namespace

const GramPair openblas_upper = {upper_tall, upper_wide}, openblas_product = {product_tall, product_wide};

}  // namespace rfnn::bench
