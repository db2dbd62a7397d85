// Files damaged in every way a disk, a transfer or an enemy may think of: they are read, or refused with InputError;
// nothing else is thrown and nothing crashes.

#include <algorithm>
#include <cstring>
#include <functional>
#include <random>

#include <gtest/gtest.h>

#include "io/support.hpp"
#include "rfnn/io/csv.hpp"
#include "rfnn/io/model_file.hpp"
#include "rfnn/io/npy.hpp"
#include "rfnn/io/npy_header.hpp"
#include "rfnn/io/safetensors.hpp"
#include "rfnn/io/table.hpp"

namespace rfnn::test {
namespace {

std::string mutated(std::string bytes, std::mt19937_64& random) {
  const std::size_t times = 1 + random() % 3;
  for (std::size_t i = 0; i < times; ++i) {
    if (bytes.empty()) return bytes;
    const std::size_t place = random() % bytes.size();
    const std::size_t length = 1 + random() % std::min<std::size_t>(bytes.size() - place, 40);
    switch (random() % 7) {
      case 0:
        bytes.resize(place);
        break;
      case 1:
        bytes[place] = static_cast<char>(bytes[place] ^ (1 << (random() % 8)));
        break;
      case 2:
        bytes.erase(place, length);
        break;
      case 3:
        bytes.insert(place, bytes.substr(place, length));
        break;
      case 4:
        bytes[place] = static_cast<char>(random());
        break;
      case 5:
        bytes.insert(place, length, static_cast<char>(random()));
        break;
      default: {
        static constexpr std::string_view odd("\",;\n\r\0-+e.[]{}:9", 16);
        bytes[place] = odd[random() % odd.size()];
      }
    }
  }
  return bytes;
}

/// How many of 2000 mutants are read and how many refused.
std::pair<int, int> try_mutants(const std::string& good, const std::function<void(const std::string&)>& read) {
  std::mt19937_64 random(11);
  int sound = 0, refused = 0;
  for (int i = 0; i < 2000; ++i) {
    const std::string bytes = mutated(good, random);
    try {
      read(bytes);
      ++sound;
    } catch (const InputError& error) {
      EXPECT_FALSE(error.cause().empty());
      ++refused;
    }
  }
  return {sound, refused};
}

TEST(Mutation, ModelFiles) {
  for (const Model& original : {model_with_logarithm(), model_with_closed_forms()}) {
    const auto [sound, refused] = try_mutants(model_to_bytes(original), [&](const std::string& bytes) {
      const Model model = model_from_bytes(bytes, "m");
      check(model);
      EXPECT_EQ(model.members, original.members) << "damaged numbers were let through";
      EXPECT_EQ(model.scaler, original.scaler);
    });
    EXPECT_GT(refused, 1000);
  }
}

class MutationOfMetadata : public ::testing::TestWithParam<Model (*)()> {};
INSTANTIATE_TEST_SUITE_P(All, MutationOfMetadata, ::testing::Values(&full_model, &model_with_closed_forms));

TEST_P(MutationOfMetadata, ModelFilesWithAValidChecksum) {
  // Damage in the metadata alone, by someone who signs the file anew.
  const std::string good = model_to_bytes(GetParam()());
  std::uint64_t length = 0;
  std::memcpy(&length, good.data(), 8);
  const std::string tensors = good.substr(8 + length);
  const std::string checksum = io::parse_tensor_header(good.substr(8, length), "m").metadata.at("checksum");
  const auto [sound, refused] = try_mutants(good.substr(8, length), [&](std::string json) {
    if (const std::size_t place = json.find(checksum); place != std::string::npos)
      json.replace(place, checksum.size(), io::file_checksum(io::parse_tensor_header(json, "m").metadata, tensors));
    const std::uint64_t size = json.size();
    std::string bytes(8, '\0');
    std::memcpy(bytes.data(), &size, 8);
    check(model_from_bytes(bytes + json + tensors, "m"));
  });
  EXPECT_GT(sound, 20);
  EXPECT_GT(refused, 1000);
}

TEST(Mutation, CsvFiles) {
  const std::string good = "x,\"long, name\",y\r\n1.5,-2e-3,\"3\"\r\n4,5.25,6\r\n0.1,1e300,-7\r\n";
  const auto [sound, refused] = try_mutants(good, [](const std::string& text) {
    const auto reader = io::open_csv_text(text, "text", 1, 16);
    const Matrix all = read_all(*reader);
    EXPECT_EQ(all, read_all(*io::open_csv_text(text)));
  });
  EXPECT_GT(sound, 100);
  EXPECT_GT(refused, 500);
}

TEST(Mutation, NpyFiles) {
  const Matrix values = matrix_of(5, 3, 1.0);
  const std::string good =
      io::npy_front(5, 3) + std::string(reinterpret_cast<const char*>(values.data()), values.size() * 8);
  const auto [sound, refused] =
      try_mutants(good, [](const std::string& bytes) { read_all(*io::open_npy_bytes(bytes)); });
  EXPECT_GT(sound, 100);
  EXPECT_GT(refused, 500);
}

}  // namespace
}  // namespace rfnn::test
