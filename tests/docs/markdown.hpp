#pragma once

// Just enough Markdown to hold the documentation to its word.

#include <cstddef>
#include <filesystem>
#include <fstream>
#include <regex>
#include <sstream>
#include <stdexcept>
#include <string>
#include <vector>

namespace rfnn::testing {

inline std::string read_text(const std::filesystem::path& path) {
  std::ifstream file(path, std::ios::binary);
  if (!file) throw std::runtime_error("cannot read " + path.string());
  std::ostringstream text;
  text << file.rdbuf();
  return text.str();
}

inline std::vector<std::string> lines_of(const std::string& text) {
  std::vector<std::string> lines;
  std::istringstream stream(text);
  for (std::string line; std::getline(stream, line);) lines.push_back(line);
  return lines;
}

/// A fenced block: ```language … ```
struct Fence {
  std::string language;
  std::size_t line = 0;  ///< of its first line of content, from 1
  std::string content;
};

inline std::vector<Fence> fences_of(const std::string& markdown) {
  std::vector<Fence> fences;
  bool inside = false;
  std::size_t number = 0;
  for (const std::string& line : lines_of(markdown)) {
    ++number;
    if (line.rfind("```", 0) == 0) {
      if (!inside) fences.push_back({line.substr(3), number + 1, ""});
      inside = !inside;
    } else if (inside) {
      fences.back().content += line + "\n";
    }
  }
  return fences;
}

/// The text without its fenced blocks; lines keep their numbers.
inline std::string prose_of(const std::string& markdown) {
  std::string prose;
  bool inside = false;
  for (const std::string& line : lines_of(markdown)) {
    const bool fence = line.rfind("```", 0) == 0;
    if (!inside && !fence) prose += line;
    if (fence) inside = !inside;
    prose += "\n";
  }
  return prose;
}

/// All matches of a pattern's first group.
inline std::vector<std::string> all_matches(const std::string& text, const std::regex& pattern) {
  std::vector<std::string> found;
  for (auto i = std::sregex_iterator(text.begin(), text.end(), pattern); i != std::sregex_iterator(); ++i)
    found.push_back((*i)[1]);
  return found;
}

/// The commands of all `sh` blocks as one bash script that ends at the first command whose exit code is not 0, or not
/// the one a comment `# exit code N` behind it promises.
inline std::string script_of(const std::string& markdown, const std::string& name) {
  static const std::regex promise("^(.*[^ ]) +# exit code ([0-9]+)$");
  std::string script = "set -e -o pipefail\n";
  for (const Fence& fence : fences_of(markdown)) {
    if (fence.language != "sh") continue;
    script += "echo '## " + name + ", line " + std::to_string(fence.line) + "'\n";
    for (const std::string& line : lines_of(fence.content)) {
      std::smatch match;
      if (std::regex_match(line, match, promise)) {
        script += "code=0; " + match[1].str() + " || code=$?\n";
        script += "[ \"$code\" -eq " + match[2].str() + " ] || { echo \"exit code $code, not " + match[2].str() +
                  "\"; exit 1; }\n";
      } else {
        script += line + "\n";
      }
    }
  }
  return script;
}

/// The name GitHub gives the anchor of a heading.
inline std::string anchor_of(const std::string& heading) {
  std::string anchor;
  for (const char c : heading) {
    const auto byte = static_cast<unsigned char>(c);
    if (c >= 'A' && c <= 'Z')
      anchor += static_cast<char>(c - 'A' + 'a');
    else if ((c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '-' || c == '_' || byte >= 0x80)
      anchor += c;
    else if (c == ' ')
      anchor += '-';
  }
  return anchor;
}

}  // namespace rfnn::testing
