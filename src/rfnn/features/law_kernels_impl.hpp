// Private, included once by each law_kernels_*.cpp after it has defined, in an anonymous namespace, the registers
// `Doubles` and `Floats` with as many bits, and `exponential`, `cosine` and `square_root` of both. As in
// kernels_impl.hpp no header with inline code may come here.

#pragma GCC diagnostic ignored "-Wpsabi"

namespace {

using rfnn::features::LawSums;
using rfnn::features::LawView;
using rfnn::features::tile_rows;

template <class T>
struct Register;
template <>
struct Register<double> {
  using Type = Doubles;
  using Bits __attribute__((vector_size(sizeof(Doubles)), may_alias)) = long long;
  static constexpr long long not_sign = 0x7fffffffffffffffLL;
};
template <>
struct Register<float> {
  using Type = Floats;
  using Bits __attribute__((vector_size(sizeof(Floats)), may_alias)) = int;
  static constexpr int not_sign = 0x7fffffff;
};

template <class T>
using Part = typename Register<T>::Type;
template <class T>
constexpr std::size_t part_lanes = sizeof(Part<T>) / sizeof(T);
template <class T>
constexpr std::size_t part_steps = tile_rows / part_lanes<T>;

template <class T>
inline Part<T> load(const T* column, std::size_t step) {
  return *reinterpret_cast<const Part<T>*>(column + step * part_lanes<T>);
}
template <class T>
inline void store(T* column, std::size_t step, const Part<T>& value) {
  *reinterpret_cast<Part<T>*>(column + step * part_lanes<T>) = value;
}
template <class T>
inline Part<T> magnitude(const Part<T>& x) {
  using Bits = typename Register<T>::Bits;
  return reinterpret_cast<Part<T>>(reinterpret_cast<Bits>(x) & Register<T>::not_sign);
}

/// Parts whose exponents are made together, so that they share the differences; steps at once, so that they share the
/// scales.
constexpr std::size_t most_together = 4, steps_together = 2;

/// exponent[p][row] = Σ_k (t_pk |δ_k| + ½ s_pk² δ_k²) + Σ_j ½ s_pj² u_j² for P parts from `first` on.
template <class T, std::size_t P>
void exponents(const LawView<T>& law, std::size_t first, const T* const* columns, const T* centre,
               T (*out)[tile_rows]) {
  using V = Part<T>;
  const T *const slope = law.slope + first, *const curvature = law.curvature + first,
                 *const of_mapped = law.of_mapped + first;
  for (std::size_t s = 0; s < part_steps<T>; s += steps_together) {
    V sum[P][steps_together] = {};
    for (std::size_t k = 0; k < law.variables; ++k) {
      const T *const t = slope + k * law.parts, *const w = curvature + k * law.parts;
      for (std::size_t u = 0; u < steps_together; ++u) {
        const V size = magnitude<T>(load<T>(columns[k], s + u) - centre[k]);
        for (std::size_t p = 0; p < P; ++p) sum[p][u] = size * (w[p] * size + t[p]) + sum[p][u];
      }
    }
    for (std::size_t j = 0; j < law.mapped; ++j) {
      const T* const w = of_mapped + j * law.parts;
      for (std::size_t u = 0; u < steps_together; ++u) {
        const V difference = load<T>(columns[law.variables + j], s + u) - centre[law.variables + j];
        const V square = difference * difference;
        for (std::size_t p = 0; p < P; ++p) sum[p][u] = w[p] * square + sum[p][u];
      }
    }
    for (std::size_t p = 0; p < P; ++p)
      for (std::size_t u = 0; u < steps_together; ++u) store<T>(out[p], s + u, sum[p][u]);
  }
}

template <class T>
void some_exponents(const LawView<T>& law, std::size_t first, std::size_t count, const T* const* columns,
                    const T* centre, T (*out)[tile_rows]) {
  switch (count) {
    case 1:
      return exponents<T, 1>(law, first, columns, centre, out);
    case 2:
      return exponents<T, 2>(law, first, columns, centre, out);
    case 3:
      return exponents<T, 3>(law, first, columns, centre, out);
    default:
      return exponents<T, 4>(law, first, columns, centre, out);
  }
}

/// value ← value · Π_k q(t_k |δ_k|) · cos(μ·δ): what parts of higher order or around a centre have besides.
template <class T>
void decorate(const LawView<T>& law, std::size_t part, const T* const* columns, const T* centre, T* value) {
  using V = Part<T>;
  const int order = law.order == nullptr ? 0 : law.order[part];
  for (std::size_t s = 0; s < part_steps<T>; ++s) {
    V product = load<T>(value, s), phase = {};
    for (std::size_t k = 0; k < law.variables; ++k) {
      const V difference = load<T>(columns[k], s) - centre[k];
      const V x = law.slope[k * law.parts + part] * magnitude<T>(difference);
      if (order == 1) product = product * (x + T(1));
      if (order == 2) product = product * (x * (x * T(1.0 / 3.0) + T(1)) + T(1));
      if (law.centre != nullptr) phase = law.centre[k * law.parts + part] * difference + phase;
    }
    if (law.centre != nullptr) product = product * cosine(phase);
    store<T>(value, s, product);
  }
}

/// strength · q(ρ) exp(−ρ) in place of ρ².
template <class T>
void of_lengths(int order, T strength, T* value) {
  using V = Part<T>;
  for (std::size_t s = 0; s < part_steps<T>; ++s) {
    const V x = square_root(load<T>(value, s));
    V product = strength * exponential(-x);
    if (order == 1) product = product * (x + T(1));
    if (order == 2) product = product * (x * (x * T(1.0 / 3.0) + T(1)) + T(1));
    store<T>(value, s, product);
  }
}

template <class T>
void panel(const LawView<T>& law, const T* const* columns, const T* const* centres, std::size_t count, T* const* out) {
  using V = Part<T>;
  alignas(64) T exponent[most_together][tile_rows];
  const bool plain = law.order == nullptr && law.centre == nullptr;
  for (std::size_t i = 0; i < count; ++i)
    for (std::size_t first = 0; first < law.parts; first += most_together) {
      const std::size_t together = law.parts - first < most_together ? law.parts - first : most_together;
      some_exponents<T>(law, first, together, columns, centres[i], exponent);
      T* const place = out[i];
      for (std::size_t p = 0; p < together; ++p) {
        const T strength = law.strength[first + p];
        if (law.radial != nullptr && law.radial[first + p]) {
          of_lengths<T>(law.order == nullptr ? 0 : law.order[first + p], strength, exponent[p]);
          continue;
        }
        for (std::size_t s = 0; s < part_steps<T>; ++s)
          store<T>(exponent[p], s, strength * exponential(-load<T>(exponent[p], s)));
        if (!plain) decorate<T>(law, first + p, columns, centres[i], exponent[p]);
      }
      for (std::size_t s = 0; s < part_steps<T>; ++s) {
        V sum = first == 0 ? V{} : load<T>(place, s);
        for (std::size_t p = 0; p < together; ++p) sum = sum + load<T>(exponent[p], s);
        store<T>(place, s, sum);
      }
    }
}

/// Lanes of a sum, as many at every level: what is added to what does not depend on it.
template <class T>
constexpr std::size_t sum_lanes = 64 / sizeof(T);
template <class T>
constexpr std::size_t sum_registers = sum_lanes<T> / part_lanes<T>;

/// Sums of up to `most_together` parts at once, in registers.
template <class T, std::size_t P>
struct PartSums {
  Part<T> lanes[P][sum_registers<T>] = {};

