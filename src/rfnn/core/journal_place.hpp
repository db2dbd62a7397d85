#pragma once

// Private header.

#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "rfnn/core/archive.hpp"
#include "rfnn/core/journal.hpp"
#include "rfnn/core/parallel.hpp"

namespace rfnn {

/// An address in a journal, or nowhere: then nothing is found and nothing kept.
class JournalPlace {
 public:
  JournalPlace() = default;
  JournalPlace(Journal* journal, std::string address) : journal_(journal), address_(std::move(address)) {}

  /// A part of the piece that is here.
  JournalPlace operator/(std::string_view part) const {
    return {journal_, address_.empty() ? std::string(part) : address_ + "." + std::string(part)};
  }

  /// The piece that is here, or what work() makes of it, which is kept unless it was interrupted. `work` returns an
  /// optional, which is kept whether there is something in it or not.
  template <class Work>
  auto piece(Interrupt& interrupt, const Work& work) const -> decltype(work()) {
    if (auto known = found<decltype(work())>()) return std::move(*known);
    auto made = work();
    if (!interrupt.stopped()) keep(made);
    return made;
  }

  template <class T>
  [[nodiscard]] std::optional<T> found() const {
    return read<T>(journal_ == nullptr ? std::nullopt : journal_->find(address_));
  }
  template <class T>
  void keep(const T& value) const {
    if (journal_ != nullptr) journal_->keep(address_, bytes_of(value));
  }

  explicit operator bool() const { return journal_ != nullptr; }
  [[nodiscard]] std::optional<std::string> bytes() const {
    return journal_ == nullptr ? std::nullopt : journal_->find(address_);
  }
  void keep_bytes(std::string bytes) const { journal_->keep(address_, std::move(bytes)); }

  /// Where a long piece stands.
  [[nodiscard]] bool due() const { return journal_ != nullptr && journal_->due(address_); }
  template <class... T>
  void note(const T&... values) const {
    ArchiveWriter archive;
    archive(values...);
    journal_->note(address_, archive.take());
  }
  /// Puts what was noted into the values; false where nothing was.
  template <class... T>
  bool restore(T&... values) const {
    const std::optional<std::string> bytes = journal_ == nullptr ? std::nullopt : journal_->noted(address_);
    if (!bytes) return false;
    ArchiveReader archive(*bytes);
    archive(values...);
    archive.end();
    return true;
  }

 private:
  template <class T>
  static std::string bytes_of(const T& value) {
    ArchiveWriter archive;
    archive(value);
    return archive.take();
  }
  template <class T>
  static std::optional<T> read(const std::optional<std::string>& bytes) {
    if (!bytes) return std::nullopt;
    ArchiveReader archive(*bytes);
    std::optional<T> value(std::in_place);
    archive(*value);
    archive.end();
    return value;
  }

  Journal* journal_ = nullptr;
  std::string address_;
};

}  // namespace rfnn
