#include "rfnn/io/table_survey.hpp"

namespace rfnn::io {

void TableSurvey::add(const std::string& column, const std::string& kind, std::size_t line, const std::string& text,
                      const std::string& cure) {
  const auto [place, fresh] = places_.try_emplace({column, kind}, problems_.size());
  if (fresh) {
    const std::string file = files_.empty() ? "" : " (in " + files_.back().second + ")";
    problems_.push_back(
        {.column = column, .kind = kind, .count = 0, .line = line, .text = text + file, .cure = cure, .refused = true});
  }
  ++problems_[place->second].count;
}

void TableSurvey::begin_file(const std::string& origin) { files_.emplace_back(lines_.size(), origin); }

std::string TableSurvey::file_of(std::size_t row) const {
  std::string file;
  for (const auto& [first, name] : files_)
    if (first <= row) file = " of " + name;
  return file;
}

}  // namespace rfnn::io
