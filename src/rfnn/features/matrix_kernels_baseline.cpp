#include "rfnn/features/matrix_kernels.hpp"

namespace {

template <class T>
struct Register;
template <>
struct Register<double> {
  using Part __attribute__((vector_size(16), may_alias)) = double;
};
template <>
struct Register<float> {
  using Part __attribute__((vector_size(16), may_alias)) = float;
};

// 12 sums, 3 operands and 1 factor in the 16 registers.
constexpr std::size_t columns = 4;

}  // namespace

#include "rfnn/features/matrix_kernels_impl.hpp"

namespace rfnn::features {
extern const MatrixKernels<double> double_kernels_baseline;
extern const MatrixKernels<float> float_kernels_baseline;
const MatrixKernels<double> double_kernels_baseline = Stripes<double>::all("baseline");
const MatrixKernels<float> float_kernels_baseline = Stripes<float>::all("baseline");
}  // namespace rfnn::features
