#include "rfnn/rows/law_terms.hpp"

#include <algorithm>

#include "rfnn/rows/tiles.hpp"

namespace rfnn::rows {
namespace {

/// A number further out counts as this one: no kernel reaches so far, and squares of differences stay finite.
template <class T>
constexpr double farthest = sizeof(T) == sizeof(double) ? 1e100 : 1e15;

}  // namespace

template <class T>
LawTerms<T>::LawTerms(const FrequencyLaw& law) : variables_(law.variables()), mapped_(law.map.rows()) {
  const std::size_t parts = law.parts.size();
  slope_.assign(variables_ * parts, T(0));
  curvature_.assign(variables_ * parts, T(0));
  of_mapped_.assign(mapped_ * parts, T(0));
  bool ordered = false, centred = false;
  for (std::size_t p = 0; p < parts; ++p) {
    const FrequencyLaw::Part& part = law.parts[p];
    strength_.push_back(static_cast<T>(part.strength));
    order_.push_back(part.order);
    ordered = ordered || part.order > 0;
    centred = centred || !part.centre.empty();
    if (part.radial) {
      if (!radial_) radial_ = std::make_unique<bool[]>(parts);
      radial_[p] = true;
      for (std::size_t k = 0; k < variables_; ++k)
        curvature_[k * parts + p] = static_cast<T>(part.rough[k] * part.rough[k]);
      continue;
    }
    for (std::size_t k = 0; k < variables_; ++k) slope_[k * parts + p] = static_cast<T>(part.rough[k]);
    std::vector<T>& place = mapped_ > 0 ? of_mapped_ : curvature_;
    for (std::size_t j = 0; j < part.smooth.size(); ++j)
      place[j * parts + p] = static_cast<T>(0.5 * part.smooth[j] * part.smooth[j]);
  }
  if (!ordered) order_.clear();
  if (centred) {
    centre_.assign(variables_ * parts, T(0));
    for (std::size_t p = 0; p < parts; ++p)
      for (std::size_t k = 0; k < law.parts[p].centre.size(); ++k)
        centre_[k * parts + p] = static_cast<T>(law.parts[p].centre[k]);
  }
  for (std::size_t j = 0; j < mapped_; ++j)
    for (std::size_t k = 0; k < variables_; ++k) map_.push_back(static_cast<T>(law.map(j, k)));
}

template <class T>
features::LawView<T> LawTerms<T>::view() const {
  return {strength_.size(),
          variables_,
          mapped_,
          strength_.data(),
          slope_.data(),
          curvature_.data(),
          of_mapped_.data(),
          order_.empty() ? nullptr : order_.data(),
          centre_.empty() ? nullptr : centre_.data(),
          radial_.get()};
}

template <class T>
void LawTerms<T>::place(const double* variables, T* coordinates) const {
  for (std::size_t k = 0; k < variables_; ++k)
    coordinates[k] = static_cast<T>(std::clamp(variables[k], -farthest<T>, farthest<T>));
  for (std::size_t j = 0; j < mapped_; ++j) {
    T sum = T(0);
    for (std::size_t k = 0; k < variables_; ++k) sum += map_[j * variables_ + k] * coordinates[k];
    coordinates[variables_ + j] = sum;
  }
}

template <class T>
Centres<T>::Centres(const LawTerms<T>& law, const Matrix& points)
    : values_(points.rows() * law.coordinates()), pointers_(points.rows()) {
  for (std::size_t i = 0; i < points.rows(); ++i) {
    T* const own = values_.data() + i * law.coordinates();
    law.place(points.data() + i * points.cols(), own);
    pointers_[i] = own;
  }
}

template <class T>
void TilePoints<T>::make_room(std::size_t coordinates) {
  values_.resize(coordinates * tile_rows);
  pointers_.resize(coordinates);
  for (std::size_t c = 0; c < coordinates; ++c) pointers_[c] = values_.data() + c * tile_rows;
}

template <class T>
void TilePoints<T>::place(const LawTerms<T>& law, const double* const* variables) {
  make_room(law.coordinates());
  std::vector<double> point(law.variables());
  std::vector<T> coordinates(law.coordinates());
  for (std::size_t row = 0; row < tile_rows; ++row) {
    for (std::size_t k = 0; k < point.size(); ++k) point[k] = variables[k][row];
    law.place(point.data(), coordinates.data());
    for (std::size_t c = 0; c < coordinates.size(); ++c) values_[c * tile_rows + row] = coordinates[c];
  }
}

template <class T>
void TilePoints<T>::place(const LawTerms<T>& law, const Centres<T>& centres, std::size_t first) {
  make_room(law.coordinates());
  for (std::size_t row = 0; row < tile_rows; ++row) {
    const T* const point = *centres.from(std::min(first + row, centres.size() - 1));
    for (std::size_t c = 0; c < law.coordinates(); ++c) values_[c * tile_rows + row] = point[c];
  }
}

template class LawTerms<double>;
template class LawTerms<float>;
template class Centres<double>;
template class Centres<float>;
template class TilePoints<double>;
template class TilePoints<float>;

}  // namespace rfnn::rows
