#include "rfnn/finders/windows/windows_finder.hpp"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <memory>
#include <utility>

#include "rfnn/core/timer.hpp"
#include "rfnn/finders/windows/tuning.hpp"
#include "rfnn/finders/windows/window_search.hpp"

namespace rfnn::windows {

template <class Archive>
void fields(Archive& archive, WindowLaw& law) {
  archive(law.order, law.scale, law.state_scale, law.noise, law.aspect, law.own_rows, law.searched);
}

namespace {

struct WindowsRecipe final : finders::RecipeOfFields<WindowsRecipe> {
  WindowLaw law;
  std::size_t others = 0;  ///< variables besides the inputs
  std::size_t moves = std::size(tuning::moves);
  double share = 1.0;  ///< of what the windows say, that is believed
};
template <class Archive>
void fields(Archive& archive, WindowsRecipe& recipe) {
  archive(recipe.law, recipe.others, recipe.moves, recipe.share);
}

/// As a block, the rows' inputs and state as they are.
std::optional<Block> block_of(const WindowsRecipe& recipe, const rows::RowState& rows, FittedWindows&& fitted) {
  ClosedForm form;
  form.law = recipe.law.law(recipe.others);
  const std::vector<std::size_t>& places = fitted.cut.places;
  form.centres = Matrix(places.size(), form.law.variables());
  for (std::size_t i = 0; i < places.size(); ++i)
    for (std::size_t k = 0; k < form.centres.cols(); ++k) form.centres(i, k) = rows.variable_of(places[i], k);
  form.coefficients = std::move(fitted.fits.coefficients);
  for (std::size_t i = 0; i < form.coefficients.size(); ++i) {
    if (!std::isfinite(form.coefficients.data()[i])) return std::nullopt;
    form.coefficients.data()[i] *= recipe.share;
  }
  form.windows = std::move(fitted.cut.windows);
  Block block;
  Branch& branch = block.branches.emplace_back();
  branch.kind = recipe.others > 0 ? BranchKind::joint : BranchKind::input;
  branch.closed_form = std::move(form);
  return block;
}

std::optional<FittedWindows> fit(const finders::FoundBlock& found, rows::RowWork& work, const rows::RowState& rows,
                                 Interrupt& interrupt) {
  const auto& recipe = static_cast<const WindowsRecipe&>(*found.recipe);
  std::size_t moves = recipe.moves;
  return fit_windows(
      work, rows, recipe.law, recipe.others, moves, [] { return true; }, interrupt);
}

/// The share of a block's values that leaves least on rows it has not seen, from 0 to 1; `half`: by those of one half
/// of the rows, or of both (2).
double best_share(const rows::RowState& before, const rows::RowState& after, std::size_t half) {
  double product = 0.0, squares = 0.0;
  for (std::size_t i = 0; i < before.count(); ++i) {
    if (half < 2 && i % 2 != half) continue;
    for (std::size_t o = 0; o < before.outputs(); ++o) {
      const double value = before.residual(i, o) - after.residual(i, o);
      product += before.weight(i) * value * before.residual(i, o);
      squares += before.weight(i) * value * value;
    }
  }
  return squares > 0.0 ? std::clamp(product / squares, 0.0, 1.0) : 0.0;
}

/// On top of other blocks: rows left out have another state than rows never seen, if a little, so that the latter say
/// how much of the block to believe, and `honest` is what is left where each half is told by the other. False where
/// nothing is to be believed, or when interrupted.
bool believe(const finders::Search& search, WindowsRecipe& recipe, finders::FoundBlock& found) {
  const rows::RowState& before = search.held_out;
  rows::RowState after = before;
  if (!search.work.advance(found.block, after, search.interrupt)) return false;
  recipe.share = best_share(before, after, 2);
  if (recipe.share < tuning::least_share) return false;
  Matrix& coefficients = found.block.branches.front().closed_form->coefficients;
  for (std::size_t i = 0; i < coefficients.size(); ++i) coefficients.data()[i] *= recipe.share;
  const double shares[] = {best_share(before, after, 1), best_share(before, after, 0)};
  found.honest = before.residual;
  for (std::size_t i = 0; i < before.count(); ++i)
    for (std::size_t o = 0; o < before.outputs(); ++o)
      found.honest(i, o) -= shares[i % 2] * (before.residual(i, o) - after.residual(i, o));
  return true;
}

/// How large windows may be, and how long a fit takes.
struct Pace {
  std::size_t own_rows = tuning::own_rows[0];
  double fit = 0.0, pass = 0.0;  ///< seconds; zero where there is no limit
  double search_until = 0.0;     ///< seconds left when the search for a law is to end

