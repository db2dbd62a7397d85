// Private, included once by each kernels_*.cpp after it has defined, in an anonymous namespace, `Part` (a SIMD register
// of doubles, at most eight), `sincos(Part, Part& sine, Part& cosine)` and the register block `block_a × block_b`. No
// other header of the project or of the standard library with inline code may come here: these files are compiled for
// CPUs the program may not run on.

// Parts never cross a file, so the width of the registers they are passed in is nobody else's business.
#pragma GCC diagnostic ignored "-Wpsabi"

namespace {

constexpr std::size_t lanes = 8;
constexpr std::size_t steps = rfnn::tile_rows / lanes;
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

// The same tree at every level: lanes 0–3 + 4–7, then 0–1 + 2–3, then 0 + 1.
inline double sum(const Part (&value)[parts]) {
  double v[lanes];
  for (std::size_t i = 0; i < lanes; ++i) v[i] = value[i / part_lanes][i % part_lanes];
  return ((v[0] + v[4]) + (v[2] + v[6])) + ((v[1] + v[5]) + (v[3] + v[7]));
}

void features(const double* const* variables, std::size_t variable_count, const double* const* frequencies,
              std::size_t feature_count, std::size_t rows, double* const* cosine, double* const* minus_sine) {
  const std::size_t used = (rows + lanes - 1) / lanes;
  for (std::size_t j = 0; j < feature_count; ++j) {
    const double* omega = frequencies[j];
    for (std::size_t s = 0; s < used; ++s) {
      Lanes phase = multiply_add(omega[0], load(variables[0], s), Lanes{});
      for (std::size_t k = 1; k < variable_count; ++k) phase = multiply_add(omega[k], load(variables[k], s), phase);
      Lanes sine, cos;
      for (std::size_t p = 0; p < parts; ++p) {
        sincos(phase.part[p], sine.part[p], cos.part[p]);
        sine.part[p] = -sine.part[p];
      }
      store(cosine[j], s, cos);
      store(minus_sine[j], s, sine);
    }
    for (std::size_t row = rows; row < rfnn::tile_rows; ++row) cosine[j][row] = minus_sine[j][row] = 0.0;
  }
}

// Written on registers rather than on Lanes: an array of these the compiler keeps in registers, one of structures it
// does not.
template <std::size_t A, std::size_t B>
void gram_block(const double* const* a, const double* const* b, double* c, std::size_t stride) {
  Part sums[A][B][parts] = {};
  for (std::size_t s = 0; s < rfnn::tile_rows; s += lanes)
    for (std::size_t p = 0; p < parts; ++p) {
      const std::size_t row = s + p * part_lanes;
      Part right[B];
      for (std::size_t j = 0; j < B; ++j) right[j] = *reinterpret_cast<const Part*>(b[j] + row);
      for (std::size_t i = 0; i < A; ++i) {
        const Part left = *reinterpret_cast<const Part*>(a[i] + row);
        for (std::size_t j = 0; j < B; ++j) sums[i][j][p] = left * right[j] + sums[i][j][p];
      }
    }
  for (std::size_t i = 0; i < A; ++i)
    for (std::size_t j = 0; j < B; ++j) c[i * stride + j] += sum(sums[i][j]);
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

void gram(const double* const* a, std::size_t a_count, const double* const* b, std::size_t b_count, bool upper,
          double* c, std::size_t stride) {
  for (std::size_t i = 0; i < a_count; i += block_a) {
    const std::size_t a_size = a_count - i < block_a ? a_count - i : block_a;
    for (std::size_t j = upper ? i - i % block_b : 0; j < b_count; j += block_b) {
      const std::size_t b_size = b_count - j < block_b ? b_count - j : block_b;
      find_block<block_a, block_b>(a_size, b_size)(a + i, b + j, c + i * stride + j, stride);
    }
  }
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

}  // namespace
