// usage: fuzz_NAME SEEDS [COUNT]   Gives a fuzz target every file of the folder SEEDS as it is, and COUNT damaged
// copies, the same ones every time: the target linked with the library as it is shipped, without libFuzzer. `make
// test-full` has that one, with its sanitizers.
//
// An input ends at a page that cannot be read, so that reading behind it shows. One that breaks the target, or takes
// too long, is left in the folder of temporary files and named.

#include <fcntl.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <random>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size);

namespace {

namespace fs = std::filesystem;

constexpr std::size_t largest = std::size_t{1} << 16U;  // bytes of a damaged copy
constexpr unsigned patience = 20;                       // seconds an input may take
constexpr rlim_t memory = rlim_t{1} << 30U;             // bytes the program may have

/// The input under way, for the handler of signals.
const std::uint8_t* input = nullptr;
std::size_t input_size = 0;
std::string broken_path;

void keep_input(int signal) {
  const int file = ::open(broken_path.c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0600);
  const bool kept = file >= 0 && ::write(file, input, input_size) == static_cast<ssize_t>(input_size);
  constexpr std::string_view said = "\nfuzz: an input broke the target or took too long; it is in ";
  if (::write(2, said.data(), said.size()) < 0 || !kept || ::write(2, broken_path.data(), broken_path.size()) < 0)
    _exit(3);
  ::signal(signal, SIG_DFL);
  ::raise(signal);
}

/// Memory whose last byte is followed by a page that cannot be read.
class Guarded {
 public:
  Guarded()
      : page_(static_cast<std::size_t>(::sysconf(_SC_PAGESIZE))), size_((largest * 4 + page_ - 1) / page_ * page_) {
    void* start = ::mmap(nullptr, size_ + page_, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (start == MAP_FAILED) throw std::runtime_error("no memory");
    start_ = static_cast<std::uint8_t*>(start);
    if (::mprotect(start_ + size_, page_, PROT_NONE) != 0) throw std::runtime_error("no page to guard the input");
  }

  void run(std::string_view bytes) {
    if (bytes.size() > size_) throw std::runtime_error("a seed is too large");
    std::uint8_t* place = start_ + (size_ - bytes.size());
    std::copy(bytes.begin(), bytes.end(), place);
    input = place;
    input_size = bytes.size();
    ::alarm(patience);
    LLVMFuzzerTestOneInput(place, bytes.size());
    ::alarm(0);
  }

 private:
  std::size_t page_, size_;
  std::uint8_t* start_ = nullptr;
};

/// Damages texts and bytes in the ways that break readers.
class Damage {
 public:
  explicit Damage(const std::vector<std::string>& seeds) : seeds_(seeds) {}

  std::string next() {
    std::string bytes = seeds_[below(seeds_.size())];
    for (std::size_t k = std::size_t{1} << below(4); k > 0; --k) once(bytes);
    bytes.resize(std::min(bytes.size(), largest));
    return bytes;
  }

 private:
  std::size_t below(std::size_t bound) { return static_cast<std::size_t>(random_() % bound); }

  /// A piece of at most `longest` bytes of `bytes`.
  std::string piece(const std::string& bytes, std::size_t longest) {
    if (bytes.empty()) return {};
    return bytes.substr(below(bytes.size()), 1 + below(longest));
  }

  void once(std::string& bytes) {
    static constexpr std::array<std::string_view, 24> words{
        "\"",    ",",   ";", "\n",  "\r\n", "\t", " ",        "-",    "0",          "-1",
        "1e999", "nan", "{", "}",   "[",    "]",  "\xff\xfe", "\xc3", "4294967296", "18446744073709551615",
        ":",     "#",   "=", "null"};
    const std::size_t place = below(bytes.size() + 1);
    const std::size_t rest = bytes.size() - place;
    switch (below(8)) {
      case 0:  // a bit
        if (rest > 0) bytes[place] = static_cast<char>(bytes[place] ^ (1 << below(8)));
        break;
      case 1:  // a byte
        if (rest > 0) bytes[place] = static_cast<char>(below(256));
        break;
      case 2:
        bytes.insert(place, words[below(words.size())]);
        break;
      case 3:
        bytes.erase(place, 1 + below(16));
        break;
      case 4:
        bytes.resize(place);
        break;
      case 5:
        bytes.insert(place, piece(bytes, 64));
        break;
      case 6:
        bytes.insert(place, piece(seeds_[below(seeds_.size())], 64));
        break;
      default: {  // bytes of one number, large or small
        const std::uint64_t number = below(2) == 0 ? ~std::uint64_t{0} >> below(64) : below(256);
        if (rest >= 8) std::memcpy(bytes.data() + place, &number, 8);
      }
    }
  }

  const std::vector<std::string>& seeds_;
  std::mt19937_64 random_{1};
};

std::vector<std::string> read_seeds(const fs::path& folder) {
  std::vector<fs::path> paths;
  for (const auto& entry : fs::directory_iterator(folder)) paths.push_back(entry.path());
  std::sort(paths.begin(), paths.end());
  std::vector<std::string> seeds;
  for (const fs::path& path : paths) {
    std::ifstream file(path, std::ios::binary);
    seeds.emplace_back(std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>());
  }
  if (seeds.empty()) throw std::runtime_error("no seeds in " + folder.string());
  return seeds;
}

}  // namespace

int main(int count, char** arguments) {
  if (count < 2) return 1;
  const std::vector<std::string> seeds = read_seeds(arguments[1]);
  const long damaged = count > 2 ? std::atol(arguments[2]) : 0;
  broken_path = (fs::temp_directory_path() / (fs::path(arguments[0]).filename().string() + "-broke")).string();
  for (const int signal : {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT, SIGALRM}) ::signal(signal, keep_input);
  const rlimit limit{memory, memory};
  ::setrlimit(RLIMIT_AS, &limit);

  Guarded guarded;
  for (const std::string& seed : seeds) guarded.run(seed);
  Damage damage(seeds);
  for (long k = 0; k < damaged; ++k) guarded.run(damage.next());
  std::printf("%zu seeds and %ld damaged copies\n", seeds.size(), damaged);
  return 0;
}
