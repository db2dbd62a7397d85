#include "rfnn/rows/tiles.hpp"

namespace rfnn::rows {

StoredNumbers::StoredNumbers(std::size_t count, Storage storage) {
  if (storage == Storage::disk && count > 0) {
    disk_ = std::make_unique<ScratchMap>(count * sizeof(double));
    place_ = static_cast<double*>(disk_->data());
  } else {
    memory_.assign(count, 0.0);
    place_ = memory_.data();
  }
}

StoredNumbers::StoredNumbers(const StoredNumbers& other) {
  if (!other.on_disk()) {
    memory_ = other.memory_;
    place_ = memory_.data();
    return;
  }
  constexpr std::size_t at_once = FilePages::stretch / sizeof(double);
  const std::size_t count = other.disk_->bytes() / sizeof(double);
  *this = StoredNumbers(count, Storage::disk);
  for (std::size_t first = 0; first < count; first += at_once) {
    const std::size_t last = std::min(count, first + at_once);
    std::copy(other.place_ + first, other.place_ + last, place_ + first);
    other.let_go(first, last);
    let_go(first, last);
  }
}

void StoredNumbers::let_go(std::size_t first, std::size_t last) const {
  if (disk_) disk_->pages().let_go(place_ + first, (last - first) * sizeof(double));
}

}  // namespace rfnn::rows
