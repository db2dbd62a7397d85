#pragma once

// Private header. The law of windows, by leave-one-out.

#include <functional>
#include <optional>
#include <vector>

#include "rfnn/core/parallel.hpp"
#include "rfnn/model/law.hpp"
#include "rfnn/rows/row_work.hpp"

namespace rfnn::windows {

/// What tells one closed form of windows from another. One radial part over inputs and, where there is one, state.
struct WindowLaw {
  int order = 1;
  double scale = 1.0;          ///< t of the inputs, in windows
  double state_scale = 0.0;    ///< t of the state
  double noise = 0.0;          ///< λ over the variance
  std::vector<double> aspect;  ///< per input: how much longer a length along it is
  std::size_t own_rows = 0;    ///< of a window, at the most
  bool searched = true;        ///< every kind of law that the search begins with was tried

  [[nodiscard]] FrequencyLaw law(std::size_t others) const;
};

/// Rows cut into windows, each with a solution of its own.
struct FittedWindows {
  rows::WindowRows cut;
  std::vector<double> noise;  ///< per window
  rows::WindowFits fits;
};

/// Rows cut as the law wants it; `others`: variables besides the inputs.
rows::WindowRows cut_rows(const rows::RowState& rows, const WindowLaw& law, std::size_t others);

/// What the windows leave on each of their rows when it is left out, blended as they are (rows × outputs).
rows::TiledColumns blended(const rows::RowState& rows, const FittedWindows& fitted);

/// The law with the least error by leave-one-out, on some of the windows, those with the largest errors among them.
/// Begins with `start`. `go_on` is asked between trials: when it says no, it is the best until then;
/// nothing where there was none. `in_haste`: that may be soon, so that a law for rows with noise comes first.
std::optional<WindowLaw> search_law(rows::RowWork& work, const rows::RowState& rows, const WindowLaw& start,
                                    std::size_t others, bool in_haste, const std::function<bool()>& go_on,
                                    Interrupt& interrupt);

/// All windows, each with the scale and the noise around the law's that leave-one-out prefers there: at most so many
/// others are tried, and none where `go_on` says no; how many were is noted in `moves`. Nothing when interrupted.
std::optional<FittedWindows> fit_windows(rows::RowWork& work, const rows::RowState& rows, const WindowLaw& law,
                                         std::size_t others, std::size_t& moves, const std::function<bool()>& go_on,
                                         Interrupt& interrupt);

}  // namespace rfnn::windows
