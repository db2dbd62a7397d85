#pragma once

#include <optional>
#include <string>
#include <vector>

#include "cli/arguments.hpp"
#include "rfnn/report/run_story.hpp"

namespace rfnn::cli {

bool is_folder(const std::string& path);

/// The training files of a run, where they were then or, for a relative path, from here.
std::optional<std::vector<std::string>> training_files(const report::RunStory& story);

/// How the rows of `--data` are read, and by which command.
struct SourceReading {
  std::string command = {};
  GivenOptions given = {};                    ///< options for reading; only where there are such rows
  std::vector<std::string>* notes = nullptr;  ///< takes what is to be said of them, one sentence each
};

/// The story of a model file or of a run's folder, whatever is left of it, with rows where there are any: those of
/// `data`, else for a folder its training rows, if their file is still what it was. What is missing is said in the
/// story.
report::RunStory story_of_source(const std::string& source, const std::optional<std::string>& data,
                                 const SourceReading& reading = {});

}  // namespace rfnn::cli
