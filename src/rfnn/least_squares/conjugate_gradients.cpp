#include "rfnn/least_squares/conjugate_gradients.hpp"

#include <algorithm>

namespace rfnn::least_squares {
namespace {

/// x += d · diag(factor)
template <class Vector>
void add(Vector& x, const std::vector<double>& factor, const Vector& d) {
  double* const out = x.data();
  const double* const from = d.data();
  const std::size_t columns = factor.size(), size = x.size();
  if (columns == 1) {
    const double one = factor[0];
    for (std::size_t i = 0; i < size; ++i) out[i] += one * from[i];
    return;
  }
  for (std::size_t i = 0; i < size; i += columns)
    for (std::size_t k = 0; k < columns; ++k) out[i + k] += factor[k] * from[i + k];
}

/// d = z + d · diag(factor)
template <class Vector>
void turn(Vector& d, const Vector& z, const std::vector<double>& factor) {
  double* const out = d.data();
  const double* const from = z.data();
  const std::size_t columns = factor.size(), size = d.size();
  if (columns == 1) {
    const double one = factor[0];
    for (std::size_t i = 0; i < size; ++i) out[i] = from[i] + one * out[i];
    return;
  }
  for (std::size_t i = 0; i < size; i += columns)
    for (std::size_t k = 0; k < columns; ++k) out[i + k] = from[i + k] + factor[k] * out[i + k];
}

/// The iteration; z = P r, ρ = rᵀ z.
template <class Vector>
class Gradients {
 public:
  Gradients(const LinearSystem<Vector>& system, const Vector& right, Vector& x)
      : system_(system), x_(x), residual_(right) {}

  Iterations run(const Stopping& stopping, const Watch<Vector>& watch, const Standing& standing) {
    Iterations done;
    Memory memory{standing};
    if (!standing.journal.restore(done.made, *this, memory) && !begin(stopping.tolerance)) return {0, true};
    while (done.made < stopping.steps && going()) {
      if (!system_.product(direction_, image_)) return {done.made, true};
      if (!step()) break;
      ++done.made;
      const bool go_on = !watch || watch(done.made, x_);
      if (!go_on || done.made == stopping.steps) break;
      if (!system_.precondition(residual_, preconditioned_)) return {done.made, true};
      change_direction();
      if (standing.journal.due()) standing.journal.note(done.made, *this, memory);
    }
    return done;
  }

 private:
  /// What the watch remembers.
  struct Memory {
    const Standing& standing;
    template <class Archive>
    friend void fields(Archive& archive, Memory& memory) {
      if constexpr (Archive::reading) {
        if (memory.standing.load) memory.standing.load(archive);
      } else if (memory.standing.save) {
        memory.standing.save(archive);
      }
    }
  };
  template <class Archive>
  friend void fields(Archive& archive, Gradients& all) {
    archive(all.x_, all.residual_, all.direction_, all.rho_, all.goal_, all.exhausted_);
  }

  bool begin(double tolerance) {
    const bool started = x_.size() == residual_.size();
    if (!started) {
      x_ = residual_;
      std::fill_n(x_.data(), x_.size(), 0.0);
    }
    if (!system_.precondition(residual_, preconditioned_)) return false;
    goal_ = system_.dots(residual_, preconditioned_);
    for (double& goal : goal_) goal *= tolerance * tolerance;
    if (started) {
      if (!system_.product(x_, image_)) return false;
      add(residual_, std::vector<double>(goal_.size(), -1.0), image_);
      if (!system_.precondition(residual_, preconditioned_)) return false;
    }
    direction_ = preconditioned_;
    rho_ = system_.dots(residual_, preconditioned_);
    exhausted_.assign(rho_.size(), 0);
    return true;
  }

  [[nodiscard]] bool going(std::size_t k) const { return exhausted_[k] == 0 && rho_[k] > goal_[k]; }
  [[nodiscard]] bool going() const {
    for (std::size_t k = 0; k < rho_.size(); ++k)
      if (going(k)) return true;
    return false;
  }

  /// Along the direction as far as it goes down; false where no column can.
  bool step() {
    const std::vector<double> curvature = system_.dots(direction_, image_);
    std::vector<double> length(rho_.size(), 0.0), back(rho_.size(), 0.0);
    for (std::size_t k = 0; k < rho_.size(); ++k) {
      if (!(curvature[k] > 0.0)) exhausted_[k] = 1;
      if (!going(k)) continue;
      length[k] = rho_[k] / curvature[k];
      back[k] = -length[k];
    }
    if (!going()) return false;
    add(x_, length, direction_);
    add(residual_, back, image_);
    return true;
  }

  void change_direction() {
    const std::vector<double> now = system_.dots(residual_, preconditioned_);
    std::vector<double> ratio(rho_.size(), 0.0);
    for (std::size_t k = 0; k < rho_.size(); ++k)
      if (going(k)) ratio[k] = now[k] / rho_[k];
    turn(direction_, preconditioned_, ratio);
    rho_ = now;
  }

  const LinearSystem<Vector>& system_;
  Vector& x_;
  Vector residual_, preconditioned_, direction_, image_;
  std::vector<double> rho_, goal_;
  std::vector<char> exhausted_;  ///< columns along which rounding allows no step
};

}  // namespace

std::vector<double> column_dots(const Matrix& a, const Matrix& b) {
  std::vector<double> sums(a.cols(), 0.0);
  for (std::size_t i = 0; i < a.rows(); ++i)
    for (std::size_t k = 0; k < a.cols(); ++k) sums[k] += a(i, k) * b(i, k);
  return sums;
}

template <class Vector>
Iterations conjugate_gradients(const LinearSystem<Vector>& system, const Vector& right, const Stopping& stopping,
                               Vector& x, const Watch<Vector>& watch, const Standing& standing) {
  return Gradients<Vector>(system, right, x).run(stopping, watch, standing);
}

template Iterations conjugate_gradients(const LinearSystem<Matrix>&, const Matrix&, const Stopping&, Matrix&,
                                        const Watch<Matrix>&, const Standing&);
template Iterations conjugate_gradients(const LinearSystem<AlignedVector>&, const AlignedVector&, const Stopping&,
                                        AlignedVector&, const Watch<AlignedVector>&, const Standing&);

}  // namespace rfnn::least_squares
