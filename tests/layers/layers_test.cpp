// The layers of the source tree: a folder includes itself and the folders above it, public headers include nothing
// private, and the library leaves the process alone.

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <filesystem>
#include <fstream>
#include <map>
#include <optional>
#include <regex>
#include <set>
#include <sstream>
#include <string>
#include <string_view>
#include <vector>

#include "places/places.hpp"

namespace {

namespace fs = std::filesystem;

constexpr std::array<std::string_view, 19> folders = {
    "core",    "options",     "features",    "data",     "model",       "least_squares", "rows",
    "finders", "diagnostics", "uncertainty", "training", "baselines",   "assessment",    "sensitivity",
    "checks",  "io",          "export",      "report",   "reproduction"};
/// Folders that are private but for a few public functions: the namespace their files open; the first that fits.
struct Inside {
  std::string_view folder, space;
  std::string_view or_else = {};  ///< another that some of its files have
};
constexpr std::array<Inside, 22> spaces = {{{"rfnn/features/", "rfnn::features"},
                                            {"rfnn/least_squares/", "rfnn::least_squares", "rfnn::dense"},
                                            {"rfnn/baselines/", "rfnn::baselines"},
                                            {"rfnn/assessment/", "rfnn::assessment"},
                                            {"rfnn/sensitivity/", "rfnn::sensitivity"},
                                            {"rfnn/checks/", "rfnn::checks"},
                                            {"rfnn/io/", "rfnn::io"},
                                            {"rfnn/export/", "rfnn::exporting"},
                                            {"rfnn/rows/", "rfnn::rows"},
                                            {"rfnn/finders/sampled/", "rfnn::sampled"},
                                            {"rfnn/finders/grown/", "rfnn::grown"},
                                            {"rfnn/finders/wide/", "rfnn::wide"},
                                            {"rfnn/finders/lattice/", "rfnn::lattice"},
                                            {"rfnn/finders/lines/", "rfnn::lines"},
                                            {"rfnn/finders/windows/", "rfnn::windows"},
                                            {"rfnn/finders/series/", "rfnn::series"},
                                            {"rfnn/finders/", "rfnn::finders"},
                                            {"rfnn/uncertainty/", "rfnn::uncertainty"},
                                            {"rfnn/training/", "rfnn::training"},
                                            {"rfnn/report/assets.hpp", "rfnn::assets"},  // made by the build
                                            {"rfnn/report/", "rfnn::report"},
                                            {"rfnn/reproduction/", "rfnn::reproduction"}}};
/// Seen by anyone; they belong to no layer.
constexpr std::array<std::string_view, 3> top_headers = {"rfnn/rfnn.hpp", "rfnn/eigen.hpp", "rfnn/mpi.hpp"};
constexpr std::array<std::string_view, 9> private_prefixes = {"Eigen/", "nlohmann/", "fmt/",    "CLI/", "Random123/",
                                                              "sleef",  "zlib.",     "xxhash.", "LBFGS"};

std::optional<std::size_t> layer_of(std::string_view folder) {
  const auto found = std::find(folders.begin(), folders.end(), folder);
  if (found == folders.end()) return std::nullopt;
  return static_cast<std::size_t>(found - folders.begin());
}

/// "rfnn/core/matrix.hpp" → "core"; "" for anything else.
std::string folder_of(const std::string& path) {
  static const std::regex pattern("rfnn/([^/]+)/.*");
  std::smatch match;
  return std::regex_match(path, match, pattern) ? match[1].str() : std::string();
}

/// The files named by the #include lines of a source text, in order.
std::vector<std::string> includes_of(const std::string& text) {
  static const std::regex pattern("^[ \t]*#[ \t]*include[ \t]*[<\"]([^>\"]+)[>\"]");
  std::vector<std::string> names;
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) {
    std::smatch match;
    if (std::regex_search(line, match, pattern)) names.push_back(match[1]);
  }
  return names;
}

bool is_private(const std::string& include) {
  return std::any_of(private_prefixes.begin(), private_prefixes.end(),
                     [&](std::string_view prefix) { return include.starts_with(prefix); });
}

/// What is wrong with the includes of `path` ("rfnn/rows/predict.cpp"), one sentence each.
std::vector<std::string> layer_violations(const std::string& path, const std::string& text) {
  std::vector<std::string> wrong;
  if (std::find(top_headers.begin(), top_headers.end(), path) != top_headers.end()) return wrong;
  const auto layer = layer_of(folder_of(path));
  if (!layer) return {path + " is in no known folder"};
  for (const std::string& include : includes_of(text)) {
    if (include.starts_with(".") || include.find("/../") != std::string::npos)
      wrong.push_back(path + " includes " + include + " by a relative path");
    if (include.starts_with("cli/") || include.starts_with("tests/"))
      wrong.push_back(path + " includes " + include + ", which is outside the library");
    if (!include.starts_with("rfnn/")) continue;
    const auto included = layer_of(folder_of(include));
    if (!included)
      wrong.push_back(path + " includes " + include + ", which is in no folder above it");
    else if (*included > *layer)
      wrong.push_back(path + " includes " + include + ", which is below it");
  }
  return wrong;
}

