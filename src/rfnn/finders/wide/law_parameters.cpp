#include "rfnn/finders/wide/law_parameters.hpp"

#include <algorithm>
#include <cmath>

#include "rfnn/finders/wide/tuning.hpp"

namespace rfnn::wide {

LawParameters::LawParameters(std::size_t variables, LawShape shape) : variables_(variables), shape_(shape) {
  mean_ = Eigen::VectorXd::Zero(count());
  sd_ = Eigen::VectorXd::Constant(count(), tuning::sd_of_noise);
  // Points of d standardised variables are √(2d) apart: such scales make the kernel fall off over that distance.
  const double scale = std::log(tuning::typical_scale / std::sqrt(static_cast<double>(variables)));
  for (std::size_t p = 0; p < shape.parts; ++p) {
    sd_(strength(p)) = tuning::sd_of_strength;
    for (std::size_t k = 0; k < variables; ++k) {
      mean_(smooth(p, k)) = mean_(rough(p, k)) = scale;
      sd_(smooth(p, k)) = sd_(rough(p, k)) = tuning::sd_of_scale;
    }
  }
  for (std::size_t j = 0; shape.mapped && j < variables; ++j)
    for (std::size_t k = 0; k < variables; ++k) sd_(map(j, k)) = tuning::sd_of_map;
}

Eigen::Index LawParameters::strength(std::size_t part) const {
  return static_cast<Eigen::Index>(part * (2 * variables_ + 1));
}
Eigen::Index LawParameters::smooth(std::size_t part, std::size_t k) const {
  return strength(part) + 1 + static_cast<Eigen::Index>(k);
}
Eigen::Index LawParameters::rough(std::size_t part, std::size_t k) const {
  return smooth(part, variables_) + static_cast<Eigen::Index>(k);
}
Eigen::Index LawParameters::map(std::size_t j, std::size_t k) const {
  return strength(shape_.parts) + static_cast<Eigen::Index>(j * variables_ + k);
}
Eigen::Index LawParameters::noise() const { return shape_.mapped ? map(variables_, 0) : strength(shape_.parts); }
bool LawParameters::is_map(Eigen::Index place) const { return place >= strength(shape_.parts) && place < noise(); }

FrequencyLaw LawParameters::law(const Eigen::VectorXd& x) const {
  FrequencyLaw law;
  for (std::size_t p = 0; p < shape_.parts; ++p) {
    FrequencyLaw::Part part;
    part.strength = std::exp(x(strength(p)));
    for (std::size_t k = 0; k < variables_; ++k) {
      part.smooth.push_back(std::exp(x(smooth(p, k))));
      part.rough.push_back(std::exp(x(rough(p, k))));
    }
    law.parts.push_back(std::move(part));
  }
  if (shape_.mapped) {
    law.map = Matrix(variables_, variables_);
    for (std::size_t j = 0; j < variables_; ++j)
      for (std::size_t k = 0; k < variables_; ++k) law.map(j, k) = (j == k ? 1.0 : 0.0) + x(map(j, k));
  }
  return law;
}

Eigen::VectorXd LawParameters::start(double noise_variance) const {
  Eigen::VectorXd x = mean_;
  x(noise()) = std::log(noise_variance);
  for (std::size_t p = 0; p < shape_.parts; ++p) {
    const bool is_rough = p % 2 == 1;
    x(strength(p)) = is_rough ? tuning::start_of_rough : 0.0;
    for (std::size_t k = 0; k < variables_; ++k) x(is_rough ? smooth(p, k) : rough(p, k)) += tuning::start_of_other;
  }
  return x;
}

Eigen::VectorXd LawParameters::from(const LawParameters& known, const Eigen::VectorXd& x) const {
  Eigen::VectorXd made = start(known.noise_of(x));
  const Eigen::Index shared = strength(std::min(shape_.parts, known.shape_.parts));
  made.head(shared) = x.head(shared);
  for (std::size_t p = known.shape_.parts; p < shape_.parts; ++p) {
    // A further part begins as a weak one with shorter waves than the first of its kind.
    const std::size_t like = p % 2;
    made(strength(p)) = x(strength(like)) + tuning::start_of_further;
    for (std::size_t k = 0; k < variables_; ++k) {
      made(smooth(p, k)) = x(smooth(like, k)) + tuning::shorter_waves;
      made(rough(p, k)) = x(rough(like, k)) + tuning::shorter_waves;
    }
  }
  if (shape_.mapped)
    for (std::size_t j = 0; j < variables_; ++j)
      for (std::size_t k = 0; k < variables_; ++k) made(map(j, k)) = known.shape_.mapped ? x(known.map(j, k)) : 0.0;
  return made;
}

double LawParameters::prior(const Eigen::VectorXd& x, Eigen::VectorXd& gradient) const {
  const Eigen::ArrayXd off = (x - mean_).array() / sd_.array();
  gradient.array() += off / sd_.array();
  return 0.5 * off.square().sum();
}

void LawParameters::add_slopes(const Eigen::VectorXd& x, const rows::KernelSlopes& slopes, double by_noise,
                               Eigen::VectorXd& gradient) const {
  for (std::size_t p = 0; p < shape_.parts; ++p) {
    const auto part = static_cast<Eigen::Index>(p);
    gradient(strength(p)) += slopes.strength(part);
    for (std::size_t k = 0; k < variables_; ++k) {
      const auto variable = static_cast<Eigen::Index>(k);
      gradient(smooth(p, k)) -= std::exp(2.0 * x(smooth(p, k))) * slopes.curvature(variable, part);
      gradient(rough(p, k)) -= std::exp(x(rough(p, k))) * slopes.slope(variable, part);
    }
  }
  for (std::size_t j = 0; shape_.mapped && j < variables_; ++j)
    for (std::size_t k = 0; k < variables_; ++k)
      gradient(map(j, k)) -= slopes.map(static_cast<Eigen::Index>(j), static_cast<Eigen::Index>(k));
  gradient(noise()) += by_noise;
}

}  // namespace rfnn::wide
