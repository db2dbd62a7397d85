#include "rfnn/io/safetensors.hpp"

#define XXH_INLINE_ALL
#include <xxhash.h>

#include <algorithm>
#include <limits>
#include <memory>
#include <new>
#include <nlohmann/json.hpp>
#include <unordered_set>

#include "rfnn/core/error.hpp"
#include "rfnn/io/json.hpp"
#include "rfnn/io/text.hpp"

namespace rfnn::io {
namespace {

[[noreturn]] void fail_layout(const std::string& origin, const std::string& what) {
  throw InputError(origin + " is damaged or no model file: " + what + ".",
                   "Get a sound copy of the file, or train the model again.");
}

/// A length as 8 bytes.
std::string little_endian(std::uint64_t value) {
  std::string bytes;
  for (unsigned i = 0; i < 8; ++i) bytes += static_cast<char>((value >> (8 * i)) & 255U);
  return bytes;
}

std::string checksum_text(XXH128_hash_t hash) {
  XXH128_canonical_t canonical;
  XXH128_canonicalFromHash(&canonical, hash);
  static constexpr char hex[] = "0123456789abcdef";
  std::string text = "xxh3-128:";
  for (const unsigned char byte : canonical.digest) text += {hex[byte >> 4U], hex[byte & 15U]};
  return text;
}

/// Takes the header event by event instead of building a tree of it: only the shape a header may have gets through, so
/// depth, duplicates and kinds need no second look and memory stays in proportion.
class HeaderEvents : public nlohmann::json_sax<nlohmann::json> {
 public:
  HeaderEvents(TensorHeader& header, const std::string& origin) : header_(header), origin_(origin) {}

  bool null() override { unexpected("null"); }
  bool boolean(bool) override { unexpected("a truth value"); }
  bool number_integer(number_integer_t) override { unexpected("a negative number"); }
  bool number_float(number_float_t, const string_t&) override { unexpected("a fraction"); }
  bool binary(binary_t&) override { unexpected("binary data"); }

  bool number_unsigned(number_unsigned_t value) override {
    if (place_ == Place::shape)
      entry_.shape.push_back(value);
    else if (place_ == Place::offsets)
      offsets_.push_back(value);
    else
      unexpected("a number");
    if (entry_.shape.size() > 8 || offsets_.size() > 2) unexpected("a list too long");
    return true;
  }

  bool string(string_t& value) override {
    if (place_ == Place::metadata) {
      if (!header_.metadata.emplace(key_, std::move(value)).second) duplicate();
    } else if (place_ == Place::tensor && key_ == "dtype") {
      entry_.dtype = std::move(value);
    } else {
      unexpected("a text");
    }
    return true;
  }

  bool start_object(std::size_t) override {
    if (place_ == Place::outside)
      place_ = Place::top;
    else if (place_ == Place::top)
      place_ = key_ == "__metadata__" ? Place::metadata : Place::tensor;
    else
      unexpected("an object");
    fields_.clear();
    return true;
  }

  bool key(string_t& value) override {
    key_ = std::move(value);
    if (place_ == Place::top) {
      if (!names_.insert(key_).second) duplicate();
      entry_ = {};
      entry_.name = key_;
      offsets_.clear();
    } else if (place_ == Place::tensor) {
      if (key_ != "dtype" && key_ != "shape" && key_ != "data_offsets") unexpected("a field " + shown(key_));
      if (std::find(fields_.begin(), fields_.end(), key_) != fields_.end()) duplicate();
      fields_.push_back(key_);
    }
    return true;
  }

  bool end_object() override {
    if (place_ == Place::tensor) {
      if (fields_.size() != 3 || offsets_.size() != 2)
        fail("tensor " + shown(entry_.name) + " is not described completely");
      entry_.begin = offsets_[0];
      entry_.end = offsets_[1];
      header_.tensors.push_back(std::move(entry_));
    }
    place_ = place_ == Place::top ? Place::outside : Place::top;
    return true;
  }

  bool start_array(std::size_t) override {
    if (place_ == Place::tensor && key_ == "shape")
      place_ = Place::shape;
    else if (place_ == Place::tensor && key_ == "data_offsets")
      place_ = Place::offsets;
    else
      unexpected("a list");
    return true;
  }

  bool end_array() override {
    place_ = Place::tensor;
    return true;
  }

  bool parse_error(std::size_t position, const std::string&, const nlohmann::detail::exception&) override {
    fail("the header is not JSON at byte " + std::to_string(position));
  }

 private:
  enum class Place { outside, top, metadata, tensor, shape, offsets };

