// Dense Cholesky factors, inverses and rank updates on as many threads as OpenBLAS is given, in turns within one run:
// the rate over OpenBLAS's (potrf, potri, syrk), by the median of the ratios of neighbouring turns.
//
//   bench_cholesky [--quick] [--threads N,...] [--json FILE]

#include <lapacke.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <exception>
#include <fstream>
#include <numeric>
#include <sstream>
#include <stdexcept>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "blas_threads.hpp"
#include "clock.hpp"
#include "rfnn/core/parallel.hpp"
#include "rfnn/least_squares/dense_cholesky.hpp"
#include "rfnn/least_squares/dense_product.hpp"

extern "C" {
void dsyrk_(const char*, const char*, const int*, const int*, const double*, const double*, const int*, const double*,
            double*, const int*);
void ssyrk_(const char*, const char*, const int*, const int*, const float*, const float*, const int*, const float*,
            float*, const int*);
}

namespace {

using namespace rfnn;
using namespace rfnn::bench;
using dense::Triangle;

// The same names for both precisions.
int potrf(int n, double* a) { return LAPACKE_dpotrf_work(LAPACK_COL_MAJOR, 'L', n, a, n); }
int potrf(int n, float* a) { return LAPACKE_spotrf_work(LAPACK_COL_MAJOR, 'L', n, a, n); }
int potri(int n, double* a) { return LAPACKE_dpotri_work(LAPACK_COL_MAJOR, 'L', n, a, n); }
int potri(int n, float* a) { return LAPACKE_spotri_work(LAPACK_COL_MAJOR, 'L', n, a, n); }
/// C += A Aᵀ for A (n × rows), column-major: the rows of a table lie one behind the other.
void syrk(int n, int rows, const double* a, double* c) {
  const double one = 1.0;
  dsyrk_("L", "N", &n, &rows, &one, a, &n, &one, c, &n);
}
void syrk(int n, int rows, const float* a, float* c) {
  const float one = 1.0F;
  ssyrk_("L", "N", &n, &rows, &one, a, &n, &one, c, &n);
}

/// Pieces of work in turns, each after what puts its input in place.
template <class Prepare, class Work, class OtherPrepare, class OtherWork>
nlohmann::json in_turns(double flops, double seconds, int least, const Prepare& prepare, const Work& ours,
                        const OtherPrepare& prepare_other, const OtherWork& theirs) {
  std::vector<double> ratios;
  Best own, other;
  const double end = now() + seconds;
  for (int turn = 0; turn < least || now() < end; ++turn) {
    prepare();
    const double begin = now();
    ours();
    const double took = now() - begin;
    prepare_other();
    const double other_begin = now();
    theirs();
    const double other_took = now() - other_begin;
    own.add(took);
    other.add(other_took);
    ratios.push_back(other_took / took);
  }
  std::nth_element(ratios.begin(), ratios.begin() + static_cast<std::ptrdiff_t>(ratios.size() / 2), ratios.end());
  return {{"gflops", 1e-9 * flops / own.seconds()},
          {"openblas_gflops", 1e-9 * flops / other.seconds()},
          {"ratio", ratios[ratios.size() / 2]},
          {"turns", ratios.size()}};
}

void must(bool good, const char* what) {
  if (!good) throw std::runtime_error(std::string(what) + " failed");
}

template <class T>
class Measurement {
 public:
  Measurement(std::size_t n, std::size_t threads, double seconds)
      : n_(n), order_(static_cast<int>(n)), workers_(threads), seconds_(seconds), square_(n * n), work_(n * n), a_(n) {
    for (std::size_t i = 0; i < n; ++i)
      for (std::size_t j = 0; j < n; ++j) {
        const double apart = 12.0 * (static_cast<double>(i) - static_cast<double>(j)) / static_cast<double>(n);
        square_[i * n + j] = static_cast<T>(std::exp(-0.5 * apart * apart) + (i == j ? 0.1 : 0.0));
      }
    a_.set_rows(0, BasicMatrixView<const T>(square_.data(), n, n));
    set_blas_threads(static_cast<int>(threads));
  }

