// The recipes for adding things (docs/architecture.md, CONTRIBUTING.md) are followed: what they name exists, and where
// they list the places that an enumeration's members have to be in, the members of today are in each, and in no other
// place of that kind.

#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <map>
#include <regex>
#include <set>
#include <string>
#include <vector>

#include "docs/markdown.hpp"
#include "places/places.hpp"

namespace {

namespace fs = std::filesystem;
using namespace rfnn::testing;

fs::path root() { return rfnn::testing::source_folder; }

/// A file or folder named in a recipe: below src/rfnn or the folders that have such of their own, or from the top of
/// the tree.
fs::path place_of(const std::string& name) {
  for (const char* above : {"src/rfnn", "src", "src/rfnn/rows", "src/rfnn/finders", "src/rfnn/finders/grown"})
    if (fs::exists(root() / above / name)) return root() / above / name;
  return root() / name;
}

std::string architecture() { return read_text(root() / "docs/architecture.md"); }

/// From a heading to the next one of the same level.
std::string section(const std::string& page, const std::string& heading) {
  const std::size_t begin = page.find("\n" + heading + "\n");
  if (begin == std::string::npos) return "";
  const std::string level = "\n" + heading.substr(0, heading.find(' ') + 1);
  return page.substr(begin, page.find(level, begin + 1) - begin);
}

/// A recipe: from its name in bold to the next.
std::string recipe(const std::string& name) {
  const std::string all = section(architecture(), "## Where to add things");
  const std::size_t begin = all.find("\n**" + name + ".**");
  return begin == std::string::npos ? "" : all.substr(begin, all.find("\n**", begin + 1) - begin);
}

std::set<std::string> names_in(const std::string& text, const std::regex& pattern) {
  const auto found = all_matches(text, pattern);
  return {found.begin(), found.end()};
}

/// Sources and headers that are not tests, by name: src, the command, the bindings.
const std::map<std::string, std::string>& sources() {
  static const std::map<std::string, std::string> all = [] {
    std::map<std::string, std::string> read;
    for (const char* folder : {"src", "cli", "mpi", "python/bindings"})
      for (const auto& entry : fs::recursive_directory_iterator(root() / folder))
        if (entry.path().extension() == ".hpp" || entry.path().extension() == ".cpp")
          read[fs::relative(entry.path(), root()).generic_string()] = read_text(entry.path());
    return read;
  }();
  return all;
}

/// As a recipe calls it: without src/rfnn.
std::string told(const std::string& source) {
  const std::string above = "src/rfnn/";
  return source.starts_with(above) ? source.substr(above.size()) : source;
}

bool has_word(const std::string& text, const std::string& word) {
  const auto part = [](char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_'; };
  for (std::size_t at = text.find(word); at != std::string::npos; at = text.find(word, at + 1))
    if ((at == 0 || !part(text[at - 1])) && (at + word.size() == text.size() || !part(text[at + word.size()])))
      return true;
  return false;
}

/// The members of an enumeration, from its definition.
std::vector<std::string> members_of(const std::string& enumeration, const std::string& header) {
  std::smatch match;
  const std::string text = read_text(place_of(header));
  if (!std::regex_search(text, match, std::regex("enum class " + enumeration + " \\{([^}]*)\\}"))) return {};
  const std::string list = match[1];
  return all_matches(list, std::regex("([a-z_]+)"));
}

/// Has a text the member, as Enumeration::member or as its word?
bool has_member(const std::string& text, const std::string& enumeration, const std::string& member) {
  return has_word(text, enumeration + "::" + member) || text.find('"' + member + '"') != std::string::npos;
}

const std::regex& file_name() {
  static const std::regex pattern(R"re(`((?:[a-z_0-9]+/)+[A-Za-z_0-9]+\.(?:hpp|cpp|py|md))`)re");
  return pattern;
}

// What stands in backticks is a file, a folder, or a name of the sources.
TEST(Recipes, NameWhatExists) {
  static const std::regex code("`([^`]+)`"), path("[A-Za-z_0-9./-]*/[A-Za-z_0-9./-]*|[a-z_]+\\.hpp"),
      word("[A-Za-z_:]+");
  const std::string contributing = read_text(root() / "CONTRIBUTING.md");
  std::string text = section(architecture(), "## Where to add things") + section(architecture(), "## The seam");
  for (const char* heading :
       {"## Adding an option", "## Adding a solver", "## Adding a way to find blocks", "## Adding a way to compute"}) {
    EXPECT_FALSE(section(contributing, heading).empty()) << heading;
    text += section(contributing, heading);
  }
  std::size_t seen = 0;
  for (const std::string& name : names_in(text, code)) {
    if (std::regex_match(name, path)) {
      EXPECT_TRUE(fs::exists(place_of(name))) << "a recipe names " << name;
    } else if (std::regex_match(name, word)) {
      std::string last = name.substr(name.rfind(':') + 1);
      EXPECT_TRUE(std::any_of(sources().begin(), sources().end(),
                              [&](const auto& source) { return has_word(source.second, last); }))
          << "a recipe names " << name;
    } else {
      continue;  // a command, or a formula
    }
    ++seen;
  }
  EXPECT_GT(seen, 100U);
}

/// An enumeration whose members a recipe says how to add to.
struct Enumeration {
  std::string recipe, name, header;
  /// Members that a place does without, and why.
  std::map<std::string, std::set<std::string>> without = {};
};

const std::vector<Enumeration>& enumerations() {
  static const std::vector<Enumeration> all = {
      {"A way to find a block",
       "Method",
       "model/history.hpp",
       {{"training/ways.cpp", {"sampled"}},                 // no way of preset auto
        {"training/memory.cpp", {"sampled", "windows"}}}},  // need_of_paper; windows_pay says when there are any
      {"An implementation of row work", "Implementation", "rows/row_work.hpp"},
      {"A solver", "Solver", "options/options.hpp"},
      {"An export", "ExportFormat", "export/export.hpp"}};
  return all;
}

// Each file of the recipe that tells members apart has all of them.
TEST(Recipes, ThePlacesOfAnEnumerationHaveEveryMember) {
  for (const Enumeration& one : enumerations()) {
    const std::string text = recipe(one.recipe);
    const std::vector<std::string> members = members_of(one.name, one.header);
    EXPECT_GT(members.size(), 1U) << one.name;
    EXPECT_TRUE(has_word(text, one.name)) << "the recipe \"" << one.recipe << "\" does not name " << one.name;
    std::size_t places = 0;
    for (const std::string& file : names_in(text, file_name())) {
      const std::string content = read_text(place_of(file));
      const auto has = [&](const std::string& member) { return has_member(content, one.name, member); };
      if (std::none_of(members.begin(), members.end(), has)) continue;
      if (file == one.header && content.find("name_of(" + one.name) == std::string::npos) continue;  // no words
      ++places;
      const auto spare = one.without.find(file);
      for (const std::string& member : members) {
        const bool may_lack = spare != one.without.end() && spare->second.contains(member);
        EXPECT_TRUE(may_lack || has(member)) << file << " lacks " << one.name << "::" << member;
      }
    }
    EXPECT_GE(places, one.name == "Implementation" ? 1U : 3U) << "the recipe \"" << one.recipe << "\" lists few places";
  }
}

// No other source goes through all members: who follows the recipe has been everywhere.
TEST(Recipes, ListEveryPlaceThatGoesThroughAnEnumeration) {
  for (const Enumeration& one : enumerations()) {
    const std::string text = recipe(one.recipe);
    const std::vector<std::string> members = members_of(one.name, one.header);
    for (const auto& source : sources()) {
      const bool all = std::all_of(members.begin(), members.end(), [&](const std::string& member) {
        return has_word(source.second, one.name + "::" + member);
      });
      if (all)
        EXPECT_NE(text.find("`" + told(source.first) + "`"), std::string::npos)
            << source.first << " goes through " << one.name << ", and the recipe \"" << one.recipe
            << "\" does not say so";
    }
  }
}

// Kinds of branch differ by what they see: whoever asks whether one sees more than the inputs is in the recipe, and
// whoever is in it speaks of kinds.
TEST(Recipes, ListWhatAKindOfBranchTouches) {
  const std::string text = recipe("A kind of branch");
  EXPECT_EQ(members_of("BranchKind", "model/network.hpp"), (std::vector<std::string>{"input", "state", "joint"}));
  for (const auto& [source, content] : sources())
    if (has_word(content, "BranchKind::state") || has_word(content, "BranchKind::joint"))
      EXPECT_NE(text.find("`" + told(source) + "`"), std::string::npos) << source << " is not in the recipe";
  for (const std::string& file : names_in(text, file_name()))
    EXPECT_NE(read_text(place_of(file)).find("BranchKind"), std::string::npos) << file << " knows of no kinds";
}

/// Classes derived from another, below src.
std::set<std::string> derived_from(const std::string& base) {
  const std::regex pattern("class ([A-Za-z]+) (?:final )?: public (?:[a-z]+::)*" + base + "\\b");
  std::set<std::string> found;
  for (const auto& [source, content] : sources())
    if (source.starts_with("src/") && has_word(content, base)) found.merge(names_in(content, pattern));
  return found;
}

// Whoever finds blocks is made by the one switch and stands in the list of the test that holds for all; whoever does
// row work is compared with the reference.
TEST(Recipes, EveryImplementationIsMadeAndTested) {
  const std::string make = read_text(place_of("finders/block_finder.cpp")),
                    contract = read_text(root() / "tests/finders/contract_test.cpp");
  const std::set<std::string> finders = derived_from("BlockFinder"), works = derived_from("RowWork");
  EXPECT_EQ(finders.size(), members_of("Method", "model/history.hpp").size());
  for (const std::string& finder : finders) EXPECT_TRUE(has_word(make, finder)) << finder;
  for (const std::string& method : members_of("Method", "model/history.hpp"))
    EXPECT_TRUE(has_word(contract, "Method::" + method)) << method << " is not in "
                                                         << "tests/finders/contract_test.cpp";
  std::string conformance;
  for (const auto& entry : fs::directory_iterator(root() / "tests/conformance")) conformance += read_text(entry.path());
  EXPECT_GE(works.size(), 3U);
  for (const std::string& work : works) EXPECT_TRUE(has_word(conformance, work)) << work;
}

// Lists that follow the code by hand.
TEST(Lists, OfLayersAreThoseThatAreChecked) {
  const std::string checked = read_text(root() / "tests/layers/layers_test.cpp");
  const std::size_t begin = checked.find("folders = {");
  ASSERT_NE(begin, std::string::npos);
  const std::vector<std::string> layers =
      all_matches(checked.substr(begin, checked.find('}', begin) - begin), std::regex("\"([a-z_]+)\""));
  EXPECT_GT(layers.size(), 15U);
  std::string line;
  for (const std::string& layer : layers) line += (line.empty() ? "" : "  ") + layer;
  EXPECT_NE(read_text(root() / "CONTRIBUTING.md").find("\n" + line + "\n"), std::string::npos)
      << "CONTRIBUTING.md has other layers than " << line;
  EXPECT_EQ(all_matches(section(architecture(), "## The folders, in reading order"), std::regex("\n\\| `([a-z_]+)/` ")),
            layers);
}

TEST(Lists, OfPurposesHaveEveryOne) {
  const std::string told_of = section(read_text(root() / "docs/math.md"), "## 7. Random numbers");
  const std::vector<std::string> purposes =
      all_matches(std::regex_replace(read_text(place_of("core/random.hpp")), std::regex("//[^\n]*"), ""),
                  std::regex("\n  ([a-z_]+)(?: = [0-9]+)?,"));
  EXPECT_GT(purposes.size(), 30U);
  for (const std::string& purpose : purposes)
    EXPECT_NE(told_of.find("`" + purpose + "`"), std::string::npos) << "docs/math.md does not tell of " << purpose;
}

TEST(Lists, OfDecisionsHaveEveryOne) {
  const std::string list = read_text(root() / "docs/decisions/README.md");
  for (const auto& entry : fs::directory_iterator(root() / "docs/decisions"))
    if (const std::string name = entry.path().filename().string(); name != "README.md")
      EXPECT_NE(list.find("(" + name + ")"), std::string::npos) << name;
}

}  // namespace
