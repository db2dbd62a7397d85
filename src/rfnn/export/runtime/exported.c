/*@title@*/

#include <math.h>
#include <stddef.h>

/*@sizes@*/

/* ---- what a network is made of ------------------------------------------------------------------------------------ */

/* A number the network sees: standardised, of the logarithm where log_from > 0. A column of levels makes several. */
struct input {
  int column;
  int kind;    /* 0: the number of the column; 1: whether it is `level`; 2: whether it is missing, which is NaN */
  int levels;  /* of the column, where it has any */
  int fills;   /* whether `fill` stands in for a missing number */
  double level, fill, mean, sd, log_from;
};

/* sum_j a_j cos(w_j.v) - b_j sin(w_j.v), w_j in `frequency`, or multiples of the steps of a lattice. Features are filled
   up with zeros to a multiple of LANES. */
struct waves {
  int features;
  const double *frequency; /* variable by variable, a number per feature each */
  const int *multiple;     /* the same, of a lattice; else a null pointer */
  const double *step;      /* per variable, of a lattice */
  const double *reach;     /* per variable: the largest frequency */
  const double *amplitude; /* output by output: a of all features, then b of all */
};

/* c_0 + sum_q sum_k c_qk v_k^q. */
struct trend {
  int degree;
  const double *coefficient; /* term by term, a number per output each */
};

/* A part of a kernel: strength exp(-sum curve d^2 - sum mapped u^2) prod q(slope |d|) exp(-slope |d|) cos(centre.d), with
   q(x) = 1, 1 + x or 1 + x + x^2/3; of a radial part strength q(r) exp(-r), r^2 = sum (slope d)^2. */
struct part {
  int order, radial;
  double strength;
  const double *slope, *curve, *mapped, *centre; /* the last two may be null pointers */
};

/* Boxes of the inputs, each with its own centres and scales. */
struct windows {
  int count, inputs;
  const double *low, *high;   /* window by window, a number per input each */
  const double *scale;        /* window by window, a number per variable each */
  const double *least, *most; /* of the centres, per input */
  const int *centres;         /* per window, how many it has */
};

/* sum_i c_i k(v - v_i). Centres are points: variables and, behind them, what `map` makes of them. */
struct kernel {
  int parts, mapped, centres;
  const struct part *part;
  const double *map;         /* mapped x variables */
  const double *centre;      /* centre by centre; times the scale of its window */
  const double *coefficient; /* centre by centre, a number per output each */
  const struct windows *windows;
};

/* The same of one variable, for laws that are Markov processes: every centre knows the sum over those up to it and the
   sum over those from it on, as states: of each part order + 1 numbers, and as many again where it has a centre. */
struct series {
  int parts, centres, numbers; /* of a state */
  const struct part *part;
  const double *centre;         /* ascending */
  const double *before, *after; /* centre by centre, output by output, a state each */
};

/* It sees `variables` numbers from number `first` on, of the inputs followed by the state. */
struct branch {
  int first, variables;
  const struct waves *waves;
  const struct trend *trend;
  const struct kernel *kernel;
  const struct series *series;
};

struct block {
  int first, branches;
};

/* z = 0; z = z + block(inputs, z) for each of its blocks; mean + scale z is what it adds to the outputs. It sees so many
   of the inputs below, from one of them on. */
struct member {
  int first, blocks, first_input, inputs;
  const double *mean, *scale;
};

/* ---- the model ---------------------------------------------------------------------------------------------------- */

/*@tables@*/

/* ---- what is computed --------------------------------------------------------------------------------------------- */

#if defined(FP_FAST_FMA) || defined(__FMA__)
#define MULTIPLY_ADD(a, b, c) fma(a, b, c)
#else
#define MULTIPLY_ADD(a, b, c) ((a) * (b) + (c))
#endif

/* To the nearest whole number; an addition does it where doubles are added as such, and runs on all lanes at once. */
#if defined(__FAST_MATH__) || (defined(FLT_EVAL_METHOD) && FLT_EVAL_METHOD != 0)
#define WHOLE(x) rint(x)
#else
#define WHOLE(x) (((x) + 0x1.8p52) - 0x1.8p52)
#endif

/* Phases beyond this are left to the library's functions. */
#define LARGEST_PHASE 1e6

