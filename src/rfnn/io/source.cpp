#include "rfnn/io/source.hpp"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zlib.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <string>
#include <vector>

#include "rfnn/core/error.hpp"
#include "rfnn/io/text.hpp"

namespace rfnn::io {

std::size_t ByteSource::read(char* out, std::size_t bytes) {
  std::size_t have = std::min(bytes, ahead_.size());
  if (have > 0) {
    std::memcpy(out, ahead_.data(), have);
    ahead_.erase(0, have);
  }
  while (have < bytes) {
    const std::size_t more = read_some(out + have, bytes - have);
    if (more == 0) break;
    have += more;
  }
  return have;
}

std::string_view ByteSource::peek(std::size_t bytes) {
  const std::size_t have = ahead_.size();
  if (have < bytes) {
    std::string next(bytes - have, '\0');
    std::size_t got = 0;
    while (got < next.size()) {
      const std::size_t more = read_some(next.data() + got, next.size() - got);
      if (more == 0) break;
      got += more;
    }
    ahead_.append(next, 0, got);
  }
  return std::string_view(ahead_).substr(0, bytes);
}

void ByteSource::read_at(std::uint64_t, char*, std::size_t) {
  throw InputError(origin() + " can only be read from front to back.", "Copy it to a regular file first.");
}

namespace {

/// Linux moves at most about 2 GiB in one call.
constexpr std::size_t largest_read = std::size_t{1} << 30U;

class FileSource : public ByteSource {
 public:
  FileSource(int fd, bool owned, std::string origin) : ByteSource(std::move(origin)), fd_(fd), owned_(owned) {
    struct stat status {};
    if (::fstat(fd_, &status) != 0 || !S_ISREG(status.st_mode)) return;
    // Standard input may be a file of which someone else has read a part.
    const off_t here = ::lseek(fd_, 0, SEEK_CUR);
    if (here < 0 || here > status.st_size) return;
    base_ = here;
    size_ = static_cast<std::uint64_t>(status.st_size - here);
  }
  ~FileSource() override {
    if (owned_) ::close(fd_);
  }

  [[nodiscard]] std::optional<std::uint64_t> size() const override { return size_; }
  [[nodiscard]] bool random_access() const override { return size_.has_value(); }

  void read_at(std::uint64_t offset, char* out, std::size_t bytes) override {
    while (bytes > 0) {
      const ssize_t got = ::pread(fd_, out, std::min(bytes, largest_read), base_ + static_cast<off_t>(offset));
      if (got < 0 && errno == EINTR) continue;
      if (got < 0) fail(errno);
      if (got == 0)
        throw InputError(origin() + " became shorter while it was read.", "Read it when nobody writes to it.");
      out += got;
      offset += static_cast<std::uint64_t>(got);
      bytes -= static_cast<std::size_t>(got);
    }
  }

  [[nodiscard]] std::shared_ptr<const char> map() const override {
    if (!size_ || *size_ == 0) return nullptr;
    // A mapping begins at a page.
    const off_t page = ::sysconf(_SC_PAGESIZE), start = base_ / page * page;
    const auto bytes = static_cast<std::size_t>(*size_) + static_cast<std::size_t>(base_ - start);
    void* place = ::mmap(nullptr, bytes, PROT_READ, MAP_SHARED, fd_, start);
    if (place == MAP_FAILED) return nullptr;
    const std::shared_ptr<void> mapping(place, [bytes](void* mapped) { ::munmap(mapped, bytes); });
    return {mapping, static_cast<const char*>(place) + (base_ - start)};
  }

 protected:
  std::size_t read_some(char* out, std::size_t bytes) override {
    while (true) {
      const ssize_t got = ::read(fd_, out, std::min(bytes, largest_read));
      if (got >= 0) return static_cast<std::size_t>(got);
      if (errno != EINTR) fail(errno);
    }
  }

 private:
  [[noreturn]] void fail(int error) const {
    throw InputError(origin() + " cannot be read: " + system_message(error) + ".", "Check the path and the disk.");
  }

  int fd_;
  bool owned_;
  off_t base_ = 0;
  std::optional<std::uint64_t> size_;
};

class MemorySource : public ByteSource {
 public:
  MemorySource(std::string_view bytes, std::string origin) : ByteSource(std::move(origin)), bytes_(bytes) {}

  [[nodiscard]] std::optional<std::uint64_t> size() const override { return bytes_.size(); }
  [[nodiscard]] bool random_access() const override { return true; }

  void read_at(std::uint64_t offset, char* out, std::size_t bytes) override {
    if (offset > bytes_.size() || bytes > bytes_.size() - offset)
      throw InputError(origin() + " is shorter than it says.", "Get a complete copy.");
    std::memcpy(out, bytes_.data() + offset, bytes);
  }

 protected:
  std::size_t read_some(char* out, std::size_t bytes) override {
    const std::size_t got = std::min(bytes, bytes_.size() - taken_);
    if (got > 0) std::memcpy(out, bytes_.data() + taken_, got);
    taken_ += got;
    return got;
  }

