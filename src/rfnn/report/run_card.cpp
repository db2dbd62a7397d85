#include <algorithm>
#include <cmath>
#include <numeric>

#include <fmt/format.h>

#include "rfnn/io/text.hpp"
#include "rfnn/options/table.hpp"
#include "rfnn/report/run_sections.hpp"
#include "rfnn/report/run_text.hpp"

namespace rfnn::report {
namespace {

constexpr RowsRole roles[] = {RowsRole::training, RowsRole::validation, RowsRole::test};

Highlights highlights(const RunStory& story) {
  Highlights result;
  const std::string averaged = story.targets.size() > 1 ? ", mean over outputs" : "";
  for (const RowsRole role : {RowsRole::test, RowsRole::validation, RowsRole::training}) {
    const auto error = story.final_error(role);
    if (!error) continue;
    result.numbers.push_back({rmse_text(*error, story.standard_error(role)),
                              fmt::format("root mean squared error on {}{}", story.error_place(role), averaged)});
  }
  for (const RowsRole role : {RowsRole::test, RowsRole::validation, RowsRole::training}) {
    const auto share = story.explained(role);
    if (!share) continue;
    result.numbers.push_back(
        {percent(*share), fmt::format("of the variance explained on {}", story.error_place(role))});
    break;
  }
  const std::size_t kept_blocks = story.model ? story.kept_blocks() : story.blocks.size();
  const std::size_t members = story.members();
  const std::string trained =
      kept_blocks < story.blocks.size() ? fmt::format(" ({} were trained)", story.blocks.size()) : "";
  if (members > 1) {
    result.numbers.push_back(
        {std::to_string(members), fmt::format("members, {} in all{}", io::counted(kept_blocks, "block"), trained)});
  } else {
    result.numbers.push_back({fmt::format("{} of {}", kept_blocks, story.options.blocks),
                              trained.empty() ? "blocks" : "blocks in the model" + trained});
  }
  if (const auto time = story.times.total ? story.times.total : story.times.training) {
    result.numbers.push_back({time_span(*time), story.times.total ? "from start to end" : "training"});
  }
  return result;
}

void add(Facts& facts, std::string name, std::string value) {
  if (!value.empty()) facts.rows.emplace_back(std::move(name), std::move(value));
}

std::string fact(const RunStory& story, const char* name) {
  const auto found = story.facts.find(name);
  return found == story.facts.end() ? std::string() : io::to_utf8(found->second);
}

std::string columns_text(const RunStory& story) {
  std::string text = fmt::format("{} ({})", listed_labels(story.targets), io::counted(story.targets.size(), "target"));
  text += fmt::format(" from {} ({})", listed_labels(story.inputs), io::counted(story.inputs.size(), "input"));
  std::vector<std::string> constant;
  if (story.model) {
    for (const Column& column : story.model->inputs) {
      if (!column.used) constant.push_back(column.name);
    }
  }
  if (story.model) {
    for (const ColumnCode& column : story.model->table.inputs) {
      const std::string missing = column.missing > 0 ? fmt::format(" ({} missing)", column.missing) : "";
      if (column.kind != ColumnKind::number || !missing.empty())
        text += fmt::format("; {}: {}{}", label_of(column.name), io::to_utf8(describe(column)), missing);
    }
  }
  if (!constant.empty()) text += fmt::format("; constant and left out: {}", listed_labels(constant));
  if (story.facts.contains("weight"))
    text += fmt::format("; rows count by {}", listed_labels({story.facts.at("weight")}));
  if (!story.ignored.empty()) text += fmt::format("; left out as asked: {}", listed_labels(story.ignored));
  return text;
}

std::string rows_text(const RunStory& story) {
  if (!story.model) {
    std::string text = fmt::format("{}", story.rows);
    return story.validation_rows > 0 ? text + fmt::format(", and {} to validate on", story.validation_rows) : text;
  }
  if (story.model && fitted_to_all_rows(*story.model))
    return fmt::format("{}: {} to train on and {} held out, all of them in the last fit",
                       story.train_rows + story.validation_rows, story.train_rows, story.validation_rows);
  std::string text = fmt::format("{} to train on", story.train_rows);
  if (story.validation_rows > 0) text += fmt::format(", {} to validate on", story.validation_rows);
  return text;
}

std::string state_text(const RunStory& story) {
  switch (story.state) {
    case RunState::finished:
      return "finished: " + io::to_utf8(story.ending);
    case RunState::cut_short:
      return "cut short: " + io::to_utf8(story.ending);
    case RunState::failed:
      return "failed";
    case RunState::killed:
      return "ended without a word";
    case RunState::running:
      return "still going on";
    case RunState::unknown:
      return "not known";
  }
  return "";
}

Facts facts_of(const RunStory& story) {
  Facts facts;
  add(facts, "Command", io::to_utf8(story.command));
  add(facts, "In folder", io::to_utf8(story.folder));
  add(facts, "Report of", io::to_utf8(story.source));
  add(facts, "Training data", io::to_utf8(story.data));
  add(facts, "Validation data", io::to_utf8(story.validation));
  for (const ShownRows& rows : story.shown) {
    if (rows.role == RowsRole::test) {
      add(facts, "Test data", fmt::format("{} ({})", io::to_utf8(rows.origin), io::counted(rows.total, "row")));
    }
  }
  add(facts, "Rows", rows_text(story));
  if (story.model && holds_rows(*story.model))
    add(facts, "Rows in the model",
        "the inputs of training rows are part of the model file: whoever has it can read them");
  add(facts, "Columns", columns_text(story));
  add(facts, "Fingerprint of the data", io::to_utf8(story.fingerprint));
  add(facts, "Seed", std::to_string(story.options.seed));
  add(facts, "Started", time_text(story.started));
  add(facts, "Ended", time_text(story.ended));
  add(facts, "State", state_text(story));
  add(facts, "rfnn", fact(story, "version"));
  add(facts, "Compiler", fact(story, "compiler"));
  add(facts, "SIMD", fact(story, "simd"));
  add(facts, "Threads", fact(story, "threads"));
  add(facts, "Machine", sentences({fact(story, "host"), fact(story, "system")}));
  return facts;
}

Table error_table(const RunStory& story) {
  Table table{
      .caption = "Errors of the model", .header = {"on", "rows", "MSE", "RMSE", "variance explained"}, .rows = {}};
  const ShownRows* test = story.rows_of(RowsRole::test);
  if (test != nullptr && !test->scores.empty()) table.header.emplace_back("largest error");
  const bool with_largest = table.header.size() == 6;
  for (const RowsRole role : roles) {
    const auto error = story.final_error(role);
    if (!error) continue;
    const auto share = story.explained(role);
    const auto uncertain = story.standard_error(role);
    std::vector<Cell> row = {story.error_place(role), std::to_string(story.error_rows(role)),
                             with_error(*error, uncertain), rmse_text(*error, uncertain),
                             share ? percent(*share) : "–"};
    if (with_largest) {
      const auto& largest = test->scores.back().max_error;
      row.emplace_back(role == RowsRole::test ? short_number(*std::max_element(largest.begin(), largest.end())) : "");
    }
    table.rows.push_back(std::move(row));
  }
  return table;
}

/// What the error on rows that were not fitted is worth.
std::string judgement(const RunStory& story) {
  if (!story.model || !story.final_error(RowsRole::validation)) return "";
  const Model& model = *story.model;
  const std::size_t rows = model.train_rows + model.validation_rows;
  const bool fitted = fitted_to_all_rows(model);
  std::string text;
  switch (final_errors(model).judge) {
    case Judge::held_out:
      if (fitted)
        text = fmt::format(
            "The error on held-out rows is that of the network before its last fit, which used all {} rows. The "
            "network "
            "as it is has seen every row: there is none left to measure it on.",
            rows);
      if (model.options.preset == Preset::automatic)
        text += fmt::format(
            "{}The same rows helped to choose the network, so that the error may be a little too small; "
            "test rows (--data) tell.",
            text.empty() ? "" : " ");
      break;
    case Judge::cross_fitting:
      text = "The error by cross-fitting is measured on every row by networks that were trained without it";
      text += fitted ? fmt::format("; the network as it is was then fitted to all {} rows.", rows) : ".";
      break;
    case Judge::leave_one_out:
      text = "The leave-one-out error is measured on every row by a fit to all the others.";
      break;
    case Judge::training:
      break;
  }
  if (story.standard_error(RowsRole::validation)) text += " ± is one standard error.";
  return text;
}

/// Several outputs, each with its own error on the test rows.
std::optional<Table> output_table(const RunStory& story) {
  const ShownRows* test = story.rows_of(RowsRole::test);
  if (test == nullptr || test->scores.empty() || !story.model || story.model->outputs() < 2) return std::nullopt;
  const Scores& scores = test->scores.back();
  Table table{.caption = "Errors of each output on the test rows",
              .header = {"output", "MSE", "RMSE", "R²", "largest error"},
              .rows = {}};
  constexpr std::size_t most = 50;
  for (std::size_t o = 0; o < std::min(most, scores.mse.size()); ++o) {
    table.rows.push_back({label_of(story.model->targets[o].name), short_number(scores.mse[o]),
                          short_number(scores.rmse[o]), short_number(scores.r2[o]), short_number(scores.max_error[o])});
  }
  if (scores.mse.size() > most) table.caption += fmt::format(" (the first {} of {})", most, scores.mse.size());
  return table;
}

std::string training_label(const RunStory& story) {
  if (story.blocks.empty()) return "training";
  return (story.options.preset == Preset::automatic ? "search, and fit of " : "training ") +
         io::counted(story.blocks.size(), "block");
}

Table time_table(const RunStory& story) {
  const RunTimes& times = story.times;
  Table table{.caption = "Time by phase", .header = {"phase", "time", "share"}, .rows = {}};
  const double blocks = std::accumulate(story.blocks.begin(), story.blocks.end(), 0.0,
                                        [](double sum, const BlockRecord& record) { return sum + record.seconds; });
  const auto total = times.total ? times.total : times.training;
  const auto row = [&](std::string phase, double seconds) {
    if (!std::isfinite(seconds)) return;
    seconds = std::max(seconds, 0.0);
    table.rows.push_back(
        {std::move(phase), time_span(seconds),
         total && *total > 0.0 ? fmt::format("{:.0f} %", 100.0 * std::min(1.0, seconds / *total)) : "–"});
  };
  if (times.reading) row("reading the data", *times.reading);
  if (times.preparing) row("preparing the rows", *times.preparing);
  // The blocks of a search are not all that it did: networks that were given up took their time too.
  const double training = times.training ? *times.training - times.preparing.value_or(0.0) : blocks;
  if (times.training || !story.blocks.empty()) row(training_label(story), training);
  const double rest = total.value_or(0.0) - times.reading.value_or(0.0) - times.preparing.value_or(0.0) - training;
  if (total && rest > 0.0005 * *total) row("writing, and all the rest", rest);
  if (total) row("together", *total);
  return table;
}

std::vector<Item> option_tables(const RunStory& story) {
  const Options defaults = preset_options(story.options.preset);
  Table given{.caption = "Options given", .header = {"option", "value", "meaning"}, .rows = {}};
  Table all{
      .caption = "All options used", .header = {"option", "value", "default", "meaning"}, .rows = {}, .folded = true};
  for (const Field& field : option_table()) {
    const std::string value = field.print(story.options),
                      usual = field.print(field.name == "preset" ? Options{} : defaults);
    const bool named = story.options_given && std::find(story.options_given->begin(), story.options_given->end(),
                                                        field.name) != story.options_given->end();
    // Who trains through the library gives a struct: what differs from the default was given.
    if (story.options_given ? named : value != usual) {
      given.rows.push_back({flag_name(field), value, std::string(field.help)});
    }
    all.rows.push_back({flag_name(field), value, usual, std::string(field.help)});
  }
  if (!story.options_given) given.caption = "Options that are not the default";
  std::vector<Item> items;
  if (given.rows.empty()) {
    items.emplace_back(Paragraph{"No option was given: all are at their defaults."});
  } else {
    items.emplace_back(std::move(given));
  }
  items.emplace_back(std::move(all));
  return items;
}

}  // namespace

Section run_card(const RunStory& story) {
  Section section{.id = "run", .title = "The run", .items = {}};
  for (const std::string& warning : story.warnings)
    section.items.emplace_back(Notice{"Warning of the run: " + io::to_utf8(warning), Tone::caution});
  section.items.emplace_back(highlights(story));
  section.items.emplace_back(facts_of(story));
  if (Table errors = error_table(story); !errors.rows.empty()) section.items.emplace_back(std::move(errors));
  if (std::string text = judgement(story); !text.empty()) section.items.emplace_back(Paragraph{std::move(text)});
  if (auto outputs = output_table(story)) section.items.emplace_back(std::move(*outputs));
  if (Table times = time_table(story); !times.rows.empty()) section.items.emplace_back(std::move(times));
  for (Item& item : option_tables(story)) section.items.push_back(std::move(item));
  return section;
}

}  // namespace rfnn::report
