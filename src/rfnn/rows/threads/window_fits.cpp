// The systems of windows: a window is a task, its system is solved by one thread.
#include <memory>
#include <vector>

#include "rfnn/least_squares/dense_cholesky.hpp"
#include "rfnn/rows/threads/kernel_triangle.hpp"
#include "rfnn/rows/threads/threaded_work.hpp"

namespace rfnn::rows {
namespace {

/// Shares of the law's variance that are added to a diagonal, until there is a factor.
constexpr double shifts[] = {1e-13, 1e-11, 1e-9, 1e-6, 1e-3};

/// What one thread needs.
struct OneThread {
  Workers workers{1};
  dense::Triangle<double> matrix;
  std::vector<double> diagonal;
};

/// Cholesky's factor of K + λ W⁻¹, or nothing.
bool factor_of(const features::LawKernels<double>& level, const LawTerms<double>& terms, const Matrix& points,
               const std::vector<double>& noise, double variance, OneThread& own, Interrupt& interrupt) {
  for (const double shift : shifts) {
    if (!kernel_triangle(level, terms, points, own.matrix, own.workers, interrupt)) return false;
    for (std::size_t i = 0; i < noise.size(); ++i) own.matrix(i, i) += noise[i] + shift * variance;
    if (dense::factor(own.matrix, own.workers, interrupt)) return true;
    if (interrupt.stopped()) return false;
  }
  return false;
}

}  // namespace

bool ThreadedWork::window_fits(const RowState& rows, const FrequencyLaw& law, const WindowRows& cut,
                               const std::vector<double>& noise, const std::vector<std::size_t>& listed,
                               WindowFits& fits, Interrupt& interrupt) {
  const std::size_t outputs = rows.outputs();
  if (fits.coefficients.rows() != cut.places.size())
    fits.coefficients = fits.left_out = Matrix(cut.places.size(), outputs);
  const Matrix variables = variables_of(rows, law.variables());
  const LawTerms<double> terms(law);
  const features::LawKernels<double>& level = *features::law_kernels<double>(kernels_.name);
  std::vector<std::unique_ptr<OneThread>> threads(workers_.threads());
  return workers_.run(
      listed.size(), true,
      [&](std::size_t task, std::size_t worker) {
        if (!interrupt.proceed()) return;
        if (!threads[worker]) threads[worker] = std::make_unique<OneThread>();
        OneThread& own = *threads[worker];
        const std::size_t w = listed[task], first = cut.first[w], count = cut.windows.rows[w];
        const std::size_t* const places = cut.places.data() + first;
        std::vector<double> diagonal(count);
        for (std::size_t i = 0; i < count; ++i) diagonal[i] = noise[w] / rows.weight(places[i]);
        MatrixView c(fits.coefficients.data() + first * outputs, count, outputs);
        // A window without a solution leaves all there is.
        for (std::size_t i = 0; i < count; ++i)
          for (std::size_t o = 0; o < outputs; ++o) {
            c(i, o) = 0.0;
            fits.left_out(first + i, o) = rows.residual(places[i], o);
          }
        const Matrix points = scaled_points(cut.windows, w, variables, places, count);
        if (!factor_of(level, terms, points, diagonal, law.variance(), own, interrupt)) return;
        for (std::size_t i = 0; i < count; ++i)
          for (std::size_t o = 0; o < outputs; ++o) c(i, o) = rows.residual(places[i], o);
        own.diagonal.resize(count);
        if (!dense::solve(own.matrix, c, own.workers, interrupt) ||
            !dense::inverse_diagonal<double>(own.matrix, own.diagonal, own.workers, interrupt))
          return;
        for (std::size_t i = 0; i < count; ++i)
          for (std::size_t o = 0; o < outputs; ++o) fits.left_out(first + i, o) = c(i, o) / own.diagonal[i];
      },
      interrupt);
}

}  // namespace rfnn::rows