/* Sines and cosines of so many phases: the nearest multiple n of pi/2 is subtracted in three pieces, polynomials do the
   rest, and n mod 4 says which of them is which. */
static inline void sines(int count, const double *restrict phase, double *restrict sine, double *restrict cosine) {
  int l;
  for (l = 0; l < count; ++l) {
    const double n = WHOLE(phase[l] * 0x1.45f306dc9c883p-1);
    const double r = MULTIPLY_ADD(
        n, -0x1.3198a2e037073p-69, MULTIPLY_ADD(n, -0x1.0b4611a6p-34, MULTIPLY_ADD(n, -0x1.921fb544p0, phase[l])));
    const double z = r * r;
    double s = 1.58969099521155010221e-10, c = -1.13596475577881948265e-11;
    double half, odd, even, sign;
    s = MULTIPLY_ADD(s, z, -2.50507602534068634195e-08);
    c = MULTIPLY_ADD(c, z, 2.08757232129817482790e-09);
    s = MULTIPLY_ADD(s, z, 2.75573137070700676789e-06);
    c = MULTIPLY_ADD(c, z, -2.75573143513906633035e-07);
    s = MULTIPLY_ADD(s, z, -1.98412698298579493134e-04);
    c = MULTIPLY_ADD(c, z, 2.48015872894767294178e-05);
    s = MULTIPLY_ADD(s, z, 8.33333333332248946124e-03);
    c = MULTIPLY_ADD(c, z, -1.38888888888741095749e-03);
    s = MULTIPLY_ADD(s, z, -1.66666666666666324348e-01);
    c = MULTIPLY_ADD(c, z, 4.16666666666666019037e-02);
    s = MULTIPLY_ADD(s * z, r, r);
    c = MULTIPLY_ADD(z * z, c, MULTIPLY_ADD(z, -0.5, 1.0));
    half = 0.5 * n;
    even = WHOLE(half);
    odd = 2.0 * (half - even); /* 0, or for n = 1 and 3 mod 4 it is 1 and -1 */
    half = 0.5 * even;
    sign = (1.0 - 4.0 * fabs(half - WHOLE(half))) * (1.0 - fabs(odd));
    sine[l] = sign * s + odd * c;
    cosine[l] = sign * c - odd * s;
  }
}

static void sines_of_any(int count, const double *phase, double *sine, double *cosine) {
  int l;
  for (l = 0; l < count; ++l) {
    sine[l] = sin(phase[l]);
    cosine[l] = cos(phase[l]);
  }
}

/* Of LANES numbers, by halves. */
static double total(double *sum) {
  int l;
  for (l = 0; l < LANES / 2; ++l) sum[l] += sum[l + LANES / 2];
  for (l = 0; l < LANES / 4; ++l) sum[l] += sum[l + LANES / 4];
  return sum[0] + sum[1];
}

/* Inputs of a row, and their derivatives by the columns they come from. Returns 0, or NaN where one is missing. */
static double see(const struct member *m, const double *row, double *v, double *derivative) {
  double known = 0.0;
  int k;
  for (k = 0; k < m->inputs; ++k) {
    const struct input *const in = inputs_seen + m->first_input + k;
    const double cell = row[in->column];
    double x = cell, dx = 1.0;
    if (in->kind == 2) {
      x = cell != cell;
      dx = 0.0;
    } else if (cell != cell) {
      x = in->fills ? in->fill : cell;
      dx = 0.0;
    } else if (in->kind == 1) {
      x = cell == in->level                                                    ? 1.0
          : cell >= 0.0 && cell < (double)in->levels && cell == floor(cell) ? 0.0
                                                                             : in->fill;
      dx = 0.0;
    }
    if (in->log_from > 0.0) {
      dx = x > in->log_from ? dx / x : 0.0;
      x = x < in->log_from ? log(in->log_from) : log(x);
    }
    v[k] = (x - in->mean) / in->sd;
    derivative[k] = dx / in->sd;
    if (v[k] != v[k]) known = v[k];
  }
  return known;
}

/* Each of the following adds a sum to the outputs `value` and, unless `slope` is a null pointer, its derivatives by the
   variables to `slope`, a row per output. */

