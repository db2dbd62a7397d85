#include "cli/topics.hpp"

#include <algorithm>
#include <array>

namespace rfnn::cli {
namespace {

constexpr std::array all{
    Topic{"presets", "the two sets of defaults",
          "auto    the default: tries several ways to begin on rows held out, keeps the\n"
          "        best, averages networks and fits them to all rows. Nothing is to be\n"
          "        tuned; --width and --blocks are upper bounds.\n"
          "paper   the published algorithm: exactly --blocks blocks of --width features,\n"
          "        each sampled by --iterations steps of a Markov chain. `rfnn tune`\n"
          "        looks for good values, `rfnn diagnose` says what went wrong.\n"},
    Topic{"columns", "how columns are named and matched",
          "Columns are named as in the header, or by their number from 1; a name wins\n"
          "over a number. --target says which are learnt, --ignore which are left out,\n"
          "--weight how much each row counts; all others are inputs.\n"
          "Later tables are matched by name, or by position where there is no header.\n"
          "Extra columns do not matter; a missing one is an error.\n"
          "Besides numbers there may be ISO dates and times, categories (text) and\n"
          "booleans; --missing says what becomes of missing cells.\n"},
    Topic{"files", "what is read and written",
          "DATA    CSV (also .csv.gz), .npy, .npz, or - for CSV on standard input; to\n"
          "        `fit`, `cv` and `tune` several files are one table\n"
          "MODEL   a file of `rfnn fit`: all that is needed to predict, inspect, repeat\n"
          "RUN_DIR a folder of `rfnn fit --run-dir`: run.json, progress.jsonl and the\n"
          "        model after the last finished block\n"
          "Files appear whole or not at all: a crash leaves the old one or the new one.\n"
          "Standard output carries the result alone, everything else goes to standard\n"
          "error; --json makes the result one JSON document.\n"},
    Topic{"exports", "models as files for use without rfnn",
          "c        C99 that needs nothing but -lm: NAME_predict, NAME_gradient, for many\n"
          "         rows NAME_predict_rows and, where the model has error bars,\n"
          "         NAME_interval and NAME_std; NAME is the model file's\n"
          "onnx     for onnxruntime and others, in double: `inputs` to `outputs`\n"
          "python   a module with predict(rows), and predict_interval(rows, coverage) and\n"
          "         predict_std(rows) where there are error bars; it needs NumPy alone\n"
          "formula  a small network as text and as LaTeX, with rounded numbers\n"
          "json     the whole model, tensors and all\n"
          "Rows hold a number per input column, in the column's own units: times in days\n"
          "since a date, levels by their place, booleans 0 or 1, NaN where a cell is\n"
          "missing. Every file says which.\n"},
    Topic{"exit-codes", "what a command ends with",
          "0  done\n"
          "1  a wrong argument or option\n"
          "2  bad input or output: a file missing, malformed or unwritable; disk full\n"
          "3  numerical failure, or out of memory\n"
          "4  cut short by --max-time or a signal; what was done so far is saved\n"},
};

}  // namespace

std::span<const Topic> topics() { return all; }

const Topic* find_topic(std::string_view name) {
  const auto found = std::find_if(all.begin(), all.end(), [&](const Topic& topic) { return topic.name == name; });
  return found == all.end() ? nullptr : &*found;
}

std::string about_the_program() {
  return "rfnn learns a function from a table of numbers: a deep residual network of Fourier features, trained block "
         "by "
         "block without global optimisation.";
}

}  // namespace rfnn::cli
