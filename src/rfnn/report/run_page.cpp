#include "rfnn/report/run_page.hpp"

#include <algorithm>
#include <filesystem>
#include <utility>

#include <fmt/format.h>

#include "rfnn/io/text.hpp"
#include "rfnn/report/run_sections.hpp"
#include "rfnn/report/run_text.hpp"

namespace rfnn::report {

std::size_t outputs_shown(const Model& model) { return std::min(model.outputs(), most_outputs); }

std::string outputs_note(const Model& model) {
  if (model.outputs() <= most_outputs) return "";
  return fmt::format("The model has {} outputs; the first {} are shown.", model.outputs(), most_outputs);
}

std::string depth_label(std::size_t blocks) {
  return blocks == 0 ? "0 blocks (the mean)" : io::counted(blocks, "block");
}

std::string suffix(std::size_t index, std::size_t count) {
  return count == 1 ? std::string() : fmt::format("-{}", index + 1);
}

namespace {

/// Neighbouring figures share rows: sizes are chosen so that few places stay empty.
void arrange(std::vector<Item>& items) {
  for (std::size_t first = 0; first < items.size();) {
    const auto* figure = std::get_if<Figure>(&items[first]);
    std::size_t last = first + 1;
    if (figure != nullptr && figure->size != FigureSize::full) {
      const auto alike = [&](const Item& item) {
        const auto* other = std::get_if<Figure>(&item);
        return other != nullptr && other->size == figure->size;
      };
      while (last < items.size() && alike(items[last])) ++last;
      const std::size_t count = last - first;
      const FigureSize size = count == 1                 ? FigureSize::full
                              : count == 2 || count == 4 ? FigureSize::half
                                                         : FigureSize::third;
      for (std::size_t i = first; i < last; ++i) std::get<Figure>(items[i]).size = size;
    }
    first = last;
  }
}

/// The inputs as the table has them: a category is one.
std::vector<std::string> columns_of(const RunStory& story) {
  if (!story.model || story.model->table.inputs.empty()) return story.inputs;
  std::vector<std::string> names;
  for (const ColumnCode& column : story.model->table.inputs) names.push_back(column.name);
  return names;
}

}  // namespace

Page run_page(const RunStory& story) {
  Page page;
  page.title =
      fmt::format("Training run: {} from {}", listed_labels(story.targets, 4), listed_labels(columns_of(story), 4));
  const std::string file = std::filesystem::path(story.data).filename().string();
  page.subtitle = fmt::format("{}{}{}", file.empty() ? "" : label_of(file) + ", ",
                              story.started.empty() ? "" : "started " + time_text(story.started) + ", ",
                              io::counted(story.model ? story.kept() : story.blocks.size(), "block"));
  page.sections = {run_opening(story), run_card(story), run_errors(story), run_spectrum(story)};
  const bool chain = story.options.preset == Preset::paper || story.has_chain();
  if (chain) page.sections.push_back(run_chain(story));
  for (const auto& section : {run_predictions, run_residuals}) page.sections.push_back(section(story));
  if (Section bars = run_error_bars(story); !bars.items.empty()) page.sections.push_back(std::move(bars));
  if (Section effects = run_effects(story); !effects.items.empty()) page.sections.push_back(std::move(effects));
  if (Section variance = run_variance(story); !variance.items.empty()) page.sections.push_back(std::move(variance));
  if (chain) page.sections.push_back(run_conditioning(story));
  page.sections.push_back(run_commands(story));
  for (Section& section : page.sections) arrange(section.items);
  return page;
}

}  // namespace rfnn::report
