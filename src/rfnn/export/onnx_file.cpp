#include "rfnn/export/onnx_file.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "rfnn/core/error.hpp"
#include "rfnn/core/version.hpp"
#include "rfnn/export/onnx_graph.hpp"
#include "rfnn/export/onnx_kernel.hpp"
#include "rfnn/io/text.hpp"

namespace rfnn::exporting {
namespace {

using Integers = OnnxGraph::Integers;

/// Of a message of protocol buffers.
constexpr std::size_t most_bytes = std::size_t{1} << 31U;

/// Writes the graph of a plan.
class Writer {
 public:
  explicit Writer(const Plan& plan) : plan_(plan) {}

  std::string file() {
    const std::string rows = graph_.operation("Shape", {onnx_inputs}, {{"start", 0}, {"end", 1}});
    const std::string shape = graph_.operation(
        "Concat", {rows, graph_.list(Integers{static_cast<std::int64_t>(plan_.outputs())})}, {{"axis", 0}});
    zeros_ = graph_.operation("Expand", {graph_.scalar(0.0), shape});
    for (const std::vector<PlanInput>& inputs : plan_.inputs) lists_.push_back(inputs.empty() ? Seen{} : see(inputs));
    std::string sum = zeros_;
    for (const PlanMember& member : plan_.members) sum = graph_.plus(sum, value_of(member));
    for (const Seen& seen : lists_)
      if (!seen.missing.empty()) sum = graph_.where(seen.missing, graph_.scalar(nan()), sum);
    graph_.result("Identity", {sum}, onnx_outputs);
    return graph_.file(about());
  }

 private:
  static double nan() { return std::numeric_limits<double>::quiet_NaN(); }

  /// A list of inputs: standardised, and which rows lack one; empty where there are none.
  struct Seen {
    std::string inputs, missing;
  };

  template <class Value>
  [[nodiscard]] std::string row_of(const std::vector<PlanInput>& inputs, const Value& value) {
    std::vector<double> values;
    for (const PlanInput& input : inputs) values.push_back(value(input));
    return graph_.row(values);
  }

  /// Marks of the inputs that are so; empty where none is.
  template <class Is>
  [[nodiscard]] std::string marks_of(const std::vector<PlanInput>& inputs, const Is& is) {
    std::vector<bool> values;
    for (const PlanInput& input : inputs) values.push_back(is(input));
    return std::find(values.begin(), values.end(), true) == values.end() ? "" : graph_.marks(values);
  }

  Seen see(const std::vector<PlanInput>& inputs) {
    Integers places;
    for (const PlanInput& input : inputs) places.push_back(static_cast<std::int64_t>(input.column));
    const std::string cells = graph_.columns(onnx_inputs, places), empty = graph_.operation("IsNaN", {cells}),
                      fill = row_of(inputs, [](const PlanInput&input) { return input.fill; });
    std::string x = cells;
    if (const std::string levels =
            marks_of(inputs, [](const PlanInput& input) { return input.kind == PlanInput::Kind::level; });
        !levels.empty())
      x = graph_.where(levels, level_marks(inputs, cells, fill), x);
    x = graph_.where(empty, plan_.fills ? fill : graph_.scalar(nan()), x);
    if (const std::string flags =
            marks_of(inputs, [](const PlanInput& input) { return input.kind == PlanInput::Kind::missing; });
        !flags.empty())
      x = graph_.where(flags, as_numbers(empty), x);
    const std::string lacking = as_numbers(graph_.operation("IsNaN", {x}));
    Seen seen;
    seen.missing = graph_.operation(
        "Greater",
        {graph_.operation("ReduceSum", {lacking, graph_.list(Integers{1})}, {{"keepdims", 1}}), graph_.scalar(0.0)});
    if (const std::string logs = marks_of(inputs, [](const PlanInput& input) { return input.scale.log_from > 0.0; });
        !logs.empty()) {
      const std::string from = row_of(
          inputs, [](const PlanInput& input) { return input.scale.log_from > 0.0 ? input.scale.log_from : 1.0; });
      x = graph_.where(logs, graph_.operation("Log", {graph_.operation("Max", {x, from})}), x);
    }
    x = graph_.minus(row_of(inputs, [](const PlanInput& input) { return input.scale.mean; }), x);
    seen.inputs = graph_.minus_of(
        graph_.operation("Div", {x, row_of(inputs, [](const PlanInput& input) { return input.scale.sd; })}));
    return seen;
  }

