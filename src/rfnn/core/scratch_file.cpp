#include "rfnn/core/scratch_file.hpp"

#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <system_error>
#include <utility>

#include "rfnn/core/error.hpp"

namespace rfnn {
namespace {

constexpr std::size_t most_at_once = std::size_t{1} << 30U;

[[noreturn]] void fail(int error) {
  throw InputError("A temporary file in " + scratch_folder() +
                       " cannot be written or read: " + std::generic_category().message(error) + ".",
                   "Make room there, give another folder in TMPDIR, or give more --memory.");
}

}  // namespace

std::string scratch_folder() {
  const char* const given = std::getenv("TMPDIR");
  return given != nullptr && *given != '\0' ? given : "/var/tmp";
}

ScratchFile::ScratchFile() {
#if defined(O_TMPFILE)
  file_ = ::open(scratch_folder().c_str(), O_TMPFILE | O_RDWR | O_CLOEXEC, 0600);
  if (file_ >= 0) return;
#endif
  std::string path = scratch_folder() + "/rfnn-XXXXXX";
  file_ = ::mkostemp(path.data(), O_CLOEXEC);
  if (file_ < 0) fail(errno);
  ::unlink(path.c_str());
}

ScratchFile::~ScratchFile() { ::close(file_); }

void ScratchFile::append(const void* first, std::size_t bytes) {
  const char* from = static_cast<const char*>(first);
  while (bytes > 0) {
    const ssize_t put = ::pwrite(file_, from, std::min(bytes, most_at_once), static_cast<off_t>(size_));
    if (put < 0 && errno == EINTR) continue;
    if (put < 0) fail(errno);
    from += put;
    bytes -= static_cast<std::size_t>(put);
    size_ += static_cast<std::uint64_t>(put);
  }
}

void ScratchFile::read(std::uint64_t offset, void* place, std::size_t bytes) const {
  char* to = static_cast<char*>(place);
  while (bytes > 0) {
    const ssize_t got = ::pread(file_, to, std::min(bytes, most_at_once), static_cast<off_t>(offset));
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) fail(got < 0 ? errno : EIO);
    to += got;
    offset += static_cast<std::uint64_t>(got);
    bytes -= static_cast<std::size_t>(got);
  }
}

// Room is had now, for a write into a mapping that finds none ends the process.
void ScratchFile::grow(std::size_t bytes) {
  if (bytes == 0) return;
  const int error = ::posix_fallocate(file_, static_cast<off_t>(size_), static_cast<off_t>(bytes));
  if (error != 0) fail(error);
  size_ += bytes;
}

ScratchMap::ScratchMap(std::unique_ptr<ScratchFile> file) : file_(std::move(file)) { map(); }

ScratchMap::ScratchMap(std::size_t bytes) : file_(std::make_unique<ScratchFile>()) {
  file_->grow(bytes);
  map();
}

void ScratchMap::map() {
  if (bytes() == 0) return;
  place_ = ::mmap(nullptr, bytes(), PROT_READ | PROT_WRITE, MAP_SHARED, file_->file_, 0);
  if (place_ == MAP_FAILED) fail(errno);
  pages_ = FilePages(place_, bytes());
}

ScratchMap::~ScratchMap() {
  if (place_ != nullptr && place_ != MAP_FAILED) ::munmap(place_, bytes());
}

}  // namespace rfnn