  /// Adds them to the lists' lanes: part p has its own at place + p · sum_lanes.
  void add_to(T* place) const {
    for (std::size_t p = 0; p < P; ++p)
      for (std::size_t r = 0; r < sum_registers<T>; ++r) {
        T* const lane = place + p * sum_lanes<T>;
        store<T>(lane, r, load<T>(lane, r) + lanes[p][r]);
      }
  }
};

/// The sums of P parts from `first` on for one centre; `weight[p]` is q k_p.
template <class T, std::size_t P>
void part_gradient(const LawView<T>& law, std::size_t first, const T* const* columns, const T* centre,
                   const T (*weight)[tile_rows], const LawSums<T>& sums) {
  using V = Part<T>;
  constexpr std::size_t registers = sum_registers<T>;
  PartSums<T, P> strength;
  for (std::size_t s = 0; s < part_steps<T>; s += registers)
    for (std::size_t r = 0; r < registers; ++r)
      for (std::size_t p = 0; p < P; ++p) strength.lanes[p][r] = strength.lanes[p][r] + load<T>(weight[p], s + r);
  strength.add_to(sums.strength + first * sum_lanes<T>);
  for (std::size_t k = 0; k < law.variables; ++k) {
    PartSums<T, P> slope, curvature;
    for (std::size_t s = 0; s < part_steps<T>; s += registers)
      for (std::size_t r = 0; r < registers; ++r) {
        const V size = magnitude<T>(load<T>(columns[k], s + r) - centre[k]);
        for (std::size_t p = 0; p < P; ++p) {
          const V product = load<T>(weight[p], s + r) * size;
          slope.lanes[p][r] = slope.lanes[p][r] + product;
          curvature.lanes[p][r] = product * size + curvature.lanes[p][r];
        }
      }
    slope.add_to(sums.slope + (k * law.parts + first) * sum_lanes<T>);
    curvature.add_to(sums.curvature + (k * law.parts + first) * sum_lanes<T>);
  }
  alignas(64) T by_map[tile_rows];
  for (std::size_t j = 0; j < law.mapped; ++j) {
    const T at = centre[law.variables + j];
    const T *const column = columns[law.variables + j], *const w = law.of_mapped + j * law.parts + first;
    PartSums<T, P> squares;
    for (std::size_t s = 0; s < part_steps<T>; s += registers)
      for (std::size_t r = 0; r < registers; ++r) {
        const V difference = load<T>(column, s + r) - at;
        V all = {};
        for (std::size_t p = 0; p < P; ++p) {
          const V product = load<T>(weight[p], s + r) * difference;
          squares.lanes[p][r] = product * difference + squares.lanes[p][r];
          all = (T(2) * w[p]) * product + all;
        }
        store<T>(by_map, s + r, all);
      }
    squares.add_to(sums.of_mapped + (j * law.parts + first) * sum_lanes<T>);
    for (std::size_t k = 0; k < law.variables; ++k) {
      PartSums<T, 1> product;
      for (std::size_t s = 0; s < part_steps<T>; s += registers)
        for (std::size_t r = 0; r < registers; ++r)
          product.lanes[0][r] = load<T>(by_map, s + r) * (load<T>(columns[k], s + r) - centre[k]) + product.lanes[0][r];
      product.add_to(sums.map + (j * law.variables + k) * sum_lanes<T>);
    }
  }
}

template <class T>
void gradient(const LawView<T>& law, const T* const* columns, const T* const* centres, std::size_t count,
              const T* const* q, const LawSums<T>& sums) {
  alignas(64) T weight[most_together][tile_rows];
  for (std::size_t i = 0; i < count; ++i)
    for (std::size_t first = 0; first < law.parts; first += most_together) {
      const std::size_t together = law.parts - first < most_together ? law.parts - first : most_together;
      some_exponents<T>(law, first, together, columns, centres[i], weight);
      for (std::size_t p = 0; p < together; ++p) {
        const T strength = law.strength[first + p];
        for (std::size_t s = 0; s < part_steps<T>; ++s)
          store<T>(weight[p], s, strength * exponential(-load<T>(weight[p], s)) * load<T>(q[i], s));
      }
      switch (together) {
        case 1:
          part_gradient<T, 1>(law, first, columns, centres[i], weight, sums);
          break;
        case 2:
          part_gradient<T, 2>(law, first, columns, centres[i], weight, sums);
          break;
        case 3:
          part_gradient<T, 3>(law, first, columns, centres[i], weight, sums);
          break;
        default:
          part_gradient<T, 4>(law, first, columns, centres[i], weight, sums);
      }
    }
}

template <class T>
void combine(const T* const* columns, std::size_t count, const T* coefficients, std::size_t outputs, T* const* out) {
  for (std::size_t o = 0; o < outputs; ++o)
    for (std::size_t s = 0; s < part_steps<T>; s += 2) {
      Part<T> first = load<T>(out[o], s), second = load<T>(out[o], s + 1);
      for (std::size_t i = 0; i < count; ++i) {
        const T c = coefficients[i * outputs + o];
        first = c * load<T>(columns[i], s) + first;
        second = c * load<T>(columns[i], s + 1) + second;
      }
      store<T>(out[o], s, first);
      store<T>(out[o], s + 1, second);
    }
}

template <class T>
void correlate(const T* const* columns, std::size_t count, const T* const* right, std::size_t outputs, T* sums) {
  constexpr std::size_t registers = sum_registers<T>;
  for (std::size_t i = 0; i < count; ++i)
    for (std::size_t o = 0; o < outputs; ++o) {
      PartSums<T, 1> product;
      for (std::size_t s = 0; s < part_steps<T>; s += registers)
        for (std::size_t r = 0; r < registers; ++r)
          product.lanes[0][r] = load<T>(columns[i], s + r) * load<T>(right[o], s + r) + product.lanes[0][r];
      alignas(64) T lanes[sum_lanes<T>] = {};
      product.add_to(lanes);
      for (std::size_t half = sum_lanes<T> / 2; half > 0; half /= 2)
        for (std::size_t lane = 0; lane < half; ++lane) lanes[lane] += lanes[lane + half];
      sums[i * outputs + o] += lanes[0];
    }
}

}  // namespace