 private:
  std::string_view bytes_;
  std::size_t taken_ = 0;
};

class GzipSource : public ByteSource {
 public:
  explicit GzipSource(std::unique_ptr<ByteSource> compressed)
      : ByteSource(compressed->origin()), compressed_(std::move(compressed)), input_(std::size_t{1} << 18U) {
    if (::inflateInit2(&stream_, 15 + 16) != Z_OK) throw std::bad_alloc();  // 15: largest window, 16: gzip wrapping
  }
  ~GzipSource() override { ::inflateEnd(&stream_); }

 protected:
  std::size_t read_some(char* out, std::size_t bytes) override {
    stream_.next_out = reinterpret_cast<Bytef*>(out);
    stream_.avail_out = static_cast<uInt>(std::min(bytes, largest_read));
    const uInt room = stream_.avail_out;
    while (stream_.avail_out == room) {
      if (stream_.avail_in == 0) {
        stream_.next_in = reinterpret_cast<Bytef*>(input_.data());
        stream_.avail_in = static_cast<uInt>(compressed_->read(input_.data(), input_.size()));
        if (stream_.avail_in == 0) {
          if (inside_member_)
            throw InputError(origin() + " is a gzip file that ends in the middle.", "Get a complete copy of it.");
          return 0;
        }
      }
      if (!inside_member_ && !begin_member()) continue;
      const int result = ::inflate(&stream_, Z_NO_FLUSH);
      if (result == Z_STREAM_END) {
        inside_member_ = false;
      } else if (result == Z_MEM_ERROR) {
        throw std::bad_alloc();
      } else if (result != Z_OK && result != Z_BUF_ERROR) {
        const std::string why = stream_.msg != nullptr ? std::string(": ") + stream_.msg : std::string();
        throw InputError(origin() + " is a damaged gzip file" + why + ".", "Get a sound copy of it.");
      }
    }
    return room - stream_.avail_out;
  }

 private:
  /// A gzip file may be several joined end to end, and padded with zeros. False: only padding so far.
  bool begin_member() {
    if (members_ > 0) {
      while (stream_.avail_in > 0 && *stream_.next_in == 0) {
        ++stream_.next_in;
        --stream_.avail_in;
      }
      if (stream_.avail_in == 0) return false;
      if (*stream_.next_in != 0x1F)
        throw InputError(origin() + " goes on after the end of its gzip data with something else.",
                         "Get a sound copy of it.");
      ::inflateReset(&stream_);
    }
    ++members_;
    return inside_member_ = true;
  }

  std::unique_ptr<ByteSource> compressed_;
  std::vector<char> input_;
  z_stream stream_{};
  bool inside_member_ = false;
  std::size_t members_ = 0;
};

int opened(const std::string& path) {
  int fd = -1;
  do fd = ::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NOCTTY);
  while (fd < 0 && errno == EINTR);
  return fd;
}

/// What is read in the place of the file opened: `python -m rfnn` keeps copies as CSV of files that only Python reads,
/// in the folder RFNN_COPIES, by device and number of the file. Everything else knows the file itself.
int instead_of(int fd) {
  const char* const folder = std::getenv("RFNN_COPIES");
  struct stat status {};
  if (folder == nullptr || *folder == '\0' || fd < 0 || ::fstat(fd, &status) != 0) return fd;
  const int copy =
      opened(std::string(folder) + "/" + std::to_string(status.st_dev) + "-" + std::to_string(status.st_ino) + ".csv");
  if (copy < 0) return fd;
  ::close(fd);
  return copy;
}

}  // namespace

std::unique_ptr<ByteSource> open_file(const std::string& path) {
  if (path == "-") return std::make_unique<FileSource>(STDIN_FILENO, false, "standard input");
  const int fd = instead_of(opened(path));
  if (fd < 0) {
    const int error = errno;
    if (error == ENOENT) throw InputError(path + " does not exist.", "Check the path.");
    if (error == EACCES || error == EPERM)
      throw InputError(path + " may not be read: permission denied.", "Ask its owner, or copy it to a place of yours.");
    throw InputError(path + " cannot be opened: " + system_message(error) + ".", "Check the path.");
  }
  auto source = std::make_unique<FileSource>(fd, true, path);
  struct stat status {};
  if (::fstat(fd, &status) == 0 && S_ISDIR(status.st_mode))
    throw InputError(path + " is a folder, not a file.", "Name a file in it.");
  return source;
}

std::unique_ptr<ByteSource> open_memory(std::string_view bytes, std::string origin) {
  return std::make_unique<MemorySource>(bytes, std::move(origin));
}

std::unique_ptr<ByteSource> open_gzip(std::unique_ptr<ByteSource> compressed) {
  return std::make_unique<GzipSource>(std::move(compressed));
}

std::unique_ptr<ByteSource> unpacked(std::unique_ptr<ByteSource> source) {
  if (source->peek(2) == "\x1F\x8B") return open_gzip(std::move(source));
  return source;
}

}  // namespace rfnn::io
