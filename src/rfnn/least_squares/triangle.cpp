#include "rfnn/least_squares/triangle.hpp"

namespace rfnn::dense {

template <class T>
Triangle<T>::Triangle(std::size_t size) : size_(size) {
  numbers_.reset(static_cast<T*>(::operator new (numbers() * sizeof(T), std::align_val_t{64})));
  std::fill_n(data(), numbers(), T(0));
  for (std::size_t i = size; i < stripes() * width; ++i) (*this)(i, i) = T(1);
}

template <class T>
Triangle<T>::Triangle(const Triangle& other) : size_(other.size_) {
  numbers_.reset(static_cast<T*>(::operator new (numbers() * sizeof(T), std::align_val_t{64})));
  std::copy_n(other.data(), numbers(), data());
}

template <class T>
Triangle<T>& Triangle<T>::operator=(const Triangle& other) {
  if (size_ != other.size_) return *this = Triangle(other);
  if (this != &other) std::copy_n(other.data(), numbers(), data());
  return *this;
}

template <class T>
void Triangle<T>::set_rows(std::size_t first, BasicMatrixView<const T> rows) {
  for (std::size_t r = 0; r < rows.rows(); ++r) {
    T* out = data() + place(first + r, 0);
    for (std::size_t j = 0; j <= first + r; ++j) out[j * width] = rows(r, j);
  }
}

template <class T>
void Triangle<T>::get_rows(std::size_t first, BasicMatrixView<T> rows) const {
  for (std::size_t r = 0; r < rows.rows(); ++r)
    for (std::size_t j = 0; j < rows.cols(); ++j) rows(r, j) = (*this)(std::max(first + r, j), std::min(first + r, j));
}

template <class T>
void Triangle<T>::add_to_diagonal(T shift) {
  for (std::size_t i = 0; i < size_; ++i) (*this)(i, i) += shift;
}

template class Triangle<double>;
template class Triangle<float>;

}  // namespace rfnn::dense
