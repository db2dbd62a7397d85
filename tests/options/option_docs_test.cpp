#include <gtest/gtest.h>

#include <fstream>
#include <sstream>
#include <string>

#include "places/places.hpp"
#include "rfnn/options/table.hpp"

namespace rfnn {
namespace {

TEST(OptionDocs, PageInTheRepositoryIsTheGeneratedOne) {
  std::ifstream file(std::string(rfnn::testing::source_folder) + "/docs/options.md");
  std::ostringstream page;
  page << file.rdbuf();
  EXPECT_EQ(page.str(), options_to_markdown()) << "write it anew: rfnn options --markdown > docs/options.md";
}

TEST(OptionDocs, ShowsTheDefaultsOfBothPresets) {
  const std::string page = options_to_markdown();
  EXPECT_NE(page.find("| `blocks` | `30` | `10` |"), std::string::npos);
  EXPECT_NE(page.find("| `width` | `auto` | `6` |"), std::string::npos);
  EXPECT_NE(page.find("| `iterations` | – | `5000` |"), std::string::npos);
}

TEST(OptionDocs, NamesEveryOption) {
  const std::string page = options_to_markdown();
  for (const Field& field : option_table()) {
    EXPECT_NE(page.find("| `" + flag_name(field) + "` |"), std::string::npos) << field.name;
  }
}

}  // namespace
}  // namespace rfnn
