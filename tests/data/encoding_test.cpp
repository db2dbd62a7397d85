#include "rfnn/data/encoding.hpp"
#include "rfnn/data/stand_in.hpp"

#include <bit>
#include <cmath>
#include <limits>
#include <random>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "rfnn/core/error.hpp"

namespace rfnn {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

constexpr double nan = std::numeric_limits<double>::quiet_NaN();

/// Cells of columns, as a reader leaves them.
struct Table {
  std::vector<std::vector<double>> cells;
  RawTable raw;

  explicit Table(std::size_t rows) {
    cells.reserve(20);
    raw.rows = rows;
  }
  RawColumn column(std::string name, ColumnKind kind, std::vector<double> values) {
    cells.push_back(std::move(values));
    RawColumn column;
    column.code.name = std::move(name);
    column.code.kind = kind;
    column.cells = ColumnView(cells.back().data());
    return column;
  }
  void input(std::string name, ColumnKind kind, std::vector<double> values) {
    raw.inputs.push_back(column(std::move(name), kind, std::move(values)));
  }
  void target(std::vector<double> values) { raw.targets = {column("y", ColumnKind::number, std::move(values))}; }
};

std::vector<double> values_of(const EncodedTable& table, std::size_t input) {
  std::vector<double> values(table.view.rows());
  table.view.inputs[input].read(0, values.size(), values.data());
  return values;
}

std::string refused(const RawTable& raw, Missing rule) {
  try {
    encode_training(raw, rule, "t");
  } catch (const InputError& error) {
    return error.what();
  }
  return "";
}

TEST(Encoding, NumbersStayWhereTheyAre) {
  Table table(3);
  table.input("x", ColumnKind::number, {1, 2, 3});
  table.target({4, 5, 6});
  const EncodedTable encoded = encode_training(table.raw, Missing::mean, "t");
  EXPECT_TRUE(encoded.code.empty());
  EXPECT_EQ(encoded.bytes, 0u);
  EXPECT_EQ(values_of(encoded, 0), table.cells[0]);
  EXPECT_THAT(encoded.view.input_names, ElementsAre("x"));
}

TEST(Encoding, LevelsAreSortedAndOnlyThoseThatOccur) {
  Table table(4);
  table.input("c", ColumnKind::category, {1, 0, 1, 3});
  table.raw.inputs[0].code.levels = {"red", "blue", "never", "10"};
  table.target({1, 2, 3, 4});
  const EncodedTable encoded = encode_training(table.raw, Missing::error, "t");
  EXPECT_THAT(encoded.code.inputs[0].levels, ElementsAre("10", "blue", "red"));
  EXPECT_THAT(encoded.view.input_names, ElementsAre("c=10", "c=blue", "c=red"));
  EXPECT_THAT(values_of(encoded, 1), ElementsAre(1, 0, 1, 0));
  EXPECT_THAT(encoded.code.inputs[0].fill, ElementsAre(0.25, 0.5, 0.25));
}

TEST(Encoding, TimesCountFromTheirFirstDay) {
  Table table(3);
  const auto at = [](std::int64_t day, std::int64_t nanoseconds) {
    return std::bit_cast<double>(day * nanoseconds_per_day + nanoseconds);
  };
  table.input("t", ColumnKind::time, {at(-3, nanoseconds_per_day / 2), at(-4, 50'000), at(2, 0)});
  table.raw.inputs[0].code.time.form = TimeForm::date_time;
  table.target({1, 2, 3});
  const EncodedTable encoded = encode_training(table.raw, Missing::error, "t");
  EXPECT_EQ(encoded.code.inputs[0].time.origin, -4);
  EXPECT_THAT(values_of(encoded, 0), ElementsAre(1.5, 50e-6 / 86400, 6.0));
  EXPECT_THAT(encoded.notes, ElementsAre("t: date-time, in days since 1969-12-28"));
}

TEST(Encoding, MissingCellsAreRefusedDroppedOrFilled) {
  Table table(4);
  table.input("x", ColumnKind::number, {1, nan, 3, 8});
  table.input("c", ColumnKind::category, {0, 1, nan, 1});
  table.raw.inputs[1].code.levels = {"a", "b"};
  table.target({1, 2, 3, nan});
  EXPECT_THAT(refused(table.raw, Missing::error), HasSubstr("t, row 2: the cell of column x is missing"));
  const EncodedTable dropped = encode_training(table.raw, Missing::drop, "t");
  EXPECT_EQ(dropped.dropped, 3u);
  EXPECT_THAT(values_of(dropped, 0), ElementsAre(1));
  EXPECT_THAT(dropped.code.inputs[1].levels, ElementsAre("a")) << "of the rows that stay";
  const EncodedTable filled = encode_training(table.raw, Missing::mean, "t");
  EXPECT_EQ(filled.dropped, 1u) << "without a target";
  EXPECT_THAT(values_of(filled, 0), ElementsAre(1, 2, 3));
  EXPECT_THAT(values_of(filled, 1), ElementsAre(1, 0, 0.5));
  EXPECT_THAT(values_of(filled, 2), ElementsAre(0, 1, 0.5));
  EXPECT_EQ(filled.code.inputs[0].missing, 1u);
}

TEST(Encoding, AnIndicatorIsAddedWhereItHelps) {
  constexpr std::size_t rows = 400;
  std::mt19937 draw(7);
  std::normal_distribution<double> normal;
  std::vector<double> told(rows), silent(rows), y(rows);
  for (std::size_t i = 0; i < rows; ++i) {
    told[i] = i % 7 == 0 ? nan : normal(draw);
    silent[i] = i % 5 == 0 ? nan : normal(draw);
    y[i] = (std::isnan(told[i]) ? 2.0 : told[i]) + 0.1 * normal(draw);
  }
  Table table(rows);
  table.input("told", ColumnKind::number, told);
  table.input("silent", ColumnKind::number, silent);
  table.target(y);
  const EncodedTable encoded = encode_training(table.raw, Missing::mean, "t");
  EXPECT_THAT(encoded.view.input_names, ElementsAre("told", "told is missing", "silent"));
  EXPECT_EQ(values_of(encoded, 1)[7], 1.0);
  EXPECT_EQ(values_of(encoded, 1)[8], 0.0);
}

TEST(Encoding, WhatNoNetworkCanLearnIsRefused) {
  Table ids(30);
  std::vector<double> places(30), y(30, 1.0);
  for (std::size_t i = 0; i < 30; ++i) places[i] = static_cast<double>(i);
  ids.input("id", ColumnKind::category, places);
  for (int i = 0; i < 30; ++i) ids.raw.inputs[0].code.levels.push_back("n" + std::to_string(i));
  ids.target(y);
  EXPECT_THAT(refused(ids.raw, Missing::error), HasSubstr("another in nearly every row"));
  EXPECT_THAT(refused(ids.raw, Missing::error), HasSubstr("--ignore 'id'"));
  ids.raw.inputs[0].asked = true;
  EXPECT_EQ(refused(ids.raw, Missing::error), "");
  ids.raw.targets[0].code.kind = ColumnKind::category;
  EXPECT_THAT(refused(ids.raw, Missing::error), HasSubstr("the target y holds text"));
  Table twins(2);
  twins.input("c", ColumnKind::category, {0, 1});
  twins.raw.inputs[0].code.levels = {"a", "b"};
  twins.input("c=a", ColumnKind::number, {0, 1});
  twins.target({1, 2});
  EXPECT_THAT(refused(twins.raw, Missing::error), HasSubstr("Two inputs are named \"c=a\""));
}

TEST(Encoding, RowsOfAPredictionAreEncodedAlike) {
  TableCode code;
  code.inputs = {{.name = "x", .fill = {5.0}, .indicator = true},
                 {.name = "c", .kind = ColumnKind::category, .levels = {"a", "b"}, .fill = {0.25, 0.75}}};
  RowEncoder filling(code, {true, true}, Missing::mean);
  std::vector<double> inputs(4);
  EXPECT_TRUE(filling.encode(std::vector<double>{nan, 1.0}.data(), inputs.data()));
  EXPECT_THAT(inputs, ElementsAre(5, 1, 0, 1));
  EXPECT_TRUE(filling.encode(std::vector<double>{2.0, unseen_level}.data(), inputs.data()));
  EXPECT_THAT(inputs, ElementsAre(2, 0, marked(0.25, StandIn::unseen), 0.75));
  EXPECT_TRUE(filling.encode(std::vector<double>{2.0, nan}.data(), inputs.data()));
  EXPECT_THAT(inputs, ElementsAre(2, 0, marked(0.25, StandIn::missing), 0.75));
  EXPECT_EQ(filling.filled(), 2u);
  EXPECT_EQ(filling.unseen(), 1u);
  RowEncoder strict(code, {true, false}, Missing::error);
  EXPECT_FALSE(strict.encode(std::vector<double>{nan, 1.0}.data(), inputs.data()));
  EXPECT_TRUE(strict.encode(std::vector<double>{1.0, nan}.data(), inputs.data())) << "of a column nobody looks at";
}

TEST(Encoding, WhatStandsInIsToldFromEveryNumberThatEqualsIt) {
  for (const double value : {0.0, 0.1, -0.7, 1.0, 4.0, 1e-30, -3e200}) {
    const double missing = marked(value, StandIn::missing), unseen = marked(value, StandIn::unseen);
    EXPECT_NE(missing, unseen);
    for (const double of : {missing, unseen}) {
      EXPECT_NEAR(of, value, 1e-14 * std::abs(value) + 1e-300);
      double near = value;
      for (int step = 0; step < 8; ++step) {
        EXPECT_NE(of, near);
        near = std::nextafter(near, 1e300);
      }
    }
  }
}

TEST(Encoding, HostileCodesAreRefused) {
  const auto unsound = [](ColumnCode column) {
    try {
      check(TableCode{{std::move(column)}, {}});
    } catch (const InputError&) {
      return true;
    }
    return false;
  };
  EXPECT_FALSE(unsound({.name = "x", .fill = {1.0}}));
  EXPECT_TRUE(unsound({.name = "x"}));
  EXPECT_TRUE(unsound({.name = "x", .fill = {nan}}));
  EXPECT_TRUE(unsound({.name = "x", .levels = {"a"}, .fill = {1.0}}));
  EXPECT_TRUE(unsound({.name = "x", .kind = ColumnKind::category}));
  EXPECT_TRUE(unsound({.name = "x", .kind = ColumnKind::category, .levels = {"b", "a"}, .fill = {1.0, 1.0}}));
  EXPECT_TRUE(unsound({.name = "x", .kind = ColumnKind::category, .levels = {"a", "a"}, .fill = {1.0, 1.0}}));
  EXPECT_TRUE(unsound({.name = "x", .kind = ColumnKind::time, .time = {.origin = 1LL << 60}, .fill = {1.0}}));
}

}  // namespace
}  // namespace rfnn