static void add_waves(const struct waves *w, int variables, const double *v, double *value, double *slope) {
  double phase[LANES], sine[LANES], cosine[LANES], scaled[VARIABLES], bound = 0.0;
  int j, k, l, o;
  for (k = 0; k < variables; ++k) {
    scaled[k] = w->multiple ? w->step[k] * v[k] : v[k];
    bound += w->reach[k] * fabs(v[k]);
  }
  for (j = 0; j < w->features; j += LANES) {
    for (l = 0; l < LANES; ++l) phase[l] = 0.0;
    for (k = 0; k < variables; ++k) {
      const double *const frequency = w->frequency + (size_t)k * (size_t)w->features + j;
      if (w->multiple) {
        const int *const multiple = w->multiple + (size_t)k * (size_t)w->features + j;
        for (l = 0; l < LANES; ++l) phase[l] = MULTIPLY_ADD((double)multiple[l], scaled[k], phase[l]);
      } else {
        for (l = 0; l < LANES; ++l) phase[l] = MULTIPLY_ADD(frequency[l], scaled[k], phase[l]);
      }
    }
    if (bound <= LARGEST_PHASE) {
      sines(LANES, phase, sine, cosine);
    } else {
      sines_of_any(LANES, phase, sine, cosine);
    }
    for (o = 0; o < OUTPUTS; ++o) {
      const double *const a = w->amplitude + 2 * (size_t)o * (size_t)w->features + j, *const b = a + w->features;
      double sum[LANES];
      for (l = 0; l < LANES; ++l) sum[l] = a[l] * cosine[l] - b[l] * sine[l];
      value[o] += total(sum);
      if (!slope) continue;
      for (l = 0; l < LANES; ++l) sum[l] = -a[l] * sine[l] - b[l] * cosine[l];
      for (k = 0; k < variables; ++k) {
        const size_t place = (size_t)k * (size_t)w->features + (size_t)j;
        double change[LANES];
        for (l = 0; l < LANES; ++l)
          change[l] = sum[l] * (w->multiple ? w->step[k] * w->multiple[place + (size_t)l] : w->frequency[place + (size_t)l]);
        slope[o * VARIABLES + k] += total(change);
      }
    }
  }
}

static void add_trend(const struct trend *t, int variables, const double *v, double *value, double *slope) {
  int k, q, o;
  for (o = 0; o < OUTPUTS; ++o) value[o] += t->coefficient[o];
  for (k = 0; k < variables; ++k) {
    double power = 1.0;
    for (q = 0; q < t->degree; ++q) {
      const double *const c = t->coefficient + (1 + q * variables + k) * OUTPUTS;
      for (o = 0; o < OUTPUTS; ++o) {
        if (slope) slope[o * VARIABLES + k] += c[o] * (q + 1) * power;
        value[o] += c[o] * power * v[k];
      }
      power *= v[k];
    }
  }
}

/* A number further out counts as this one: no kernel reaches so far. */
#define FARTHEST 1e100

static void place(const struct kernel *k, int variables, const double *v, const double *scale, double *point) {
  int i, j;
  for (i = 0; i < variables; ++i) {
    const double x = scale ? scale[i] * v[i] : v[i];
    point[i] = x > FARTHEST ? FARTHEST : x < -FARTHEST ? -FARTHEST : x;
  }
  for (j = 0; j < k->mapped; ++j) {
    point[variables + j] = 0.0;
    for (i = 0; i < variables; ++i) point[variables + j] += k->map[j * variables + i] * point[i];
  }
}