std::string read(const fs::path& path) {
  std::ifstream file(path, std::ios::binary);
  EXPECT_TRUE(file) << path;
  std::ostringstream text;
  text << file.rdbuf();
  return text.str();
}

fs::path source_root() { return fs::path(rfnn::testing::source_folder) / "src"; }

/// Every header and source of the library, as "rfnn/core/matrix.hpp".
std::vector<std::string> library_files() {
  std::vector<std::string> files;
  for (const auto& entry : fs::recursive_directory_iterator(source_root() / "rfnn"))
    if (entry.path().extension() == ".hpp" || entry.path().extension() == ".cpp")
      files.push_back(fs::relative(entry.path(), source_root()).generic_string());
  std::sort(files.begin(), files.end());
  return files;
}

std::set<std::string> public_headers() {
  std::set<std::string> headers;
  std::istringstream list(RFNN_PUBLIC_HEADERS);
  for (std::string name; std::getline(list, name, ',');) headers.insert(name);
  return headers;
}

std::string lines(const std::vector<std::string>& sentences) {
  std::string all;
  for (const std::string& sentence : sentences) all += "\n  " + sentence;
  return all;
}

TEST(Layers, EveryFolderIncludesOnlyItselfAndThoseAboveIt) {
  const auto files = library_files();
  EXPECT_GT(files.size(), 20U);
  std::vector<std::string> wrong;
  for (const std::string& file : files)
    for (std::string& sentence : layer_violations(file, read(source_root() / file)))
      wrong.push_back(std::move(sentence));
  EXPECT_TRUE(wrong.empty()) << lines(wrong);
}

/// What is wrong with the namespaces that a private file of a folder with one of its own opens.
std::vector<std::string> namespace_violations(const std::string& path, const std::string& text) {
  const auto own =
      std::find_if(spaces.begin(), spaces.end(), [&](const Inside& inside) { return path.starts_with(inside.folder); });
  if (own == spaces.end() || path.ends_with("_impl.hpp")) return {};  // those are included where names are in no sight
  const auto within = [](const std::string& name, std::string_view space) {
    return !space.empty() && (name == space || name.starts_with(std::string(space) + "::"));
  };
  static const std::regex opened(R"(^namespace (rfnn[a-z_:]*) \{)");
  std::istringstream all(text);
  for (std::string line; std::getline(all, line);) {
    std::smatch match;
    if (!std::regex_search(line, match, opened)) continue;
    const std::string name = match[1];
    if (within(name, own->space) || within(name, own->or_else)) return {};
    // Public functions are in rfnn; what serves them alone is in the file's own folder or in no namespace's sight.
    if (name != "rfnn") return {path + " opens " + name + ", not " + std::string(own->space)};
  }
  return {path + " has nothing in " + std::string(own->space)};
}

TEST(Layers, EveryPrivateFolderHasItsNamespace) {
  const auto headers = public_headers();
  std::vector<std::string> wrong;
  for (const std::string& file : library_files()) {
    // A public header and its source declare and define what everyone sees.
    const std::string header = file.substr(0, file.size() - 4) + ".hpp";
    if (headers.contains(header)) continue;
    for (std::string& sentence : namespace_violations(file, read(source_root() / file)))
      wrong.push_back(std::move(sentence));
  }
  EXPECT_TRUE(wrong.empty()) << lines(wrong);
}

/// Purposes of random numbers that a text draws for.
std::set<std::string> purposes_of(const std::string& text) {
  static const std::regex used("Purpose::([a-z_]+)");
  std::set<std::string> names;
  for (std::sregex_iterator match(text.begin(), text.end(), used), end; match != end; ++match)
    names.insert((*match)[1]);
  return names;
}

// Streams of one purpose are told apart by their addresses alone: two places that draw for the same one may come to
// share their numbers.
TEST(Layers, EveryPurposeOfRandomNumbersHasOnePlace) {
  std::map<std::string, std::string> places;
  std::vector<std::string> wrong;
  for (const std::string& file : library_files())
    for (const std::string& purpose : purposes_of(read(source_root() / file))) {
      const auto [known, fresh] = places.emplace(purpose, file);
      if (!fresh) wrong.push_back(file + " draws for " + purpose + ", and so does " + known->second);
    }
  EXPECT_GT(places.size(), 20U);
  EXPECT_TRUE(wrong.empty()) << lines(wrong);
}

