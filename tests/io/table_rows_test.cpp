// All rows of a table at once: mapped where the file allows it, held in memory else; the same numbers either way.

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <zlib.h>

#include <cstring>
#include <limits>
#include <memory>
#include <vector>

#include "io/support.hpp"
#include "rfnn/io/table.hpp"

namespace rfnn::test {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;

constexpr std::size_t rows = 3000, columns = 3;

double value(std::size_t row, std::size_t column) {
  return static_cast<double>(row) + 0.25 * static_cast<double>(column);
}

template <class T>
std::string npy(const std::string& descr, bool fortran, const std::string& padding = "") {
  std::string dictionary = "{'descr': '" + descr + "', 'fortran_order': " + (fortran ? "True" : "False") +
                           ", 'shape': (" + std::to_string(rows) + ", " + std::to_string(columns) + "), }" + padding +
                           "\n";
  std::string out("\x93NUMPY\x01\x00", 8);
  out += {static_cast<char>(dictionary.size() & 255U), static_cast<char>(dictionary.size() >> 8U)};
  out += dictionary;
  const auto add = [&](std::size_t i, std::size_t k) {
    const auto number = static_cast<T>(value(i, k));
    std::string bytes(sizeof(T), '\0');
    std::memcpy(bytes.data(), &number, sizeof(T));
    if (descr[0] == '>') std::reverse(bytes.begin(), bytes.end());
    out += bytes;
  };
  for (std::size_t i = 0; i < (fortran ? columns : rows); ++i)
    for (std::size_t k = 0; k < (fortran ? rows : columns); ++k) fortran ? add(k, i) : add(i, k);
  return out;
}

void expect_values(const TableRows& table, const std::vector<std::size_t>& selected, bool whole_numbers = false) {
  ASSERT_EQ(table.columns.rows(), rows);
  ASSERT_EQ(table.columns.size(), selected.size());
  for (std::size_t i = 0; i < rows; ++i)
    for (std::size_t j = 0; j < selected.size(); ++j)
      ASSERT_EQ(table.columns[j][i], whole_numbers ? std::floor(value(i, selected[j])) : value(i, selected[j]));
}

TEST(TableRows, FloatsOfAnNpyFileAreMapped) {
  const TempFolder folder;
  // A header of any length: the numbers need not be aligned.
  for (const std::string padding : {"", " ", "   "})
    for (const bool fortran : {false, true}) {
      write_bytes(folder / "double.npy", npy<double>("<f8", fortran, padding));
      write_bytes(folder / "float.npy", npy<float>("<f4", fortran, padding));
      for (const char* name : {"double.npy", "float.npy"}) {
        auto reader = open_table(folder / name);
        reader->select({2, 0});
        const TableRows table = reader->read_rows();
        Matrix batch;
        EXPECT_EQ(reader->read(batch, 10), 0U);  // all was taken
        reader.reset();                          // the numbers stay
        EXPECT_TRUE(table.mapped);
        EXPECT_FALSE(table.cut_short);
        EXPECT_EQ(table.bytes, rows * columns * (name[0] == 'd' ? 8 : 4));
        expect_values(table, {2, 0});
      }
    }
}

TEST(TableRows, EverythingElseIsHeldInMemory) {
  const TempFolder folder;
  std::string text = "a,b,c\n";
  for (std::size_t i = 0; i < rows; ++i)
    for (std::size_t k = 0; k < columns; ++k) text += std::to_string(value(i, k)) + (k + 1 < columns ? "," : "\n");
  write_bytes(folder / "table.csv", text);
  const std::string array = npy<double>("<f8", false);
  gzFile zipped = gzopen((folder / "zipped.npy.gz").c_str(), "wb");
  ASSERT_EQ(gzwrite(zipped, array.data(), static_cast<unsigned>(array.size())), static_cast<int>(array.size()));
  gzclose(zipped);
  write_bytes(folder / "big.npy", npy<double>(">f8", true));
  write_bytes(folder / "integers.npy", npy<std::int32_t>("<i4", false));
  for (const char* name : {"table.csv", "zipped.npy.gz", "big.npy", "integers.npy"}) {
    const auto reader = open_table(folder / name);
    reader->select({1, 2});
    const TableRows table = reader->read_rows();
    EXPECT_FALSE(table.mapped) << name;
    EXPECT_EQ(table.bytes, rows * 2 * 8) << name;
    expect_values(table, {1, 2}, name == std::string("integers.npy"));
  }
}

TEST(TableRows, AfterSomeRowsWereReadTheRestIsHeld) {
  const TempFolder folder;
  write_bytes(folder / "a.npy", npy<double>("<f8", false));
  const auto reader = open_table(folder / "a.npy");
  Matrix batch;
  ASSERT_EQ(reader->read(batch, 1000), 1000U);
  const TableRows rest = reader->read_rows();
  EXPECT_FALSE(rest.mapped);
  ASSERT_EQ(rest.columns.rows(), 2000U);
  EXPECT_EQ(rest.columns[1][0], value(1000, 1));
}

TEST(TableRows, ValuesThatAreNotFiniteAreNamedAsWhenTheyAreRead) {
  const TempFolder folder;
  for (const bool fortran : {false, true}) {
    std::string bytes = npy<double>("<f8", fortran);
    const auto spoil = [&](std::size_t row, std::size_t column, double bad) {
      const std::size_t place = fortran ? column * rows + row : row * columns + column;
      std::memcpy(bytes.data() + bytes.size() - (rows * columns - place) * 8, &bad, 8);
    };
    spoil(2345, 1, std::numeric_limits<double>::quiet_NaN());
    spoil(2344, 2, -std::numeric_limits<double>::infinity());
    write_bytes(folder / "bad.npy", bytes);
    const std::string mapped = input_error([&] { open_table(folder / "bad.npy")->read_rows(); });
    EXPECT_THAT(mapped, AllOf(HasSubstr("row 2345, column 3 (c3)"), HasSubstr("infinite")));
    EXPECT_EQ(mapped, input_error([&] { read_all(*open_table(folder / "bad.npy")); }));
    const auto reader = open_table(folder / "bad.npy");
    reader->select({0});
    expect_values(reader->read_rows(), {0});  // columns not asked for may hold anything
  }
}

TEST(TableRows, ReadingEndsWhenItIsToldTo) {
  const TempFolder folder;
  constexpr std::size_t many = 300000;
  std::string text = "a\n";
  for (std::size_t i = 0; i < many; ++i) text += std::to_string(i) + "\n";
  write_bytes(folder / "long.csv", text);
  const auto writer = create_table(folder / "long.npy", {});
  Matrix numbers(many, 1);
  for (std::size_t i = 0; i < many; ++i) numbers(i, 0) = static_cast<double>(i);
  writer->write(numbers.view());
  writer->commit();
  for (const char* name : {"long.csv", "long.npy"}) {
    int left = 2;
    const TableRows some = open_table(folder / name)->read_rows([&] { return --left > 0; });
    EXPECT_TRUE(some.cut_short) << name;
    EXPECT_GT(some.columns.rows(), 0U);
    EXPECT_LT(some.columns.rows(), many);
    EXPECT_EQ(some.columns[0][some.columns.rows() - 1], static_cast<double>(some.columns.rows() - 1));
    const TableRows all = open_table(folder / name)->read_rows([] { return true; });
    EXPECT_FALSE(all.cut_short) << name;
    EXPECT_EQ(all.columns.rows(), many);
  }
}

TEST(TableRows, ATableWithoutRows) {
  const TempFolder folder;
  write_bytes(folder / "empty.csv", "a,b\n");
  EXPECT_EQ(open_table(folder / "empty.csv")->read_rows().columns.rows(), 0U);
}

TEST(TableRows, BeyondWhatMayBeHeldLieInAFile) {
  const TempFolder folder;
  std::string text = "a,b,c\n";
  for (std::size_t i = 0; i < rows; ++i)
    text += std::to_string(value(i, 0)) + "," + std::to_string(value(i, 1)) + "," + std::to_string(value(i, 2)) + "\n";
  write_bytes(folder / "table.csv", text);
  write_bytes(folder / "double.npy", npy<double>("<f8", false));
  write_bytes(folder / "columns.npy", npy<float>("<f4", true));
  write_bytes(folder / "big.npy", npy<double>(">f8", false));
  for (const char* name : {"table.csv", "double.npy", "columns.npy", "big.npy"})
    for (const std::size_t most : {std::size_t{0}, std::size_t{10000}}) {
      const auto table = open_table(folder / name);
      table->select({2, 0});
      table->hold_at_most(most);
      const TableRows read = table->read_rows();
      EXPECT_TRUE(read.on_disk) << name;
      EXPECT_EQ(read.mapped, std::string(name) == "double.npy" || std::string(name) == "columns.npy");
      expect_values(read, {2, 0});
      read.columns.let_go(0, rows);
      expect_values(read, {2, 0});
      EXPECT_GT(read.columns.paged_row_bytes(), 0U);
    }
  const auto table = open_table(folder / "table.csv");
  table->hold_at_most(1000000);
  const TableRows held = table->read_rows();
  EXPECT_FALSE(held.on_disk);
  EXPECT_EQ(held.columns.paged_row_bytes(), 0U);
  expect_values(held, {0, 1, 2});
}

}  // namespace
}  // namespace rfnn::test
