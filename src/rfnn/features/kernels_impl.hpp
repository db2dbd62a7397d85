// Private, included once by each kernels_*.cpp after it has defined, in an anonymous namespace, `Part` (a SIMD register
// of doubles, at most eight), `sincos(Part, Part& sine, Part& cosine)` and the register block `block_a × block_b`. No
// other header of the project or of the standard library with inline code may come here: these files are compiled for
// CPUs the program may not run on.

// Parts never cross a file, so the width of the registers they are passed in is nobody else's business.
#pragma GCC diagnostic ignored "-Wpsabi"

namespace {

constexpr std::size_t lanes = 8;
constexpr std::size_t steps = rfnn::features::tile_rows / lanes;
constexpr std::size_t part_lanes = sizeof(Part) / sizeof(double);
constexpr std::size_t parts = lanes / part_lanes;

/// Eight numbers at every level, in one register or several: what is added to what does not depend on the level.
struct Lanes {
  Part part[parts];
};

inline Lanes load(const double* column, std::size_t step) {
  Lanes value;
  for (std::size_t p = 0; p < parts; ++p)
    value.part[p] = *reinterpret_cast<const Part*>(column + step * lanes + p * part_lanes);
  return value;
}
inline void store(double* column, std::size_t step, const Lanes& value) {
  for (std::size_t p = 0; p < parts; ++p)
    *reinterpret_cast<Part*>(column + step * lanes + p * part_lanes) = value.part[p];
}

/// a·b + c, fused where the level has it.
inline Lanes multiply_add(double a, const Lanes& b, const Lanes& c) {
  Lanes value;
  for (std::size_t p = 0; p < parts; ++p) value.part[p] = a * b.part[p] + c.part[p];
  return value;
}

// Sums of the lanes, by the same tree at every level: lanes 0–3 + 4–7, then 0–1 + 2–3, then 0 + 1. Several at once:
// halves of two registers are put together before they are added, so that no lane idles.
template <int... Index>
inline Part shuffle(const Part& x, const Part& y) {
  return __builtin_shufflevector(x, y, Index...);
}

/// Sums of the lanes of part_lanes groups of `parts` registers.
inline Part lane_sums(const Part (*value)[parts]) {
  if constexpr (part_lanes == 8) {
    Part halves[4], quarters[2];
    for (std::size_t i = 0; i < 4; ++i)
      halves[i] = shuffle<0, 1, 2, 3, 8, 9, 10, 11>(value[2 * i][0], value[2 * i + 1][0]) +
                  shuffle<4, 5, 6, 7, 12, 13, 14, 15>(value[2 * i][0], value[2 * i + 1][0]);
    for (std::size_t i = 0; i < 2; ++i)
      quarters[i] = shuffle<0, 1, 4, 5, 8, 9, 12, 13>(halves[2 * i], halves[2 * i + 1]) +
                    shuffle<2, 3, 6, 7, 10, 11, 14, 15>(halves[2 * i], halves[2 * i + 1]);
    return shuffle<0, 2, 4, 6, 8, 10, 12, 14>(quarters[0], quarters[1]) +
           shuffle<1, 3, 5, 7, 9, 11, 13, 15>(quarters[0], quarters[1]);
  } else if constexpr (part_lanes == 4) {
    Part halves[4], quarters[2];
    for (std::size_t i = 0; i < 4; ++i) halves[i] = value[i][0] + value[i][1];
    for (std::size_t i = 0; i < 2; ++i)
      quarters[i] =
          shuffle<0, 1, 4, 5>(halves[2 * i], halves[2 * i + 1]) + shuffle<2, 3, 6, 7>(halves[2 * i], halves[2 * i + 1]);
    return shuffle<0, 2, 4, 6>(quarters[0], quarters[1]) + shuffle<1, 3, 5, 7>(quarters[0], quarters[1]);
  } else {
    Part quarters[2];
    for (std::size_t i = 0; i < 2; ++i) quarters[i] = (value[i][0] + value[i][2]) + (value[i][1] + value[i][3]);
    return shuffle<0, 2>(quarters[0], quarters[1]) + shuffle<1, 3>(quarters[0], quarters[1]);
  }
}

void features(const double* const* variables, std::size_t variable_count, const double* const* frequencies,
              std::size_t feature_count, std::size_t rows, double* const* cosine, double* const* minus_sine) {
  const std::size_t used = (rows + lanes - 1) / lanes;
  for (std::size_t j = 0; j < feature_count; ++j) {
    // Read once: the stores below might change anything the compiler can see.
    const double* const omega = frequencies[j];
    const double* const first = variables[0];
    const double first_omega = omega[0];
    double *const cosine_out = cosine[j], *const sine_out = minus_sine[j];
    for (std::size_t s = 0; s < used; ++s) {
      Lanes phase = multiply_add(first_omega, load(first, s), Lanes{});
      for (std::size_t k = 1; k < variable_count; ++k) phase = multiply_add(omega[k], load(variables[k], s), phase);
      Lanes sine, cos;
      for (std::size_t p = 0; p < parts; ++p) {
        sincos(phase.part[p], sine.part[p], cos.part[p]);
        sine.part[p] = -sine.part[p];
      }
      store(cosine_out, s, cos);
      store(sine_out, s, sine);
    }
    for (std::size_t row = rows; row < rfnn::features::tile_rows; ++row) cosine[j][row] = minus_sine[j][row] = 0.0;
  }
}

// Written on registers rather than on Lanes: an array of these the compiler keeps in registers, one of structures it
// does not.
template <std::size_t A, std::size_t B>
void gram_block(const double* const* a, const double* const* b, double* c, std::size_t stride) {
  constexpr std::size_t groups = (A * B + part_lanes - 1) / part_lanes;
  Part sums[groups * part_lanes][parts] = {};
  for (std::size_t p = 0; p < parts; ++p) {
    Part part_sums[A * B] = {};
    for (std::size_t row = p * part_lanes; row < rfnn::features::tile_rows; row += lanes) {
      Part right[B];
      for (std::size_t j = 0; j < B; ++j) right[j] = *reinterpret_cast<const Part*>(b[j] + row);
      for (std::size_t i = 0; i < A; ++i) {
        const Part left = *reinterpret_cast<const Part*>(a[i] + row);
        for (std::size_t j = 0; j < B; ++j) part_sums[i * B + j] = left * right[j] + part_sums[i * B + j];
      }
    }
    for (std::size_t i = 0; i < A * B; ++i) sums[i][p] = part_sums[i];
  }
  alignas(sizeof(Part)) double totals[groups * part_lanes];
  for (std::size_t g = 0; g < groups; ++g)
    *reinterpret_cast<Part*>(totals + g * part_lanes) = lane_sums(sums + g * part_lanes);
  for (std::size_t i = 0; i < A; ++i)
    for (std::size_t j = 0; j < B; ++j) c[i * stride + j] += totals[i * B + j];
}

using Block = void (*)(const double* const*, const double* const*, double*, std::size_t);

template <std::size_t A, std::size_t B>
Block find_block(std::size_t a, std::size_t b) {
  if (a < A) {
    if constexpr (A > 1) return find_block<A - 1, B>(a, b);
  }
  if (b < B) {
    if constexpr (B > 1) return find_block<A, B - 1>(a, b);
  }
  return gram_block<A, B>;
}

/// Memory to be fetched while something else is computed, a share at a time.
struct Ahead {
  const char* next;
  const char* end;
  std::size_t share;  ///< bytes

