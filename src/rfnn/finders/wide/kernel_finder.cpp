#include "rfnn/finders/wide/kernel_finder.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <memory>
#include <span>
#include <utility>
#include <vector>

#include "rfnn/core/random.hpp"
#include "rfnn/core/timer.hpp"
#include "rfnn/finders/wide/closed_fit.hpp"
#include "rfnn/finders/wide/closed_parts.hpp"
#include "rfnn/finders/wide/closed_size.hpp"
#include "rfnn/finders/wide/law_search.hpp"
#include "rfnn/finders/wide/tuning.hpp"
#include "rfnn/model/fields.hpp"

namespace rfnn::wide {
namespace {

/// Laws tried after the first, each where rows are many beside its numbers: with a map, with a third part.
constexpr LawShape richer_laws[] = {{2, true}, {3, false}};

std::vector<double> multiples_of(double noise, std::span<const double> factors) {
  std::vector<double> list;
  for (const double factor : factors) list.push_back(factor * noise);
  return list;
}

struct KernelRecipe final : finders::Recipe {
  LearntLaw learnt;
  double lambda = 0.0;
  FitSize size;
  /// With some rows as centres: the sums over the training rows, and the rows held out, which are all that is new when
  /// it comes to all rows. Sums are large: of a recipe from a journal they are made again, from these rows and this
  /// seed, when they are needed.
  std::shared_ptr<const CentreSums> sums;
  rows::RowState train, held_out;
  std::uint64_t seed = 1;
  /// With all rows as centres: those held out are among them here.
  ClosedForm with_held_out;

  void save(ArchiveWriter& archive) const override { archive(learnt, lambda, size.centres, size.steps, with_held_out); }
  /// The sums over the training rows. Nothing when interrupted.
  [[nodiscard]] std::optional<CentreSums> known_sums(rows::RowWork& work, Interrupt& interrupt) const {
    return sums ? std::optional(*sums) : centre_sums(work, train, learnt.law, size.centres, seed, interrupt);
  }
};

double cube(double n) { return n * n * n; }

/// Multiply-adds of a fit.
double fit_cost(const FitSize& size, std::size_t rows, double entry, std::size_t lambdas) {
  const auto n = static_cast<double>(rows), m = static_cast<double>(size.centres);
  if (size.centres == 0) return static_cast<double>(lambdas) * (cube(n) / 6.0 + n * n / 2.0 * entry);
  // A step: all pairs once in single precision, and twice those of rows and centres.
  const double step = n * n / 4.0 * entry + 2.0 * n * m * entry;
  return n * m * m / 2.0 + 2.0 * n * m * entry + static_cast<double>(lambdas) * cube(m) / 6.0 + size.steps * step;
}

class KernelSearch {
 public:
  KernelSearch(const Options& options, const finders::Search& search)
      : options_(options),
        search_(search),
        rows_(search.train),
        seed_(options.seed + search.member),
        laws_(search.work, search.train, search.train.inputs(), seed_, search.interrupt, search.journal / "law") {}

  std::optional<finders::FoundBlock> find() {
    search_.tell("a law of frequencies");
    const auto* const hint = dynamic_cast<const KernelRecipe*>(search_.hint);
    std::optional<LearntLaw> law;
    if (hint != nullptr && search_.to_stand_on) {
      law = hint->learnt;
    } else if (hint != nullptr && search_.afresh) {
      law = laws_.begin({2, false}, tuning::law_rows_at_first);
      const std::size_t rows = std::min(tuning::law_rows_later, rows_.count());
      if (law && !search_.interrupt.stopped()) law = laws_.go_on(*law, hint->learnt.shape, rows);
    } else if (hint != nullptr) {
      law = laws_.go_on(hint->learnt, hint->learnt.shape, hint->learnt.rows);
    } else {
      law = limited() ? begin_in_haste() : laws_.begin({2, false}, tuning::law_rows_at_first);
      if (law) learn_on(*law);
    }
    if (!law) return std::move(best_);
    search_.tell("the closed form of its features");
    const FitSize size = full_size(*law);
    bool complete = !search_.interrupt.stopped() && consider(*law, size, lambdas(*law));
    // No time for steps: then as many centres as there is time for.
    const FitSize more{tuning::centres[0], 0};
    if (complete && size.steps > 0 && !stepped_ && room_for(more) &&
        in_time(cost_of(more, *law), tuning::time_for_centres))
      complete = consider(*law, more, lambdas(*law));
    if (best_) best_->record.complete = complete;
    return std::move(best_);
  }

 private:
  [[nodiscard]] bool limited() const { return std::isfinite(search_.seconds_left()); }

