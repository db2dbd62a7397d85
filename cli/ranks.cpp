#include "cli/ranks.hpp"

#include <signal.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <system_error>
#include <string_view>
#include <utility>

#include <fmt/format.h>

#include "cli/failure.hpp"
#include "cli/terminal.hpp"
#include "rfnn/core/error.hpp"
#include "rfnn/core/mpi_library.hpp"
#include "rfnn/io/resumption.hpp"
#include "rfnn/training/ranks/agreement.hpp"
#include "rfnn/training/ranks/rank_preparation.hpp"

namespace rfnn::cli {
namespace {

constexpr std::string_view rank_mark = "%r";

/// The number in the first of the variables that is there.
std::size_t number_in(std::initializer_list<const char*> variables, std::size_t otherwise) {
  for (const char* name : variables)
    if (const char* text = std::getenv(name)) return std::strtoul(text, nullptr, 10);
  return otherwise;
}

/// Processes that were started together, by whoever has started them. Slurm says of a job of several parts how many
/// this part has.
std::size_t launched() { return number_in({"OMPI_COMM_WORLD_SIZE", "PMI_SIZE", "SLURM_STEP_NUM_TASKS"}, 1); }

std::size_t own_number() { return number_in({"OMPI_COMM_WORLD_RANK", "PMI_RANK", "PMIX_RANK"}, 0); }

/// Has this process asked for the others?
bool joined = false;

/// Is the failure being handled one that all ranks have?
bool had_by_all() {
  try {
    throw;
  } catch (const training::HadByAll&) {
    return true;
  } catch (...) {
    return false;
  }
}

bool has_rank(const std::string& path) { return path.find(rank_mark) != std::string::npos; }

/// A file by its name and size: ranks may have copies of it in folders of their own.
std::string copy_of(const std::string& path) {
  std::error_code error;
  const std::uintmax_t bytes = std::filesystem::file_size(path, error);
  return printable(std::filesystem::path(path).filename().string()) +
         (error ? std::string(" (not there)") : fmt::format(" ({} bytes)", bytes));
}

/// One model is fitted, to one table: every rank has to have been told of the same.
void agree_on_words(Communicator& ranks, const FitArguments& arguments, const std::string& model, bool own_files) {
  const auto list = [](const std::vector<std::string>& words) { return fmt::format("{}", fmt::join(words, " ")); };
  std::vector<std::string> copies;
  for (const std::string& file : arguments.files) copies.push_back(copy_of(file));
  const auto file = [](const std::optional<std::string>& path) { return path ? copy_of(*path) : ""; };
  const auto given = [](const std::optional<std::string>& word) { return word.value_or(""); };
  training::agree_on(
      ranks,
      {{"the data", own_files ? "a file of each (%r)" : list(copies)},
       {"the place of the model", model},
       {"--target", list(arguments.targets)},
       {"--ignore", list(arguments.ignored)},
       {"--weight", given(arguments.weight)},
       {"--valid", file(arguments.validation)},
       {"--from", file(arguments.from)},
       {"--run-dir", given(arguments.run_directory)},
       {"--report", given(arguments.report)},
       {"--dry-run", arguments.dry_run ? "given" : ""}},
      "All ranks fit one model together: give them the same words, and %r in the names of files of their "
      "own (part-%r.csv). For many models run a process each (a job array).");
}

/// What rank 0 alone reads and writes is one file.
void check_places(const FitArguments& arguments) {
  const auto check = [](const std::optional<std::string>& path, const char* flag) {
    if (path && has_rank(*path))
      throw training::OfAll<UsageError>(
          fmt::format("{} cannot be {}: rank 0 alone has it, and %r stands for the number of a rank.", flag,
                      printable(*path)),
          "Give a name without %r.");
  };
  check(arguments.out, "--out");
  check(arguments.validation, "--valid");
  check(arguments.run_directory, "--run-dir");
  check(arguments.report, "--report");
}

}  // namespace

bool silent_rank() { return joined && own_number() > 0; }

std::optional<std::size_t> rank_started() {
  if (joined || !MpiLibrary::started_by_mpi()) return std::nullopt;
  return own_number();
}

std::string tasks_apart() {
  const std::size_t tasks = number_in({"SLURM_STEP_NUM_TASKS"}, 1);
  if (MpiLibrary::started_by_mpi() || tasks < 2 || number_in({"SLURM_PROCID"}, 0) > 0) return "";
  return fmt::format(
      "srun has started {} processes without MPI: each reads all rows, and does the whole work for "
      "itself. For one piece of work of all, use srun --mpi=pmix.",
      tasks);
}

std::string with_rank(std::string path, std::size_t rank) {
  for (std::size_t at = path.find(rank_mark); at != std::string::npos; at = path.find(rank_mark, at))
    path.replace(at, rank_mark.size(), std::to_string(rank));
  return path;
}

std::string without_rank(const std::string& path) {
  const std::size_t at = path.find(rank_mark);
  if (at == std::string::npos) return path;
  std::size_t begin = at;
  while (begin > 0 && std::string_view("-_. ").find(path[begin - 1]) != std::string_view::npos) --begin;
  return path.substr(0, begin) + path.substr(at + rank_mark.size());
}

std::unique_ptr<Ranks> Ranks::join() {
  if (!MpiLibrary::started_by_mpi()) return nullptr;
  joined = true;
  const std::size_t together = launched();  // asked before MPI may set variables of its own
  const MpiLibrary* const mpi = MpiLibrary::find();
  if (mpi == nullptr) {
    if (together < 2) return nullptr;
    throw RanksApart("MPI has started several ranks of rfnn, which finds no librfnn_mpi.so.",
                     "Build rfnn where MPI's headers are (libopenmpi-dev), or give the library's path in "
                     "RFNN_MPI_LIBRARY.");
  }
  std::unique_ptr<Ranks> ranks(new Ranks(mpi->world()));
  if (ranks->all().size() < together)  // each would fit all rows, and all would write one model
    throw RanksApart(fmt::format("{} ranks of rfnn were started together, of which MPI finds {}: librfnn_mpi.so was "
                                 "built with {}.",
                                 together, ranks->all().size(), mpi->name()),
                     "Start them with the mpirun of that MPI (or srun --mpi=pmix), or build rfnn where the headers of "
                     "the other MPI are.");
  return ranks;
}

Ranks::~Ranks() {
  all_.reset();
  MpiLibrary::find()->finalise();
}

void Ranks::share(FitArguments& arguments, const Options& options, const std::string& model) {
  const bool own_files = std::any_of(arguments.files.begin(), arguments.files.end(), has_rank);
  training::agree_on_options(*all_, options);
  agree_on_words(*all_, arguments, own_files && !arguments.out ? "" : model, own_files);
  check_places(arguments);
  for (std::string& file : arguments.files) file = with_rank(file, all_->rank());
  if (!own_files) {
    arguments.part = all_->rank();
    arguments.parts = all_->size();
  }
  arguments.may_be_empty = all_->size() > 1;
  if (first()) return;
  arguments.quiet = true;
  arguments.json = false;
  arguments.validation = arguments.run_directory = arguments.report = std::nullopt;
  for (const int signal : {SIGINT, SIGTERM, SIGHUP}) ::signal(signal, SIG_IGN);  // rank 0 decides
}

FitPlan Ranks::plan(const std::function<FitPlan()>& make, bool with_fingerprint) {
  FitPlan plan;
  training::agree(*all_, [&] {
    try {
      plan = make();
    } catch (const InputError& error) {
      if (error.cure().find("--missing") == std::string::npos) throw;
      throw InputError(error.cause(),
                       "Give the number, or take the row out of the file. Ranks together take tables "
                       "without gaps; one process knows --missing drop and --missing mean.");
    }
    if (!plan.data.table.code.empty())
      throw InputError("Several ranks together fit tables of plain numbers only, without gaps, categories and times.",
                       "Give columns of numbers, leave others out with --ignore, or fit with one process.");
  });
  const training::SharedTable table = training::agree_on_table(plan.data.table.view, *all_);
  plan.facts.rows = table.all_rows();
  plan.ranks = all_->size();
  const std::vector<std::uint64_t> fingerprint_wanted = training::gather_counts(*all_, with_fingerprint ? 1 : 0);
  if (fingerprint_wanted.front() == 0) return plan;
  const DatasetView& part = plan.data.table.view;
  plan.facts.fingerprint = training::fingerprint_of_all(part, table, *all_);
  if (part.weights)
    plan.facts.others["weights"] =
        training::fingerprint_of_all({Columns(part.rows(), {*part.weights}), Columns(part.rows())}, table, *all_);
  // Their sums over rows are added up in another order than those of one process.
  if (plan.facts.options.preset == Preset::paper) plan.facts.others[io::by_ranks] = "some";
  return plan;
}

void Ranks::fail() {
  constexpr double patience = 5.0;
  const Failure failure = failure_at_hand();
  const MpiLibrary& mpi = *MpiLibrary::find();
  if (all_->size() == 1 || had_by_all() || mpi.all_here(*all_, patience)) return;
  say(fmt::format("{}rank {}: {} {}\n", styled(Style::error, "error: "), all_->rank(), printable(failure.cause),
                  printable(failure.cure)));
  mpi.end_all(static_cast<int>(failure.code));
}

ExitCode with_ranks(const std::function<ExitCode(Ranks*)>& work) {
  const std::unique_ptr<Ranks> ranks = Ranks::join();
  try {
    return work(ranks.get());
  } catch (const std::exception&) {
    if (!ranks) throw;
    ranks->fail();
    if (!ranks->first()) return ExitCode::done;  // the first rank says what, and ends with the code
    throw;
  }
}

}  // namespace rfnn::cli