  [[noreturn]] void fail(const std::string& what) const { fail_layout(origin_, what); }
  [[noreturn]] void unexpected(const std::string& what) const {
    fail("the header has " + what + " where none belongs (after " + shown(key_) + ")");
  }
  [[noreturn]] void duplicate() const { fail("the header has " + shown(key_) + " twice"); }

  TensorHeader& header_;
  const std::string& origin_;
  Place place_ = Place::outside;
  std::string key_;
  std::unordered_set<std::string> names_;
  std::vector<std::string> fields_;
  TensorEntry entry_;
  std::vector<std::uint64_t> offsets_;
};

}  // namespace

std::string tensor_front(const std::vector<std::pair<std::string, std::string>>& metadata,
                         const std::vector<TensorToWrite>& tensors) {
  std::string json = "{\"__metadata__\":{";
  for (std::size_t i = 0; i < metadata.size(); ++i)
    json += (i == 0 ? "" : ",") + json_string(metadata[i].first) + ":" + json_string(metadata[i].second);
  json += "}";
  std::size_t offset = 0;
  for (const TensorToWrite& tensor : tensors) {
    json += "," + json_string(tensor.name) + ":{\"dtype\":\"F64\",\"shape\":[";
    for (std::size_t i = 0; i < tensor.shape.size(); ++i) json += (i == 0 ? "" : ",") + std::to_string(tensor.shape[i]);
    json += "],\"data_offsets\":[" + std::to_string(offset) + "," + std::to_string(offset + tensor.bytes()) + "]}";
    offset += tensor.bytes();
  }
  json += "}";
  json.append((8 - json.size() % 8) % 8, ' ');  // the tensors begin at a multiple of 8
  if (json.size() > largest_tensor_header)
    throw InputError(
        "The model's description takes " + std::to_string(json.size()) + " bytes, more than a model file may have.",
        "Keep fewer blocks or iterations in one model.");
  return little_endian(json.size()) + json;
}

TensorHeader parse_tensor_header(std::string_view json, const std::string& origin) {
  if (!json.starts_with('{')) fail_layout(origin, "the header does not begin with a brace");
  TensorHeader header;
  HeaderEvents events(header, origin);
  nlohmann::json::sax_parse(json.begin(), json.end(), &events);
  std::stable_sort(header.tensors.begin(), header.tensors.end(), [](const TensorEntry& a, const TensorEntry& b) {
    return a.begin != b.begin ? a.begin < b.begin : a.end < b.end;
  });
  return header;
}

std::uint64_t check_layout(const TensorHeader& header, const std::string& origin) {
  std::uint64_t place = 0;
  for (const TensorEntry& tensor : header.tensors) {
    const std::string name = "tensor " + shown(tensor.name);
    if (tensor.dtype != "F64") fail_layout(origin, name + " is of type " + shown(tensor.dtype) + ", not F64");
    const bool empty = std::find(tensor.shape.begin(), tensor.shape.end(), 0U) != tensor.shape.end();
    std::uint64_t bytes = empty ? 0 : sizeof(double);
    for (const std::uint64_t size : tensor.shape) {
      if (bytes > 0 && size > std::numeric_limits<std::uint64_t>::max() / bytes)
        fail_layout(origin, "the shape of " + name + " is too large");
      bytes *= size;
    }
    if (tensor.begin != place) fail_layout(origin, "there is a gap or an overlap before " + name);
    if (tensor.end < tensor.begin || tensor.end - tensor.begin != bytes)
      fail_layout(origin, "the bytes of " + name + " do not fit its shape");
    place = tensor.end;
  }
  return place;
}

std::string tensor_checksum(std::string_view bytes) { return checksum_text(XXH3_128bits(bytes.data(), bytes.size())); }

std::string file_checksum(const std::map<std::string, std::string>& metadata, std::string_view tensors) {
  std::string front;
  const auto add = [&](const std::string& text) {
    front += little_endian(text.size());
    front += text;
  };
  for (const auto& [key, value] : metadata) {
    if (key == "checksum") continue;
    add(key);
    add(value);
  }
  const std::unique_ptr<XXH3_state_t, XXH_errorcode (*)(XXH3_state_t*)> state(XXH3_createState(), XXH3_freeState);
  if (!state) throw std::bad_alloc();
  XXH3_128bits_reset(state.get());
  XXH3_128bits_update(state.get(), front.data(), front.size());
  XXH3_128bits_update(state.get(), tensors.data(), tensors.size());
  return checksum_text(XXH3_128bits_digest(state.get()));
}

}  // namespace rfnn::io
