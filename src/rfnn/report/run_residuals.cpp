#include <algorithm>
#include <cmath>
#include <numbers>

#include <fmt/format.h>

#include "rfnn/io/text.hpp"
#include "rfnn/diagnostics/residual_spectrum.hpp"
#include "rfnn/report/run_sections.hpp"
#include "rfnn/report/run_text.hpp"
#include "rfnn/rows/predict.hpp"

namespace rfnn::report {
namespace {

constexpr std::size_t bins = 40;
constexpr std::size_t most_inputs = 8;

/// Data minus prediction of one output.
std::vector<double> residuals_of(const ShownRows& rows, const Matrix& predictions, std::size_t output) {
  std::vector<double> residuals(rows.targets.rows());
  for (std::size_t i = 0; i < residuals.size(); ++i) residuals[i] = rows.targets(i, output) - predictions(i, output);
  return residuals;
}

struct Moments {
  double mean = 0.0, sd = 0.0, low = 0.0, high = 0.0;
};

Moments moments_of(const std::vector<double>& values) {
  Moments m{.mean = 0.0, .sd = 0.0, .low = INFINITY, .high = -INFINITY};
  double count = 0.0;
  for (const double value : values) {
    if (!std::isfinite(value)) continue;
    count += 1.0;
    m.mean += (value - m.mean) / count;
    m.low = std::min(m.low, value);
    m.high = std::max(m.high, value);
  }
  double sum = 0.0;
  for (const double value : values) sum += std::isfinite(value) ? (value - m.mean) * (value - m.mean) : 0.0;
  m.sd = count > 0.0 ? std::sqrt(sum / count) : 0.0;
  return m;
}

/// An input as the network sees it: where that is its logarithm, waves are looked for in the logarithm.
std::string seen_name(const Model& model, std::size_t input) {
  const std::string& name = model.inputs[input].name;
  return label_of(seen_as_logarithm(model, input) ? "log(" + name + ")" : name);
}

std::vector<double> seen_values(const Model& model, const ShownRows& rows, std::size_t input) {
  const bool logarithm = seen_as_logarithm(model, input);
  std::vector<double> values(rows.inputs.rows());
  for (std::size_t i = 0; i < values.size(); ++i)
    values[i] = logarithm ? std::log(std::max(rows.inputs(i, input), model.inputs[input].min)) : rows.inputs(i, input);
  return values;
}

/// `other`: residuals of further rows to compare with, or none.
Figure histogram_figure(const Model& model, const ShownRows& rows, const std::vector<double>& residuals,
                        const std::vector<double>& other, std::size_t output) {
  const Moments m = moments_of(residuals);
  constexpr double reach = 6.0;
  const double low = std::max(m.low, m.mean - reach * m.sd), high = std::min(m.high, m.mean + reach * m.sd);
  Figure figure{.id = "residual-histogram" + suffix(output, model.outputs()),
                .title = {},
                .caption = {},
                .alternative = {},
                .x = {},
                .y = {}};
  const std::string target = label_of(model.targets[output].name);
  figure.title =
      model.outputs() == 1 ? "How large the residuals are" : fmt::format("How large the residuals of {} are", target);
  figure.x.label = fmt::format("residual (units of {})", target);
  figure.y.label = "rows";
  figure.size = FigureSize::half;
  Series bars = histogram_bars(residuals, low, high, bins);
  bars.name = rows.name;
  bars.colour = colour_of(rows.role);
  const double width = bars.bar_width, scale = static_cast<double>(residuals.size()) * width / m.sd;
  figure.caption = fmt::format("Bars: data minus prediction on the {}.", rows.name);

  std::vector<double> places = bars.x;
  figure.series.push_back(std::move(bars));
  if (!other.empty()) {
    Series more = histogram_bars(other, low, high, bins);
    more.name = "validation rows, scaled to as many";
    more.mark = Mark::line;
    more.colour = colour_of(RowsRole::validation);
    for (double& y : more.y) y *= static_cast<double>(residuals.size()) / static_cast<double>(other.size());
    more.bar_width = 0.0;
    figure.series.push_back(std::move(more));
    figure.caption += " Orange line: the same on the validation rows, scaled to the same number.";
  }
  if (m.sd > 0.0) {
    Series normal{.name = "normal distribution",
                  .mark = Mark::line,
                  .colour = Colour::grey,
                  .dashed = true,
                  .x = std::move(places),
                  .y = {}};
    for (const double x : normal.x) {
      const double z = (x - m.mean) / m.sd;
      normal.y.push_back(scale / std::sqrt(2.0 * std::numbers::pi) * std::exp(-0.5 * z * z));
    }
    figure.series.push_back(std::move(normal));
    figure.caption += " Dashed grey: a normal distribution of the same mean and spread.";
  }
  if (m.low < low || m.high > high)
    figure.caption += fmt::format(" Residuals beyond {} standard deviations are counted in the outermost bars.", reach);
  if (rows.total > residuals.size())
    figure.caption += fmt::format(" {} of {} rows, spread over all.", residuals.size(), rows.total);
  figure.alternative = fmt::format("Residuals from {} to {}, mean {}, standard deviation {}.", short_number(m.low),
                                   short_number(m.high), short_number(m.mean), short_number(m.sd));
  return figure;
}

/// Columns of an input and of the residuals at some rows.
Figure scatter_figure(const Model& model, const ShownRows& rows, const std::vector<double>& residuals,
                      std::size_t input, std::size_t output, std::size_t most_points) {
  const std::string name = label_of(model.inputs[input].name), target = label_of(model.targets[output].name);
  Figure figure{.id = fmt::format("residual-against-{}{}", input + 1, suffix(output, model.outputs())),
                .title = fmt::format("Residuals{} against {}", model.outputs() == 1 ? "" : " of " + target, name),
                .caption = {},
                .alternative = {},
                .x = {},
                .y = {}};
  figure.x = axis_of(model, input);
  figure.x.logarithmic = seen_as_logarithm(model, input) && range_along(rows, input).first > 0.0;
  figure.y.label = fmt::format("residual (units of {})", target);
  figure.size = FigureSize::half;
  Series dots{.name = rows.name, .mark = Mark::points, .colour = colour_of(rows.role), .x = {}, .y = {}};
  double low = INFINITY, high = -INFINITY;
  for (const std::size_t i : spread(residuals.size(), most_points)) {
    dots.x.push_back(rows.inputs(i, input));
    dots.y.push_back(residuals[i]);
    low = std::min(low, rows.inputs(i, input));
    high = std::max(high, rows.inputs(i, input));
  }
  figure.series.push_back(
      {.name = "zero", .mark = Mark::line, .colour = Colour::grey, .dashed = true, .x = {low, high}, .y = {0.0, 0.0}});
  figure.caption =
      sentences({fmt::format("Data minus prediction on the {}, over {}; the dashed grey line is zero. A shape in "
                             "the dots is something the network has not learned.",
                             rows.name, name),
                 spread_note(rows.total, dots.x.size())});
  const Moments m = moments_of(dots.y);
  figure.alternative = fmt::format("{} with residuals from {} to {}.", io::counted(dots.x.size(), "row"),
                                   short_number(m.low), short_number(m.high));
  figure.series.push_back(std::move(dots));
  return figure;
}

std::string verdict(const ResidualSpectrum& spectrum, const std::string& name, bool days) {
  if (spectrum.lines.empty()) {
    return fmt::format(
        "No frequency of {} stands out: what is left is flat, like noise. The largest amplitude, {}, is no more than "
        "noise of this spread can reach.",
        name, short_number(spectrum.strongest.amplitude));
  }
  std::string text =
      fmt::format("{} left in {}:", spectrum.lines.size() == 1 ? "A clear line is" : "Clear lines are", name);
  for (std::size_t i = 0; i < spectrum.lines.size(); ++i) {
    const ResidualLine& line = spectrum.lines[i];
    text += fmt::format("{} {} radians per unit (period {}, amplitude {}, {:.0f} % of what is left)", i == 0 ? "" : ";",
                        short_number(line.frequency), period_text(line.frequency, days), short_number(line.amplitude),
                        100.0 * line.share);
  }
  return text + ". More blocks, width or, with a chain, iterations may learn it.";
}

Figure spectrum_figure(const Model& model, const ShownRows& rows, const ResidualSpectrum& spectrum, std::size_t input,
                       std::size_t output) {
  const std::string name = seen_name(model, input), target = label_of(model.targets[output].name);
  Figure figure{
      .id = fmt::format("residual-spectrum{}{}", model.used_inputs() == 1 ? "" : fmt::format("-{}", input + 1),
                        suffix(output, model.outputs())),
      .title = fmt::format("What is left{}: frequencies of {}", model.outputs() == 1 ? "" : " of " + target, name),
      .caption = {},
      .alternative = {},
      .x = {},
      .y = {}};
  figure.x = {.label = fmt::format("frequency (radians per {} of {})", is_time(model, input) ? "day" : "unit", name),
              .logarithmic = true,
              .low = {},
              .high = {}};
  figure.y.label = fmt::format("amplitude left (units of {})", target);
  figure.size = model.used_inputs() == 1 ? FigureSize::full : FigureSize::half;
  Series line{.name = "what is left",
              .mark = Mark::line,
              .colour = colour_of(rows.role),
              .x = spectrum.frequency,
              .y = spectrum.amplitude};
  Series noise{.name = "reach of noise",
               .mark = Mark::line,
               .colour = Colour::grey,
               .dashed = true,
               .x = {spectrum.frequency.front(), spectrum.frequency.back()},
               .y = {spectrum.noise, spectrum.noise}};
  figure.series.push_back(std::move(noise));
  figure.series.push_back(std::move(line));
  if (!spectrum.lines.empty()) {
    Series peaks{.name = "lines that stand out", .mark = Mark::points, .colour = Colour::red, .x = {}, .y = {}};
    for (const ResidualLine& peak : spectrum.lines) {
      peaks.x.push_back(peak.frequency);
      peaks.y.push_back(peak.amplitude);
      peaks.notes.push_back(fmt::format("{} rad per unit, period {}, amplitude {}", short_number(peak.frequency),
                                        period_text(peak.frequency, is_time(model, input)),
                                        short_number(peak.amplitude)));
    }
    figure.series.push_back(std::move(peaks));
  }
  figure.caption = sentences(
      {fmt::format(
           "Amplitude of the wave of each frequency that fits the residuals of the {} best, (2/N)·|Σ r exp(iωx)|.",
           rows.name),
       "Noise of the same spread would hardly ever (1 time in 1000) reach above the dashed grey line.",
       spectrum.lines.empty() ? "" : "Red dots: lines that stand out, found one after the other.",
       fmt::format(
           "From {} rows; where there are more frequencies than can be drawn, the largest of each neighbourhood.",
           spectrum.rows)});
  figure.alternative = verdict(spectrum, name, is_time(model, input));
  return figure;
}

/// What the section shows of each output.
struct Shown {
  std::vector<std::size_t> inputs;  ///< in the order of the table
  std::size_t all_inputs = 0;
  std::size_t points = 0;  ///< dots of a figure at most
};

Shown plan_residuals(const Model& model) {
  const std::size_t outputs = outputs_shown(model);
  std::vector<std::size_t> ranked = inputs_by_effect(model);
  std::erase_if(ranked, [&](std::size_t input) { return !has_values(model, input); });
  const std::size_t count = std::min(ranked.size(), std::max<std::size_t>(1, most_inputs / outputs));
  Shown shown;
  shown.inputs.assign(ranked.begin(), ranked.begin() + static_cast<std::ptrdiff_t>(count));
  std::sort(shown.inputs.begin(), shown.inputs.end());
  shown.all_inputs = ranked.size();
  shown.points = std::clamp<std::size_t>(5000 / std::max<std::size_t>(count * outputs, 1), 300, 2000);
  return shown;
}

/// The figures over each input; what their spectra say goes to `spectra`.
void add_inputs(const Model& model, const ShownRows& rows, const Shown& shown, const std::vector<double>& residuals,
                std::size_t output, std::vector<Item>& items, std::vector<Item>& spectra) {
  const std::string of_target = model.outputs() == 1 ? "" : label_of(model.targets[output].name) + ": ";
  for (const std::size_t input : shown.inputs) {
    items.emplace_back(scatter_figure(model, rows, residuals, input, output, shown.points));
    const auto spectrum = residual_spectrum(seen_values(model, rows, input), residuals);
    if (!spectrum) continue;
    spectra.emplace_back(Paragraph{of_target + verdict(*spectrum, seen_name(model, input), is_time(model, input))});
    spectra.emplace_back(spectrum_figure(model, rows, *spectrum, input, output));
  }
}

/// Residuals of rows that the network was fitted to say how well it could follow them, not how well it predicts.
std::string fitted_note(const RunStory& story, const ShownRows& rows) {
  if (rows.name != fitted_rows_name) return "";
  const auto error = story.final_error(RowsRole::validation);
  return fmt::format(
      "The network was fitted to these rows, all of them: what is left here is smaller than the errors of predictions. "
      "{}",
      error ? fmt::format("On {}, before the last fit, the root mean squared error was {}.",
                          story.error_place(RowsRole::validation), short_number(std::sqrt(*error)))
            : "");
}

}  // namespace

Section run_residuals(const RunStory& story) {
  Section section{.id = "residuals", .title = "Residuals: what is left", .items = {}};
  const ShownRows* rows = story.main_rows();
  if (!story.model || rows == nullptr || rows->inputs.rows() == 0) {
    section.items.emplace_back(Paragraph{"Residuals need rows with known targets, as the predictions do."});
    return section;
  }
  if (std::string note = fitted_note(story, *rows); !note.empty())
    section.items.emplace_back(Paragraph{std::move(note)});
  const Model& model = *story.model;
  const Shown shown = plan_residuals(model);
  const Matrix predictions = predict(model, rows->inputs.view());
  const ShownRows* validation = rows->role == RowsRole::training ? story.rows_of(RowsRole::validation) : nullptr;
  const Matrix validated = validation != nullptr ? predict(model, validation->inputs.view()) : Matrix();
  std::vector<Item> spectra;
  for (std::size_t o = 0; o < outputs_shown(model); ++o) {
    const std::vector<double> residuals = residuals_of(*rows, predictions, o);
    const Moments m = moments_of(residuals);
    if (!(m.high > m.low)) {
      section.items.emplace_back(
          Paragraph{fmt::format("All residuals of {} are equal ({}): there is nothing left to look at.",
                                label_of(model.targets[o].name), short_number(m.mean))});
      continue;
    }
    section.items.emplace_back(
        histogram_figure(model, *rows, residuals,
                         validation != nullptr ? residuals_of(*validation, validated, o) : std::vector<double>(), o));
    add_inputs(model, *rows, shown, residuals, o, section.items, spectra);
  }
  if (shown.inputs.size() < shown.all_inputs) {
    section.items.emplace_back(Paragraph{
        fmt::format("Of {} inputs {} shown, those with the largest part in the learned function.", shown.all_inputs,
                    shown.inputs.size() == 1 ? "one is" : fmt::format("{} are", shown.inputs.size()))});
  }
  // Sentences first, so that the figures stand side by side.
  std::stable_partition(spectra.begin(), spectra.end(),
                        [](const Item& item) { return std::holds_alternative<Paragraph>(item); });
  for (Item& item : spectra) section.items.push_back(std::move(item));
  return section;
}

}  // namespace rfnn::report
