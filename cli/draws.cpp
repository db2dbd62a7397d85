#include <deque>
#include <optional>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "cli/arguments.hpp"
#include "cli/command.hpp"
#include "cli/draws_text.hpp"
#include "cli/terminal.hpp"
#include "rfnn/core/error.hpp"
#include "rfnn/diagnostics/draw_statistics.hpp"
#include "rfnn/io/atomic_file.hpp"
#include "rfnn/io/draws_json.hpp"
#include "rfnn/io/model_file.hpp"
#include "rfnn/io/npz.hpp"

namespace rfnn::cli {
namespace {

/// Models as the chains of one sampling: as many draws of networks of one shape.
std::vector<Model> load_chains(const std::vector<std::string>& paths) {
  std::vector<Model> models;
  for (const std::string& path : paths) {
    const Model& model = models.emplace_back(load_model(path));
    if (model.draws.empty())
      throw UsageError(fmt::format("{} keeps no draws of its chains.", printable(path)),
                       "Train it with `rfnn fit --preset paper --draws 100`, say.");
    const Model& first = models.front();
    ChainDraws like = model.draws;
    like.networks.resize(1);
    like.loss.resize_rows(1);
    if (model.draws.count() != first.draws.count() || what_is_wrong(like, first.members.front()))
      throw UsageError(fmt::format("{} and {} do not have as many draws of networks of one shape.",
                                   printable(paths.front()), printable(path)),
                       "Give models that differ in their seeds alone, or one at a time.");
  }
  return models;
}

/// What a variable of a branch is in the data's units, per standardised unit.
std::vector<double> units_of(const Model& model, BranchKind kind) {
  std::vector<double> units;
  if (kind != BranchKind::state) units = model.scaler.input_sd;
  if (kind != BranchKind::input)
    units.insert(units.end(), model.scaler.output_sd.begin(), model.scaler.output_sd.end());
  return units;
}

/// The draws of all chains, with frequencies in radians per unit of the data and amplitudes in units of the targets.
class Arrays {
 public:
  explicit Arrays(const std::vector<Model>& chains) : chains_(chains) {
    const std::vector<Block>& blocks = chains.front().members.front().blocks;
    for (std::size_t l = 0; l < blocks.size(); ++l)
      for (std::size_t b = 0; b < blocks[l].branches.size(); ++b) add_branch(l, b);
    for (const DrawQuantity quantity : draw_quantities) {
      std::vector<double>& values = made_.emplace_back();
      for (const Model& chain : chains_) {
        const Matrix of_chain = values_of(chain.draws, quantity);
        values.insert(values.end(), of_chain.data(), of_chain.data() + of_chain.size());
      }
      add(std::string(name_of(quantity)), {blocks.size()}, values);
    }
  }

  [[nodiscard]] const std::vector<io::TensorToWrite>& list() const { return list_; }

 private:
  void add(const std::string& name, const std::vector<std::uint64_t>& shape, const std::vector<double>& values) {
    std::vector<std::uint64_t> all = {chains_.size(), chains_.front().draws.count()};
    all.insert(all.end(), shape.begin(), shape.end());
    list_.push_back({name, std::move(all), values.data()});
  }

  void add_branch(std::size_t block, std::size_t place) {
    const Branch& like = chains_.front().members.front().blocks[block].branches[place];
    const std::uint64_t features = like.width(), variables = like.frequencies.cols(), outputs = like.amplitudes.cols();
    std::vector<double>&frequencies = made_.emplace_back(), &amplitudes = made_.emplace_back();
    for (const Model& chain : chains_) {
      const std::vector<double> units = units_of(chain, like.kind);
      for (const Network& network : chain.draws.networks) {
        const Branch& branch = network.blocks[block].branches[place];
        for (std::size_t j = 0; j < branch.frequencies.rows(); ++j)
          for (std::size_t k = 0; k < branch.frequencies.cols(); ++k)
            frequencies.push_back(branch.frequencies(j, k) / units[k]);
        for (std::size_t i = 0; i < branch.amplitudes.rows(); ++i)
          for (std::size_t o = 0; o < branch.amplitudes.cols(); ++o)
            amplitudes.push_back(branch.amplitudes(i, o) * chain.scaler.output_sd[o]);
      }
    }
    const std::string name = fmt::format("block{}_{}", block + 1, name_of(like.kind));
    add(name + "_frequencies", {features, variables}, frequencies);
    add(name + "_amplitudes", {features, 2, outputs}, amplitudes);
  }

  const std::vector<Model>& chains_;
  std::deque<std::vector<double>> made_;
  std::vector<io::TensorToWrite> list_;
};

}  // namespace

ExitCode run_draws(const Invocation& call) {
  std::vector<std::string> paths;
  std::optional<std::string> out;
  bool json = false, quiet = false;
  Arguments arguments("draws", "How well the chains of preset paper have mixed, and their draws as arrays.",
                      "MODEL... [--out FILE.npz] [--json]");
  arguments.positionals(paths, "MODEL...",
                        "model files of `rfnn fit --preset paper --draws K`; several, which differ in their seeds, are "
                        "several chains");
  arguments.value(out, "-o,--out", "FILE", "write the draws as an .npz archive of named arrays (chain, draw, ...)");
  arguments.flag(json, "--json", "print one JSON document");
  arguments.flag(quiet, "-q,--quiet", "print nothing but the result and errors");
  arguments.footer(
      "\nThe archive is what ArviZ takes: arviz.from_dict({\"posterior\": dict(numpy.load(FILE))}),\n"
      "in its versions before 1 arviz.from_dict(posterior=dict(numpy.load(FILE))).\n"
      "docs/uncertainty.md says what a draw is.");
  arguments.parse(call.words);
  if (out && *out != "-" && !out->ends_with(".npz"))
    throw UsageError(fmt::format("--out {}: draws are written as an .npz archive.", printable(*out)),
                     "Give a name that ends with .npz.");
  const std::vector<Model> chains = load_chains(paths);
  std::vector<const ChainDraws*> draws;
  for (const Model& chain : chains) draws.push_back(&chain.draws);
  if (out) {
    const Arrays arrays(chains);
    io::AtomicFile file(*out);
    file.write(io::npz_bytes(arrays.list()));
    file.commit();
    if (!quiet && *out != "-") say(fmt::format("wrote {}\n", printable(*out)));
  }
  if (out && *out == "-") return ExitCode::done;
  print_result(json ? io::json_text(io::draws_json(draws)) + "\n"
                    : for_locale(draws_text(draw_statistics(draws), chains.size(), draws[0]->count())));
  return ExitCode::done;
}

}  // namespace rfnn::cli
