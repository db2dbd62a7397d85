#pragma once

#include <string>

#include "rfnn/core/export.hpp"

namespace rfnn {

/// "0.3.0"
RFNN_API std::string version();

/// The SIMD level the kernels run with on this machine: "avx512", "avx2" or "baseline".
RFNN_API std::string simd_level();

}  // namespace rfnn