  /// Does it take less than this share of the time left, at the rate of the last fit or of the last likelihoods?
  [[nodiscard]] bool in_time(double operations, double share) const {
    return !limited() || seconds_for(operations) < share * search_.seconds_left();
  }
  [[nodiscard]] double seconds_for(double operations) const {
    return operations / std::max({laws_.rate(), rate_, tuning::least_rate});
  }

  /// With a clock there is a block soon, by the law of very few rows. Then the law is learnt as without one, or where
  /// that would take too long from what these have found.
  [[nodiscard]] std::optional<LearntLaw> begin_in_haste() {
    std::optional<LearntLaw> law = laws_.begin({2, false}, tuning::law_rows_in_haste);
    if (!law || !consider(*law, quick_size(), {law->noise}) || law->rows >= rows_.count()) return law;
    const double likelihood = laws_.cost_of(law->shape, tuning::law_rows_at_first);
    std::optional<LearntLaw> better;
    if (in_time(tuning::likelihoods * likelihood, tuning::time_to_begin))
      better = laws_.begin({2, false}, tuning::law_rows_at_first);
    else if (in_time(tuning::likelihoods_later * likelihood, tuning::time_to_begin))
      better = laws_.go_on(*law, law->shape, tuning::law_rows_at_first);
    if (better) law = std::move(*better);
    if (law->rows > tuning::law_rows_in_haste) consider(*law, quick_size(), {law->noise});
    return law;
  }

  /// More rows, richer laws there, and more rows again, as far as the effort goes.
  void learn_on(LearntLaw& law) {
    go_on(law, tuning::law_rows_later);
    for (const LawShape shape : richer_laws) {
      LawShape richer = shape;
      richer.mapped = richer.mapped || law.shape.mapped;
      if (search_.interrupt.stopped() || !worth_trying(shape, law) ||
          !in_time(tuning::likelihoods_later * laws_.cost_of(richer, law.rows), tuning::time_for_law))
        continue;
      std::optional<LearntLaw> rival = laws_.go_on(law, richer, law.rows);
      if (rival && better(*rival, law)) law = std::move(*rival);
    }
    go_on(law, static_cast<std::size_t>(
                   std::clamp(std::cbrt(tuning::share_of_law * search_.operations / tuning::likelihoods),
                              tuning::fewest_rows_of_law, tuning::most_rows_of_law)));
  }

  void go_on(LearntLaw& law, std::size_t count) {
    const std::size_t rows = std::min(count, rows_.count());
    if (rows <= law.rows || search_.interrupt.stopped() ||
        !in_time(tuning::likelihoods_later * laws_.cost_of(law.shape, rows), tuning::time_for_law))
      return;
    if (std::optional<LearntLaw> better = laws_.go_on(law, law.shape, rows)) law = std::move(*better);
  }

  [[nodiscard]] bool worth_trying(const LawShape& shape, const LearntLaw& law) const {
    const auto d = static_cast<double>(rows_.inputs()), n = static_cast<double>(law.rows * rows_.outputs());
    return shape.mapped ? d >= 2.0 && n >= tuning::rows_per_map_entry * d * d : n >= tuning::rows_per_scale * 2.0 * d;
  }

  /// By likelihood, less what a number costs; half of that where rows that neither law was learnt from agree.
  [[nodiscard]] bool better(const LearntLaw& rival, const LearntLaw& law) {
    const double price =
        0.5 * static_cast<double>(rival.x.size() - law.x.size()) * std::log(static_cast<double>(law.rows));
    const std::size_t others = std::min(rows_.count() - law.rows, tuning::most_judging_rows);
    if (others < tuning::fewest_judging_rows) return rival.cost + price < law.cost;
    if (!(rival.cost + 0.5 * price < law.cost)) return false;
    const std::optional<double> of_law = error_on_others(law, others), of_rival = error_on_others(rival, others);
    return of_law && of_rival && *of_rival < tuning::gain_of_richer * *of_law;
  }

  [[nodiscard]] std::optional<double> error_on_others(const LearntLaw& law, std::size_t count) {
    const rows::RowState sample = laws_.sample(law.rows), others = laws_.others(law.rows, count);
    const std::optional<ClosedFit> fit = fit_exactly(search_.work, sample, law.law, {law.noise}, {}, search_.interrupt);
    if (!fit) return std::nullopt;
    return error_of(search_.work, law.law, fit->centres, fit->coefficients, others, search_.interrupt);
  }

  [[nodiscard]] FitSize quick_size() const {
    return {rows_.count() <= tuning::quick_rows ? 0 : tuning::quick_centres, 0};
  }

