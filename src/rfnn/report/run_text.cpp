#include "rfnn/report/run_text.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>

#include <fmt/format.h>

#include "rfnn/data/moment.hpp"
#include "rfnn/io/text.hpp"
#include "rfnn/options/number_text.hpp"
#include "rfnn/report/figure.hpp"

namespace rfnn::report {

std::string shell_line(const std::vector<std::string>& words) {
  static constexpr std::string_view plain = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-./,:=+@%";
  std::string line;
  for (const std::string& word : words) {
    if (!line.empty()) line += ' ';
    if (!word.empty() && word.find_first_not_of(plain) == std::string::npos) {
      line += word;
      continue;
    }
    line += '\'';
    for (const char c : word) {
      if (c == '\'') {
        line += "'\\''";
      } else {
        line += c;
      }
    }
    line += '\'';
  }
  return line;
}

std::string label_of(std::string_view name) {
  const std::string quoted = io::shown(io::to_utf8(name));
  return quoted.size() > 2 ? quoted.substr(1, quoted.size() - 2) : "(no name)";
}

std::string listed_labels(const std::vector<std::string>& names, std::size_t most) {
  std::string text;
  for (std::size_t i = 0; i < std::min(names.size(), most); ++i) text += (i == 0 ? "" : ", ") + label_of(names[i]);
  return names.size() > most ? text + fmt::format(", … ({} in all)", names.size()) : text;
}

std::string percent(double share) {
  if (!std::isfinite(share)) return "–";
  if (share >= 1.0) return "100 %";
  const double rest = 1.0 - share;
  const int digits = rest < 0.1 ? std::clamp(static_cast<int>(std::ceil(-std::log10(rest))) - 1, 1, 10) : 1;
  // Downwards: 99.9996 % must not become 100 %.
  const double steps = std::pow(10.0, digits);
  return fmt::format("{:.{}f} %", std::floor(100.0 * share * steps + 1e-6) / steps, digits);
}

std::string period_text(double frequency, bool days) {
  if (frequency == 0.0) return "∞";
  const double period = 2.0 * std::numbers::pi / std::abs(frequency);
  return days ? span_text(period) : short_number(period);
}

std::string time_text(std::string_view time) {
  std::string text = io::to_utf8(time);
  if (text.size() != 20 || text[10] != 'T' || text.back() != 'Z') return text;
  text[10] = ' ';
  return text.substr(0, 19) + " UTC";
}

std::string time_span(double seconds) {
  std::string text = io::duration(seconds);
  if (seconds >= 59.95) return text + (seconds < 3599.5 ? "\u00a0min" : "\u00a0h");
  if (const std::size_t space = text.find(' '); space != std::string::npos) text.replace(space, 1, "\u00a0");
  return text;
}

std::string sentences(const std::vector<std::string>& parts) {
  std::string text;
  for (const std::string& part : parts) {
    if (!part.empty()) text += (text.empty() ? "" : " ") + part;
  }
  return text;
}

std::string with_error(double value, std::optional<double> standard_error) {
  if (!standard_error || !std::isfinite(*standard_error)) return short_number(value);
  // As many digits as the standard error leaves a meaning to, and one of the error itself.
  const auto with_digits = [](double number, double digits) {
    const std::string text = fmt::format("{:.{}g}", number, static_cast<int>(std::clamp(digits, 1.0, 6.0)));
    return short_number(number_from<double>(text).value_or(number));
  };
  const bool known = value > 0.0 && *standard_error > 0.0;
  const double digits = known ? std::floor(std::log10(value)) - std::floor(std::log10(*standard_error)) + 2.0 : 6.0;
  return fmt::format("{} ±\u00a0{}", with_digits(value, digits), with_digits(*standard_error, 1.0));
}

std::string rmse_text(double mse, std::optional<double> standard_error) {
  const double root = std::sqrt(mse);
  if (standard_error && root > 0.0) *standard_error /= 2.0 * root;
  return with_error(root, standard_error);
}

}  // namespace rfnn::report