  [[nodiscard]] bool limited() const { return fit > 0.0; }
  [[nodiscard]] bool time_to_search(const finders::Search& search) const {
    return !limited() || search.seconds_left() > search_until;
  }
  /// Now, and once more when it comes to all rows.
  [[nodiscard]] bool time_to_fit_again(const finders::Search& search) const {
    return !limited() || tuning::time_for_fits * search.seconds_left() > 3.0 * fit + 2.0 * pass;
  }
};

/// Solves a few windows to see. Of a window of n rows the solution takes n³, the passes n.
std::optional<Pace> pace_of(const finders::Search& search, const WindowLaw& law, std::size_t others) {
  Pace pace;
  if (!std::isfinite(search.seconds_left())) return pace;
  const auto began = Clock::now();
  const rows::WindowRows cut = cut_rows(search.train, law, others);
  const double cutting = seconds_between(began, Clock::now());
  const std::size_t windows = cut.windows.count(), some = std::min(windows, tuning::windows_to_time);
  std::vector<std::size_t> listed;
  for (std::size_t i = 0; i < some; ++i) listed.push_back(i * windows / some);
  rows::WindowFits fits;
  const auto solving = Clock::now();
  if (!search.work.window_fits(search.train, law.law(others), cut, std::vector<double>(windows, law.noise), listed,
                               fits, search.interrupt))
    return std::nullopt;
  const double all = seconds_between(solving, Clock::now()) * static_cast<double>(windows) / static_cast<double>(some);
  const double left = search.seconds_left();
  for (const std::size_t own_rows : tuning::own_rows) {
    const double smaller = static_cast<double>(own_rows) / static_cast<double>(tuning::own_rows[0]);
    pace.own_rows = own_rows;
    pace.fit = cutting + smaller * smaller * all;
    pace.pass = tuning::time_of_pass * smaller * all;
    if (2.0 * (pace.fit + pace.pass) < tuning::time_for_fits * left) break;
  }
  const double for_fits = 2.0 * (pace.fit + pace.pass) / tuning::time_for_fits;
  pace.search_until = std::max(for_fits, left - tuning::time_for_search * std::max(0.0, left - for_fits));
  return pace;
}

}  // namespace

std::optional<finders::FoundBlock> WindowsFinder::find(const finders::Search& search) {
  const rows::RowState& rows = search.train;
  auto recipe = std::make_shared<WindowsRecipe>();
  recipe->others = search.network.blocks.empty() ? 0 : rows.outputs();
  search.tell("laws of windows");
  WindowLaw start;
  start.scale = tuning::first_scale;
  start.state_scale = recipe->others > 0 ? tuning::first_state_scale : 0.0;
  start.noise = tuning::first_noises[0];
  start.aspect.assign(rows.inputs(), 1.0);
  start.own_rows = tuning::own_rows[0];
  const std::optional<Pace> pace = pace_of(search, start, recipe->others);
  if (!pace) return std::nullopt;
  start.own_rows = pace->own_rows;
  std::optional<WindowLaw> law = (search.journal / "law").piece(search.interrupt, [&] {
    return search_law(
        search.work, rows, start, recipe->others, pace->limited(), [&] { return pace->time_to_search(search); },
        search.interrupt);
  });
  if (!law || search.interrupt.stopped()) return std::nullopt;
  recipe->law = std::move(*law);
  search.tell("closed forms of windows");
  std::optional<FittedWindows> fitted = fit_windows(
      search.work, rows, recipe->law, recipe->others, recipe->moves, [&] { return pace->time_to_fit_again(search); },
      search.interrupt);
  if (!fitted) return std::nullopt;
  std::optional<Block> block = block_of(*recipe, rows, std::move(*fitted));
  if (!block) return std::nullopt;
  finders::FoundBlock found{std::move(*block), {}, recipe};
  found.record = finders::record_of(Method::windows, found.block, rows.count(), recipe->law.noise,
                                    recipe->law.searched && !search.interrupt.stopped());
  found.last = true;
  if (recipe->others > 0 && search.held_out.count() > 0 && !believe(search, *recipe, found)) return std::nullopt;
  return found;
}

std::optional<Block> WindowsFinder::refit(const finders::FoundBlock& found, rows::RowWork& work,
                                          const rows::RowState& rows, Interrupt& interrupt) const {
  std::optional<FittedWindows> fitted = fit(found, work, rows, interrupt);
  if (!fitted) return std::nullopt;
  return block_of(static_cast<const WindowsRecipe&>(*found.recipe), rows, std::move(*fitted));
}

std::optional<rows::TiledColumns> WindowsFinder::left_out(const finders::FoundBlock& found, rows::RowWork& work,
                                                          const rows::RowState& rows, Interrupt& interrupt) const {
  const std::optional<FittedWindows> fitted = fit(found, work, rows, interrupt);
  if (!fitted) return std::nullopt;
  return blended(rows, *fitted);
}

std::shared_ptr<const finders::Recipe> WindowsFinder::recipe_from(ArchiveReader& archive,
                                                                  const finders::Search&) const {
  return WindowsRecipe::from(archive);
}

}  // namespace rfnn::windows
