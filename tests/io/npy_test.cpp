#include "rfnn/io/npy.hpp"

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <limits>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "io/support.hpp"
#include "rfnn/io/table.hpp"

namespace rfnn::test {
namespace {

using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

std::string with_header(const std::string& dictionary, const std::string& data, char major = 1) {
  std::string out = "\x93NUMPY";
  out += {major, '\0'};
  const auto length = static_cast<std::uint32_t>(dictionary.size());
  for (unsigned i = 0; i < (major == 1 ? 2U : 4U); ++i) out += static_cast<char>((length >> (8 * i)) & 255U);
  return out + dictionary + data;
}

std::string dictionary(const std::string& descr, bool fortran, const std::string& shape) {
  return "{'descr': '" + descr + "', 'fortran_order': " + (fortran ? "True" : "False") + ", 'shape': (" + shape +
         "), }\n";
}

template <class T>
std::string bytes_of(const std::vector<T>& values, bool swap = false) {
  std::string out;
  for (const T value : values) {
    std::string item(sizeof(T), '\0');
    std::memcpy(item.data(), &value, sizeof(T));
    if (swap) std::reverse(item.begin(), item.end());
    out += item;
  }
  return out;
}

Matrix parse(const std::string& bytes) { return read_all(*io::open_npy_bytes(bytes)); }
std::string error_of(const std::string& bytes) {
  return input_error([&] { parse(bytes); });
}

Matrix expected_2x3() {
  Matrix matrix(2, 3);
  for (std::size_t i = 0; i < 6; ++i) matrix.data()[i] = static_cast<double>(i + 1);
  return matrix;
}

template <class T>
void expect_type(const std::string& type) {
  const std::vector<T> by_rows = {1, 2, 3, 4, 5, 6}, by_columns = {1, 4, 2, 5, 3, 6};
  for (const bool big : {false, true}) {
    const std::string descr = (sizeof(T) == 1 ? "|" : big ? ">" : "<") + type;
    EXPECT_EQ(parse(with_header(dictionary(descr, false, "2, 3"), bytes_of(by_rows, big))), expected_2x3()) << descr;
    EXPECT_EQ(parse(with_header(dictionary(descr, true, "2, 3"), bytes_of(by_columns, big))), expected_2x3()) << descr;
  }
}

TEST(Npy, EveryTypeByteOrderAndStorageOrder) {
  expect_type<double>("f8");
  expect_type<float>("f4");
  expect_type<std::int8_t>("i1");
  expect_type<std::int16_t>("i2");
  expect_type<std::int32_t>("i4");
  expect_type<std::int64_t>("i8");
  expect_type<std::uint8_t>("u1");
  expect_type<std::uint16_t>("u2");
  expect_type<std::uint32_t>("u4");
  expect_type<std::uint64_t>("u8");
}

TEST(Npy, HalvesAndTruthValues) {
  const Matrix halves = parse(
      with_header(dictionary("<f2", false, "5,"), bytes_of<std::uint16_t>({0x3C00, 0xC000, 0x0001, 0x7BFF, 0x8000})));
  EXPECT_EQ(halves.cols(), 1U);
  EXPECT_EQ(halves(0, 0), 1.0);
  EXPECT_EQ(halves(1, 0), -2.0);
  EXPECT_EQ(halves(2, 0), 0x1p-24);
  EXPECT_EQ(halves(3, 0), 65504.0);
  EXPECT_EQ(halves(4, 0), 0.0);
  const Matrix truth = parse(with_header(dictionary("|b1", false, "2,"), std::string("\1\0", 2)));
  EXPECT_EQ(truth(0, 0), 1.0);
  EXPECT_EQ(truth(1, 0), 0.0);
}

TEST(Npy, NamesAndVersions) {
  for (const char major : {'\1', '\2', '\3'}) {
    const std::string bytes =
        with_header(dictionary("<f8", false, "2, 3"), bytes_of<double>({1, 2, 3, 4, 5, 6}), major);
    const auto reader = io::open_npy_bytes(bytes);
    EXPECT_THAT(reader->names(), ElementsAre("c1", "c2", "c3"));
    EXPECT_FALSE(reader->has_header());
    EXPECT_EQ(read_all(*reader), expected_2x3());
  }
  EXPECT_EQ(parse(with_header(dictionary("<f8", false, "0, 3"), "")).rows(), 0U);
}

TEST(Npy, StreamsSelectedColumnsInBatches) {
  const TempFolder folder;
  std::vector<double> by_rows, by_columns(1000 * 3);
  for (std::size_t i = 0; i < 3000; ++i) {
    by_rows.push_back(static_cast<double>(i));
    by_columns[i % 3 * 1000 + i / 3] = static_cast<double>(i);
  }
  write_bytes(folder / "c", with_header(dictionary("<f8", false, "1000, 3"), bytes_of(by_rows)));
  write_bytes(folder / "f", with_header(dictionary("<f8", true, "1000, 3"), bytes_of(by_columns)));
  for (const char* name : {"c", "f"})
    for (const std::size_t batch_rows : {1U, 7U, 999U, 1000U, 5000U}) {
      const auto reader = open_table(folder / name);
      reader->select({2, 0});
      Matrix batch;
      std::size_t row = 0;
      while (const std::size_t got = reader->read(batch, batch_rows))
        for (std::size_t i = 0; i < got; ++i, ++row) {
          ASSERT_EQ(batch(i, 0), static_cast<double>(3 * row + 2));
          ASSERT_EQ(batch(i, 1), static_cast<double>(3 * row));
        }
      ASSERT_EQ(row, 1000U);
    }
}

TEST(Npy, FortranOrderThroughAPipe) {
  const std::string bytes = with_header(dictionary("<f8", true, "2, 3"), bytes_of<double>({1, 4, 2, 5, 3, 6}));
  int ends[2];
  ASSERT_EQ(::pipe(ends), 0);
  ASSERT_EQ(::write(ends[1], bytes.data(), bytes.size()), static_cast<ssize_t>(bytes.size()));
  ::close(ends[1]);
  EXPECT_EQ(read_all(*open_table("/dev/fd/" + std::to_string(ends[0]))), expected_2x3());
  ::close(ends[0]);
}

TEST(Npy, ValuesThatAreNotFiniteAreNamed) {
  const double nan = std::numeric_limits<double>::quiet_NaN(), inf = std::numeric_limits<double>::infinity();
  EXPECT_THAT(error_of(with_header(dictionary("<f8", false, "2, 3"), bytes_of<double>({1, 2, 3, 4, nan, 6}))),
              AllOf(HasSubstr("row 2, column 2 (c2)"), HasSubstr("nan")));
  EXPECT_THAT(error_of(with_header(dictionary("<f8", true, "2, 3"), bytes_of<double>({1, nan, 2, 5, inf, 6}))),
              AllOf(HasSubstr("row 1, column 3 (c3)"), HasSubstr("infinite")));
  const std::string bytes = with_header(dictionary("<f8", false, "1, 2"), bytes_of<double>({nan, 2}));
  const auto reader = io::open_npy_bytes(bytes);
  reader->select({1});
  EXPECT_EQ(read_all(*reader)(0, 0), 2.0);
}

TEST(Npy, HostileFiles) {
  const std::string data = bytes_of<double>({1, 2, 3, 4, 5, 6});
  const std::string good = with_header(dictionary("<f8", false, "2, 3"), data);
  const auto made = [&](const std::string& text) { return error_of(with_header(text, data)); };
  EXPECT_EQ(error_of(good), "");
  EXPECT_THAT(error_of(good.substr(0, good.size() - 1)), HasSubstr("ends in the middle"));
  EXPECT_THAT(error_of(good + "x"), HasSubstr("goes on after"));
  for (std::size_t length = 6; length < good.size() - data.size(); ++length)
    EXPECT_NE(error_of(good.substr(0, length)), "") << length;
  EXPECT_THAT(made(dictionary("<f8", false, "2, 3, 1")), HasSubstr("3 dimensions"));
  EXPECT_THAT(made(dictionary("<f8", false, "")), HasSubstr("0 dimensions"));
  EXPECT_THAT(made(dictionary("<f8", false, "6, 0")), HasSubstr("no columns"));
  EXPECT_THAT(made(dictionary("<f8", false, "1, 2000000")), HasSubstr("more than 1000000 columns"));
  EXPECT_THAT(made(dictionary("<f8", false, "4611686018427387904, 8")), HasSubstr("more than can be"));
  EXPECT_THAT(made(dictionary("<f8", false, "1000000000000, 3")), HasSubstr("ends in the middle"));
  EXPECT_THAT(made(dictionary("<f8", false, "99999999999999999999999, 3")), HasSubstr("malformed"));
  EXPECT_THAT(made(dictionary("<f8", false, "-2, 3")), HasSubstr("malformed"));
  for (const char* descr : {"<c16", "|O", "<U8", "<f16", "<f3", "<i3", "f8", "<M8[s]", "", "<x8", "|f8"})
    EXPECT_THAT(made(dictionary(descr, false, "2, 3")), HasSubstr("not a table of real numbers")) << descr;
  for (const std::string descr : {"<M8[ns]", "<U5", "|S3", "|O"})
    EXPECT_THAT(made(dictionary(descr, false, "2")), AllOf(HasSubstr("Write the table as CSV"), HasSubstr("to_csv")));
  EXPECT_THAT(made(dictionary("<m8[s]", false, "2")), HasSubstr("array / numpy.timedelta64"));
  EXPECT_THAT(made(dictionary("<c16", false, "2")), HasSubstr("astype('float64')"));
  EXPECT_THAT(made("{'descr': [('a', '<f8')], 'fortran_order': False, 'shape': (2,), }"), HasSubstr("records"));
  for (const char* text :
       {"", "{", "{}", "{'descr': '<f8'}", "{'descr': '<f8', 'shape': (2, 3)}", "['descr']", "{'descr': '<f8, }",
        "{'descr': '<f8', 'descr': '<f8', 'fortran_order': False, 'shape': (2, 3)}",
        "{'descr': '<f8', 'fortran_order': Maybe, 'shape': (2, 3)}",
        "{'descr': '<f8', 'fortran_order': False, 'shape': (2, 3)} x",
        "{'descr': '<f8', 'fortran_order': False, 'shape': (2 3)}",
        "{'descr': '<f8', 'fortran_order': False, 'shape': [2, 3]}"})
    EXPECT_THAT(made(text), HasSubstr("malformed")) << text;
  EXPECT_THAT(error_of(with_header(dictionary("<f8", false, "2, 3"), data, '\4')), HasSubstr("version"));
  EXPECT_THAT(error_of(with_header(std::string(70'000, ' '), data, '\2')), HasSubstr("70000 bytes"));
}

TEST(Npy, AStreamThatPromisesMuchIsNotBelieved) {
  const std::string bytes = with_header(dictionary("<f8", true, "1000000000000, 3"), "12345678");
  int ends[2];
  ASSERT_EQ(::pipe(ends), 0);
  ASSERT_EQ(::write(ends[1], bytes.data(), bytes.size()), static_cast<ssize_t>(bytes.size()));
  ::close(ends[1]);
  EXPECT_THAT(input_error([&] { read_all(*open_table("/dev/fd/" + std::to_string(ends[0]))); }),
              HasSubstr("ends in the middle"));
  ::close(ends[0]);
}

TEST(Npy, KeepsNumbersAsTheShortestTexts) {
  for (const bool fortran : {false, true}) {
    const std::vector<double> values =
        fortran ? std::vector<double>{1, 2, 0.1, NAN} : std::vector<double>{1, 0.1, 2, NAN};
    const std::string bytes = with_header(dictionary("<f8", fortran, "2, 2"), bytes_of(values));
    const auto reader = io::open_npy_bytes(bytes);
    reader->select({0});
    reader->keep({1, 0});
    const TableRows rows = reader->read_rows();
    EXPECT_EQ(rows.columns[0][1], 2.0);
    EXPECT_THAT(reader->take_kept(), ElementsAre("0.1", "1", "", "2"));
    // What is selected has to be a number all the same.
    const auto strict = io::open_npy_bytes(bytes);
    strict->keep({0});
    EXPECT_THAT(input_error([&] { read_all(*strict); }), HasSubstr("row 2, column 2 (c2) is nan"));
  }
}

}  // namespace
}  // namespace rfnn::test
