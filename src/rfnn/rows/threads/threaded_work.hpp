#pragma once

// Private header.

#include <memory>
#include <vector>

#include "rfnn/features/kernels.hpp"
#include "rfnn/rows/row_work.hpp"

namespace rfnn::rows {

/// SIMD kernels on tiles, threads over chunks of tiles or groups of features; how the work is cut depends on the sizes
/// of the problem alone, so that the bits do not depend on the number of threads.
class ThreadedWork final : public RowWork {
 public:
  explicit ThreadedWork(std::size_t threads, const features::Kernels& level = features::kernels())
      : kernels_(level), workers_(threads) {}

  bool advance(const Block& block, RowState& rows, Interrupt& interrupt) override;
  [[nodiscard]] Eigen::VectorXd mean_squares(const RowState& rows) override;

  bool features(const RowState& rows, const std::vector<Feature>& features, FeatureSums& sums,
                Interrupt& interrupt) override;
  bool jacobian(const RowState& rows, const FeatureBlock& block, JacobianSums& sums, Interrupt& interrupt) override;
  bool misfit(const RowState& rows, const FeatureBlock& block, Eigen::VectorXd& energy, Interrupt& interrupt) override;
  bool left_by(const RowState& rows, const FeatureBlock& block, TiledColumns& left, Interrupt& interrupt) override;
  bool spectrum(const RowState& rows, const TiledColumns& left, const std::vector<Feature>& candidates,
                std::size_t stride, std::vector<double>& power, Interrupt& interrupt) override;

  bool apply(const RowState& rows, const WideFeatures& features, const Matrix& c, TiledColumns& out,
             Interrupt& interrupt) override;
  bool adjoint(const RowState& rows, const WideFeatures& features, const TiledColumns& t, Matrix& out,
               Interrupt& interrupt) override;
  bool row_kernel(const RowState& rows, const WideFeatures& features, Eigen::MatrixXd& kernel,
                  Interrupt& interrupt) override;

  bool kernel_matrix(const RowState& rows, const FrequencyLaw& law, dense::Triangle<double>& kernel,
                     Interrupt& interrupt) override;
  bool kernel_slopes(const RowState& rows, const FrequencyLaw& law, const dense::Triangle<double>& q,
                     KernelSlopes& slopes, Interrupt& interrupt) override;
  bool kernel_product(const RowState& rows, const FrequencyLaw& law, const Matrix& t, Matrix& out, Precision precision,
                      Interrupt& interrupt) override;
  bool kernel_apply(const RowState& rows, const FrequencyLaw& law, const Matrix& centres, const Matrix& c, Matrix& out,
                    Precision precision, Interrupt& interrupt) override;
  bool kernel_adjoint(const RowState& rows, const FrequencyLaw& law, const Matrix& centres, const Matrix& t,
                      Matrix& out, Precision precision, Interrupt& interrupt) override;
  bool kernel_gram(const RowState& rows, const FrequencyLaw& law, const Matrix& centres, dense::Triangle<double>& gram,
                   Interrupt& interrupt) override;

  bool window_fits(const RowState& rows, const FrequencyLaw& law, const WindowRows& cut,
                   const std::vector<double>& noise, const std::vector<std::size_t>& listed, WindowFits& fits,
                   Interrupt& interrupt) override;

  [[nodiscard]] std::unique_ptr<LatticePoints> lattice_points(HalfLattice lattice, std::size_t variables,
                                                              Phases phases) override;
  [[nodiscard]] std::unique_ptr<Engine> chain(const RowState& rows) override;
  [[nodiscard]] Workers& workers() override { return workers_; }

 private:
  const features::Kernels& kernels_;
  Workers workers_;
};

}  // namespace rfnn::rows
