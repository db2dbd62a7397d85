#pragma once

// Private header.

#include <cstddef>
#include <string>

#include "rfnn/options/options.hpp"

namespace rfnn::training {

/// What the memory of a training run is counted from.
struct RunSizes {
  std::size_t rows = 0;             ///< of the data, held-out ones too
  std::size_t validation_rows = 0;  ///< given besides the data
  std::size_t inputs = 0, outputs = 0;
  double data_bytes = 0.0;  ///< what the numbers of data and validation data take where they are
  double file_bytes = 0.0;  ///< of that, what lies in files and need not stay in memory
  std::size_t threads = 1;
};

/// Bytes at the peak of a training run, by what they are for.
struct MemoryNeed {
  double data = 0.0;      ///< the numbers as they were read or mapped
  double rows = 0.0;      ///< standardised rows, state, residual, lists of rows
  double features = 0.0;  ///< cosines and sines: of all rows where they are few enough, else of a tile per thread
  double sums = 0.0;      ///< sums on their way to normal equations or triangles, one buffer per chunk of rows
  double solver = 0.0;    ///< the problems of the block's size and their factors
  double program = 0.0;   ///< code, stacks, buffers for reading
  [[nodiscard]] double total() const { return data + rows + features + sums + solver + program; }
};

/// An estimate, all blocks trained: within a quarter of what a run takes at its peak. The option for memory is not
/// looked at.
MemoryNeed memory_needed(const Options& options, const RunSizes& sizes);

/// How a run keeps within the option for memory.
struct MemoryPlan {
  MemoryNeed need;
  bool on_disk = false;  ///< preset paper: the rows lie in temporary files, and a pass has some of them in memory
  std::size_t rows = 0;  ///< preset auto: that are drawn from those of the data; else all of them
  double disk = 0.0;     ///< bytes of temporary files
  double sorting = 0.0;  ///< bytes of memory for putting rows in order on disk
};

/// UsageError where nothing keeps the run within the option: it says what the least would be.
MemoryPlan memory_plan(const Options& options, const RunSizes& sizes);

/// "800.0 MB", "2.40 GB".
std::string size_text(double bytes);

}  // namespace rfnn::training