/* A part at a difference d of points; its derivatives are added to `slope`. */
static double part_at(const struct part *p, int variables, int mapped, const double *d, double *slope) {
  double exponent = 0.0, factor = 1.0, phase = 0.0, wave = 0.0;
  int k;
  if (p->radial) {
    for (k = 0; k < variables; ++k) exponent += p->slope[k] * d[k] * (p->slope[k] * d[k]);
    exponent = sqrt(exponent);
    wave = p->strength * exp(-exponent);
    if (wave == 0.0) return 0.0;
    if (slope) {
      const double of_square = p->order == 0 ? (exponent > 0.0 ? -1.0 / exponent : 0.0)
                               : p->order == 1 ? -1.0
                                               : -(1.0 + exponent) / 3.0;
      for (k = 0; k < variables; ++k) slope[k] += wave * of_square * p->slope[k] * p->slope[k] * d[k];
    }
    return p->order == 0 ? wave : p->order == 1 ? wave * (1.0 + exponent) : wave * (1.0 + exponent * (1.0 + exponent / 3.0));
  }
  for (k = 0; k < variables; ++k) {
    const double size = fabs(d[k]), x = p->slope[k] * size;
    exponent = MULTIPLY_ADD(size, MULTIPLY_ADD(p->curve[k], size, p->slope[k]), exponent);
    if (p->order == 1) factor *= 1.0 + x;
    if (p->order == 2) factor *= 1.0 + x * (1.0 + x / 3.0);
    if (p->centre) phase += p->centre[k] * d[k];
  }
  for (k = 0; k < mapped; ++k) exponent += p->mapped[k] * d[variables + k] * d[variables + k];
  exponent = exp(-exponent);
  if (exponent == 0.0) return 0.0;
  factor *= p->strength * exponent;
  if (p->centre) {
    wave = -factor * sin(phase);
    factor *= cos(phase);
  }
  if (!slope) return factor;
  for (k = 0; k < variables; ++k) {
    const double x = p->slope[k] * fabs(d[k]);
    const double sign = d[k] > 0.0 ? 1.0 : d[k] < 0.0 ? -1.0 : 0.0;
    const double rough = p->order == 0 ? 1.0 : p->order == 1 ? x / (1.0 + x) : x * (1.0 + x) / (3.0 + x * (3.0 + x));
    slope[k] -= factor * (2.0 * p->curve[k] * d[k] + p->slope[k] * sign * rough);
    if (p->centre) slope[k] += wave * p->centre[k];
  }
  for (k = 0; k < mapped; ++k) slope[variables + k] -= factor * 2.0 * p->mapped[k] * d[variables + k];
  return factor;
}

/* The sum over `count` centres from `first` on, at a point. */
static void add_centres(const struct kernel *k, int variables, const double *point, int first, int count, double *value,
                        double *slope) {
  const int coordinates = variables + k->mapped;
  double d[COORDINATES], change[COORDINATES], sums[OUTPUTS * COORDINATES];
  int i, j, c, o, p;
  for (c = 0; c < OUTPUTS * COORDINATES; ++c) sums[c] = 0.0;
  for (i = first; i < first + count; ++i) {
    const double *const centre = k->centre + (size_t)i * (size_t)coordinates;
    const double *const coefficient = k->coefficient + (size_t)i * OUTPUTS;
    double sum = 0.0;
    for (c = 0; c < coordinates; ++c) {
      d[c] = point[c] - centre[c];
      change[c] = 0.0;
    }
    for (p = 0; p < k->parts; ++p) sum += part_at(k->part + p, variables, k->mapped, d, slope ? change : NULL);
    for (o = 0; o < OUTPUTS; ++o) value[o] += coefficient[o] * sum;
    if (!slope) continue;
    for (o = 0; o < OUTPUTS; ++o)
      for (c = 0; c < coordinates; ++c) sums[o * COORDINATES + c] += coefficient[o] * change[c];
  }
  if (!slope) return;
  for (o = 0; o < OUTPUTS; ++o)
    for (c = 0; c < variables; ++c) {
      double sum = sums[o * COORDINATES + c];
      for (j = 0; j < k->mapped; ++j) sum += sums[o * COORDINATES + variables + j] * k->map[j * variables + c];
      slope[o * VARIABLES + c] += sum;
    }
}

/* prod_k b(u_k), b(u) = (1 - u)^4 (4 u + 1), u the distance from the middle of the window in halves of its sides, at the
   inputs within the range of the centres; with its logarithm's derivatives. */
static double window_weight(const struct windows *w, int window, const double *v, double *slope) {
  double weight = 1.0;
  int k;
  for (k = 0; k < w->inputs; ++k) {
    const double low = w->low[window * w->inputs + k], high = w->high[window * w->inputs + k];
    const double at = v[k] < w->least[k] ? w->least[k] : v[k] > w->most[k] ? w->most[k] : v[k];
    const double u = 2.0 * (at - low) / (high - low) - 1.0, size = fabs(u), rest = 1.0 - size;
    if (!(size < 1.0)) return 0.0;
    weight *= rest * rest * (rest * rest) * (4.0 * size + 1.0);
    slope[k] = v[k] < w->least[k] || v[k] > w->most[k]
                   ? 0.0
                   : -20.0 * u / (rest * (4.0 * size + 1.0)) * 2.0 / (high - low);
  }
  return weight;
}

