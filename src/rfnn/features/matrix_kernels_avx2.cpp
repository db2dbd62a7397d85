#include "rfnn/features/matrix_kernels.hpp"

namespace {

template <class T>
struct Register;
template <>
struct Register<double> {
  using Part __attribute__((vector_size(32), may_alias)) = double;
};
template <>
struct Register<float> {
  using Part __attribute__((vector_size(32), may_alias)) = float;
};

// 12 sums, 3 operands and 1 factor in the 16 registers.
constexpr std::size_t columns = 4;

}  // namespace

#include "rfnn/features/matrix_kernels_impl.hpp"

namespace rfnn::features {
extern const MatrixKernels<double> double_kernels_avx2;
extern const MatrixKernels<float> float_kernels_avx2;
const MatrixKernels<double> double_kernels_avx2 = Stripes<double>::all("avx2");
const MatrixKernels<float> float_kernels_avx2 = Stripes<float>::all("avx2");
}  // namespace rfnn::features
