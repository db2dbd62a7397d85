#include "rfnn/io/table.hpp"

#include <limits>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "io/support.hpp"

namespace rfnn::test {
namespace {

using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

TEST(FindColumn, NameThenNumber) {
  const std::vector<std::string> names = {"x", "3", "depth"};
  EXPECT_EQ(find_column(names, "x", "f"), 0U);
  EXPECT_EQ(find_column(names, "3", "f"), 1U) << "a name wins over a number";
  EXPECT_EQ(find_column(names, "1", "f"), 0U);
  EXPECT_THAT(input_error([&] { find_column(names, "dpeth", "f.csv"); }),
              AllOf(HasSubstr("f.csv"), HasSubstr("Did you mean \"depth\"")));
  EXPECT_THAT(input_error([&] { find_column(names, "temperature", "f"); }),
              AllOf(HasSubstr("\"x\", \"3\", \"depth\"")));
  EXPECT_THAT(input_error([&] { find_column(names, "4", "f"); }), HasSubstr("from 1 to 3"));
  EXPECT_THAT(input_error([&] { find_column(names, "0", "f"); }), HasSubstr("from 1 to 3"));
  EXPECT_THAT(input_error([&] { find_column(names, "99999999999999999999999", "f"); }), HasSubstr("from 1 to 3"));
  EXPECT_NE(input_error([&] { find_column(names, "", "f"); }), "");
  EXPECT_THAT(input_error([&] { find_column({"a", "b", "a"}, "a", "f"); }), HasSubstr("several columns"));
}

TEST(SplitNames, AtCommasOutsideQuotes) {
  EXPECT_THAT(split_names("a"), ElementsAre("a"));
  EXPECT_THAT(split_names("a, b ,c"), ElementsAre("a", "b", "c"));
  EXPECT_THAT(split_names("\"a,b\",c"), ElementsAre("a,b", "c"));
  EXPECT_THAT(split_names("\"say \"\"hi\"\"\" , c"), ElementsAre("say \"hi\"", "c"));
  EXPECT_TRUE(split_names("").empty());
  for (const char* bad : {",", "a,", "a,,b", "\"a", "\"a\"b", "\"\""})
    EXPECT_THROW(split_names(bad), UsageError) << bad;
}

TEST(TableWriter, CsvIsPlain) {
  const TempFolder folder;
  const std::vector<double> values = {3, -0.5, 1e22, 0.1, 1.0 / 3.0, -7};
  const auto writer = create_table(folder / "t.csv", {"x", "y z"});
  writer->write(ConstMatrixView(values.data(), 2, 2));
  writer->write(ConstMatrixView(values.data() + 4, 1, 2));
  EXPECT_FALSE(std::filesystem::exists(folder / "t.csv")) << "not there before it is whole";
  writer->commit();
  EXPECT_EQ(read_bytes(folder / "t.csv"), "x,y z\n3,-0.5\n1e+22,0.1\n0.3333333333333333,-7\n");
  EXPECT_THROW(writer->write(ConstMatrixView(values.data(), 2, 3)), UsageError);
}

TEST(TableWriter, NamesThatNeedQuotesAreReadBack) {
  const TempFolder folder;
  const std::vector<std::string> names = {"a,b", "\"q\"", "two\nlines", "semi;colon", "größe"};
  const std::vector<double> values = {1, 2, 3, 4, 5};
  for (const char* file : {"t.csv", "t.csv.gz"}) {
    const auto writer = create_table(folder / file, names);
    writer->write(ConstMatrixView(values.data(), 1, 5));
    writer->commit();
    const auto reader = open_table(folder / file);
    EXPECT_EQ(reader->names(), names);
    EXPECT_EQ(read_all(*reader)(0, 4), 5.0);
  }
  const auto one = create_table(folder / "one.csv", {"a;b"});
  one->write(ConstMatrixView(values.data(), 5, 1));
  one->commit();
  EXPECT_THAT(open_table(folder / "one.csv")->names(), ElementsAre("a;b"));
}

TEST(TableWriter, EveryFormatReadsBack) {
  const TempFolder folder;
  const Matrix values = matrix_of(1000, 3, -5.0);
  const std::vector<double> transposed = [&] {
    std::vector<double> out(3000);
    for (std::size_t i = 0; i < 1000; ++i)
      for (std::size_t j = 0; j < 3; ++j) out[j * 1000 + i] = values(i, j);
    return out;
  }();
  for (const char* file : {"t.csv", "t.csv.gz", "t.npy"}) {
    const auto writer = create_table(folder / file, {"a", "b", "c"});
    writer->write(values.view().rows_from(0, 400));
    writer->write(ConstMatrixView(transposed.data() + 400, 600, 3, 1, 1000));
    writer->commit();
    EXPECT_EQ(read_all(*open_table(folder / file)), values) << file;
  }
  EXPECT_EQ(read_bytes(folder / "t.csv.gz").substr(0, 2), "\x1f\x8b");
  EXPECT_EQ(read_bytes(folder / "t.npy").size(), 128 + 3000 * sizeof(double));
}

TEST(TableWriter, WithoutNamesThereIsNoHeader) {
  const TempFolder folder;
  const Matrix values = matrix_of(3, 2, 1.0);
  for (const char* file : {"t.csv", "t.npy"}) {
    const auto writer = create_table(folder / file, {});
    writer->write(values.view());
    writer->commit();
    const auto reader = open_table(folder / file);
    EXPECT_FALSE(reader->has_header());
    EXPECT_EQ(read_all(*reader), values);
  }
}

TEST(TableWriter, WithoutCommitNothingIsLeft) {
  const TempFolder folder;
  const Matrix values = matrix_of(3, 2, 1.0);
  for (const char* file : {"t.csv", "t.csv.gz", "t.npy"}) create_table(folder / file, {"a", "b"})->write(values.view());
  EXPECT_EQ(folder.files(), 0U);
}

TEST(TableWriter, FullDiskAndPipes) {
  const Matrix values = matrix_of(3, 2, 1.0);
  EXPECT_THAT(input_error([&] {
                const auto writer = create_table("/dev/full", {"a", "b"});
                writer->write(values.view());
                writer->commit();
              }),
              AllOf(HasSubstr("/dev/full"), HasSubstr("disk is full"), HasSubstr("Free some space")));
  const TempFolder folder;
  ASSERT_EQ(::symlink("/dev/null", (folder / "pipe.npy").c_str()), 0);
  EXPECT_THAT(input_error([&] { create_table(folder / "pipe.npy", {"a"}); }), HasSubstr("not a regular file"));
}

TEST(TableWriter, NamesOfOtherFilesAreRefused) {
  const TempFolder folder;
  for (const char* file : {"t.npz", "t.parquet", "t.xlsx", "t.rfnn"}) {
    try {
      create_table(folder / file, {"a"});
      ADD_FAILURE() << file;
    } catch (const UsageError& error) {
      EXPECT_THAT(error.what(), HasSubstr(file + 1));
      EXPECT_THAT(error.cure(), HasSubstr(".csv.gz or .npy"));
    }
    EXPECT_FALSE(std::filesystem::exists(folder / file));
  }
}

}  // namespace
}  // namespace rfnn::test
