#include <algorithm>
#include <cmath>
#include <string_view>

#include <fmt/format.h>

#include "rfnn/core/error.hpp"
#include "rfnn/export/formula.hpp"
#include "rfnn/io/text.hpp"

namespace rfnn::exporting {

/// How things are written, as text and in LaTeX.
struct Formula::Style {
  bool latex;

  /// A name with an index.
  [[nodiscard]] std::string indexed(const std::string& name, const std::string& index) const {
    return latex ? fmt::format("{}_{{{}}}", name, index) : name + index;
  }
  [[nodiscard]] std::string product(const std::string& number, const std::string& factor) const {
    return latex ? number + "\\," + factor : number + " " + factor;
  }
  [[nodiscard]] std::string cosine(const std::string& of) const {
    return latex ? fmt::format("\\cos({})", of) : fmt::format("cos({})", of);
  }
  /// 1.2e-05 as a product.
  [[nodiscard]] std::string number(const std::string& text) const {
    const std::size_t e = text.find('e');
    if (!latex || e == std::string::npos) return text;
    return fmt::format("{} \\cdot 10^{{{}}}", text.substr(0, e), std::stoi(text.substr(e + 1)));
  }
  /// Names of columns, which may hold anything.
  [[nodiscard]] std::string name(const std::string& text) const {
    if (!latex) return text;
    std::string safe;
    for (const char c : text) {
      if (std::string_view("#$%&_{}").find(c) != std::string_view::npos) safe += '\\';
      if (c == '\\' || c == '^' || c == '~')
        safe += ' ';
      else
        safe += c;
    }
    return "\\text{" + safe + "}";
  }
};

std::string Formula::input(std::size_t k, const Style& style) const {
  return style.indexed("u", std::to_string(k + 1));
}

std::string Formula::state(std::size_t member, std::size_t block, std::size_t output, const Style& style) const {
  std::string index = std::to_string(block);
  if (members_.size() > 1) index = fmt::format("{}.{}", member + 1, index);
  if (plan_.outputs() > 1) index += fmt::format(".{}", output + 1);
  return style.indexed("s", index);
}

std::string Formula::variable(std::size_t k, std::size_t member, std::size_t block, const Style& style) const {
  return k < plan_.inputs.front().size() ? input(k, style)
                                         : state(member, block, k - plan_.inputs.front().size(), style);
}

namespace {

/// Terms with their signs: "- 0.5 u1", "+ 1.2"; the first without a plus.
std::string joined(const std::vector<std::string>& terms, const std::string& between) {
  std::string text;
  for (const std::string& term : terms) {
    const bool negative = term.front() == '-';
    if (text.empty())
      text = term;
    else
      text += between + (negative ? "- " + term.substr(1) : "+ " + term);
  }
  return text.empty() ? "0" : text;
}

}  // namespace

/// What is added for one output; states are those before the block.
std::vector<std::string> Formula::terms(const Sum& sum, std::size_t output, std::size_t member, std::size_t block,
                                        const Style& style) const {
  std::vector<std::string> all;
  for (const Power& power : sum.powers) {
    const double c = power.coefficient[output];
    if (c == 0.0) continue;
    const std::string coefficient = style.number(number(c));
    const std::string base = power.power == 0 ? "" : variable(power.variable, member, block - 1, style),
                      exponent = power.power > 1 ? (style.latex ? fmt::format("^{{{}}}", power.power)
                                                                : fmt::format("^{}", power.power))
                                                 : "";
    all.push_back(power.power == 0 ? coefficient : style.product(coefficient, base + exponent));
  }
  for (const Wave& wave : sum.waves) {
    if (wave.amplitude[output] == 0.0) continue;
    const std::size_t first = wave.kind == BranchKind::state ? plan_.inputs.front().size() : 0;
    std::vector<std::string> phase;
    for (std::size_t k = 0; k < wave.frequency.size(); ++k)
      if (wave.frequency[k] != 0.0 &&
          !(block == 1 && first + k >= plan_.inputs.front().size()))  // the first state is 0
        phase.push_back(
            style.product(style.number(number(wave.frequency[k])), variable(first + k, member, block - 1, style)));
    if (wave.phase[output] != 0.0) phase.push_back(style.number(number(wave.phase[output])));
    all.push_back(style.product(style.number(number(wave.amplitude[output])), style.cosine(joined(phase, " "))));
  }
  return all;
}

std::string Formula::equation(const std::string& left, const std::vector<std::string>& terms,
                              const Style& style) const {
  if (style.latex) return left + " ={}& " + joined(terms, " \\\\\n  & ") + " \\\\\n";
  return left + " = " + joined(terms, "\n" + std::string(left.size() + 1, ' ')) + "\n\n";
}

std::string Formula::equations(const Style& style) const {
  std::string text;
  for (std::size_t k = 0; k < plan_.inputs.front().size(); ++k) {
    const PlanInput& in = plan_.inputs.front()[k];
    const std::string name = style.name(plan_.columns[in.column].name);
    const auto& codes = plan_.model.table.inputs;
    std::string x = name;
    if (in.kind == PlanInput::Kind::level)
      x = fmt::format("[{} = {}]", name, style.name(io::to_utf8(codes[in.column].levels[in.level])));
    if (in.kind == PlanInput::Kind::missing) x = fmt::format("[{} {}]", name, style.name("is missing"));
    if (in.scale.log_from > 0.0) {
      const std::string least = style.number(number(in.scale.log_from));
      x = style.latex ? fmt::format("\\log\\max({}, {})", x, least) : fmt::format("log(max({}, {}))", x, least);
    }
    std::vector<std::string> terms = {x};
    if (in.scale.mean != 0.0) terms.push_back(style.number(number(-in.scale.mean)));
    text += input(k, style) + (style.latex ? " ={}& " : " = ") + joined(terms, " ") + (style.latex ? " \\\\\n" : "\n");
  }
  text += style.latex ? "" : "\n";
  const std::size_t outputs = plan_.outputs();
  for (std::size_t o = 0; o < outputs; ++o) {
    std::vector<std::string> all;
    if (mean_[o] != 0.0) all.push_back(style.number(number(mean_[o])));
    if (one_sum_ && !members_.front().empty()) {
      const std::vector<std::string> more = terms(members_.front().front(), o, 0, 1, style);
      all.insert(all.end(), more.begin(), more.end());
    }
    for (std::size_t e = 0; e < members_.size() && !one_sum_; ++e)
      if (!members_[e].empty())
        all.push_back((members_.size() > 1 ? style.product(fmt::format("1/{}", members_.size()), "") : "") +
                      state(e, members_[e].size(), o, style));
    text += equation(style.name(io::to_utf8(plan_.model.targets[o].name)), all, style);
  }
  for (std::size_t e = 0; e < members_.size() && !one_sum_; ++e)
    for (std::size_t l = 1; l <= members_[e].size(); ++l)
      for (std::size_t o = 0; o < outputs; ++o) {
        std::vector<std::string> all = terms(members_[e][l - 1], o, e, l, style);
        if (l > 1) all.insert(all.begin(), state(e, l - 1, o, style));
        text += equation(state(e, l, o, style), all, style);
      }
  return text;
}

std::string Formula::text() const { return equations({.latex = false}); }

std::string Formula::latex() const {
  std::string text = equations({.latex = true});
  if (text.ends_with(" \\\\\n")) text.replace(text.size() - 4, 4, "\n");
  return "\\begin{align*}\n" + text + "\\end{align*}\n";
}

namespace {

constexpr std::size_t most_terms = 300;
constexpr int fewest_digits = 5, most_digits = 17;
constexpr double enough = 1e-4;

void refuse_what_is_large(const Plan& plan) {
  if (!plan.model.base.empty())
    throw InputError("The model learnt the difference to another, its base.",
                     "A formula is of one network: export the base by itself, or the model as python or c.");
  std::size_t terms = 0;
  for (const Network& member : plan.model.members)
    for (const Block& block : member.blocks)
      for (const Branch& branch : block.branches) {
        if (branch.closed_form)
          throw InputError(fmt::format("The model has a closed form, a sum over {} of the training table.",
                                       io::counted(branch.width(), "row")),
                           "A formula is of features: train with --preset paper, or with --width N; or export it as "
                           "python or c.");
        terms += branch.width() + branch.trend.rows();
      }
  if (terms * plan.outputs() > most_terms)
    throw InputError(fmt::format("The model has {}, and a formula may have {}.",
                                 io::counted(terms * plan.outputs(), "term"), most_terms),
                     "Train a smaller one, with --preset paper --blocks 3 say, or export it as python or c.");
}

struct Chosen {
  int digits = fewest_digits;
  double difference = 0.0;
};

/// So many digits that they make no difference that matters.
Chosen chosen(const Plan& plan) {
  refuse_what_is_large(plan);
  Chosen choice{fewest_digits, formula_difference(plan, fewest_digits)};
  while (choice.difference > enough && choice.digits < most_digits) {
    ++choice.digits;
    choice.difference = formula_difference(plan, choice.digits);
  }
  return choice;
}

}  // namespace

double formula_difference(const Plan& plan) { return chosen(plan).difference; }

std::string formula_text(const Plan& plan) {
  const Chosen choice = chosen(plan);
  const Formula formula(plan, choice.digits);
  std::string text =
      title_of(plan) + fmt::format(
                           "\nNumbers are rounded to {} digits, waves that are the same then are one. On rows of "
                           "the training range that\nchanges the outputs by {:.1g} of themselves at the most.\n\n",
                           choice.digits, choice.difference);
  for (const PlanColumn& column : plan.columns)
    if (column.used) text += fmt::format("{}: {}\n", column.name, column.about);
  return text + "\n" + formula.text() + "In LaTeX:\n\n" + formula.latex();
}

}  // namespace rfnn::exporting
