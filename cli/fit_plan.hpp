#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "cli/arguments.hpp"
#include "cli/columns.hpp"
#include "cli/command.hpp"
#include "rfnn/io/run_directory.hpp"
#include "rfnn/options/options.hpp"

namespace rfnn::cli {

/// The arguments of `rfnn fit`.
struct FitArguments {
  std::vector<std::string> files;  ///< of the training table, one below the other
  std::vector<std::string> targets, ignored;
  std::vector<std::string> kept;         ///< columns whose cells are kept as text besides; `rfnn fit` has none
  std::optional<std::string> set_aside;  ///< a column that is no input though nobody ignored it; of `rfnn cv`
  std::optional<std::string> weight, out, from, base, validation, config, run_directory, report, resume,
      checkpoint_every;
  std::vector<std::string> base_columns;
  bool json = false, quiet = false, dry_run = false, no_origin = false;
  std::size_t part = 0, parts = 1;  ///< of the rows of each file, those of one of several ranks (cli/ranks.hpp)
  bool may_be_empty = false;        ///< another rank may have all the rows
  GivenOptions given;
};
FitArguments fit_arguments_of(const std::vector<std::string>& words);

/// Preset, or the options of the model of --from, < config file < flags, checked but for names of columns; the names of
/// those somebody set; and what is odd about them.
struct ChosenOptions {
  Options options;
  std::string holdout_by;  ///< as given: the name of an input, or its number; empty: not given, or auto
  std::vector<std::string> given;
  std::vector<std::string> warnings;
  std::shared_ptr<const Model> start = nullptr;  ///< the model of --from
  std::shared_ptr<const Model> base = nullptr;   ///< the model of --base
};
ChosenOptions chosen_options(const FitArguments& arguments);

/// --out, or the data file's stem + .rfnn in the current folder. Refuses a place that is read from.
std::string model_place(const FitArguments& arguments);

/// Refuses a place for --report that is read from or is the model's.
void check_report_place(const FitArguments& arguments, const std::string& model);

/// All that training needs, read and decided.
struct FitPlan {
  TableData data;
  std::optional<TableData> validation;
  std::optional<Base> base;             ///< what to learn the difference to
  std::vector<std::string> kept_names;  ///< of the columns whose cells are in data.kept
  Layout layout;
  io::RunFacts facts;
  std::size_t ranks = 0;  ///< of MPI, with parts of the rows, of which `facts` are; 0: this process is alone
  std::vector<std::string> warnings;
  std::vector<std::string> notes;  ///< what the columns hold and what was missing, where that is not plainly numbers
};
FitPlan make_plan(const FitArguments& arguments, const ChosenOptions& chosen, const Invocation& call);

/// What preset auto is going to do, in words: "up to 30 blocks; ridge and width chosen on held-out rows".
std::string automatic_plan(const Options& options);

/// What --dry-run prints: for people, and as JSON.
std::string plan_text(const FitPlan& plan);
std::string plan_json(const FitPlan& plan);

}  // namespace rfnn::cli