  void fetch() {
    const char* last = static_cast<std::size_t>(end - next) < share ? end : next + share;
    for (; next < last; next += 64) __builtin_prefetch(next, 0, 2);
  }
};

// Columns of b are taken a panel at a time that stays in the second-level cache while all of a passes by it.
constexpr std::size_t panel = 128;

void gram_ahead(const double* const* a, std::size_t a_count, const double* const* b, std::size_t b_count, bool upper,
                double* c, std::size_t stride, const void* ahead, std::size_t ahead_bytes) {
  const auto* from = static_cast<const char*>(ahead);
  const std::size_t blocks = ((a_count + block_a - 1) / block_a) * ((b_count + block_b - 1) / block_b);
  Ahead fetched{from, from + ahead_bytes, blocks == 0 ? 0 : ahead_bytes / blocks * (upper ? 2 : 1) + 64};
  // Eight columns are better taken as 4 + 4 than as 6 + 2.
  const std::size_t a_blocks = (a_count + block_a - 1) / block_a;
  const std::size_t a_step = a_blocks == 0 ? 1 : (a_count + a_blocks - 1) / a_blocks;
  for (std::size_t first = 0; first < b_count; first += panel) {
    const std::size_t last = b_count - first < panel ? b_count : first + panel;
    for (std::size_t i = 0; i < a_count && !(upper && i >= last); i += a_step) {
      const std::size_t a_size = a_count - i < a_step ? a_count - i : a_step;
      const std::size_t diagonal = i - i % block_b;
      for (std::size_t j = upper && diagonal > first ? diagonal : first; j < last; j += block_b) {
        const std::size_t b_size = last - j < block_b ? last - j : block_b;
        fetched.fetch();
        find_block<block_a, block_b>(a_size, b_size)(a + i, b + j, c + i * stride + j, stride);
      }
    }
  }
}

void gram(const double* const* a, std::size_t a_count, const double* const* b, std::size_t b_count, bool upper,
          double* c, std::size_t stride) {
  gram_ahead(a, a_count, b, b_count, upper, c, stride, nullptr, 0);
}

void combine(const double* const* columns, std::size_t column_count, const double* coefficients, std::size_t outputs,
             double* const* out) {
  for (std::size_t o = 0; o < outputs; ++o)
    for (std::size_t s = 0; s < steps; ++s) {
      Lanes value = load(out[o], s);
      for (std::size_t c = 0; c < column_count; ++c)
        value = multiply_add(coefficients[c * outputs + o], load(columns[c], s), value);
      store(out[o], s, value);
    }
}

void polynomials(const double* coefficients, std::size_t terms, double x, double* out) {
  static_assert(rfnn::features::polynomials_together == 2 * lanes);
  Lanes low = load(coefficients, 2 * (terms - 1)), high = load(coefficients, 2 * (terms - 1) + 1);
  for (std::size_t t = terms - 1; t > 0; --t) {
    low = multiply_add(x, low, load(coefficients, 2 * (t - 1)));
    high = multiply_add(x, high, load(coefficients, 2 * (t - 1) + 1));
  }
  store(out, 0, low);
  store(out, 1, high);
}

}  // namespace
