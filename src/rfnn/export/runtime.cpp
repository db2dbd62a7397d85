#include "rfnn/export/runtime.hpp"

namespace rfnn::exporting {

std::string replaced(const std::string& text, std::string_view from, std::string_view to) {
  return filled(text, {{from, std::string(to)}});
}

std::string filled(std::string_view text, const std::vector<std::pair<std::string_view, std::string>>& marks) {
  std::string result;
  while (true) {
    std::size_t first = std::string_view::npos, which = 0;
    for (std::size_t m = 0; m < marks.size(); ++m) {
      const std::size_t found = text.find(marks[m].first);
      if (found >= first) continue;
      first = found;
      which = m;
    }
    result.append(text.substr(0, first));
    if (first == std::string_view::npos) return result;
    result.append(marks[which].second);
    text.remove_prefix(first + marks[which].first.size());
  }
}

}  // namespace rfnn::exporting