  /// 1 for the level that it is, 0 for another that is known, else what stands in for it.
  std::string level_marks(const std::vector<PlanInput>& inputs, const std::string& cells, const std::string& fill) {
    const std::string own = row_of(inputs, [](const PlanInput&input) { return static_cast<double>(input.level); }),
                      count = row_of(inputs, [](const PlanInput&input) { return static_cast<double>(input.levels); });
    const std::string whole = graph_.operation("Equal", {cells, graph_.operation("Floor", {cells})}),
                      low = graph_.operation("GreaterOrEqual", {cells, graph_.scalar(0.0)}),
                      high = graph_.operation("Less", {cells, count}),
                      known = graph_.operation("And", {whole, graph_.operation("And", {low, high})});
    return graph_.where(known, as_numbers(graph_.operation("Equal", {cells, own})), fill);
  }

  std::string as_numbers(const std::string& marks) {
    return graph_.where(marks, graph_.scalar(1.0), graph_.scalar(0.0));
  }

  std::string value_of(const PlanMember& member) {
    std::string state = zeros_;
    for (const Block& block : member.network->blocks) {
      std::string next = state;
      for (const Branch& branch : block.branches)
        next = graph_.plus(next, branch_value(branch, lists_[member.inputs].inputs, state));
      state = next;
    }
    return graph_.plus(graph_.row(member.mean), graph_.times(graph_.row(member.scale), state));
  }

  std::string branch_value(const Branch& branch, const std::string& inputs, const std::string& state) {
    std::string variables = branch.kind == BranchKind::state ? state : inputs;
    if (branch.kind == BranchKind::joint) variables = inputs.empty() ? state : graph_.beside({inputs, state});
    if (branch.closed_form)
      return is_series(*branch.closed_form) ? onnx_series(graph_, *branch.closed_form, variables)
                                            : onnx_closed_form(graph_, *branch.closed_form, variables);
    std::string value = branch.trend.empty() ? "" : trend(branch, variables);
    if (branch.frequencies.rows() > 0) {
      const std::string sum = waves(branch, variables);
      value = value.empty() ? sum : graph_.plus(value, sum);
    }
    return value.empty() ? graph_.scalar(0.0) : value;
  }

  std::string trend(const Branch& branch, const std::string& variables) {
    const std::size_t outputs = branch.trend.cols(), count = branch.frequencies.cols();
    const auto rows = [&](std::size_t first, std::size_t number) {
      Matrix part(number, outputs);
      std::copy_n(branch.trend.data() + first * outputs, part.size(), part.data());
      return graph_.matrix(part);
    };
    std::string value = rows(0, 1), power = variables;
    for (std::size_t q = 0; q < branch.trend_degree(); ++q) {
      if (q > 0) power = graph_.times(power, variables);
      value = graph_.plus(value, graph_.product(power, rows(1 + q * count, count)));
    }
    return value;
  }

  std::string waves(const Branch& branch, const std::string& variables) {
    const Matrix& omega = branch.frequencies;
    Matrix whole(omega.cols(), omega.rows()), cosines(omega.rows(), plan_.outputs()), sines = cosines;
    for (std::size_t j = 0; j < omega.rows(); ++j) {
      for (std::size_t k = 0; k < omega.cols(); ++k) {
        const double step = branch.lattice.empty() ? 0.0 : branch.lattice[k];
        whole(k, j) = step > 0.0 ? step * std::round(omega(j, k) / step) : omega(j, k);
      }
      for (std::size_t o = 0; o < plan_.outputs(); ++o) {
        cosines(j, o) = branch.amplitudes(2 * j, o);
        sines(j, o) = -branch.amplitudes(2 * j + 1, o);
      }
    }
    const std::string phase = graph_.product(variables, graph_.matrix(whole));
    const std::string cosine = graph_.cosine(graph_.times(graph_.scalar(0.5), phase)),
                      sine = graph_.operation("Sin", {phase});
    return graph_.plus(graph_.product(cosine, graph_.matrix(cosines)), graph_.product(sine, graph_.matrix(sines)));
  }

  [[nodiscard]] OnnxGraph::About about() const {
    OnnxGraph::About about{
        plan_.name, title_of(plan_) + "\nColumns of inputs:\n", version(), {}, plan_.columns.size(), plan_.outputs()};
    std::string columns, outputs;
    for (const std::string& line : lines_about_columns(plan_)) columns += line + "\n";
    for (const Column& target : plan_.model.targets) outputs += io::to_utf8(target.name) + "\n";
    about.text += columns + (plan_.fills ? "A missing cell is NaN; what the network was trained with stands in for it."
                                         : "A missing cell is NaN; so are the outputs of its row.");
    about.metadata = {{"columns", columns}, {"outputs", outputs}};
    return about;
  }

  const Plan& plan_;
  OnnxGraph graph_;
  std::string zeros_;
  std::vector<Seen> lists_;
};

}  // namespace

std::string onnx_file(const Plan& plan) {
  std::string file = Writer(plan).file();
  if (file.size() >= most_bytes)
    throw InputError(
        "The model would make a file of " + std::to_string(file.size() >> 20U) + " MB, and one of ONNX may have 2048.",
        "Export it as c, python or json.");
  return file;
}

}  // namespace rfnn::exporting
