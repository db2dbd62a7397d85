// Private, included once by each law_kernels_*.cpp behind law_kernels_impl.hpp, whose parts it uses. As there no header
// with inline code may come here.
//
// Per part p a few columns over the rows say all about its slopes. With K the part's value, w = ½ s² (of a radial part
// t²) and φ = μ·δ:
//   ∂K/∂δ_k = wide · (w_k δ_k + ½ t_k sgn δ_k)  + swing · μ_k          order 0; orders 1 and 2 have another second term
//   wide = −2K;  of a radial part, where K = a q(ρ) exp(−ρ): −a exp(−ρ) · {1/ρ, 1, (1 + ρ)/3} by its order
//   swing = −K tan φ, without the tangent

namespace {

/// 1, −1, or 0 where x is 0.
inline Part<double> sign(const Part<double>& x) {
  using Bits = Register<double>::Bits;
  const Part<double> zero = {}, one = zero + 1.0, minus_one = zero - 1.0;
  return reinterpret_cast<Part<double>>((reinterpret_cast<Bits>(x > zero) & reinterpret_cast<const Bits&>(one)) |
                                        (reinterpret_cast<Bits>(x < zero) & reinterpret_cast<const Bits&>(minus_one)));
}

/// Columns of up to `most_together` parts on a tile.
struct PartColumns {
  alignas(64) double value[most_together][tile_rows], wide[most_together][tile_rows], swing[most_together][tile_rows];
};

/// From exponents in `value` to value and `wide` of a part that is not radial; `swing` where the law has centres.
void finish_plain(const LawView<double>& law, std::size_t part, const double* const* columns, const double* centre,
                  double* value, double* wide, double* swing) {
  using V = Part<double>;
  const double strength = law.strength[part];
  for (std::size_t s = 0; s < part_steps<double>; ++s)
    store<double>(value, s, strength * exponential(-load<double>(value, s)));
  if (law.centre != nullptr) {
    LawView<double> around_zero = law;
    around_zero.centre = nullptr;
    for (std::size_t s = 0; s < part_steps<double>; ++s) store<double>(swing, s, load<double>(value, s));
    if (law.order != nullptr) decorate<double>(around_zero, part, columns, centre, swing);
    for (std::size_t s = 0; s < part_steps<double>; ++s) {
      V phase = {};
      for (std::size_t k = 0; k < law.variables; ++k)
        phase = law.centre[k * law.parts + part] * (load<double>(columns[k], s) - centre[k]) + phase;
      store<double>(swing, s, -(load<double>(swing, s) * sine(phase)));
    }
  }
  if (law.order != nullptr || law.centre != nullptr) decorate<double>(law, part, columns, centre, value);
  for (std::size_t s = 0; s < part_steps<double>; ++s) store<double>(wide, s, load<double>(value, s) * -2.0);
}

/// The same for a radial part, whose `value` is ρ².
void finish_radial(int order, double strength, double* value, double* wide) {
  using V = Part<double>;
  for (std::size_t s = 0; s < part_steps<double>; ++s) {
    const V x = square_root(load<double>(value, s));
    V steep = -(strength * exponential(-x));
    if (order == 0) {
      // 1/ρ, and 0 in place of its infinity: 1 is added where ρ is 0.
      const V apart = sign(x);
      steep = apart * (steep / (x + (1.0 - apart)));
    }
    if (order == 2) steep = steep * (x * (1.0 / 3.0) + 1.0 / 3.0);
    store<double>(wide, s, steep);
  }
  of_lengths<double>(order, strength, value);
}

/// slope[row] += the P parts' derivatives by variable k; the first parts begin the sum.
template <std::size_t P>
void slope_of_variable(const LawView<double>& law, std::size_t first, std::size_t k, const double* column, double at,
                       const PartColumns& parts, double* slope) {
  using V = Part<double>;
  const bool begins = first == 0;
  double w[P], t[P], centre[P];
  int order[P];
  bool kinks = false, ordered = false;
  for (std::size_t p = 0; p < P; ++p) {
    const std::size_t place = k * law.parts + first + p;
    const bool radial = law.radial != nullptr && law.radial[first + p];
    order[p] = law.order == nullptr || radial ? 0 : law.order[first + p];
    w[p] = law.curvature[place];
    t[p] = 0.5 * law.slope[place];
    centre[p] = law.centre == nullptr ? 0.0 : law.centre[place];
    kinks = kinks || t[p] != 0.0;
    ordered = ordered || order[p] > 0;
  }
  for (std::size_t s = 0; s < part_steps<double>; ++s) {
    const V difference = load<double>(column, s) - at, side = kinks ? sign(difference) : V{};
    V sum = begins ? V{} : load<double>(slope, s);
    for (std::size_t p = 0; p < P; ++p) {
      V factor = w[p] * difference;
      if (kinks && order[p] == 0) factor = t[p] * side + factor;
      if (ordered && order[p] > 0) {
        const V x = (2.0 * t[p]) * magnitude<double>(difference);
        const V over = order[p] == 1 ? 1.0 / (x + 1.0) : (x + 1.0) / (x * (x + 3.0) + 3.0);
        factor = (2.0 * t[p] * t[p]) * difference * over + factor;
      }
      sum = load<double>(parts.wide[p], s) * factor + sum;
      if (law.centre != nullptr) sum = centre[p] * load<double>(parts.swing[p], s) + sum;
    }
    store<double>(slope, s, sum);
  }
}

/// The same by coordinate u_j.
template <std::size_t P>
void slope_of_mapped(const LawView<double>& law, std::size_t first, std::size_t j, const double* column, double at,
                     const PartColumns& parts, double* slope) {
  using V = Part<double>;
  const bool begins = first == 0;
  const double* const w = law.of_mapped + j * law.parts + first;
  for (std::size_t s = 0; s < part_steps<double>; ++s) {
    const V difference = load<double>(column, s) - at;
    V sum = begins ? V{} : load<double>(slope, s);
    for (std::size_t p = 0; p < P; ++p) sum = load<double>(parts.wide[p], s) * (w[p] * difference) + sum;
    store<double>(slope, s, sum);
  }
}

template <std::size_t P>
void add_slopes(const LawView<double>& law, std::size_t first, const double* const* columns, const double* centre,
                const PartColumns& parts, double* const* slopes) {
  for (std::size_t k = 0; k < law.variables; ++k)
    if (slopes[k] != nullptr) slope_of_variable<P>(law, first, k, columns[k], centre[k], parts, slopes[k]);
  for (std::size_t j = 0; j < law.mapped; ++j) {
    const std::size_t c = law.variables + j;
    if (slopes[c] != nullptr) slope_of_mapped<P>(law, first, j, columns[c], centre[c], parts, slopes[c]);
  }
}

void slope_panel(const LawView<double>& law, const double* const* columns, const double* const* centres,
                 std::size_t count, double* const* out, double* const* slopes) {
  using V = Part<double>;
  PartColumns parts;
  const std::size_t coordinates = law.variables + law.mapped;
  for (std::size_t i = 0; i < count; ++i) {
    double* const* const own = slopes + i * coordinates;
    for (std::size_t first = 0; first < law.parts; first += most_together) {
      const std::size_t together = law.parts - first < most_together ? law.parts - first : most_together;
      some_exponents<double>(law, first, together, columns, centres[i], parts.value);
      for (std::size_t p = 0; p < together; ++p) {
        if (law.radial != nullptr && law.radial[first + p]) {
          finish_radial(law.order == nullptr ? 0 : law.order[first + p], law.strength[first + p], parts.value[p],
                        parts.wide[p]);
          for (std::size_t s = 0; law.centre != nullptr && s < part_steps<double>; ++s)
            store<double>(parts.swing[p], s, V{});
        } else {
          finish_plain(law, first + p, columns, centres[i], parts.value[p], parts.wide[p], parts.swing[p]);
        }
      }
      for (std::size_t s = 0; s < part_steps<double>; ++s) {
        V sum = first == 0 ? V{} : load<double>(out[i], s);
        for (std::size_t p = 0; p < together; ++p) sum = sum + load<double>(parts.value[p], s);
        store<double>(out[i], s, sum);
      }
      switch (together) {
        case 1:
          add_slopes<1>(law, first, columns, centres[i], parts, own);
          break;
        case 2:
          add_slopes<2>(law, first, columns, centres[i], parts, own);
          break;
        case 3:
          add_slopes<3>(law, first, columns, centres[i], parts, own);
          break;
        default:
          add_slopes<4>(law, first, columns, centres[i], parts, own);
      }
    }
  }
}

}  // namespace
