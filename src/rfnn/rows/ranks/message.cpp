#include "rfnn/rows/ranks/message.hpp"

#include <algorithm>

namespace rfnn::rows {
namespace {

std::span<const double> numbers_of(const Matrix& matrix) { return {matrix.data(), matrix.size()}; }

void put_law(Writer& out, const FrequencyLaw& law) {
  out.put<std::uint64_t>(law.parts.size());
  for (const FrequencyLaw::Part& part : law.parts) {
    out.put(part.strength);
    out.put_list(std::span<const double>(part.smooth));
    out.put_list(std::span<const double>(part.rough));
    out.put(part.order);
    out.put_list(std::span<const double>(part.centre));
    out.put(part.radial);
  }
  out.put_matrix(law.map);
}

FrequencyLaw get_law(Reader& in) {
  FrequencyLaw law;
  law.parts.resize(in.get<std::uint64_t>());
  for (FrequencyLaw::Part& part : law.parts) {
    part.strength = in.get<double>();
    part.smooth = in.get_list<double>();
    part.rough = in.get_list<double>();
    part.order = in.get<int>();
    part.centre = in.get_list<double>();
    part.radial = in.get<bool>();
  }
  law.map = in.get_matrix();
  return law;
}

void put_closed_form(Writer& out, const ClosedForm& form) {
  put_law(out, form.law);
  out.put_matrix(form.centres);
  out.put_matrix(form.coefficients);
  for (const Matrix* matrix : {&form.windows.low, &form.windows.high, &form.windows.scale}) out.put_matrix(*matrix);
  out.put_list(std::span<const std::size_t>(form.windows.rows));
}

ClosedForm get_closed_form(Reader& in) {
  ClosedForm form;
  form.law = get_law(in);
  form.centres = in.get_matrix();
  form.coefficients = in.get_matrix();
  for (Matrix* matrix : {&form.windows.low, &form.windows.high, &form.windows.scale}) *matrix = in.get_matrix();
  form.windows.rows = in.get_list<std::size_t>();
  return form;
}

}  // namespace

void Writer::put_matrix(const Matrix& matrix) {
  put<std::uint64_t>(matrix.rows());
  put<std::uint64_t>(matrix.cols());
  put_list(numbers_of(matrix));
}

void Writer::put_matrix(const Eigen::MatrixXd& matrix) {
  put<std::int64_t>(matrix.rows());
  put<std::int64_t>(matrix.cols());
  put_list(std::span<const double>(matrix.data(), static_cast<std::size_t>(matrix.size())));
}

void Writer::put_block(const Block& block) {
  put<std::uint64_t>(block.branches.size());
  for (const Branch& branch : block.branches) {
    put(branch.kind);
    put_matrix(branch.frequencies);
    put_matrix(branch.amplitudes);
    put_list(std::span<const double>(branch.lattice));
    put_matrix(branch.trend);
    put(branch.closed_form.has_value());
    if (branch.closed_form) put_closed_form(*this, *branch.closed_form);
  }
}

std::string Reader::get_text() {
  const std::vector<char> letters = get_list<char>();
  return {letters.begin(), letters.end()};
}

Matrix Reader::get_matrix() {
  const auto rows = get<std::uint64_t>(), cols = get<std::uint64_t>();
  Matrix matrix(rows, cols);
  const std::vector<double> numbers = get_list<double>();
  std::copy(numbers.begin(), numbers.end(), matrix.data());
  return matrix;
}

Eigen::MatrixXd Reader::get_eigen() {
  const auto rows = get<std::int64_t>(), cols = get<std::int64_t>();
  const std::vector<double> numbers = get_list<double>();
  return Eigen::Map<const Eigen::MatrixXd>(numbers.data(), rows, cols);
}

Block Reader::get_block() {
  Block block;
  block.branches.resize(get<std::uint64_t>());
  for (Branch& branch : block.branches) {
    branch.kind = get<BranchKind>();
    branch.frequencies = get_matrix();
    branch.amplitudes = get_matrix();
    branch.lattice = get_list<double>();
    branch.trend = get_matrix();
    if (get<bool>()) branch.closed_form = get_closed_form(*this);
  }
  return block;
}

}  // namespace rfnn::rows
