#include "rfnn/io/csv.hpp"

#include <sys/mman.h>

#include <clocale>
#include <cmath>
#include <cstring>
#include <limits>
#include <random>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>
#include <zlib.h>

#include "io/support.hpp"
#include "rfnn/io/table.hpp"

namespace rfnn::test {
namespace {

using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

Matrix parse(std::string_view text) {
  const auto reader = io::open_csv_text(text);
  return read_all(*reader);
}

Matrix rows_of(std::initializer_list<std::initializer_list<double>> rows) {
  Matrix matrix(rows.size(), rows.begin()->size());
  double* out = matrix.data();
  for (const auto& row : rows)
    for (const double value : row) *out++ = value;
  return matrix;
}

std::string error_of(std::string_view text) {
  return input_error([&] { parse(text); });
}

// ---- what is understood ---------------------------------------------------------------------------------------------

struct Understood {
  const char* what;
  std::string text;
};

class SameTable : public ::testing::TestWithParam<Understood> {};

TEST_P(SameTable, IsReadWhateverItsDress) {
  const auto reader = io::open_csv_text(GetParam().text);
  EXPECT_THAT(reader->names(), ElementsAre("x", "y"));
  EXPECT_TRUE(reader->has_header());
  EXPECT_EQ(read_all(*reader), rows_of({{1.5, -2.0}, {300.0, 0.25}})) << GetParam().what;
}

INSTANTIATE_TEST_SUITE_P(Csv, SameTable,
                         ::testing::Values(Understood{"comma", "x,y\n1.5,-2\n300,0.25\n"},
                                           Understood{"semicolon", "x;y\n1.5;-2\n300;0.25\n"},
                                           Understood{"tab", "x\ty\n1.5\t-2\n300\t0.25\n"},
                                           Understood{"no newline at the end", "x,y\n1.5,-2\n300,0.25"},
                                           Understood{"blank lines at the end", "x,y\n1.5,-2\n300,0.25\n\n  \n\n"},
                                           Understood{"CRLF", "x,y\r\n1.5,-2\r\n300,0.25\r\n"},
                                           Understood{"CRLF without the last", "x,y\r\n1.5,-2\r\n300,0.25"},
                                           Understood{"lone CR", "x,y\r1.5,-2\r300,0.25\r"},
                                           Understood{"lone CR without the last", "x,y\r1.5,-2\r300,0.25"},
                                           Understood{"BOM", "\xEF\xBB\xBFx,y\n1.5,-2\n300,0.25\n"},
                                           Understood{"BOM and quotes", "\xEF\xBB\xBF\"x\",\"y\"\n1.5,-2\n300,0.25\n"},
                                           Understood{"quotes", "\"x\",y\n\"1.5\",\"-2\"\n300,\"0.25\"\n"},
                                           Understood{"spaces", " x , y\n 1.5 , -2\n300,  0.25  \n"},
                                           Understood{"spaces and quotes",
                                                      "x, \"y\" \n 1.5 , \"-2\" \n300,  \" 0.25 \"  \n"},
                                           Understood{"plus signs", "x,y\n+1.5,-2\n+3e+2,+.25\n"},
                                           Understood{"exponents", "x,y\n15e-1,-0.2E1\n3E2,25.e-2\n"},
                                           Understood{"commas in a semicolon header", "x;y\n1.5;-2\n300;0.25\n"}));

TEST(Csv, FirstLineOfNumbersIsData) {
  const auto reader = io::open_csv_text("1,2\n3,4\n");
  EXPECT_FALSE(reader->has_header());
  EXPECT_THAT(reader->names(), ElementsAre("c1", "c2"));
  EXPECT_EQ(read_all(*reader), rows_of({{1, 2}, {3, 4}}));
}

TEST(Csv, MissingCellsInTheFirstLineDoNotMakeItAHeader) {
  for (const char* first : {"nan,2", "1,", ",2", "inf,2", "NA,2", "1e999,2", "nan,"}) {
    const std::string text = std::string(first) + "\n3,4\n";
    EXPECT_FALSE(io::open_csv_text(text)->has_header()) << first;
    EXPECT_THAT(error_of(text), HasSubstr("line 1, column")) << first;
  }
  EXPECT_TRUE(io::open_csv_text("nan,y\n3,4\n")->has_header());
}

TEST(Csv, EmptyHeaderCellsGetTheNameOfTheirPlace) {
  EXPECT_THAT(io::open_csv_text(",y,\n1,2,3\n")->names(), ElementsAre("c1", "y", "c3"));
}

TEST(Csv, HeaderWithQuotesNewlinesAndDelimiters) {
  const auto reader = io::open_csv_text("\"a,b\",\"say \"\"hi\"\"\",\"two\nlines\",5\" pipe\n1,2,3,4\n5,6,x,8\n");
  EXPECT_THAT(reader->names(), ElementsAre("a,b", "say \"hi\"", "two\nlines", "5\" pipe"));
  EXPECT_THAT(input_error([&] { read_all(*reader); }),
              AllOf(HasSubstr("line 4, column 3 (two\\x0alines)"), HasSubstr("\"x\"")));
}

TEST(Csv, HeaderInLatin1BecomesUtf8) {
  EXPECT_THAT(io::open_csv_text("gr\xF6\xDF"
                                "e,y\n1,2\n")
                  ->names(),
              ElementsAre("größe", "y"));
}

TEST(Csv, CommaFileWithSemicolonsInItsHeader) {
  EXPECT_THAT(io::open_csv_text("a; b,c\n1,2\n")->names(), ElementsAre("a; b", "c"));
}

TEST(Csv, OneColumn) {
  EXPECT_EQ(parse("y\n1\n2\n\n"), rows_of({{1}, {2}}));
  EXPECT_THAT(error_of("y\n1\n\n2\n"), AllOf(HasSubstr("line 3, column 1 (y)"), HasSubstr("empty")));
}

TEST(Csv, HeaderAlone) {
  for (const char* text : {"x,y", "x,y\n", "x,y\r\n\r\n"}) {
    const auto reader = io::open_csv_text(text);
    Matrix batch;
    EXPECT_EQ(reader->read(batch, 10), 0U);
    EXPECT_EQ(reader->read(batch, 10), 0U);
    EXPECT_EQ(batch.rows(), 0U);
    EXPECT_EQ(batch.cols(), 2U);
  }
}

TEST(Csv, ColumnsNotSelectedMayHoldAnything) {
  const auto reader = io::open_csv_text("id,x,note,y\nA,1,\"a, \"\"b\"\"\nc\",2\nB,3,,4\n");
  reader->select({3, 1});
  EXPECT_EQ(read_all(*reader), rows_of({{2, 1}, {4, 3}}));
}

TEST(Csv, ColumnsMayBeSelectedTwiceAndAnewBetweenBatches) {
  const auto reader = io::open_csv_text("a,b,c\n1,2,3\n4,5,6\n7,8,9\n");
  Matrix batch;
  reader->select({2, 0, 2});
  ASSERT_EQ(reader->read(batch, 1), 1U);
  EXPECT_EQ(batch, rows_of({{3, 1, 3}}));
  reader->select({1});
  ASSERT_EQ(reader->read(batch, 5), 2U);
  EXPECT_EQ(batch, rows_of({{5}, {8}}));
  reader->select({3});
  EXPECT_THROW(reader->read(batch, 1), UsageError);
}

TEST(Csv, ExtremeNumbers) {
  const Matrix values = parse(
      "v\n1.7976931348623157e308\n4.9e-324\n1e-999\n-1e-999\n0."
      "000e999999999999999999999\n123456789012345678901234567890\n-0\n");
  EXPECT_EQ(values(0, 0), std::numeric_limits<double>::max());
  EXPECT_EQ(values(1, 0), std::numeric_limits<double>::denorm_min());
  EXPECT_EQ(values(2, 0), 0.0);
  EXPECT_TRUE(std::signbit(values(3, 0)));
  EXPECT_EQ(values(4, 0), 0.0);
  EXPECT_EQ(values(5, 0), 1.2345678901234568e29);
  EXPECT_TRUE(values(6, 0) == 0.0 && std::signbit(values(6, 0)));
}

TEST(Csv, ReadsPointsInALocaleOfCommas) {
  const std::string before = std::setlocale(LC_ALL, nullptr);
  for (const char* name : {"de_DE.UTF-8", "fr_FR.UTF-8", "de_DE"})
    if (std::setlocale(LC_ALL, name) != nullptr) break;
  EXPECT_EQ(parse("x,y\n1.5,2.25\n"), rows_of({{1.5, 2.25}}));
  std::setlocale(LC_ALL, before.c_str());
}

// ---- what is refused ------------------------------------------------------------------------------------------------

struct Refused {
  std::string text;
  std::vector<std::string> message;
};

class BadTable : public ::testing::TestWithParam<Refused> {};

TEST_P(BadTable, SaysWhereAndWhat) {
  const std::string message = error_of(GetParam().text);
  for (const std::string& part : GetParam().message) EXPECT_THAT(message, HasSubstr(part));
}

INSTANTIATE_TEST_SUITE_P(
    Csv, BadTable,
    ::testing::Values(
        Refused{"", {"text is empty"}}, Refused{"\xEF\xBB\xBF", {"empty"}},
        Refused{"\n\n  \n", {"nothing but blank lines"}}, Refused{"\nx,y\n1,2\n", {"line 1 is blank"}},
        Refused{"x,y\n1,2\n\n3,4\n", {"line 3 is blank"}},
        Refused{"x,y\n1,2\n3,\n",
                {"line 3, column 2 (y)", "empty", "an input is left out of training with --ignore y"}},
        Refused{"x,y\n1,2\n3,nan\n", {"line 3, column 2 (y)", "\"nan\"", "missing"}},
        Refused{"x,y\n1,NA\n", {"\"NA\"", "missing"}}, Refused{"x,y\n1,-inf\n", {"line 2", "\"-inf\"", "infinite"}},
        Refused{"x,y\n1,Infinity\n", {"infinite"}}, Refused{"x,y\n1,1e999\n", {"\"1e999\"", "beyond the numbers"}},
        Refused{"x,y\n1,nan(7)\n", {"\"nan(7)\"", "not a number"}},
        Refused{"x,y\n1,abc\n", {"line 2, column 2 (y)", "\"abc\"", "not a number"}},
        Refused{"x,y\r\n1,2\r\n1,abc\r\n", {"line 3", "\"abc\""}},
        Refused{"x,y\n1,0x10\n", {"\"0x10\"", "not a number"}}, Refused{"x,y\n1,+-2\n", {"not a number"}},
        Refused{"x,y\n1,++2\n", {"not a number"}}, Refused{"x,y\n1,2d5\n", {"not a number"}},
        Refused{"x,y\n1,1_000\n", {"not a number"}}, Refused{"x,y\n1,e5\n", {"not a number"}},
        Refused{"x,y\n1,.\n", {"not a number"}}, Refused{"x,y\n1,1e\n", {"not a number"}},
        Refused{"x,y\n1,2\r3\n", {"\"2\\x0d3\""}},
        Refused{"x;y\n3,14;2\n", {"line 2, column 1 (x)", "\"3,14\"", "--decimal ,"}},
        Refused{"3,14;2\n1;2\n", {"line 1", "--decimal ,"}}, Refused{"x\n1 2\n", {"\"1 2\"", "Separate cells"}},
        Refused{"x,y\n1,2\n3\n", {"line 3", "1 cell", "2"}},
        Refused{"x,y\n1,2,3\n", {"line 2", "3 cells", "first line has 2"}}, Refused{"x,y\n1,2,\n", {"3 cells"}},
        Refused{"x,y,x\n1,2,3\n", {"columns 1 and 3", "\"x\"", "name of its own"}},
        Refused{"x,y\n\"1,2\n3,4\n", {"begins at line 2", "never closed"}},
        Refused{"\"x,y\n1,2\n", {"begins at line 1", "never closed"}},
        Refused{std::string("x,y\n1,2\n3,\0004\n", 13), {"line 3", "NUL"}},
        Refused{std::string("\xFF\xFEx\0,\0y\0\n\0", 10), {"UTF-16", "iconv"}},
        Refused{std::string("\xFE\xFF\0x\0\n", 6), {"UTF-16"}},
        Refused{std::string("PK\x03\x04\0\0", 6), {"spreadsheet"}}, Refused{"x,y\n1,\x1b[31m\n", {"\"\\x1b[31m\""}},
        Refused{"x,y\n1," + std::string(1000, 'q') + "\n", {std::string(40, 'q') + "…\""}},
        Refused{"x,y\n1,\"2\nb\"\n", {"line 2, column 2", "\"2\\x0ab\""}}));

TEST(Csv, LineOfACellBehindAQuotedLineEnd) {
  const auto reader = io::open_csv_text("x,note,z\n1,\"two\nlines\",q\n");
  reader->select({0, 2});
  EXPECT_THAT(input_error([&] { read_all(*reader); }), HasSubstr("line 3, column 3 (z)"));
}

TEST(Csv, MissingFileFolderAndPermission) {
  const TempFolder folder;
  EXPECT_THAT(input_error([&] { open_table(folder / "none.csv"); }),
              AllOf(HasSubstr("none.csv"), HasSubstr("does not exist")));
  EXPECT_THAT(input_error([&] { open_table(folder.path()); }), HasSubstr("is a folder"));
  write_bytes(folder / "secret.csv", "x\n1\n");
  std::filesystem::permissions(folder / "secret.csv", std::filesystem::perms::none);
  if (::geteuid() != 0) {
    EXPECT_THAT(input_error([&] { open_table(folder / "secret.csv"); }), HasSubstr("permission denied"));
  }
}

TEST(Csv, TooManyColumnsAreRefusedBeforeTheyCostMemory) {
  EXPECT_THAT(error_of(std::string(1'500'000, ',')), HasSubstr("more than 1000000 columns"));
}

// ---- batches, chunks and threads ------------------------------------------------------------------------------------

std::string large_table(std::size_t rows, bool quotes) {
  std::mt19937_64 random(7);
  std::normal_distribution<double> normal;
  std::string text = "a,b,c\n";
  char number[64];
  for (std::size_t i = 0; i < rows; ++i) {
    for (int j = 0; j < 3; ++j) {
      std::snprintf(number, sizeof number, j == 0 ? "%.17g" : j == 1 ? "%.4f" : "%.0f", 100 * normal(random));
      const bool quoted = quotes && (i * 3 + static_cast<std::size_t>(j)) % 5 == 0;
      text += (quoted ? "\"" : "") + std::string(number) + (quoted ? "\"" : "") + (j == 2 ? "\n" : ",");
    }
  }
  return text;
}

TEST(Csv, BatchesOfAnySizeAndChunksOfAnySizeGiveTheSame) {
  for (const bool quotes : {false, true}) {
    const std::string text = large_table(300, quotes);
    const Matrix all = parse(text);
    ASSERT_EQ(all.rows(), 300U);
    for (const std::size_t chunk : {16U, 17U, 61U, 1000U})
      for (const std::size_t batch_rows : {1U, 2U, 7U, 299U, 300U, 301U}) {
        const auto reader = io::open_csv_text(text, "text", 1, chunk);
        Matrix batch;
        std::size_t row = 0;
        while (const std::size_t got = reader->read(batch, batch_rows)) {
          ASSERT_LE(got, batch_rows);
          ASSERT_EQ(batch.rows(), got);
          for (std::size_t i = 0; i < got; ++i, ++row)
            for (std::size_t j = 0; j < 3; ++j) ASSERT_EQ(batch(i, j), all(row, j)) << row;
        }
        ASSERT_EQ(row, 300U) << chunk << " " << batch_rows;
      }
  }
}

TEST(Csv, LineEndsAcrossChunks) {
  for (const char* end : {"\n", "\r\n", "\r"})
    for (std::size_t chunk = 16; chunk < 40; ++chunk) {
      const std::string e = end;
      const std::string text = "a_long_name,another\"name" + e + "1.25,2" + e + "3,4" + e + "5,6";
      const auto reader = io::open_csv_text(text, "text", 1, chunk);
      ASSERT_EQ(read_all(*reader), rows_of({{1.25, 2}, {3, 4}, {5, 6}})) << chunk;
    }
}

TEST(Csv, ThreadsGiveTheSameBits) {
  const std::string text = large_table(40'000, false);
  const Matrix serial = parse(text);
  for (const std::size_t threads : {2U, 3U, 4U}) {
    const auto reader = io::open_csv_text(text, "text", threads, 1U << 17U);
    EXPECT_EQ(read_all(*reader), serial);
  }
}

TEST(Csv, ThreadsReportTheFirstBadLine) {
  std::string text = large_table(40'000, false);
  const auto spoil = [&](std::size_t line) {
    std::size_t place = 0;
    for (std::size_t i = 1; i < line; ++i) place = text.find('\n', place) + 1;
    text[place] = 'x';
  };
  spoil(39'000);
  spoil(20'123);
  spoil(25'000);
  for (const std::size_t threads : {1U, 4U})
    EXPECT_THAT(input_error([&] { read_all(*io::open_csv_text(text, "text", threads, 1U << 18U)); }),
                HasSubstr("line 20123, column 1 (a)"));
}

TEST(Csv, BlankLinesAtTheEndAcrossChunksAndThreads) {
  const std::string text = large_table(20'000, false) + std::string(100'000, '\n');
  for (const std::size_t threads : {1U, 3U}) {
    EXPECT_EQ(read_all(*io::open_csv_text(text, "text", threads, 1U << 16U)).rows(), 20'000U);
    EXPECT_THAT(input_error([&] { read_all(*io::open_csv_text(text + "1,2,3\n", "text", threads, 1U << 16U)); }),
                HasSubstr("line 20002 is blank"));
  }
}

TEST(Csv, ALineWithoutEndIsRefusedNotSwallowed) {
  // 70 MB of one quoted cell, made by a small gzip file.
  const TempFolder folder;
  {
    gzFile out = ::gzopen((folder / "bomb.csv.gz").c_str(), "wb1");
    ::gzputs(out, "x\n\"");
    const std::string part(1U << 20U, 'a');
    for (int i = 0; i < 140; ++i) ::gzwrite(out, part.data(), static_cast<unsigned>(part.size()));
    ::gzclose(out);
  }
  EXPECT_THAT(input_error([&] { read_all(*open_table(folder / "bomb.csv.gz")); }),
              AllOf(HasSubstr("line 2"), HasSubstr("longer than 64 MiB")));
}

// ---- gzip -----------------------------------------------------------------------------------------------------------

std::string gzipped(const std::string& text) {
  z_stream stream{};
  ::deflateInit2(&stream, 6, Z_DEFLATED, 31, 8, Z_DEFAULT_STRATEGY);
  std::string out(::deflateBound(&stream, text.size()) + 64, '\0');
  stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(text.data()));
  stream.avail_in = static_cast<uInt>(text.size());
  stream.next_out = reinterpret_cast<Bytef*>(out.data());
  stream.avail_out = static_cast<uInt>(out.size());
  ::deflate(&stream, Z_FINISH);
  out.resize(stream.total_out);
  ::deflateEnd(&stream);
  return out;
}

TEST(Gzip, IsReadWhateverItsNameAndMembers) {
  const TempFolder folder;
  const std::string text = large_table(20'000, false);
  const Matrix all = parse(text);
  write_bytes(folder / "one.csv", gzipped(text));
  EXPECT_EQ(read_all(*open_table(folder / "one.csv")), all);
  const std::size_t half = text.size() / 2;
  write_bytes(folder / "two.csv.gz",
              gzipped(text.substr(0, half)) + gzipped(text.substr(half)) + std::string(512, '\0'));
  EXPECT_EQ(read_all(*open_table(folder / "two.csv.gz", 2)), all);
}

TEST(Gzip, DamageIsReported) {
  const TempFolder folder;
  const std::string text = large_table(20'000, false);
  const std::string whole = gzipped(text);
  const auto message = [&](const std::string& bytes) {
    write_bytes(folder / "bad.csv.gz", bytes);
    return input_error([&] { read_all(*open_table(folder / "bad.csv.gz")); });
  };
  EXPECT_THAT(message(whole.substr(0, whole.size() / 2)), HasSubstr("ends in the middle"));
  EXPECT_THAT(message(whole.substr(0, whole.size() - 3)), HasSubstr("ends in the middle"));
  EXPECT_THAT(message(whole.substr(0, 5)), HasSubstr("ends in the middle"));
  EXPECT_THAT(message(whole + "garbage"), HasSubstr("something else"));
  std::string flipped = whole;
  flipped[whole.size() - 6] = static_cast<char>(flipped[whole.size() - 6] ^ 1);  // of the check value
  EXPECT_THAT(message(flipped), HasSubstr("damaged gzip"));
}

// ---- cells kept as text -------------------------------------------------------------------------------------------

TEST(Csv, KeepsCellsAsTheyAreWrittenWhateverTheThreads) {
  std::string text = "id,x,note\n", quoted = "id,x,note\n";
  std::vector<std::string> expected;
  for (int i = 0; i < 20000; ++i) {
    const std::string id = "n" + std::to_string(i), note = i % 7 == 0 ? "" : "0" + std::to_string(i) + ".50";
    text += id + "," + std::to_string(i) + "," + note + "\n";
    quoted += id + "," + std::to_string(i) + ", \"" + note + "\"\n";
    expected.insert(expected.end(), {note, id});
  }
  for (const std::string* table : {&text, &quoted})
    for (const std::size_t threads : {1U, 3U}) {
      const auto reader = io::open_csv_text(*table, "text", threads);
      reader->select({1});
      reader->keep({2, 0});
      const TableRows rows = reader->read_rows();
      ASSERT_EQ(rows.columns.rows(), 20000U);
      EXPECT_EQ(rows.columns[0][19999], 19999.0);
      EXPECT_TRUE(reader->take_kept() == expected);
      EXPECT_TRUE(reader->take_kept().empty());
    }
}

// ---- numbers --------------------------------------------------------------------------------------------------------

RC_GTEST_PROP(Csv, EveryFiniteDoubleGoesThroughAFileUnchanged, (const std::vector<std::uint64_t>& bits)) {
  std::vector<double> values;
  for (const std::uint64_t b : bits) {
    double value = 0.0;
    std::memcpy(&value, &b, 8);
    if (std::isfinite(value)) values.push_back(value);
    values.push_back(static_cast<double>(static_cast<std::int64_t>(b)) * 1e-15);
  }
  if (values.empty()) values.push_back(1.0);
  const int file = ::memfd_create("table", 0);  // no disk to wait for
  const auto writer = create_table("/dev/fd/" + std::to_string(file), {"v"});
  writer->write(ConstMatrixView(values.data(), values.size(), 1));
  writer->commit();
  ::lseek(file, 0, SEEK_SET);
  const Matrix back = read_all(*open_table("/dev/fd/" + std::to_string(file)));
  ::close(file);
  RC_ASSERT(back.rows() == values.size());
  RC_ASSERT(std::memcmp(back.data(), values.data(), values.size() * 8) == 0);
}

}  // namespace
}  // namespace rfnn::test
