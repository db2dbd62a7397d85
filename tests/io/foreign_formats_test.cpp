#include "rfnn/io/foreign_formats.hpp"

#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "io/support.hpp"
#include "rfnn/io/table.hpp"

namespace rfnn::test {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using namespace std::string_literals;

std::string error_of(const std::string& bytes) {
  const TempFolder folder;
  write_bytes(folder / "t", bytes);
  return input_error([&] { open_table(folder / "t"); });
}

/// The front of a zip archive whose first file has this name.
std::string zip_of(const std::string& name) {
  std::string front = "PK\x03\x04"s + std::string(26, '\0');
  front[26] = static_cast<char>(name.size());
  return front + name + std::string(40, '\x07');
}

TEST(ForeignFormats, AreToldByTheirFirstBytesWithTheLineThatConverts) {
  for (const auto& [bytes, name, line] : std::vector<std::tuple<std::string, std::string, std::string>>{
           {"PAR1\x15\x04"s, "a Parquet file", "read_parquet"},
           {"ARROW1\0\0"s, "an Arrow or Feather file", "read_feather"},
           {"FEA1\0\0"s, "a Feather file", "read_feather"},
           {"\x89HDF\r\n\x1a\n"s, "an HDF5 file", "read_hdf"},
           {"SQLite format 3\0more"s, "an SQLite database", "read_sql"},
           {"\x80\x04\x95\x10"s, "a Python pickle", "read_pickle"},
           {zip_of("[Content_Types].xml"), "a spreadsheet", "read_excel"},
           {zip_of("mimetype"), "a spreadsheet", "read_excel"},
           {zip_of("data.csv"), "a zip archive", "Unpack it"},
           {"{\"x\": [1, 2]}\n", "JSON", "read_json"},
           {"[{\"x\": 1}]\n", "JSON", "read_json"},
           {" [ [1, 2], [3, 4]]\n", "JSON", "read_json"},
           {"{\"x\": 1}\n{\"x\": 2}\n", "JSON lines", "lines=True"}})
    EXPECT_THAT(error_of(bytes), AllOf(HasSubstr(" is " + name), HasSubstr(line)));
}

TEST(ForeignFormats, TablesAreNotTakenForThem) {
  for (const std::string text : {"PAR,ROW\n1,2\n", "[m],{x}\n1,2\n", "x\n1\n", "{},y\n1,2\n", "1\n"})
    EXPECT_EQ(error_of(text), "") << text;
}

}  // namespace
}  // namespace rfnn::test
