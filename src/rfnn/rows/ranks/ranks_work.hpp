#pragma once

// Private header.

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "rfnn/rows/ranks/distant_pieces.hpp"
#include "rfnn/rows/ranks/pass.hpp"
#include "rfnn/rows/row_work.hpp"

namespace rfnn::rows {

/// Asks all ranks for passes, and adds up. What only prepares the next sum waits and travels with it: a pass is one
/// message of rank 0 to all and one sum over all ranks.
class PassCaller {
 public:
  explicit PassCaller(DistantPieces& pieces) : pieces_(pieces) {}

  /// For the next message.
  Writer& waiting() { return waiting_; }
  /// Sends what waits, the last of which is to come to numbers. False when interrupted; NumericalError where a rank has
  /// failed.
  bool call(Numbers& numbers, Interrupt& interrupt);

 private:
  DistantPieces& pieces_;
  Writer waiting_;
};

/// Row work of rank 0 on rows that are spread over ranks (SpreadRows): every decision is made here, by sums of all.
/// Rows that are here alone are worked on here alone.
class RanksWork final : public RowWork {
 public:
  explicit RanksWork(DistantPieces& pieces) : pieces_(pieces), caller_(std::make_shared<PassCaller>(pieces)) {}

  /// The rows that all ranks hold under this number.
  [[nodiscard]] RowState rows(std::uint64_t number, std::size_t inputs, std::size_t outputs) const;
  /// Ends what the other ranks do; they are left with this text.
  void finish(const std::string& text);

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
  [[nodiscard]] Workers& workers() override { return pieces_.work().workers(); }

 private:
  /// The row work of this rank, for rows that are all here.
  RowWork& here(const RowState& rows);

  DistantPieces& pieces_;
  std::shared_ptr<PassCaller> caller_;  ///< shared with the handles of rows and with chains
  std::uint64_t chains_ = 0;
};

}  // namespace rfnn::rows
