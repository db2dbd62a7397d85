#pragma once

extern "C" void openblas_set_num_threads(int threads);

namespace rfnn::bench {

inline void set_blas_threads(int threads) { openblas_set_num_threads(threads); }

}  // namespace rfnn::bench
