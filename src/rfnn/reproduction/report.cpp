#include "rfnn/reproduction/report.hpp"

#include <algorithm>
#include <array>
#include <map>
#include <set>

#include <fmt/format.h>

#include "rfnn/core/version.hpp"
#include "rfnn/io/text.hpp"
#include "rfnn/options/number_text.hpp"
#include "rfnn/reproduction/figures.hpp"
#include "rfnn/reproduction/measures.hpp"
#include "rfnn/reproduction/results.hpp"
#include "rfnn/reproduction/statistics.hpp"

namespace rfnn::reproduction {
namespace {

using namespace report;  // a page is made of little else

Tone tone_of(Verdict verdict) {
  switch (verdict) {
    case Verdict::holds:
      return Tone::good;
    case Verdict::partly:
      return Tone::caution;
    case Verdict::does_not_hold:
      return Tone::bad;
    case Verdict::not_run:
      break;
  }
  return Tone::plain;
}

std::string with_share(const Evidence& evidence, bool percent) {
  if (evidence.readings.empty()) return "–";
  return fmt::format("{}, {} of {}", median_and_quartiles(evidence, percent), evidence.met(),
                     io::counted(evidence.readings.size(), "seed"));
}

Cell verdict_cell(const Evidence& evidence) {
  return {std::string(words_of(evidence.verdict())), tone_of(evidence.verdict())};
}

const char* title_of(Target target) {
  switch (target) {
    case Target::multiscale:
      return "A multiscale function";
    case Target::stairstep:
      return "A discontinuous function";
    case Target::sine:
      return "A function of three inputs";
  }
  return "";
}

/// The claims about one example.
Table claims_table(const std::vector<Claim>& claims, Target target) {
  Table table{.caption = title_of(target),
              .header = {"Claim", "Measured by", "Published settings", "Verdict", "Best state instead", "Verdict"},
              .rows = {}};
  for (const Claim& claim : claims) {
    if (claim.target != target) continue;
    std::vector<Cell> row = {claim.statement, fmt::format("{}: {}", claim.measure, claim.condition),
                             with_share(claim.published, claim.percent), verdict_cell(claim.published)};
    row.push_back(claim.best ? Cell(with_share(*claim.best, claim.percent)) : Cell("does not apply"));
    row.push_back(claim.best ? verdict_cell(*claim.best) : Cell("–"));
    table.rows.push_back(std::move(row));
  }
  return table;
}

std::size_t number_of(const std::vector<Claim>& claims, Verdict verdict) {
  return static_cast<std::size_t>(std::count_if(
      claims.begin(), claims.end(), [&](const Claim& claim) { return claim.published.verdict() == verdict; }));
}

/// "stairstep-method2 (seeds 2, 3)", one per method.
std::string missing_words(const std::vector<Task>& missing) {
  std::map<std::string, std::vector<std::uint64_t>> seeds;
  for (const Task& task : missing) seeds[std::string(task.example()) + " " + task.method.id].push_back(task.seed);
  std::string text;
  for (const auto& [name, list] : seeds)
    text += fmt::format("{}{} (seed{} {})", text.empty() ? "" : "; ", name, list.size() == 1 ? "" : "s",
                        fmt::join(list, ", "));
  return text;
}

std::size_t seeds_of(const StudyResult& result) {
  std::set<std::uint64_t> seeds;
  for (const Run& run : result.runs) seeds.insert(run.task.seed);
  return seeds.size();
}

void add_notices(Section& section, const Study& study, const StudyResult& result, const std::string& command) {
  if (study.quick)
    section.items.emplace_back(Notice{
        "This is a shortened run (--quick): chains, burn-in and epochs are a quarter as long as published. It shows "
        "that everything works; the verdicts of the full run may differ.",
        Tone::caution});
  if (!result.missing.empty())
    section.items.emplace_back(Notice{
        fmt::format(
            "This reproduction is not complete: {} of {} runs are missing, {}. What is there is shown. `{}` goes "
            "on where it stopped.",
            result.missing.size(), result.missing.size() + result.runs.size(), missing_words(result.missing), command),
        Tone::caution});
  for (const auto& [task, reason] : result.failures)
    section.items.emplace_back(Notice{fmt::format("The run {} failed: {}", task.name(), reason), Tone::bad});
}

/// What the paper says and no claim here measures, with the reason.
constexpr const char* not_measured =
    "Not measured: that the sampled density tends to the optimal one as W and γ grow (a limit; that one feature is "
    "sampled from |b|^γ is checked by the program's own tests, and whether a large γ pays is a claim above); the "
    "theorem's "
    "rate for W of the order of L² (the paper itself needs no such width: all its networks are narrower); and what it "
    "leaves "
    "for later work, such as adaptive proposals and stopping rules for the chains.";

Section summary_section(const Study& study, const StudyResult& result, const std::vector<Claim>& claims,
                        const std::string& command) {
  Section section{.id = "summary", .title = "Which claims hold", .items = {}};
  add_notices(section, study, result, command);
  double seconds = 0.0;
  for (const Run& run : result.runs) seconds += run.seconds;
  const auto count = [&](Verdict verdict) { return std::to_string(number_of(claims, verdict)); };
  Highlights highlights{{{count(Verdict::holds), fmt::format("of {} hold", io::counted(claims.size(), "claim"))},
                         {count(Verdict::partly), "hold partly"},
                         {count(Verdict::does_not_hold), "do not hold"}}};
  auto& numbers = highlights.numbers;
  if (number_of(claims, Verdict::not_run) > 0) numbers.push_back({count(Verdict::not_run), "not run yet"});
  numbers.push_back({std::to_string(seeds_of(result)), "seeds"});
  numbers.push_back({std::to_string(result.runs.size()), fmt::format("runs, {} of training", io::duration(seconds))});
  section.items.emplace_back(std::move(highlights));
  section.items.emplace_back(
      Paragraph{"The paper gives its results as pictures and words. Here each claim is a number, measured on every "
                "seed with fresh data: median [lower quartile, upper quartile], and on how many seeds the claim is "
                "true. It holds when it is true on at least three quarters of the seeds, partly when on at least one "
                "quarter. Beside it stands the same number when each block keeps the best state its chain has seen "
                "instead of the last; nothing else is changed."});
  for (const Experiment& experiment : study.experiments)
    if (Table table = claims_table(claims, experiment.target); !table.rows.empty())
      section.items.emplace_back(std::move(table));
  section.items.emplace_back(Paragraph{not_measured});
  return section;
}

/// Test error after each block, median and quartiles, a column per method.
Table error_table(const Experiment& experiment, const StudyResult& result) {
  Table table{.caption = "Test error (mean squared) after each block: median [quartiles] over the seeds",
              .header = {"Blocks"},
              .rows = {},
              .folded = true};
  std::vector<std::vector<const Run*>> columns;
  std::int64_t blocks = 0;
  for (const Approach& method : experiment.methods) {
    columns.push_back(runs_of(result.runs, experiment.target, method.id));
    if (columns.back().empty()) {
      columns.pop_back();
      continue;
    }
    table.header.push_back(method.name);
    blocks = std::max(blocks, columns.back().front()->last().block);
  }
  for (std::int64_t block = 1; block <= blocks; ++block) {
    std::vector<Cell> row = {std::to_string(block)};
    for (const auto& runs : columns) {
      std::vector<double> errors;
      for (const Run* run : runs)
        for (const RunBlock& each : run->blocks)
          if (each.block == block) errors.push_back(each.test_mse);
      row.emplace_back(median_and_quartiles(errors));
    }
    table.rows.push_back(std::move(row));
  }
  return table;
}

const char* introduction(Target target) {
  switch (target) {
    case Target::multiscale:
      return "Q(θ) = cos 4θ + 0.3 cos 70θ + 0.05 cos 150θ on [−1, 1]: frequencies and amplitudes differ by more than "
             "an order of magnitude. The same network is also trained by Adam, all blocks at once; the paper's text "
             "and its table disagree about the settings, so both are run.";
    case Target::stairstep:
      return "Four steps on [−1, 1]. Method 1 samples the frequencies over the state; Method 2, the predecessor's "
             "algorithm, draws them once and leaves them. Where between two training rows a jump lies nobody can know: "
             "with 1000 rows this alone costs a test error of about 1.5e-4 (5e-5 to 3.5e-4 in nine of ten draws), a "
             "floor that no method goes below by more than luck. "
             "Overshoot is how far a prediction leaves the range of the two plateaus within 0.1 of a jump, in units of "
             "the jump, the gap between the two training rows around the jump left out; the median over the three "
             "jumps "
             "is taken, which one bad jump does not move. Three more runs change γ or δ of Method 1, for what the "
             "paper "
             "says of them.";
    case Target::sine:
      return "A smoothed jump under a Gaussian, three inputs in [0, 1], learned with only four features per branch. "
             "The paper's 20³ training and 25³ test rows are read as so many points drawn uniformly at random, as its "
             "text says of all training inputs; the cubes could also mean grids. \"Negative frequencies are rejected\" "
             "can "
             "mean two things for vectors, and both are run: of ω and −ω, which span the same functions, one is "
             "refused "
             "(half-space), or every ω with a negative component is, which is what the text says to the letter.";
  }
  return "";
}

/// In which of the first three blocks most frequencies near 150 were accepted: it falls again once it is learned.
std::string when_150_came(std::span<const Run> runs, std::string_view method) {
  std::array<std::size_t, 3> seeds{};
  for (const Run* run : runs_of(runs, Target::multiscale, method)) {
    std::array<double, 3> shares{};
    for (std::size_t block = 0; block < 3; ++block)
      if (const Histogram* histogram = accepted_input_frequencies(*run, static_cast<std::int64_t>(block + 1)))
        shares[block] = share_near(*histogram, multiscale_lines.back());
    const auto largest = std::max_element(shares.begin(), shares.end());
    if (*largest > 0.0) ++seeds[static_cast<std::size_t>(largest - shares.begin())];
  }
  return fmt::format("in block 1 on {}, in block 2 on {}, in block 3 on {}", io::counted(seeds[0], "seed"), seeds[1],
                     seeds[2]);
}

/// Whether 150 counts as visible in block 1 depends on what it is compared with: both readings.
std::string visible_150_words(std::span<const Run> runs) {
  std::size_t seeds = 0, beside = 0, between = 0;
  for (const Run* run : runs_of(runs, Target::multiscale, "method1")) {
    const Histogram* histogram = accepted_input_frequencies(*run, 1);
    if (histogram == nullptr) continue;
    ++seeds;
    const double line = multiscale_lines.back();
    if (visibility(*histogram, line) > 2.0 && share_near(*histogram, line) >= 0.01) ++beside;
    if (visibility_between_lines(*histogram, line) > 2.0) ++between;
  }
  return fmt::format(
      "Whether 150 is visible in block 1 depends on what it is compared with: accepted frequencies are more than twice "
      "as dense near it as between the three lines, as the claims table has it, on {} of {}; and more than twice as "
      "dense as on its own two sides (10 to 25 away, with at least 1 % of all near it), a milder reading, on {}.",
      between, io::counted(seeds, "seed"), beside);
}

void add_rise_of_150(Section& section, std::span<const Run> runs) {
  if (runs_of(runs, Target::multiscale, "method1").empty()) return;
  std::string text = "Among the first three blocks the share of accepted frequencies near 150 is largest " +
                     when_150_came(runs, "method1");
  if (!runs_of(runs, Target::multiscale, "method1-best").empty())
    text += " (best state: " + when_150_came(runs, "method1-best") + ")";
  section.items.emplace_back(Paragraph{visible_150_words(runs)});
  section.items.emplace_back(
      Paragraph{text + ". Once a block has learned a frequency, the next ones have no reason to look for it."});
}

void add(Section& section, std::vector<Figure> figures) {
  for (Figure& figure : figures) section.items.emplace_back(std::move(figure));
}

Section example_section(const Experiment& experiment, const StudyResult& result) {
  const Target target = experiment.target;
  const std::span<const Run> runs = result.runs;
  Section section{.id = std::string(target_names()[static_cast<std::size_t>(target)]),
                  .title = title_of(target),
                  .items = {Paragraph{introduction(target)}}};
  if (target == Target::multiscale) {
    add(section, multiscale_progress_figures(runs));
    add_rise_of_150(section, runs);
    add(section, error_figures(runs, target));
    add(section, adam_figures(runs));
  } else if (target == Target::stairstep) {
    std::vector<Figure> figures = stairstep_figures(runs);
    add(section, {figures.begin(), figures.begin() + 1});
    add(section, error_figures(runs, target));
    add(section, {figures.begin() + 1, figures.end()});
  } else {
    add(section, error_figures(runs, target));
    add(section, sine_figures(runs));
  }
  section.items.emplace_back(error_table(experiment, result));
  return section;
}

std::string number_or_auto(const NumberOrAuto& value) { return value ? short_number(*value) : "auto"; }

std::vector<Cell> settings_of(const Experiment& experiment, const Approach& method,
                              const std::vector<const Run*>& runs) {
  std::vector<Cell> row = {std::string(target_names()[static_cast<std::size_t>(experiment.target)]),
                           method.name,
                           std::to_string(experiment.rows),
                           std::to_string(experiment.test_rows),
                           std::to_string(method.width()),
                           std::to_string(method.blocks())};
  if (const auto* adam = std::get_if<baselines::AdamOptions>(&method.options)) {
    for (const std::string& text :
         {fmt::format("{} epochs", adam->epochs), fmt::format("batch {}", adam->batch),
          fmt::format("rate {}", short_number(adam->learning_rate)), shortest(adam->ridge), std::string("–")})
      row.emplace_back(text);
  } else {
    const auto& options = std::get<Options>(method.options);
    const bool frozen = options.state_branch == StateBranch::frozen;
    for (const std::string& text :
         {std::to_string(options.iterations),
          short_number(options.gamma) + ", " + (frozen ? "–" : short_number(options.gamma_state)),
          number_or_auto(options.delta) + ", " + (frozen ? "–" : number_or_auto(options.delta_state)),
          shortest(options.ridge.front()), std::to_string(options.burn_in)})
      row.emplace_back(text);
  }
  std::vector<double> seconds;
  for (const Run* run : runs) seconds.push_back(run->seconds);
  row.emplace_back(std::to_string(runs.size()));
  row.emplace_back(median_and_quartiles(seconds));
  return row;
}

/// The values a fact has over the runs, most often one.
std::string fact_of(const StudyResult& result, const std::string& name) {
  std::set<std::string> values;
  for (const Run& run : result.runs)
    if (const auto found = run.model.facts.find(name); found != run.model.facts.end()) values.insert(found->second);
  return fmt::format("{}", fmt::join(values, "; "));
}

Section method_section(const Study& study, const StudyResult& result, const std::string& command) {
  Section section{.id = "how", .title = "How this was run", .items = {}};
  section.items.emplace_back(Paragraph{
      "Every seed draws its own training rows and, with another number, its own test rows; all methods of a seed "
      "see the same ones. Each run uses one thread. Histograms are of the frequencies accepted after burn-in."});
  Table table{.caption = "Settings, and seconds per run: median [quartiles]",
              .header = {"Example", "Method", "N", "N test", "W", "L", "M or epochs", "γ, γ′", "δ, δ′", "λ", "Burn-in",
                         "Seeds", "Seconds"},
              .rows = {}};
  for (const Experiment& experiment : study.experiments)
    for (const Approach& method : experiment.methods) {
      const std::vector<const Run*> runs = runs_of(result.runs, experiment.target, method.id);
      if (!runs.empty()) table.rows.push_back(settings_of(experiment, method, runs));
    }
  section.items.emplace_back(std::move(table));
  std::set<std::string> versions;
  for (const Run& run : result.runs) versions.insert(run.version);
  section.items.emplace_back(Facts{{{"Runs made with", fmt::format("rfnn {}", fmt::join(versions, ", "))},
                                    {"Page made with", "rfnn " + version()},
                                    {"Compiler", fact_of(result, "compiler")},
                                    {"SIMD", fact_of(result, "simd")},
                                    {"System", fact_of(result, "system")}}});
  section.items.emplace_back(Paragraph{"To make it again, or to go on with it (finished runs are kept):"});
  section.items.emplace_back(Code{command});
  return section;
}

}  // namespace

Page reproduction_page(const Study& study, const StudyResult& result, const std::vector<Claim>& claims,
                       const std::string& command) {
  Page page{.title = study.quick ? "The paper, reproduced (quick)" : "The paper, reproduced",
            .subtitle =
                "Deep Learning without Global Optimization by Random Fourier Neural Networks: every figure, and "
                "every claim measured over many seeds",
            .sections = {}};
  page.sections.push_back(summary_section(study, result, claims, command));
  for (const Experiment& experiment : study.experiments) {
    const bool any = std::any_of(result.runs.begin(), result.runs.end(),
                                 [&](const Run& run) { return run.task.target == experiment.target; });
    if (any) page.sections.push_back(example_section(experiment, result));
  }
  page.sections.push_back(method_section(study, result, command));
  return page;
}

void write_reproduction(const ReproductionFolder& folder, const Study& study, const StudyResult& result,
                        const std::vector<Claim>& claims, const std::string& command) {
  const Page page = reproduction_page(study, result, claims, command);
  for (const Figure* figure : figures_of(page)) folder.write("figures/" + figure->id + ".csv", csv(*figure));
  folder.write("results.json", results_json(study, result, claims));
  folder.write("report.html", html(page));
}

}  // namespace rfnn::reproduction