static void add_windows(const struct kernel *k, int variables, const double *v, double *value, double *slope) {
  const struct windows *const w = k->windows;
  double sum[OUTPUTS], change[OUTPUTS * VARIABLES], own[OUTPUTS], own_change[OUTPUTS * VARIABLES];
  double weight_change[VARIABLES], total_change[VARIABLES], point[COORDINATES], total = 0.0;
  int first = 0, window, i, o;
  for (o = 0; o < OUTPUTS; ++o) sum[o] = 0.0;
  for (i = 0; i < OUTPUTS * VARIABLES; ++i) change[i] = 0.0;
  for (i = 0; i < VARIABLES; ++i) weight_change[i] = total_change[i] = 0.0;
  for (window = 0; window < w->count; first += w->centres[window], ++window) {
    const double weight = window_weight(w, window, v, weight_change);
    const double *const scale = w->scale + window * variables;
    if (!(weight > 0.0)) continue;
    for (o = 0; o < OUTPUTS; ++o) own[o] = 0.0;
    for (i = 0; i < OUTPUTS * VARIABLES; ++i) own_change[i] = 0.0;
    place(k, variables, v, scale, point);
    add_centres(k, variables, point, first, w->centres[window], own, slope ? own_change : NULL);
    total += weight;
    for (i = 0; i < w->inputs; ++i) total_change[i] += weight * weight_change[i];
    for (o = 0; o < OUTPUTS; ++o) {
      sum[o] += weight * own[o];
      for (i = 0; slope && i < variables; ++i)
        change[o * VARIABLES + i] +=
            weight * (scale[i] * own_change[o * VARIABLES + i] + (i < w->inputs ? weight_change[i] * own[o] : 0.0));
    }
  }
  if (!(total > 0.0)) return;
  for (o = 0; o < OUTPUTS; ++o) {
    value[o] += sum[o] / total;
    for (i = 0; slope && i < variables; ++i)
      slope[o * VARIABLES + i] += (change[o * VARIABLES + i] - (i < w->inputs ? sum[o] / total * total_change[i] : 0.0)) / total;
  }
}

/* A side's share at a distance from its centre; `direction` is that of the distance, seen from x. */
static void add_side(const struct series *s, double distance, double direction, const double *states, double *value,
                     double *slope) {
  int p, j, o, n, number = 0;
  for (p = 0; p < s->parts; ++p, number += n) {
    const struct part *const part = s->part + p;
    const double t = part->slope[0], z = t * distance, e = exp(-z);
    const double mu = part->centre ? part->centre[0] : 0.0, c = cos(mu * distance), w = sin(mu * distance);
    const double rows[3][3] = {
        {1.0, 0.0, 0.0}, {1.0 + z, z, 0.0}, {1.0 + z + 0.5 * z * z, z + z * z, 0.5 * z * z}};
    const double changes[3][3] = {
        {-1.0, 0.0, 0.0}, {-z, 1.0 - z, 0.0}, {-0.5 * z * z, 1.0 + z - z * z, z - 0.5 * z * z}};
    n = part->order + 1;
    for (j = 0; j < n && e > 0.0; ++j) {
      const double row = e * rows[part->order][j], change = e * t * changes[part->order][j];
      for (o = 0; o < OUTPUTS; ++o) {
        const double *const state = states + o * s->numbers + number;
        const double a = state[j], b = mu != 0.0 ? state[n + j] : 0.0;
        value[o] += row * (c * a - w * b);
        if (slope)
          slope[o * VARIABLES] += direction * (change * (c * a - w * b) - row * mu * (w * a + c * b));
      }
    }
    if (mu != 0.0) n *= 2;
  }
}

static void add_series(const struct series *s, double x, double *value, double *slope) {
  const size_t size = (size_t)s->numbers * OUTPUTS;
  int low = 0, high = s->centres; /* the first centre beyond x is among those from low to high */
  while (low < high) {
    const int middle = low + (high - low) / 2;
    if (s->centre[middle] > x) {
      high = middle;
    } else {
      low = middle + 1;
    }
  }
  if (low > 0) add_side(s, x - s->centre[low - 1], 1.0, s->before + (size_t)(low - 1) * size, value, slope);
  if (low < s->centres) add_side(s, s->centre[low] - x, -1.0, s->after + (size_t)low * size, value, slope);
}

