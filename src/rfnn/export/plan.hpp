#pragma once

// Private header. What all exports need to know of a model beside its blocks: how rows of numbers, one per column of
// the table, become what the networks see.

#include <cstddef>
#include <deque>
#include <string>
#include <string_view>
#include <vector>

#include "rfnn/data/column_code.hpp"
#include "rfnn/model/model.hpp"

namespace rfnn::exporting {

/// A number the networks see.
struct PlanInput {
  enum class Kind { value, level, missing };  ///< the column's number; whether it is `level`; whether it is missing
  std::size_t column = 0;
  Kind kind = Kind::value;
  std::size_t level = 0, levels = 0;
  double fill = 0.0;  ///< of a missing number, where `Plan::fills`, and of a level that is none of the column's
  Standardised scale;
};

/// A column of the rows that an export takes.
struct PlanColumn {
  std::string name;
  std::string about;  ///< what the column holds and how that is a number
  bool used = false;
};

/// A network of those whose outputs add up, with the list of inputs that it sees.
struct PlanMember {
  std::size_t inputs = 0;  ///< which of Plan::inputs
  const Network* network = nullptr;
  std::vector<double> mean, scale;  ///< per output: mean + scale · z is what it adds
};

/// Everything that adds to the outputs: the members of the model, of its base and so on, with their shares. A base that
/// is a column is a network too, one that passes it on. Refers to the model.
class Plan {
 public:
  Plan(const Model& of, std::string_view named);
  Plan(const Plan&) = delete;
  Plan& operator=(const Plan&) = delete;

  const Model& model;
  std::string name;  ///< an identifier
  std::vector<PlanColumn> columns;
  std::vector<std::vector<PlanInput>> inputs;  ///< lists; the first is the model's
  std::vector<PlanMember> members;
  bool fills = false;  ///< missing cells are filled in; else the outputs are NaN

  [[nodiscard]] std::size_t outputs() const { return model.outputs(); }
  [[nodiscard]] std::size_t most_inputs() const;
  [[nodiscard]] std::size_t variables() const { return most_inputs() + outputs(); }

 private:
  void add(const Model& of, const std::vector<std::size_t>& places, const std::vector<double>& weight);
  void add_columns(const Base& base, const std::vector<std::size_t>& places, const std::vector<double>& weight);
  PlanInput use(std::size_t input, const Standardised& scale);

  std::vector<PlanInput> made_;  ///< all inputs that the columns make
  std::deque<Network> columns_passed_on_;
};

/// Of a branch: the first of the variables it sees, of inputs and state in this order, and how many.
struct Seen {
  std::size_t first = 0, count = 0;
};
Seen seen_by(const Branch& branch, std::size_t inputs, std::size_t outputs);

/// A closed form's points as its kernel reads them: variables, times the scale of the window, and behind them what the
/// law's map makes of them.
Matrix kernel_points(const ClosedForm& form);

/// A closed form whose law is a Markov process of one variable, as predict() sums it: at x the states of the centre
/// before and of that behind it say all. Of the numbers of a state, part p has its first n = order + 1, and where it
/// has a centre μ, n more:
///
///   value of a side = Σ_p Σ_j r_j(t d) (cos(μ d) s_j − sin(μ d) s_(n+j)),    d the distance from the centre,
///
/// r(z) = exp(−z) (1), exp(−z) (1 + z, z) and exp(−z) (1 + z + z²/2, z + z², z²/2) for order 0, 1 and 2.
struct Series {
  Matrix centres;        ///< ascending: centres × 1
  Matrix before, after;  ///< centres × (outputs · numbers of a state)
};
bool is_series(const ClosedForm& form);
Series series_of(const ClosedForm& form);

/// The range of a closed form's centres, which weights of windows are taken in.
struct CentreRange {
  std::vector<double> least, most;
};
CentreRange centre_range(const ClosedForm& form);

/// The columns as lines of text, for comments: number, name, what it holds.
std::vector<std::string> lines_about_columns(const Plan& plan);
/// The first lines of every export: what it is of.
std::string title_of(const Plan& plan);

}  // namespace rfnn::exporting
