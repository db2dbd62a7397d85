// Tables as people have them: dates, categories, booleans, missing cells; other marks; several files; archives.

#include <bit>
#include <cmath>
#include <numeric>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <zlib.h>

#include "io/support.hpp"
#include "rfnn/data/encoding.hpp"
#include "rfnn/io/csv.hpp"
#include "rfnn/io/npz.hpp"
#include "rfnn/io/table.hpp"
#include "rfnn/io/table_data.hpp"
#include "rfnn/options/table.hpp"

namespace rfnn::test {
namespace {

using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

TablePlaces last_is_target(const TableReader& table) {
  TablePlaces places;
  for (std::size_t k = 0; k + 1 < table.names().size(); ++k) places.inputs.emplace_back(k);
  places.targets = {table.names().size() - 1};
  return places;
}

TableData training(TableReader& table, const Options& options = {}) {
  return read_training(table, last_is_target(table), options);
}

TableData training(std::string_view text, const Options& options = {}, std::size_t chunk = 1U << 16U,
                   std::size_t threads = 1) {
  const auto table = io::open_csv_text(text, "t.csv", threads, chunk, table_format(options));
  return training(*table, options);
}

std::string error_of(std::string_view text, const Options& options = {}) {
  return input_error([&] { training(text, options); });
}

Options with(std::initializer_list<std::pair<const char*, const char*>> given) {
  Options options;
  for (const auto& [name, text] : given) set_option(options, name, text);
  return options;
}

std::vector<double> input(const TableData& data, std::size_t k) {
  std::vector<double> values(data.table.view.rows());
  data.table.view.inputs[k].read(0, values.size(), values.data());
  return values;
}

const std::string mixed =
    "when,colour,on,x,y\n2024-05-02T12:00,red,yes,1,2\n2024-05-01T06:00,blue,No,2,3\n2024-05-02,red,TRUE,3,4\n";

TEST(Kinds, DatesCategoriesAndBooleansBecomeNumbers) {
  const TableData data = training(mixed);
  EXPECT_THAT(data.table.view.input_names, ElementsAre("when", "colour=blue", "colour=red", "on", "x"));
  EXPECT_THAT(input(data, 0), ElementsAre(1.5, 0.25, 1.0));
  EXPECT_THAT(input(data, 1), ElementsAre(0, 1, 0));
  EXPECT_THAT(input(data, 3), ElementsAre(1, 0, 1));
  EXPECT_THAT(data.table.notes, ElementsAre("when: date-time, in days since 2024-05-01",
                                            "colour: category, 2 levels: blue, red", "on: boolean, 0 or 1"));
}

TEST(Kinds, TheSizeOfChunksAndTheThreadsDoNotMatter) {
  std::string text = "t,c,x,y\n";
  for (int i = 0; i < 4000; ++i)
    text += "2024-05-01T00:" + std::to_string(10 + i % 50) + ":00.25,level" +
            std::to_string(i < 3000 ? i % 9 : i % 11) + "," + std::to_string(i % 7) + "," + std::to_string(i) + "\n";
  const TableData expected = training(text);
  for (const std::size_t chunk : {16U, 5000U})
    for (const std::size_t threads : {1U, 4U}) {
      const TableData data = training(text, {}, chunk, threads);
      EXPECT_EQ(data.table.code, expected.table.code);
      EXPECT_EQ(fingerprint(data.table.view.inputs, data.table.view.targets),
                fingerprint(expected.table.view.inputs, expected.table.view.targets));
    }
  EXPECT_EQ(training(text, {}, 1U << 17U, 4).table.code, expected.table.code);
}

TEST(Kinds, NumbersAreReadAsBefore) {
  const TableData data = training("x,y\n1,2\n3,4\n");
  EXPECT_TRUE(data.table.code.empty());
  EXPECT_TRUE(data.table.notes.empty());
  EXPECT_EQ(data.table.bytes, 0u);
}

TEST(Kinds, ATextAmongNumbersIsAnError) {
  EXPECT_THAT(error_of("x,y\n1,2\nblue,4\n"), AllOf(HasSubstr("line 3, column 1 (x): \"blue\" is not a number"),
                                                    HasSubstr("--categorical x"), HasSubstr("--ignore x")));
  std::string late = "x,y\n";
  for (int i = 0; i < 5000; ++i) late += "1,2\n";
  EXPECT_THAT(error_of(late + "2024-05-01,2\n"),
              HasSubstr("line 5002, column 1 (x): \"2024-05-01\" is a date or a time"));
  EXPECT_THAT(error_of("x,y\n1.5.2024,1\n2.5.2024,1\n"), HasSubstr("ISO 8601"));
  EXPECT_THAT(error_of("x,y\n\"1,273.5\",1\n\"2,000.5\",1\n"), HasSubstr("has marks between thousands"));
  EXPECT_THAT(error_of("x;y\n1,5;1\n"), HasSubstr("--decimal ,"));
  for (const std::string cell : {"5%", "<0.5", "$ 3", "3 €"})
    EXPECT_THAT(error_of("x,y\n" + cell + ",1\n" + cell + ",2\n"), HasSubstr("\"" + cell + "\" is not a number"));
  EXPECT_THAT(error_of("x,y\n5%,1\n6%,2\n"), HasSubstr("Write the number"));
  EXPECT_THAT(error_of("x,y,\n1,2,\n2,3,\n"), HasSubstr("remove it, or leave the column out with --ignore 3"));
  EXPECT_THAT(error_of("1 1:0.5 2:0.3\n2 1:0.1\n"), HasSubstr("LIBSVM"));
  EXPECT_EQ(error_of("x,y\n18-25,1\n3rd,2\n"), "");
}

TEST(Kinds, TimesThatDoNotFitTheirColumnAreErrors) {
  EXPECT_THAT(error_of("t,y\n2024-05-01T10:00Z,1\n2024-05-01T11:00,2\n"),
              HasSubstr("line 3, column 1 (t): \"2024-05-01T11:00\" has no zone"));
  EXPECT_THAT(error_of("t,y\n12:00,1\n2024-05-01,2\n"), HasSubstr("of another form"));
  std::string late = "t,y\n";
  for (int i = 0; i < 2000; ++i) late += "2024-05-01,2\n";
  EXPECT_THAT(error_of(late + "2024-05-01T10:00,1\n"), HasSubstr("has a time of day"));
  EXPECT_THAT(error_of(late + "soon,1\n"), HasSubstr("is not a date or time as ISO 8601"));
  EXPECT_THAT(error_of("t,y\n1500-05-01T10:00,1\n"), HasSubstr("from 1678 to 2261"));
  EXPECT_EQ(training("t,y\n1500-05-01,1\n2900-05-01,3\n").table.code.inputs[0].time.origin, -171544);
}

TEST(Kinds, AFewOtherCellsMakeNoOtherColumnOfTimes) {
  const auto times = [](std::size_t rows, const std::string& odd) {
    std::string text = "t,y\n" + odd + ",1\n";
    for (std::size_t i = 1; i < rows; ++i) text += "2024-05-01T" + std::to_string(10 + i % 12) + ":30,2\n";
    return text;
  };
  for (const std::string odd : {"unknown", "yes", "5.1.2024", "20240501", "12:30"})
    EXPECT_THAT(error_of(times(100, odd)), HasSubstr("line 2, column 1 (t): \"" + odd + "\" is "));
  EXPECT_THAT(error_of(times(100, "unknown")), AllOf(HasSubstr("--missing-values"), HasSubstr("--categorical")));
  EXPECT_THAT(error_of(times(100, "2024-05-01T10:00Z")), HasSubstr("line 2, column 1 (t): \"2024-05-01T10:00Z\" has"));
  EXPECT_EQ(error_of(times(100, "unknown"), with({{"missing-values", "unknown"}, {"missing", "drop"}})), "");
  // Whoever says so has levels, and so has a column of which a quarter is something else.
  EXPECT_EQ(training(times(100, "unknown"), with({{"categorical", "t"}})).table.code.inputs[0].kind,
            ColumnKind::category);
  EXPECT_EQ(training(times(4, "later")).table.code.inputs[0].kind, ColumnKind::category);
}

TEST(Kinds, CodesThatAreNumbersMayBeCategories) {
  const TableData data = training("c,y\n2,1\n10,2\n2.0,3\n007,4\n", with({{"categorical", "c"}}));
  EXPECT_THAT(data.table.code.inputs[0].levels, ElementsAre("2", "007", "10"));
  EXPECT_THAT(data.table.view.input_names, ElementsAre("c=2", "c=007", "c=10"));
  EXPECT_THAT(input(data, 0), ElementsAre(1, 0, 1, 0));
}

TEST(Kinds, HundredsOfLevelsAreRefused) {
  std::string text = "c,y\n";
  for (int i = 0; i < 3000; ++i) text += "n" + std::to_string(i % 150) + ",1\n";
  EXPECT_THAT(error_of(text), AllOf(HasSubstr("150 different values"), HasSubstr("--ignore")));
  for (int i = 0; i < 3000; ++i) text += "n" + std::to_string(i) + ",1\n";
  EXPECT_THAT(error_of(text), HasSubstr("more than 1000 different values"));
}

TEST(Kinds, MissingCellsFollowTheRule) {
  const std::string text = "x,c,y\n1,a,1\n?,b,2\n3,,3\n-999,a,4\n";
  EXPECT_THAT(error_of(text), AllOf(HasSubstr("line 3, column 1 (x): \"?\" is a missing value"),
                                    HasSubstr("--missing drop"), HasSubstr("--missing mean")));
  const TableData dropped = training(text, with({{"missing", "drop"}, {"missing-values", "-999"}}));
  EXPECT_EQ(dropped.table.view.rows(), 1u);
  const TableData filled = training(text, with({{"missing", "mean"}, {"missing-values", "-999,none"}}));
  EXPECT_THAT(input(filled, 0), ElementsAre(1, 2, 3, 2));
  EXPECT_EQ(filled.table.code.inputs[0].missing, 2u);
  EXPECT_EQ(filled.table.code.inputs[1].missing, 1u);
  EXPECT_THAT(input(training("x,y\n1,1\n-999.0,2\n3,3\n", with({{"missing", "mean"}, {"missing-values", "-999"}})), 0),
              ElementsAre(1, 2, 3));
}

TEST(Kinds, OtherMarksAreUnderstood) {
  const auto numbers = [](std::string_view text, const Options& options = {}) {
    const TableData data = training(text, options);
    std::vector<double> all = input(data, 0);
    for (std::size_t i = 0; i < data.table.view.rows(); ++i) all.push_back(data.table.view.targets[0][i]);
    return all;
  };
  const auto expected = ElementsAre(1.5, -2, 3, 4.25);
  EXPECT_THAT(numbers("x|y\n1.5|3\n-2|4.25\n"), expected);
  EXPECT_THAT(numbers("  x   y\n 1.5\t3 \n  -2   4.25"), expected);
  EXPECT_THAT(numbers("x y\r\n1.5 3\r\n-2 4.25\r\n"), expected);
  EXPECT_THAT(numbers("x;y\n1,5;3\n-2;4,25\n", with({{"decimal", ","}})), expected);
  EXPECT_THAT(numbers("1,5 3\n-2 4,25\n", with({{"decimal", ","}})), expected);
  EXPECT_THAT(numbers("x:y\n1.5:3\n-2:4.25\n", with({{"delimiter", ":"}})), expected);
  EXPECT_THAT(numbers("# made\nx,y\n# here\n1.5,3\n  # there\n-2,4.25\n#", with({{"comment", "#"}})), expected);
  EXPECT_THAT(numbers("10,20\n1.5,3\n-2,4.25\n", with({{"header", "yes"}})), expected);
  EXPECT_EQ(numbers("10,20\n1.5,3\n", with({{"header", "no"}})).size(), 4u);
  EXPECT_THAT(error_of("x;y\n1.273,5;3\n", with({{"decimal", ","}})), HasSubstr("has marks between thousands"));
  EXPECT_THAT(error_of("# made\nx,y\n1,2\n"), HasSubstr("--comment '#'"));
  for (const std::size_t chunk : {16U, 17U, 23U, 40U}) {
    const TableData data =
        training("  c   x  y\n \"a b\"\t3   1\n  b   4.25 2\n", with({{"delimiter", "space"}}), chunk);
    EXPECT_THAT(data.table.view.input_names, ElementsAre("c=a b", "c=b", "x"));
    EXPECT_THAT(input(data, 2), ElementsAre(3, 4.25));
  }
}

TEST(Kinds, AHeaderIsToldFromARowWithDates) {
  EXPECT_FALSE(io::open_csv_text("2024-05-01,1,a\n2024-05-02,2,b\n")->has_header());
  EXPECT_TRUE(io::open_csv_text("2024-05,2024-06\n1,2\n")->has_header());
  EXPECT_TRUE(io::open_csv_text("name,colour\nx,red\n")->has_header());
  EXPECT_TRUE(io::open_csv_text("on,name\ntrue,red\n")->has_header());
}

TEST(Kinds, ARowOfUnitsIsNoRow) {
  const auto table = io::open_csv_text("t,depth,kind,y\ns,m,-,\n1,2,a,3\n2,3,a,4\n3,4,b,5\n", "t.csv");
  EXPECT_THAT(table->units(), ElementsAre("s", "m", "", ""));
  const TableData data = training(*table);
  EXPECT_EQ(data.table.view.rows(), 3u);
  EXPECT_EQ(data.table.code.inputs[1].unit, "m");
  EXPECT_TRUE(io::open_csv_text("a,b\nred,blue\nred,1\nblue,2\n")->units().empty());
  EXPECT_TRUE(io::open_csv_text("a,b\nNA,NA\n1,1\n3,2\n")->units().empty());
}

TEST(Kinds, SeveralFilesAreOneTable) {
  const TempFolder folder;
  write_bytes(folder / "a.csv", "x,c,y\n1,red,2\n");
  write_bytes(folder / "b.csv", "y,more,c,x\n4,9,blue,3\n6,9,red,5\n");
  write_bytes(folder / "d.csv", "x,y\n1,2\n");
  write_bytes(folder / "e.csv", "1,2,3\n4,5,6\n");
  const auto joined = open_tables({folder / "a.csv", folder / "b.csv"});
  const TableData data = training(*joined);
  EXPECT_THAT(input(data, 0), ElementsAre(1, 3, 5));
  EXPECT_THAT(data.table.view.input_names, ElementsAre("x", "c=blue", "c=red"));
  EXPECT_THAT(input(data, 2), ElementsAre(1, 0, 1));
  EXPECT_THAT(input_error([&] {
                open_tables({folder / "a.csv", folder / "d.csv"});
              }),
              HasSubstr("has no column \"c\""));
  EXPECT_THAT(input_error([&] { open_tables({folder / "a.csv", folder / "e.csv"}); }), HasSubstr("has no header"));
}

TEST(Kinds, TextsKeptAreThoseOfTheRowsThatStay) {
  const TempFolder folder;
  write_bytes(folder / "a.csv", "x,c,y\n1,red,2\n,blue,2\n");
  write_bytes(folder / "b.csv", "y,c,x\n4,blue,3\n,red,4\n6,red,5\n");
  const auto open = [&] {
    auto table = open_tables({folder / "a.csv", folder / "b.csv"});
    table->keep({1, 0});
    return table;
  };
  const auto table = open();
  const TableData data = read_training(*table, last_is_target(*table), with({{"missing", "drop"}}));
  EXPECT_THAT(data.kept, ElementsAre("red", "1", "blue", "3", "red", "5"));
  EXPECT_THAT(data.table.rows, ElementsAre(0, 2, 4));
  const auto again = open();
  TableBatches dropped(*again, last_is_target(*again), data.table.code, {true, true}, Missing::drop, Unseen::error,
                       false);
  std::vector<std::string> texts;
  while (dropped.next()) texts.insert(texts.end(), dropped.kept().begin(), dropped.kept().end());
  EXPECT_EQ(texts, data.kept);
  // A row whose target alone is missing can be predicted.
  const auto whole = open();
  TableBatches all(*whole, last_is_target(*whole), data.table.code, {true, true}, Missing::drop, Unseen::error, true);
  ASSERT_TRUE(all.next());
  EXPECT_THAT(all.incomplete(), ElementsAre(1));
  ASSERT_TRUE(all.next());
  EXPECT_EQ(all.rows(), 3U);
  EXPECT_THAT(all.incomplete(), ElementsAre());
  EXPECT_THAT(all.kept(), ElementsAre("blue", "3", "red", "4", "red", "5"));
}

TEST(Kinds, LaterTablesAreReadByTheCodeOfTheFirst) {
  const TableCode code = training(mixed).table.code;
  const auto later = [&](const std::string& text, const Options& options = {}) {
    const auto table = io::open_csv_text(text, "new.csv", 1, 64, table_format(options));
    return read_known(*table, last_is_target(*table), code, options);
  };
  const TableData data = later("when,colour,on,x,y\n2024-04-30,blue,0,1,2\n");
  EXPECT_THAT(input(data, 0), ElementsAre(-1));
  EXPECT_THAT(input(data, 1), ElementsAre(1));
  const std::string unseen = "when,colour,on,x,y\n2024-05-01,red,no,1,2\n2024-05-01,green,no,1,2\n";
  EXPECT_THAT(input_error([&] { later(unseen); }),
              AllOf(HasSubstr("new.csv, line 3, column 2 (colour): \"green\" is a level that training has not seen"),
                    HasSubstr("--unseen mean")));
  const TableData mean = later(unseen, with({{"unseen", "mean"}}));
  EXPECT_EQ(input(mean, 2)[1], code.inputs[1].fill[1]);
  EXPECT_THAT(mean.table.notes, ElementsAre(HasSubstr("1 cells have a level")));
  EXPECT_THAT(input_error([&] { later("when,colour,on,x,y\n17,red,no,1,2\n"); }), HasSubstr("is not a date or time"));
}

TEST(Kinds, RowsAreHeldOutAlongTheFirstTime) {
  const TableCode code = training("x,c,when,y\n1,a,2024-05-01,1\n2,b,2024-05-02,2\n").table.code;
  EXPECT_EQ(options_along_time(with({{"holdout", "tail"}}), code).holdout_by, 4);
  EXPECT_EQ(options_along_time(with({{"holdout", "tail"}, {"holdout-by", "1"}}), code).holdout_by, 1);
  EXPECT_EQ(options_along_time({}, code).holdout_by, 0);
  EXPECT_EQ(options_along_time(with({{"holdout", "gap"}}), {}).holdout_by, 0);
}

// ---- archives -------------------------------------------------------------------------------------------------------

/// A zip archive of stored files, as numpy.savez writes it.
std::string archive(const std::vector<std::pair<std::string, std::string>>& files) {
  std::string out, directory;
  const auto number = [](std::string& to, std::uint64_t value, std::size_t bytes) {
    for (std::size_t i = 0; i < bytes; ++i) to += static_cast<char>(value >> (8 * i));
  };
  for (const auto& file : files) {
    const std::string &name = file.first, &content = file.second;
    const auto checksum = ::crc32_z(0, reinterpret_cast<const Bytef*>(content.data()), content.size());
    const auto sizes = [&](std::string& to) {
      number(to, checksum, 4);
      number(to, content.size(), 4);
      number(to, content.size(), 4);
      number(to, name.size(), 2);
      number(to, 0, 2);
    };
    const std::size_t place = out.size();
    out += std::string("PK\x03\x04\x14\0\0\0\0\0\0\0\0\0", 14);
    sizes(out);
    out += name + content;
    directory += std::string("PK\x01\x02\x14\0\x14\0\0\0\0\0\0\0\0\0", 16);
    sizes(directory);
    directory += std::string(10, '\0');
    number(directory, place, 4);
    directory += name;
  }
  std::string end = std::string("PK\x05\x06\0\0\0\0", 8);
  number(end, files.size(), 2);
  number(end, files.size(), 2);
  number(end, directory.size(), 4);
  number(end, out.size(), 4);
  number(end, 0, 2);
  return out + directory + end;
}

std::string array(const std::string& shape, const std::vector<double>& values) {
  std::string dictionary = "{'descr': '<f8', 'fortran_order': False, 'shape': " + shape + ", }\n";
  std::string out = std::string("\x93NUMPY\x01\0", 8);
  out += {static_cast<char>(dictionary.size()), '\0'};
  return out + dictionary + std::string(reinterpret_cast<const char*>(values.data()), 8 * values.size());
}

TEST(Npz, ArraysAreColumns) {
  const std::string x = array("(2, 2)", {1, 2, 3, 4}), y = array("(2,)", {5, 6});
  const std::string both = archive({{"X.npy", x}, {"y.npy", y}}), alone = archive({{"arr_0.npy", x}});
  const auto table = io::open_npz_bytes(both);
  EXPECT_THAT(table->names(), ElementsAre("X1", "X2", "y"));
  const Matrix all = read_all(*table);
  EXPECT_EQ(all(1, 1), 4.0);
  EXPECT_EQ(all(1, 2), 6.0);
  EXPECT_THAT(io::open_npz_bytes(alone)->names(), ElementsAre("c1", "c2"));
  const auto kept = io::open_npz_bytes(both);
  kept->select({0});
  kept->keep({2, 0});
  EXPECT_EQ(read_all(*kept)(1, 0), 3.0);
  EXPECT_THAT(kept->take_kept(), ElementsAre("5", "1", "6", "3"));
  EXPECT_THAT(input_error([&] {
                read_all(*io::open_npz_bytes(archive({{"a.npy", y}, {"b.npy", array("(1,)", {1})}})));
              }),
              HasSubstr("different numbers of rows"));
  std::string damaged = both;
  damaged[both.find(x) + x.size() - 3] ^= 1;
  EXPECT_THAT(input_error([&] { io::open_npz_bytes(damaged); }),
              HasSubstr("the checksum of the array \"X.npy\" is wrong"));
  for (std::size_t cut = 0; cut < both.size(); ++cut)
    EXPECT_NE(input_error([&] { io::open_npz_bytes(both.substr(0, cut)); }), "") << cut;
}

std::string column_of(const std::vector<std::string>& cells) {
  std::string text = "c,y\n";
  for (int i = 0; i < 60; ++i)
    text += cells[static_cast<std::size_t>(i) % cells.size()] + "," + std::to_string(i % 7) + "\n";
  return text;
}

TEST(Kinds, NumbersWithAUnitAreNoLevels) {
  for (const std::vector<std::string>& cells :
       std::vector<std::vector<std::string>>{{"5 kg", "7 kg", "8 kg", "9 kg", "12 kg"},
                                             {"0.5mm", "1.5mm"},
                                             {"-3 °C", "4 °C", "5 °C", "6 °C", "7 °C"},
                                             {"3.5 kg", "700 g", "800 g", "4 kg", "5 kg", "6 kg"}}) {
    const std::string error = error_of(column_of(cells));
    EXPECT_THAT(error, HasSubstr("column c holds numbers with a unit")) << cells[0];
    EXPECT_THAT(error, HasSubstr("--categorical 'c'"));
    EXPECT_EQ(training(column_of(cells), with({{"categorical", "c"}})).table.code.inputs[0].levels.size(),
              cells.size());
  }
  EXPECT_THAT(error_of("x,y\n1,5 kg\n2,6 kg\n3,7 kg\n4,8 kg\n"), HasSubstr("the target y holds numbers with a unit"));
  EXPECT_THAT(error_of("x,y\n1,2\n2,3\n3 kg,4\n"), HasSubstr("5 for 5% or 5 kg"));
  const TableData few = training(column_of({"5 kg", "7 kg"}));
  EXPECT_THAT(few.table.notes, ::testing::Contains(HasSubstr("c: numbers with a unit, \"5 kg\", taken for 2 levels")));
}

TEST(Kinds, NamesWithNumbersAreLevels) {
  for (const std::vector<std::string>& cells :
       std::vector<std::vector<std::string>>{{"type 1", "type 2", "type 3", "type 4", "type 5", "type 6"},
                                             {"A4", "A5", "B4", "B5", "C4"},
                                             {"1st", "2nd", "3rd", "4th", "5th", "6th"},
                                             {"1a", "1b", "2a", "2b", "3a", "3b"},
                                             {"10W40", "5W30", "0W20", "15W40", "5W40"},
                                             {"12 Main Street", "7 Mill Lane", "9 High Street", "1 Park Row", "2 Kew"},
                                             {"5-10", "10-20 years", "20-30 years", "old"}}) {
    const TableData data = training(column_of(cells));
    EXPECT_EQ(data.table.code.inputs[0].levels.size(), cells.size()) << cells[0];
    EXPECT_EQ(data.table.notes.size(), 1U) << cells[0] << data.table.notes.back();
  }
}

TEST(Kinds, SpacesThatDoNotBreakSeparateThousandsToo) {
  for (const char* space : {"\u00a0", "\u202f", "\u2009", "\u2019", "'", " "}) {
    const std::string cell = std::string("1") + space + "500,5";
    EXPECT_THAT(error_of("c;y\n" + cell + ";1\n" + cell + ";2\n", with({{"decimal", ","}})),
                HasSubstr("has marks between thousands"))
        << space;
    const std::string whole = std::string("1") + space + "500";
    EXPECT_THAT(error_of("c;y\n" + whole + ";1\n" + whole + ";2\n"), HasSubstr("has marks between thousands"));
  }
}

TEST(Kinds, TheOtherFormsOfIsoDatesAreTimes) {
  for (const std::vector<std::string>& cells : std::vector<std::vector<std::string>>{
           {"20240101T1200", "20240102T1200"}, {"2024-W01-1", "2024-W01-2"}, {"2024-001", "2024-002"}}) {
    const TableData data = training(column_of(cells));
    EXPECT_EQ(data.table.code.inputs[0].kind, ColumnKind::time) << cells[0];
    EXPECT_EQ(input(data, 0)[1] - input(data, 0)[0], 1.0);
  }
  EXPECT_EQ(training(column_of({"20240101", "20240102"})).table.code.inputs.size(), 0U) << "plain numbers";
}

TEST(Kinds, CuresAreThoseOfTheColumn) {
  EXPECT_THAT(error_of("when,y\n2024-01-01,1\n,2\n2024-01-03,1\n"), HasSubstr("Give the date or time, leave"));
  EXPECT_THAT(error_of("c,y\nblue,1\nNA,2\nred,1\n"), HasSubstr("If it is a level, write another word for it."));
  EXPECT_THAT(error_of("c,y\ntrue,1\n,2\nfalse,1\n"), HasSubstr("Give true or false, leave"));
  const std::string target = error_of("x,y\n1,1\n2,\n3,1\n");
  EXPECT_THAT(target, HasSubstr("Give the number, or leave such rows out with --missing drop"));
  EXPECT_THAT(target, ::testing::Not(::testing::AnyOf(HasSubstr("--ignore"), HasSubstr("--missing mean"))));
  const auto weighted = io::open_csv_text("x,w,y\n1,1,1\n2,,2\n", "t.csv", 1, 1U << 16U, {});
  const std::string weight = input_error(
      [&] { read_training(*weighted, {.inputs = {std::size_t{0}}, .targets = {2}, .weight = std::size_t{1}}, {}); });
  EXPECT_THAT(weight, HasSubstr("Give the number, or leave such rows out with --missing drop"));
  EXPECT_THAT(weight, ::testing::Not(HasSubstr("--ignore")));
  EXPECT_THAT(error_of("x;y\n1.273,5;3\n", with({{"decimal", ","}})), HasSubstr("(1273,5)"));
  EXPECT_THAT(error_of("x,y\n1,3\ntrue,2\n0,5\n"), HasSubstr("Write all cells of the column as 0 and 1"));
  EXPECT_THAT(error_of("x,y\n0:00,3\n1:00,2\n2:00,5\n"), HasSubstr("hours with two digits (09:30)"));
  EXPECT_THAT(error_of("x,y\n2024-01-01 9:30,3\n2024-01-01 9:40,2\n"), HasSubstr("hours with two digits (09:30)"));
}

}  // namespace
}  // namespace rfnn::test