  /// The largest that there is time and memory for. What it takes again when it comes to all rows differs. Whether
  /// there is time for steps is seen after the first of their two parts, the centres beside them.
  [[nodiscard]] FitSize full_size(const LearntLaw& law) const {
    struct Choice {
      FitSize size;
      double share;  ///< of the time left that it may take
    };
    std::vector<Choice> choices;
    if (!search_.to_stand_on && exact()) choices.push_back({{0, 0}, tuning::time_for_exact});
    if (!search_.to_stand_on && !exact() &&
        (limited() || affordable({tuning::centres_beside_all, tuning::usual_steps}, law)))
      choices.push_back({{tuning::centres_beside_all, tuning::most_steps_of_all}, tuning::time_for_centres});
    for (const std::size_t centres : tuning::centres) choices.push_back({{centres, 0}, tuning::time_for_centres});
    for (const Choice& choice : choices) {
      if (choice.size.centres >= rows_.count() || !room_for(choice.size)) continue;
      const FitSize first_part{choice.size.centres, 0};
      if (limited() ? in_time(cost_of(first_part, law), choice.share) : affordable(first_part, law)) return choice.size;
    }
    return quick_size();
  }

  [[nodiscard]] bool room_for(const FitSize& size) const {
    return has_memory(options_, size, static_cast<double>(rows_.count()), static_cast<double>(rows_.outputs()));
  }
  [[nodiscard]] bool exact() const { return rows_.count() <= tuning::most_exact_rows; }
  [[nodiscard]] double cost_of(const FitSize& size, const LearntLaw& law) const {
    return fit_cost(size, rows_.count(), entry_cost(rows_.inputs(), law.shape), lambdas(law).size());
  }
  [[nodiscard]] bool affordable(const FitSize& size, const LearntLaw& law) const {
    return cost_of(size, law) <= tuning::share_of_fit * search_.operations;
  }

  [[nodiscard]] std::vector<double> lambdas(const LearntLaw& law) const {
    const double noise = std::max(law.noise, tuning::least_lambda);
    if (rows_.count() > tuning::most_exact_rows) return multiples_of(noise, tuning::lambdas_of_centres);
    if (rows_.count() <= tuning::quick_rows) return multiples_of(noise, tuning::lambdas_of_few);
    return multiples_of(noise, tuning::lambdas_of_exact);
  }

  /// All rows as centres: as many as there is room for.
  [[nodiscard]] std::vector<double> lambdas_of_all(const LearntLaw& law) const {
    std::vector<double> list;
    for (const double factor : tuning::lambdas_of_all)
      if (list.empty() || (list.size() + 1) * rows_.outputs() <= tuning::most_columns_of_all)
        list.push_back(factor * std::max(law.noise, tuning::least_lambda));
    return list;
  }

  /// Fits, and keeps what is better on the rows held out. False when interrupted.
  bool consider(const LearntLaw& law, const FitSize& size, const std::vector<double>& lambdas) {
    auto recipe = std::make_shared<KernelRecipe>();
    recipe->learnt = law;
    recipe->size = size;
    std::optional<ClosedFit> fit;
    if (size.centres == 0)
      fit = fit_exactly(search_.work, rows_, law.law, lambdas, search_.held_out, search_.interrupt);
    else
      fit = fit_by_centres(*recipe, lambdas);
    if (!fit) return false;
    if (size.centres == 0 && search_.held_out.count() > 0) {
      const std::optional<double> error =
          error_of(search_.work, law.law, fit->centres, fit->coefficients, search_.held_out, search_.interrupt);
      fit->judged = error ? *error : fit->judged;
    }
    if (best_ && !(fit->judged < judged_)) return !search_.interrupt.stopped();
    judged_ = fit->judged;
    recipe->lambda = fit->lambda;
    best_.emplace();
    Branch branch;
    branch.closed_form = ClosedForm{law.law, std::move(fit->centres), std::move(fit->coefficients)};
    best_->block.branches.push_back(std::move(branch));
    best_->record = finders::record_of(Method::kernel, best_->block, rows_.count(), recipe->lambda, false);
    best_->last = recipe->size.centres == 0 || recipe->size.steps > 0;
    best_->fitted_to_all = !recipe->with_held_out.centres.empty();
    best_->recipe = std::move(recipe);
    return !search_.interrupt.stopped();
  }

