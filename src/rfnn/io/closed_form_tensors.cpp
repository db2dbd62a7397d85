#include "rfnn/io/closed_form_tensors.hpp"

#include <algorithm>
#include <cstring>
#include <optional>
#include <utility>

#include "rfnn/io/model_decoder.hpp"

namespace rfnn::io {
namespace {

using Part = FrequencyLaw::Part;

bool is_centred(const Part& part) {
  return std::any_of(part.centre.begin(), part.centre.end(), [](double v) { return v != 0.0; });
}

/// Reads the tensors of one closed form.
class Reader {
 public:
  Reader(const ClosedFormEntries& entries, const std::string& name, std::string_view data, const std::string& origin)
      : entries_(entries), name_(name), data_(data), origin_(origin) {}

  ClosedForm form() const {
    ClosedForm form;
    form.centres = matrix("centres");
    const std::size_t variables = form.centres.cols();
    if (variables == 0) fail_model_file(origin_, "the tensor " + full("centres") + " has no variables");
    form.coefficients = matrix("coefficients", form.centres.rows());
    if (has("law.map")) {
      form.law.map = matrix("law.map", {}, variables);
      if (form.law.map.rows() == 0) fail_model_file(origin_, "the tensor " + full("law.map") + " has no rows");
    }
    const std::size_t coordinates = has("law.map") ? form.law.map.rows() : variables;
    const std::vector<double> strength = list("law.strength");
    const std::size_t parts = strength.size();
    const Matrix smooth = matrix("law.smooth", parts, coordinates), rough = matrix("law.rough", parts, variables);
    const std::vector<double> order = has("law.order") ? list("law.order", parts) : std::vector<double>(parts, 0.0);
    const Matrix centre = has("law.centre") ? matrix("law.centre", parts, variables) : Matrix();
    const std::vector<double> radial = has("law.radial") ? list("law.radial", parts) : std::vector<double>(parts, 0.0);
    for (std::size_t p = 0; p < parts; ++p) {
      Part part{.strength = strength[p], .smooth = row(smooth, p), .rough = row(rough, p), .order = order_of(order[p])};
      if (!centre.empty()) part.centre = row(centre, p);
      if (!is_centred(part)) part.centre.clear();
      part.radial = yes_or_no("law.radial", radial[p]);
      form.law.parts.push_back(std::move(part));
    }
    form.windows = windows(variables);
    return form;
  }

 private:
  [[nodiscard]] Windows windows(std::size_t variables) const {
    Windows windows;
    if (!has("windows.rows")) {
      for (const std::string_view tensor : {"windows.low", "windows.high", "windows.scale"})
        if (has(tensor)) fail_model_file(origin_, "the tensor " + full("windows.rows") + " is missing");
      return windows;
    }
    const std::vector<double> rows = list("windows.rows");
    if (rows.empty()) fail_model_file(origin_, "the tensor " + full("windows.rows") + " is empty");
    for (const double count : rows) {
      // More than a file can hold; and what is no whole number is no count.
      if (!(count >= 1.0) || !(count < 0x1p48) || count != static_cast<double>(static_cast<std::uint64_t>(count)))
        fail_model_file(origin_, "the tensor " + full("windows.rows") + " holds a number that is no count");
      windows.rows.push_back(static_cast<std::size_t>(count));
    }
    windows.low = matrix("windows.low", rows.size());
    windows.high = matrix("windows.high", rows.size(), windows.low.cols());
    windows.scale = matrix("windows.scale", rows.size(), variables);
    return windows;
  }

  [[nodiscard]] bool yes_or_no(std::string_view tensor, double number) const {
    if (number != 0.0 && number != 1.0)
      fail_model_file(origin_, "the tensor " + full(tensor) + " holds a number that is not 0 or 1");
    return number == 1.0;
  }

  [[nodiscard]] std::string full(std::string_view tensor) const { return name_ + "." + std::string(tensor); }
  [[nodiscard]] bool has(std::string_view tensor) const { return entries_.contains(tensor); }

  [[nodiscard]] const TensorEntry& entry(std::string_view tensor, std::size_t dimensions) const {
    const auto found = entries_.find(tensor);
    if (found == entries_.end()) fail_model_file(origin_, "the tensor " + full(tensor) + " is missing");
    if (found->second->shape.size() != dimensions) fail_tensor_shape(origin_, full(tensor));
    return *found->second;
  }

  void copy(const TensorEntry& from, double* to) const {
    if (from.end > from.begin) std::memcpy(to, data_.data() + from.begin, from.end - from.begin);
  }

