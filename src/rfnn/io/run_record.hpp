#pragma once

// Private header. The record of a training run, read back from its folder (io/run_directory.hpp writes it).

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "rfnn/io/run_directory.hpp"
#include "rfnn/model/history.hpp"

namespace rfnn::io {

struct RunRecord {
  std::string state;  ///< running, finished, interrupted or failed, as last written
  RunFacts facts;
  std::string version;
  std::string started, ended;  ///< UTC; `ended` is empty where nobody could write it
  std::string host, folder;    ///< where the command ran; empty in records of older versions
  std::int64_t process = 0;
  std::string stop_text;  ///< empty: not over, or failed
  std::string error;      ///< why it failed
  // From progress.jsonl:
  std::vector<BlockRecord> blocks;  ///< without traces and histograms, which only models carry
  std::vector<std::string> warnings;
  std::optional<double> elapsed;  ///< seconds since the command began, at the last event that tells it
};

/// Reads `run.json` and `progress.jsonl` of a folder. The last line of the latter may be half written (the process was
/// killed): lines that cannot be read are left out. Throws InputError when the folder holds no run, or a damaged one.
RunRecord read_run(const std::string& path);

/// What has become of the process of a run whose record says "running".
enum class ProcessState { running, gone, elsewhere };

/// `elsewhere`: it ran on another machine, so that nothing can be known from here.
ProcessState process_of(const RunRecord& run);

}  // namespace rfnn::io