  [[nodiscard]] std::optional<ClosedFit> fit_by_centres(KernelRecipe& recipe, const std::vector<double>& lambdas) {
    rows::RowWork& work = search_.work;
    Interrupt& interrupt = search_.interrupt;
    const auto began = Clock::now();
    std::optional<CentreSums> sums = centre_sums(work, rows_, recipe.learnt.law, recipe.size.centres, seed_, interrupt);
    if (!sums) return std::nullopt;
    std::optional<ClosedFit> some = fit_some(work, recipe.learnt.law, *sums, search_.held_out, lambdas, interrupt);
    rate_ = cost_of({recipe.size.centres, 0}, recipe.learnt) / seconds_between(began, Clock::now());
    std::optional<FitToAll> all;
    if (some && recipe.size.steps > 0 && time_for_steps(recipe)) {
      stepped_ = true;
      all =
          fit_all(work, rows_, recipe.learnt.law, *sums, search_.held_out, lambdas_of_all(recipe.learnt),
                  {recipe.size.steps, limited() ? seconds_for_steps() : nullptr}, interrupt, search_.journal / "steps");
    }
    recipe.sums = std::make_shared<CentreSums>(std::move(*sums));
    recipe.held_out = search_.held_out;
    if (!all || all->judged.judged > some->judged) {
      recipe.size.steps = 0;
      return some;
    }
    recipe.with_held_out = std::move(all->with_held_out);
    return std::move(all->judged);
  }

  [[nodiscard]] bool time_for_steps(const KernelRecipe& recipe) const {
    const FitSize centres{recipe.size.centres, 0}, steps{recipe.size.centres, tuning::fewest_steps_of_all};
    const double operations = cost_of(steps, recipe.learnt) - cost_of(centres, recipe.learnt);
    return !limited() || seconds_for(operations) < tuning::time_for_all * seconds_for_steps()();
  }
  /// They bring the fit to all rows along.
  [[nodiscard]] const std::function<double()>& seconds_for_steps() const {
    return search_.seconds_with_fit ? search_.seconds_with_fit : search_.seconds_left;
  }

  const Options& options_;
  const finders::Search& search_;
  const rows::RowState& rows_;
  std::uint64_t seed_;
  LawSearch laws_;
  std::optional<finders::FoundBlock> best_;
  double judged_ = std::numeric_limits<double>::infinity();
  double rate_ = 0.0;  ///< multiply-adds per second of the last fit with some rows as centres
  bool stepped_ = false;
};

}  // namespace

std::optional<finders::FoundBlock> KernelFinder::find(const finders::Search& search) {
  return KernelSearch(options_, search).find();
}

std::optional<Block> KernelFinder::refit(const finders::FoundBlock& found, rows::RowWork& work,
                                         const rows::RowState& rows, Interrupt& interrupt) const {
  const auto& recipe = static_cast<const KernelRecipe&>(*found.recipe);
  std::optional<ClosedFit> fit;
  if (recipe.size.steps > 0 && rows.count() == recipe.with_held_out.centres.rows()) {
    fit = {recipe.with_held_out.centres, recipe.with_held_out.coefficients, recipe.lambda, 0.0};
  } else if (recipe.size.centres == 0) {
    fit = fit_exactly(work, rows, recipe.learnt.law, {recipe.lambda}, {}, interrupt);
  } else {
    const std::size_t known = recipe.sums ? recipe.sums->rows : recipe.train.count();
    const bool afresh = rows.count() != known + recipe.held_out.count() || rows.weighted();
    std::optional<CentreSums> sums =
        afresh ? centre_sums(work, rows, recipe.learnt.law, recipe.size.centres, options_.seed, interrupt)
               : recipe.known_sums(work, interrupt);
    if (!sums || (!afresh && !add_rows(work, recipe.held_out, recipe.learnt.law, *sums, interrupt)))
      return std::nullopt;
    if (recipe.size.steps > 0) {
      const std::optional<FitToAll> all =
          fit_all(work, rows, recipe.learnt.law, *sums, {}, {recipe.lambda}, {recipe.size.steps}, interrupt);
      if (all) fit = all->judged;
    } else {
      fit = fit_some(work, recipe.learnt.law, *sums, {}, {recipe.lambda}, interrupt);
    }
  }
  if (!fit || interrupt.stopped()) return std::nullopt;
  Block block;
  block.branches.emplace_back();
  block.branches.back().closed_form =
      ClosedForm{recipe.learnt.law, std::move(fit->centres), std::move(fit->coefficients)};
  return block;
}

std::shared_ptr<const finders::Recipe> KernelFinder::recipe_from(ArchiveReader& archive,
                                                                 const finders::Search& search) const {
  auto recipe = std::make_shared<KernelRecipe>();
  archive(recipe->learnt, recipe->lambda, recipe->size.centres, recipe->size.steps, recipe->with_held_out);
  if (recipe->size.centres == 0) return recipe;
  recipe->train = search.train;
  recipe->held_out = search.held_out;
  recipe->seed = options_.seed + search.member;
  return recipe;
}

}  // namespace rfnn::wide
