#include "rfnn/io/foreign_formats.hpp"

#include <algorithm>
#include <string>
#include <string_view>

#include "rfnn/core/error.hpp"

namespace rfnn::io {
namespace {

using namespace std::string_view_literals;

/// A format and how pandas reads it. `read` has FILE in the place of the name.
struct Format {
  std::string_view magic;
  std::string_view name;
  std::string_view read;
  bool by_python = false;  ///< the Python package reads it
};

constexpr Format formats[] = {
    {"PAR1"sv, "a Parquet file", "read_parquet('FILE')", true},
    {"ARROW1"sv, "an Arrow or Feather file", "read_feather('FILE')", true},
    {"FEA1"sv, "a Feather file", "read_feather('FILE')", true},
    {"\x89HDF\r\n\x1a\n"sv, "an HDF5 file", "read_hdf('FILE')"},
    {"SQLite format 3\0"sv, "an SQLite database", "read_sql('select * from TABLE', 'sqlite:///FILE')"},
    {"\xD0\xCF\x11\xE0\xA1\xB1\x1A\xE1"sv, "an old spreadsheet (.xls)", "read_excel('FILE')"},
    {"\x80\x04\x95"sv, "a Python pickle", "read_pickle('FILE')"},
    {"\x80\x05\x95"sv, "a Python pickle", "read_pickle('FILE')"},
};

/// The file's name as it stands in a line of Python; one that could end the quotes is left to the reader.
std::string name_in_python(const std::string& origin) {
  return origin.find_first_of("'\"\\$`!") == std::string::npos && origin != "standard input" ? origin : "FILE";
}

[[noreturn]] void refuse(const std::string& origin, std::string_view what, std::string_view read,
                         bool by_python = false) {
  const std::string name = name_in_python(origin);
  std::string call(read);
  if (const std::size_t place = call.find("FILE"); place != std::string::npos) call.replace(place, 4, name);
  throw InputError(origin + " is " + std::string(what) + ", which is not read.",
                   "Convert it: python3 -c \"import pandas; pandas." + call + ".to_csv('table.csv', index=False)\"" +
                       (by_python ? ", or run `python3 -m rfnn`, which reads it through pyarrow." : ""));
}

/// The kinds of zip archives people have tables in: the name of the first file inside tells.
[[noreturn]] void refuse_zip(const std::string& origin, std::string_view start) {
  constexpr std::size_t name_at = 30;
  const std::size_t length = start.size() > name_at
                                 ? static_cast<std::size_t>(static_cast<unsigned char>(start[26])) +
                                       256U * static_cast<std::size_t>(static_cast<unsigned char>(start[27]))
                                 : 0;
  const std::string_view first = start.size() > name_at ? start.substr(name_at, length) : ""sv;
  const bool sheet = first == "[Content_Types].xml" || first == "mimetype" || first.starts_with("xl/") ||
                     first.starts_with("_rels/") || first.starts_with("docProps/");
  if (sheet) refuse(origin, "a spreadsheet", "read_excel('FILE')");
  throw InputError(origin + " is a zip archive, which is not read.",
                   "Unpack it and give the table inside; a spreadsheet has to be exported as CSV.");
}

/// `1 1:0.5 2:0.3`: a number, and then numbers with the columns they belong to.
bool is_libsvm(std::string_view start) {
  const std::string_view line = start.substr(0, start.find_first_of("\r\n"));
  if (line.find_first_not_of("0123456789.+-eE: \t") != std::string_view::npos) return false;
  std::size_t words = 0;
  for (std::size_t i = line.find_first_not_of(" \t"); i < line.size(); ++words) {
    const std::size_t end = std::min(line.find_first_of(" \t", i), line.size());
    const std::string_view word = line.substr(i, end - i);
    const std::size_t colon = word.find(':');
    constexpr std::size_t longest = 9;
    if (words == 0 && colon != std::string_view::npos) return false;
    if (words > 0 && (colon == 0 || colon > longest || word.find_first_not_of("0123456789") != colon)) return false;
    if (words > 0 && (word.find(':', colon + 1) != std::string_view::npos || colon + 1 == word.size())) return false;
    i = line.find_first_not_of(" \t", end);
  }
  return words > 2;  // one may be a time of day
}

}  // namespace

void refuse_foreign_formats(ByteSource& source) {
  constexpr std::size_t looked_at = 256;
  const std::string_view start = source.peek(looked_at);
  const std::string& origin = source.origin();
  for (const Format& format : formats)
    if (start.starts_with(format.magic)) refuse(origin, format.name, format.read, format.by_python);
  if (start.starts_with("PK\x03\x04")) refuse_zip(origin, start);
  if (is_libsvm(start))
    throw InputError(origin + " is in the format of LIBSVM, which is not read.",
                     "Convert it: python3 -c \"import numpy, sklearn.datasets as d; x, y = d.load_svmlight_file('" +
                         name_in_python(origin) +
                         "'); numpy.savetxt('table.csv', numpy.c_[x.toarray(), y], delimiter=',')\"");
  const std::size_t text = start.find_first_not_of(" \t\r\n");
  if (text == std::string_view::npos) return;
  const std::string_view json = start.substr(text);
  const std::size_t inside = json.find_first_not_of(" \t\r\n", 1);
  if (json[0] == '{' && inside != std::string_view::npos && json[inside] == '"') {
    const bool lines = json.find("}\n{") != std::string_view::npos || json.find("}\r\n{") != std::string_view::npos;
    refuse(origin, lines ? "JSON lines" : "JSON", lines ? "read_json('FILE', lines=True)" : "read_json('FILE')");
  }
  if (json[0] == '[' && inside != std::string_view::npos && (json[inside] == '{' || json[inside] == '['))
    refuse(origin, "JSON", "read_json('FILE')");
}

}  // namespace rfnn::io
