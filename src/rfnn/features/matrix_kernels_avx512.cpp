#include "rfnn/features/matrix_kernels.hpp"

namespace {

template <class T>
struct Register;
template <>
struct Register<double> {
  using Part __attribute__((vector_size(64), may_alias)) = double;
};
template <>
struct Register<float> {
  using Part __attribute__((vector_size(64), may_alias)) = float;
};

// 24 sums, 3 operands and the factors in the 32 registers.
constexpr std::size_t columns = 8;

}  // namespace

#include "rfnn/features/matrix_kernels_impl.hpp"

namespace rfnn::features {
extern const MatrixKernels<double> double_kernels_avx512;
extern const MatrixKernels<float> float_kernels_avx512;
const MatrixKernels<double> double_kernels_avx512 = Stripes<double>::all("avx512");
const MatrixKernels<float> float_kernels_avx512 = Stripes<float>::all("avx512");
}  // namespace rfnn::features