  nlohmann::json factor() {
    return in_turns(
        cube() / 3.0, seconds_, 3, [&] { triangle_ = a_; },
        [&] { must(static_cast<bool>(dense::factor(triangle_, workers_, never_)), "factor"); },
        [&] { work_ = square_; }, [&] { must(potrf(order_, work_.data()) == 0, "potrf"); });
  }
  nlohmann::json inverse() {
    Triangle<T> factor = a_;
    must(static_cast<bool>(dense::factor(factor, workers_, never_)), "factor");
    std::vector<T> other = square_;
    must(potrf(order_, other.data()) == 0, "potrf");
    return in_turns(
        2.0 * cube() / 3.0, seconds_, 3, [&] { triangle_ = factor; },
        [&] { must(dense::invert(triangle_, workers_, never_), "invert"); }, [&] { work_ = other; },
        [&] { must(potri(order_, work_.data()) == 0, "potri"); });
  }
  nlohmann::json rank_update(std::size_t rows) {
    std::vector<T> table(rows * n_);
    for (std::size_t i = 0; i < table.size(); ++i) table[i] = square_[i % square_.size()];
    triangle_ = a_;
    return in_turns(
        static_cast<double>(n_) * static_cast<double>(n_ + 1) * static_cast<double>(rows), seconds_, 3, [] {},
        [&] {
          must(dense::rank_update(triangle_, BasicMatrixView<const T>(table.data(), rows, n_), std::span<const T>(),
                                  workers_, never_),
               "rank_update");
        },
        [] {}, [&] { syrk(order_, static_cast<int>(rows), table.data(), work_.data()); });
  }

 private:
  [[nodiscard]] double cube() const { return std::pow(static_cast<double>(n_), 3.0); }

  std::size_t n_;
  int order_;
  Workers workers_;
  Interrupt never_;
  double seconds_;
  std::vector<T> square_, work_;
  Triangle<T> a_, triangle_;
};

template <class T>
void measure(const char* precision, const std::vector<std::size_t>& sizes, std::size_t threads, bool quick,
             nlohmann::json& rows) {
  for (const std::size_t n : sizes) {
    Measurement<T> measurement(n, threads, quick ? 0.1 : 6.0);
    const auto add = [&](const char* what, nlohmann::json found) {
      found.update({{"what", what}, {"precision", precision}, {"n", n}, {"threads", threads}});
      fmt::print("  {:<11} {:<6} n = {:>5}, {} thread{}  {:6.1f} / {:6.1f} Gflop/s, median of {:>3} ratios {:.3f}\n",
                 what, precision, n, threads, threads == 1 ? " " : "s", found["gflops"].get<double>(),
                 found["openblas_gflops"].get<double>(), found["turns"].get<std::size_t>(),
                 found["ratio"].get<double>());
      std::fflush(stdout);
      rows.push_back(std::move(found));
    };
    add("factor", measurement.factor());
    if (n > 5000) continue;  // minutes
    add("inverse", measurement.inverse());
    add("rank update", measurement.rank_update(4096));
  }
}

int run(const std::vector<std::string>& words) {
  bool quick = false;
  std::string json_file;
  std::vector<std::size_t> threads = {1, 2};
  for (std::size_t i = 0; i < words.size(); ++i) {
    if (words[i] == "--quick") {
      quick = true;
    } else if (words[i] == "--json" && i + 1 < words.size()) {
      json_file = words[++i];
    } else if (words[i] == "--threads" && i + 1 < words.size()) {
      threads.clear();
      std::istringstream list(words[++i]);
      for (std::string one; std::getline(list, one, ',');) threads.push_back(std::stoul(one));
    } else {
      fmt::print(stderr, "bench_cholesky [--quick] [--threads N,...] [--json FILE]\n");
      return 1;
    }
  }
  const std::vector<std::size_t> sizes =
      quick ? std::vector<std::size_t>{300, 1000} : std::vector<std::size_t>{300, 1000, 4000, 10000};
  nlohmann::json all = {{"rows", nlohmann::json::array()}};
  fmt::print("Dense matrices, rate / OpenBLAS's\n");
  for (const std::size_t count : threads) {
    measure<double>("double", sizes, count, quick, all["rows"]);
    measure<float>("single", sizes, count, quick, all["rows"]);
  }
  if (!json_file.empty()) std::ofstream(json_file) << all.dump(2) << '\n';
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  try {
    return run(std::vector<std::string>(argv + 1, argv + argc));
  } catch (const std::exception& error) {
    fmt::print(stderr, "bench_cholesky: {}\n", error.what());
    return 1;
  }
}
