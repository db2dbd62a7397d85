#include "rfnn/io/atomic_file.hpp"

#include <dirent.h>
#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <cstdint>
#include <memory>
#include <optional>
#include <random>
#include <vector>

#include "rfnn/core/error.hpp"
#include "rfnn/io/text.hpp"

namespace rfnn::io {
namespace {

constexpr std::size_t buffer_size = std::size_t{1} << 18U;
constexpr std::string_view mark = ".rfnn-tmp.";
constexpr std::size_t random_letters = 6;
constexpr int most_names = 100;  ///< tried before giving up

/// A system call again and again until no signal interrupts it.
template <class Call>
auto retried(Call call) {
  decltype(call()) result;
  do result = call();
  while (result < 0 && errno == EINTR);
  return result;
}

/// The descriptor that a path stands for, if it is a stream the process has already.
std::optional<int> stream_of(std::string_view path) {
  if (path == "-" || path == "/dev/stdout") return STDOUT_FILENO;
  if (path == "/dev/stderr") return STDERR_FILENO;
  for (const std::string_view folder : {"/dev/fd/", "/proc/self/fd/"}) {
    if (!path.starts_with(folder)) continue;
    const std::string_view number = path.substr(folder.size());
    int fd = -1;
    const auto result = std::from_chars(number.data(), number.data() + number.size(), fd);
    if (result.ec == std::errc{} && result.ptr == number.data() + number.size() && fd >= 0) return fd;
  }
  return std::nullopt;
}

std::string folder_of(const std::string& path) {
  const std::size_t slash = path.rfind('/');
  if (slash == std::string::npos) return ".";
  return slash == 0 ? "/" : path.substr(0, slash);
}
std::string name_of(const std::string& path) { return path.substr(path.rfind('/') + 1); }

/// The front of the names of a place's temporary files. A long name is cut so that they do not become too long.
std::string temporary_prefix(const std::string& place) {
  return "." + name_of(place).substr(0, 200) + std::string(mark);
}

/// Names for a place's temporary file, one after the other.
class TemporaryNames {
 public:
  explicit TemporaryNames(const std::string& place) : prefix_(folder_of(place) + "/" + temporary_prefix(place)) {}
  std::string next() {
    static constexpr std::string_view letters = "abcdefghijklmnopqrstuvwxyz0123456789";
    std::uniform_int_distribution<std::size_t> letter(0, letters.size() - 1);
    std::string name = prefix_;
    for (std::size_t i = 0; i < random_letters; ++i) name += letters[letter(random_)];
    return name;
  }

