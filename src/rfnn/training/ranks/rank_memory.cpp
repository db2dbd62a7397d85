#include "rfnn/training/ranks/rank_memory.hpp"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "rfnn/core/error.hpp"
#include "rfnn/options/table.hpp"
#include "rfnn/training/ranks/records.hpp"
#include "rfnn/training/tuning.hpp"

namespace rfnn::training {
namespace {

constexpr double number = sizeof(double);
/// The program with MPI, and of that MPI: measured with OpenMPI 4.1, 1 to 4 ranks.
constexpr double program = 4e7, mpi = 3e7;

double record_bytes(const RunSizes& sizes) {
  return number * static_cast<double>(RecordShape{sizes.inputs, sizes.outputs}.width());
}

}  // namespace

MemoryPlan rank_plan(const Options& options, const RunSizes& sizes, std::size_t ranks) {
  const auto d = static_cast<double>(sizes.inputs), m = static_cast<double>(sizes.outputs);
  const double rows = std::ceil(static_cast<double>(sizes.rows) / static_cast<double>(ranks));
  // Buckets have a twentieth more room than their rows are expected to need.
  const double ordering = 1.05 * record_bytes(sizes) * rows, training = number * (d + 3.0 * m) * rows;
  const double least = 1.1 * (program + ordering);
  const bool limited = options.memory > 0.0;
  if (limited && least > options.memory)
    throw UsageError(fmt::format("memory {} is too little for {:.0f} rows on each of {} ranks: {} is about the least.",
                                 find_field("memory")->print(options), rows, ranks, size_text(least)),
                     "Give more, or use more ranks.");
  MemoryPlan plan;
  plan.rows = sizes.rows;
  plan.on_disk = limited && least + training > options.memory;
  plan.disk = plan.on_disk ? training : 0.0;
  RunSizes own = sizes;
  own.rows = static_cast<std::size_t>(rows);
  plan.need = memory_needed(options, own);
  plan.need.program = program;
  // While rows are handed over a rank has some as records and others in their places.
  plan.need.rows = plan.on_disk ? ordering : ordering + training;
  if (limited) plan.need.data -= sizes.file_bytes;
  return plan;
}

// Records are as many as rows are used, so they count as what lies in files: where fewer rows are drawn, the records of
// these take their place. The other rows of rank 0 are freed while its own are gathered.
MemoryPlan gathering_plan(const Options& options, const RunSizes& sizes) {
  RunSizes gathered = sizes;
  const double records = record_bytes(sizes) * static_cast<double>(std::min(sizes.rows, tuning::most_rows));
  gathered.data_bytes += mpi + records;
  gathered.file_bytes += records;
  MemoryPlan plan = memory_plan(options, gathered);
  plan.rows = std::min(plan.rows, tuning::most_rows);
  plan.need.data -= mpi;
  plan.need.program += mpi;
  return plan;
}

}  // namespace rfnn::training