static void add_branch(const struct branch *b, const double *v, double *value, double *slope) {
  if (b->trend) add_trend(b->trend, b->variables, v, value, slope);
  if (b->waves) add_waves(b->waves, b->variables, v, value, slope);
  if (b->series) add_series(b->series, v[0], value, slope);
  if (b->kernel && b->kernel->windows) {
    add_windows(b->kernel, b->variables, v, value, slope);
  } else if (b->kernel) {
    double point[COORDINATES];
    place(b->kernel, b->variables, v, NULL, point);
    add_centres(b->kernel, b->variables, point, 0, b->kernel->centres, value, slope);
  }
}

/* Blocks of a member; `state` and, unless it is a null pointer, its derivatives by the inputs. */
static void run_member(const struct member *m, double *v, double *state, double *slope) {
  double old[OUTPUTS * VARIABLES], own[OUTPUTS * VARIABLES];
  int l, b, i, k, o;
  for (o = 0; o < OUTPUTS; ++o) state[o] = 0.0;
  for (i = 0; slope && i < OUTPUTS * VARIABLES; ++i) slope[i] = 0.0;
  for (l = 0; l < m->blocks; ++l) {
    const struct block *const block = blocks + m->first + l;
    for (o = 0; o < OUTPUTS; ++o) v[m->inputs + o] = state[o];
    for (i = 0; slope && i < OUTPUTS * VARIABLES; ++i) old[i] = slope[i];
    for (b = 0; b < block->branches; ++b) {
      const struct branch *const branch = branches + block->first + b;
      if (!slope) {
        add_branch(branch, v + branch->first, state, NULL);
        continue;
      }
      for (i = 0; i < OUTPUTS * VARIABLES; ++i) own[i] = 0.0;
      add_branch(branch, v + branch->first, state, own);
      for (o = 0; o < OUTPUTS; ++o)
        for (i = 0; i < branch->variables; ++i) {
          const int variable = branch->first + i;
          const double change = own[o * VARIABLES + i];
          if (variable < m->inputs) {
            slope[o * VARIABLES + variable] += change;
          } else {
            for (k = 0; k < m->inputs; ++k)
              slope[o * VARIABLES + k] += change * old[(variable - m->inputs) * VARIABLES + k];
          }
        }
    }
  }
}

/* Unless they are null pointers: the outputs' derivatives by the columns, and the members' states. */
static void run(const double *row, double *outputs, double *jacobian, double *states) {
  double v[VARIABLES], derivative[VARIABLES], state[OUTPUTS], slope[OUTPUTS * VARIABLES];
  int e, i, k, o;
  for (o = 0; o < OUTPUTS; ++o) outputs[o] = 0.0;
  for (i = 0; jacobian && i < OUTPUTS * COLUMNS; ++i) jacobian[i] = 0.0;
  for (e = 0; e < MEMBERS; ++e) {
    const struct member *const m = members + e;
    const double known = see(m, row, v, derivative);
    run_member(m, v, state, jacobian ? slope : NULL);
    for (i = 0; jacobian && i < OUTPUTS * COLUMNS; ++i) jacobian[i] += known;
    for (o = 0; o < OUTPUTS; ++o) {
      outputs[o] += known + m->mean[o] + m->scale[o] * state[o];
      if (states) states[e * OUTPUTS + o] = state[o];
      for (k = 0; jacobian && k < m->inputs; ++k)
        jacobian[o * COLUMNS + inputs_seen[m->first_input + k].column] +=
            m->scale[o] * slope[o * VARIABLES + k] * derivative[k];
    }
  }
}

/* ---- many rows at a time ------------------------------------------------------------------------------------------ */