  [[nodiscard]] std::vector<double> list(std::string_view tensor, std::optional<std::size_t> size = {}) const {
    const TensorEntry& from = entry(tensor, 1);
    if (size && from.shape[0] != *size) fail_tensor_shape(origin_, full(tensor));
    std::vector<double> values(static_cast<std::size_t>(from.shape[0]));
    copy(from, values.data());
    return values;
  }

  [[nodiscard]] Matrix matrix(std::string_view tensor, std::optional<std::size_t> rows = {},
                              std::optional<std::size_t> cols = {}) const {
    const TensorEntry& from = entry(tensor, 2);
    if ((rows && from.shape[0] != *rows) || (cols && from.shape[1] != *cols)) fail_tensor_shape(origin_, full(tensor));
    Matrix values(static_cast<std::size_t>(from.shape[0]), static_cast<std::size_t>(from.shape[1]));
    copy(from, values.data());
    return values;
  }

  static std::vector<double> row(const Matrix& from, std::size_t i) {
    return {from.data() + i * from.cols(), from.data() + (i + 1) * from.cols()};
  }

  [[nodiscard]] int order_of(double number) const {
    for (const int order : {0, 1, 2})
      if (number == order) return order;
    fail_model_file(origin_, "the tensor " + full("law.order") + " holds a number that is not 0, 1 or 2");
  }

  const ClosedFormEntries& entries_;
  const std::string& name_;
  std::string_view data_;
  const std::string& origin_;
};

}  // namespace

std::string closed_form_name(std::uint64_t member, std::uint64_t block, std::uint64_t number) {
  return "member" + std::to_string(member) + ".block" + std::to_string(block) + ".kernel" +
         (number > 1 ? std::to_string(number) : "");
}

void add_closed_form(const ClosedForm& form, const std::string& name, std::vector<TensorToWrite>& tensors,
                     std::deque<std::vector<double>>& made) {
  const std::vector<Part>& parts = form.law.parts;
  const std::uint64_t count = parts.size(), variables = form.centres.cols();
  const auto gather = [&](const char* what, std::vector<std::uint64_t> shape, auto&& append) {
    std::vector<double>& values = made.emplace_back();
    for (const Part& part : parts) append(values, part);
    tensors.push_back({name + ".law." + what, std::move(shape), values.data()});
  };
  const auto extend = [](std::vector<double>& values, const std::vector<double>& by) {
    values.insert(values.end(), by.begin(), by.end());
  };
  tensors.push_back({name + ".centres", {form.centres.rows(), variables}, form.centres.data()});
  tensors.push_back(
      {name + ".coefficients", {form.coefficients.rows(), form.coefficients.cols()}, form.coefficients.data()});
  gather("strength", {count}, [](auto& values, const Part& part) { values.push_back(part.strength); });
  gather("smooth", {count, form.law.map.rows() > 0 ? form.law.map.rows() : variables},
         [&](auto& values, const Part& part) { extend(values, part.smooth); });
  gather("rough", {count, variables}, [&](auto& values, const Part& part) { extend(values, part.rough); });
  if (std::any_of(parts.begin(), parts.end(), [](const Part& part) { return part.order != 0; }))
    gather("order", {count}, [](auto& values, const Part& part) { values.push_back(part.order); });
  if (std::any_of(parts.begin(), parts.end(), is_centred))
    gather("centre", {count, variables}, [&](auto& values, const Part& part) {
      extend(values, part.centre.empty() ? std::vector<double>(variables, 0.0) : part.centre);
    });
  if (std::any_of(parts.begin(), parts.end(), [](const Part& part) { return part.radial; }))
    gather("radial", {count}, [](auto& values, const Part& part) { values.push_back(part.radial ? 1.0 : 0.0); });
  if (form.law.map.rows() > 0)
    tensors.push_back({name + ".law.map", {form.law.map.rows(), variables}, form.law.map.data()});
  const Windows& windows = form.windows;
  if (windows.empty()) return;
  const auto add = [&](const char* what, const Matrix& matrix) {
    tensors.push_back({name + ".windows." + what, {matrix.rows(), matrix.cols()}, matrix.data()});
  };
  add("low", windows.low);
  add("high", windows.high);
  add("scale", windows.scale);
  std::vector<double>& rows = made.emplace_back(windows.rows.begin(), windows.rows.end());
  tensors.push_back({name + ".windows.rows", {rows.size()}, rows.data()});
}

ClosedForm closed_form_of(const ClosedFormEntries& entries, const std::string& name, std::string_view data,
                          const std::string& origin) {
  return Reader(entries, name, data, origin).form();
}

}  // namespace rfnn::io