TEST(Layers, PublicHeadersReachOnlyPublicHeadersAndNoPrivateDependency) {
  const auto headers = public_headers();
  EXPECT_TRUE(headers.contains("rfnn/rfnn.hpp"));
  std::vector<std::string> wrong;
  for (const std::string& header : headers)
    for (const std::string& include : includes_of(read(source_root() / header))) {
      if (is_private(include) && header != "rfnn/eigen.hpp") wrong.push_back(header + " includes " + include);
      if (include.starts_with("rfnn/") && !headers.contains(include))
        wrong.push_back(header + " includes " + include + ", which is not installed");
    }
  EXPECT_TRUE(wrong.empty()) << lines(wrong);
}

TEST(Layers, TheLibraryNeverPrintsExitsOrCatchesSignals) {
  // Words that would do so in code; comments and string literals are taken out first.
  const std::regex comments_and_strings(R"re(//[^\n]*|/\*[\s\S]*?\*/|"(\\.|[^"\\\n])*")re", std::regex::optimize);
  const std::regex forbidden(
      R"re(\bstd::(cout|cerr|clog|exit|abort|quick_exit|terminate|signal|printf|puts|srand|rand|setlocale)\b|\b(printf|puts|fputs|putchar|_exit|abort|sigaction|signal|setlocale|srand)\s*\(|\b(stdout|stderr)\b)re");
  std::vector<std::string> wrong;
  for (const std::string& file : library_files()) {
    const std::string code = std::regex_replace(read(source_root() / file), comments_and_strings, " ");
    std::smatch match;
    if (std::regex_search(code, match, forbidden)) wrong.push_back(file + " uses " + match.str());
  }
  EXPECT_TRUE(wrong.empty()) << lines(wrong);
}

// The check itself is worth nothing if it cannot fail.
TEST(LayerCheck, FindsAnIncludeFromBelow) {
  EXPECT_EQ(layer_violations("rfnn/core/a.hpp", "#include <vector>\n#include \"rfnn/io/table.hpp\"\n").size(), 1U);
  EXPECT_EQ(layer_violations("rfnn/rows/a.cpp", "  #  include <rfnn/training/fit.hpp>").size(), 1U);
  EXPECT_EQ(layer_violations("rfnn/model/a.cpp", "#include \"rfnn/rfnn.hpp\"").size(), 1U);
  EXPECT_EQ(layer_violations("rfnn/model/a.cpp", "#include \"../core/error.hpp\"").size(), 1U);
  EXPECT_EQ(layer_violations("rfnn/model/a.cpp", "#include \"cli/common.hpp\"").size(), 1U);
  EXPECT_EQ(layer_violations("rfnn/nowhere/a.cpp", "").size(), 1U);
}

TEST(LayerCheck, AllowsTheSameFolderAndFoldersAbove) {
  const std::string text = "#include \"rfnn/io/csv.hpp\"\n#include \"rfnn/core/error.hpp\"\n#include <Eigen/Dense>\n";
  EXPECT_TRUE(layer_violations("rfnn/io/a.cpp", text).empty());
  EXPECT_TRUE(layer_violations("rfnn/rfnn.hpp", text).empty());
}

TEST(LayerCheck, KnowsTheNamespacesOfFolders) {
  EXPECT_EQ(namespace_violations("rfnn/rows/a.hpp", "namespace rfnn {\n").size(), 1U);
  EXPECT_EQ(namespace_violations("rfnn/finders/wide/a.hpp", "namespace rfnn::rows {\n").size(), 1U);
  EXPECT_EQ(namespace_violations("rfnn/finders/wide/a.hpp", "namespace rfnn::finders {\n").size(), 1U);
  EXPECT_TRUE(namespace_violations("rfnn/finders/wide/a.hpp", "namespace rfnn::wide::tuning {\n").empty());
  EXPECT_TRUE(namespace_violations("rfnn/finders/a.hpp", "namespace rfnn::finders {\n").empty());
  EXPECT_TRUE(namespace_violations("rfnn/least_squares/a.hpp", "namespace rfnn::least_squares {\n").empty());
  EXPECT_TRUE(namespace_violations("rfnn/least_squares/a.hpp", "namespace rfnn::dense {\n").empty());
  EXPECT_EQ(namespace_violations("rfnn/least_squares/a.hpp", "namespace rfnn {\n").size(), 1U);
  EXPECT_EQ(namespace_violations("rfnn/io/a.hpp", "namespace rfnn {\n").size(), 1U);
  EXPECT_TRUE(namespace_violations("rfnn/model/a.hpp", "namespace rfnn {\n").empty());
}

TEST(LayerCheck, FindsPurposes) {
  EXPECT_EQ(purposes_of("Stream(seed, Purpose::pool); Purpose::law_rows"), (std::set<std::string>{"law_rows", "pool"}));
}

TEST(LayerCheck, KnowsPrivateDependencies) {
  EXPECT_TRUE(is_private("Eigen/Dense") && is_private("nlohmann/json.hpp") && is_private("fmt/format.h"));
  EXPECT_FALSE(is_private("vector") || is_private("rfnn/core/matrix.hpp"));
}

}  // namespace