 private:
  std::string prefix_;
  std::random_device random_;
};

/// An open file as a path.
std::string path_of(int descriptor) { return "/proc/self/fd/" + std::to_string(descriptor); }

/// Follows links, also one that points to a file yet to be made.
std::string resolved(std::string path) {
  for (int links = 0; links < 40; ++links) {
    struct stat status {};
    if (::lstat(path.c_str(), &status) != 0 || !S_ISLNK(status.st_mode)) return path;
    std::vector<char> target(4096);
    const ssize_t length = ::readlink(path.c_str(), target.data(), target.size());
    if (length <= 0) return path;
    const std::string to(target.data(), static_cast<std::size_t>(length));
    path = to.starts_with('/') ? to : folder_of(path) + "/" + to;
  }
  return path;  // a circle; opening it will say so
}

/// What is known about the place before anything is written: links resolved, and the file there now, if any.
struct Place {
  std::string path;
  std::optional<struct stat> old;
  [[nodiscard]] bool direct() const { return old && !S_ISREG(old->st_mode); }
};

Place check_place(const std::string& shown) {
  if (shown.empty() || shown.ends_with('/'))
    throw InputError(shown.empty() ? "The name of the file to write is empty." : shown + " is a folder, not a file.",
                     "Name a file to write.");
  Place place{resolved(shown), std::nullopt};
  struct stat status {};
  if (::stat(place.path.c_str(), &status) == 0) {
    place.old = status;
  } else if (errno != ENOENT && errno != ENOTDIR && errno != EACCES) {
    throw InputError(shown + " cannot be written: " + system_message(errno) + ".", "Choose another place.");
  }
  if (place.old && S_ISDIR(place.old->st_mode))
    throw InputError(shown + " is a folder, not a file.", "Name a file in it.");
  if (place.old && ::access(place.path.c_str(), W_OK) != 0)
    throw InputError(shown + " may not be written: " + system_message(errno) + ".",
                     "Choose another place, or make the file writable.");
  if (place.direct()) return place;

  const std::string folder = folder_of(place.path);
  if (::stat(folder.c_str(), &status) != 0) {
    if (errno == ENOENT)
      throw InputError(shown + " cannot be written: the folder " + folder + " does not exist.",
                       "Create the folder first.");
    throw InputError(shown + " cannot be written: " + folder + ": " + system_message(errno) + ".",
                     "Choose another place.");
  }
  if (!S_ISDIR(status.st_mode))
    throw InputError(shown + " cannot be written: " + folder + " is not a folder.", "Choose another place.");
  if (::access(folder.c_str(), W_OK | X_OK) != 0)
    throw InputError(
        shown + " cannot be written: the folder " + folder + " is not writable (" + system_message(errno) + ").",
        "Choose another place, or make the folder writable.");
  return place;
}

/// Removes the temporary files of runs that are gone: their locks went with them.
void remove_stale(const std::string& place) {
  const std::string folder = folder_of(place);
  const std::string prefix = temporary_prefix(place);
  const std::unique_ptr<DIR, int (*)(DIR*)> entries(::opendir(folder.c_str()), ::closedir);
  if (!entries) return;
  while (const dirent* entry = ::readdir(entries.get())) {
    const std::string name = entry->d_name;
    if (name.size() != prefix.size() + random_letters || !name.starts_with(prefix)) continue;
    const std::string path = folder + "/" + name;
    const int fd = ::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
    if (fd < 0) continue;
    struct stat status {};
    if (::fstat(fd, &status) == 0 && S_ISREG(status.st_mode) && ::flock(fd, LOCK_EX | LOCK_NB) == 0)
      ::unlink(path.c_str());
    ::close(fd);
  }
}

}  // namespace

AtomicFile::AtomicFile(std::string path) : shown_(std::move(path)) {
  if (const auto stream = stream_of(shown_)) {
    if (*stream == STDOUT_FILENO) shown_ = "standard output";
    direct_ = true;
    fd_ = ::fcntl(*stream, F_DUPFD_CLOEXEC, 0);
    if (fd_ < 0) fail(errno);
    return;
  }
  const Place place = check_place(shown_);
  place_ = place.path;
  if (place.direct()) {
    direct_ = true;
    fd_ = retried([&] { return ::open(place_.c_str(), O_WRONLY | O_CLOEXEC | O_NOCTTY); });
    if (fd_ < 0) fail(errno);
    return;
  }
  remove_stale(place_);
  if (!create_without_name()) create_temporary();
  if (place.old) {
    // The new file stands in for the old one. Whose it is can be kept only by the superuser, and need not be.
    const bool own = place.old->st_uid == ::geteuid() && place.old->st_gid == ::getegid();
    if (!own && ::fchown(fd_, place.old->st_uid, place.old->st_gid) != 0) errno = 0;
    if (::fchmod(fd_, place.old->st_mode & 07777U) != 0) errno = 0;
  }
}

/// False where the file system has no files without names, or nothing could name them later.
bool AtomicFile::create_without_name() {
  const std::string folder = folder_of(place_);
  fd_ = retried([&] { return ::open(folder.c_str(), O_TMPFILE | O_RDWR | O_CLOEXEC, 0666); });
  if (fd_ < 0) return false;
  if (::access(path_of(fd_).c_str(), F_OK) == 0) return true;
  ::close(fd_);
  fd_ = -1;
  return false;
}

/// The file gets the name of a temporary one for the moment until it is renamed: linking cannot replace a file.
void AtomicFile::give_name() {
  retried([&] { return ::flock(fd_, LOCK_EX); });  // nobody who cleans up takes it meanwhile
  TemporaryNames names(place_);
  for (int attempt = 0; attempt < most_names; ++attempt) {
    temporary_ = names.next();
    if (::linkat(AT_FDCWD, path_of(fd_).c_str(), AT_FDCWD, temporary_.c_str(), AT_SYMLINK_FOLLOW) == 0) return;
    temporary_.clear();
    if (errno != EEXIST) fail(errno);
  }
  fail(EEXIST);
}

void AtomicFile::create_temporary() {
  TemporaryNames names(place_);
  for (int attempt = 0; attempt < most_names; ++attempt) {
    temporary_ = names.next();
    // Mode 0666 leaves the umask, which cannot be asked for without changing it, to the system.
    fd_ = retried([&] { return ::open(temporary_.c_str(), O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0666); });
    if (fd_ < 0) {
      const int error = errno;
      temporary_.clear();
      if (error == EEXIST) continue;
      fail(error);
    }
    // Someone who cleans up may have seen the file before it was locked: then it is gone now, and another is needed.
    // A file system without locks is no reason not to write.
    struct stat status {};
    retried([&] { return ::flock(fd_, LOCK_EX); });
    if (::fstat(fd_, &status) == 0 && status.st_nlink > 0) return;
    ::close(fd_);
    fd_ = -1;
    temporary_.clear();
  }
  fail(EEXIST);
}

AtomicFile::~AtomicFile() { discard(); }

void AtomicFile::discard() noexcept {
  if (!temporary_.empty()) ::unlink(temporary_.c_str());
  temporary_.clear();
  if (fd_ >= 0) ::close(fd_);
  fd_ = -1;
}

void AtomicFile::write(const void* data, std::size_t bytes) {
  const auto* from = static_cast<const char*>(data);
  if (buffer_.capacity() < buffer_size) buffer_.reserve(buffer_size);
  while (bytes > 0) {
    const std::size_t now = std::min(bytes, buffer_size - buffer_.size());
    buffer_.append(from, now);
    from += now;
    bytes -= now;
    if (buffer_.size() == buffer_size) flush();
  }
}

void AtomicFile::flush() {
  const char* from = buffer_.data();
  std::size_t left = buffer_.size();
  while (left > 0) {
    const ssize_t written = retried([&] { return ::write(fd_, from, left); });
    if (written < 0) fail(errno);
    from += written;
    left -= static_cast<std::size_t>(written);
  }
  buffer_.clear();
}

void AtomicFile::overwrite(std::size_t offset, std::string_view bytes) {
  flush();
  while (!bytes.empty()) {
    const ssize_t written =
        retried([&] { return ::pwrite(fd_, bytes.data(), bytes.size(), static_cast<off_t>(offset)); });
    if (written < 0) fail(errno);
    offset += static_cast<std::size_t>(written);
    bytes.remove_prefix(static_cast<std::size_t>(written));
  }
}

void AtomicFile::commit() {
  flush();
  if (is_direct()) {
    const int result = ::close(fd_);
    fd_ = -1;
    if (result != 0 && errno != EINTR) fail(errno);
    return;
  }
  if (retried([&] { return ::fsync(fd_); }) != 0) fail(errno);
  if (temporary_.empty()) give_name();
  if (::rename(temporary_.c_str(), place_.c_str()) != 0) fail(errno);
  temporary_.clear();
  ::close(fd_);
  fd_ = -1;
  // The new name survives a power cut once the folder is on disk; not every file system lets one ask for it.
  const int folder = ::open(folder_of(place_).c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (folder >= 0) {
    ::fsync(folder);
    ::close(folder);
  }
}

void AtomicFile::fail(int error) const {
  if (error == ENOSPC || error == EDQUOT)
    throw InputError(shown_ + " cannot be written: the disk is full (" + system_message(error) + ").",
                     "Free some space, or choose a place on another disk.");
  if (error == EFBIG)
    throw InputError(shown_ + " cannot be written: " + system_message(error) + ".",
                     "Raise the file size limit (ulimit -f).");
  if (error == EPIPE)
    throw InputError(shown_ + " cannot be written: nobody reads it any more.", "Keep the reader open to the end.");
  throw InputError(shown_ + " cannot be written: " + system_message(error) + ".", "Choose another place.");
}

void check_writable(const std::string& path) {
  if (stream_of(path)) return;
  // Besides asking the folder, try: some file systems (/proc) promise what they do not keep.
  if (!check_place(path).direct()) const AtomicFile probe(path);
}

std::optional<std::uint64_t> room_at(const std::string& path) {
  struct stat status {};
  const std::string place = resolved(path);
  if (stream_of(path) || (::stat(place.c_str(), &status) == 0 && !S_ISREG(status.st_mode))) return std::nullopt;
  struct statvfs disk {};
  if (::statvfs(folder_of(place).c_str(), &disk) != 0 || disk.f_blocks == 0) return std::nullopt;
  return static_cast<std::uint64_t>(disk.f_bavail) * disk.f_frsize;
}

}  // namespace rfnn::io