/* The same of ROWS rows: a variable's numbers of all rows lie one behind the other. */
static void add_waves_of_rows(const struct waves *w, int variables, const double *restrict v,
                              double *restrict value) {
  double phase[ROWS], sine[ROWS], cosine[ROWS], bound = 0.0;
  int j, k, l, o;
  for (k = 0; k < variables; ++k) {
    double largest = 0.0;
    for (l = 0; l < ROWS; ++l) largest = fabs(v[k * ROWS + l]) > largest ? fabs(v[k * ROWS + l]) : largest;
    bound += w->reach[k] * largest;
  }
  for (j = 0; j < w->features; ++j) {
    for (l = 0; l < ROWS; ++l) phase[l] = 0.0;
    for (k = 0; k < variables; ++k) {
      const size_t at = (size_t)k * (size_t)w->features + (size_t)j;
      const double omega = w->multiple ? w->multiple[at] : w->frequency[at], step = w->multiple ? w->step[k] : 1.0;
      for (l = 0; l < ROWS; ++l) phase[l] = MULTIPLY_ADD(omega, step * v[k * ROWS + l], phase[l]);
    }
    if (bound <= LARGEST_PHASE) {
      sines(ROWS, phase, sine, cosine);
    } else {
      sines_of_any(ROWS, phase, sine, cosine);
    }
    for (o = 0; o < OUTPUTS; ++o) {
      const double *const amplitude = w->amplitude + 2 * (size_t)o * (size_t)w->features + j;
      const double a = amplitude[0], b = -amplitude[w->features];
      double *const sum = value + o * ROWS;
      for (l = 0; l < ROWS; ++l) sum[l] = MULTIPLY_ADD(a, cosine[l], MULTIPLY_ADD(b, sine[l], sum[l]));
    }
  }
}

static void add_branch_of_rows(const struct branch *b, const double *v, double *value) {
  double own[VARIABLES], sum[OUTPUTS];
  int k, l, o;
  if (b->waves && !b->trend) {
    add_waves_of_rows(b->waves, b->variables, v, value);
    return;
  }
  for (l = 0; l < ROWS; ++l) {
    for (k = 0; k < b->variables; ++k) own[k] = v[k * ROWS + l];
    for (o = 0; o < OUTPUTS; ++o) sum[o] = 0.0;
    add_branch(b, own, sum, NULL);
    for (o = 0; o < OUTPUTS; ++o) value[o * ROWS + l] += sum[o];
  }
}

static void run_rows(const double *rows, double *outputs) {
  double v[VARIABLES * ROWS], state[OUTPUTS * ROWS], own[VARIABLES], derivative[VARIABLES];
  double known[ROWS];
  int e, i, k, l, o, b;
  for (i = 0; i < OUTPUTS * ROWS; ++i) outputs[i] = 0.0;
  for (e = 0; e < MEMBERS; ++e) {
    const struct member *const m = members + e;
    for (l = 0; l < ROWS; ++l) {
      known[l] = see(m, rows + (size_t)l * COLUMNS, own, derivative);
      for (k = 0; k < m->inputs; ++k) v[k * ROWS + l] = own[k];
    }
    for (i = 0; i < OUTPUTS * ROWS; ++i) state[i] = 0.0;
    for (i = 0; i < m->blocks; ++i) {
      const struct block *const block = blocks + m->first + i;
      for (k = 0; k < OUTPUTS * ROWS; ++k) v[m->inputs * ROWS + k] = state[k];
      for (b = 0; b < block->branches; ++b) {
        const struct branch *const branch = branches + block->first + b;
        add_branch_of_rows(branch, v + branch->first * ROWS, state);
      }
    }
    for (l = 0; l < ROWS; ++l)
      for (o = 0; o < OUTPUTS; ++o)
        outputs[l * OUTPUTS + o] += known[l] + m->mean[o] + m->scale[o] * state[o * ROWS + l];
  }
}

/* ---- the functions ------------------------------------------------------------------------------------------------ */

void rfnn_exported_predict(const double *inputs, double *outputs) { run(inputs, outputs, NULL, NULL); }

void rfnn_exported_gradient(const double *inputs, double *jacobian) {
  double outputs[OUTPUTS];
  run(inputs, outputs, jacobian, NULL);
}

void rfnn_exported_predict_rows(const double *inputs, size_t rows, double *outputs) {
  size_t i;
  for (i = 0; i + ROWS <= rows; i += ROWS) run_rows(inputs + i * COLUMNS, outputs + i * OUTPUTS);
  for (; i < rows; ++i) run(inputs + i * COLUMNS, outputs + i * OUTPUTS, NULL, NULL);
}
