
/* ==== how far off it may be ======================================================================================== */

/* The variance that a closed form leaves open at a point x, given its centres: prior - k(x) (K + noise)^-1 k(x). */
struct posterior {
  const struct kernel *kernel; /* its coefficients are not looked at */
  double prior, far, noise;    /* prior 0: there is none, and the variance is 0; far: what counts far from the centres */
  double reach;                /* beyond so many times prior - variance, a variance has not been judged; negative: all have */
  const int *given;            /* GIVEN centres that every point is compared with, ascending */
  const double *factor;        /* the factor of their K + noise, column by column from the diagonal on */
};

/* The square of an output's width, but for its shape, is far w / (1 + w) + spread m^2 + least, w = gain variance /
   (prior - variance) prior / far and m what networks disagree by, in standardised units: `sd` of the output's own. Errors are scores
   times the width. SCORES quantiles of them are known; beyond the outermost ones the distances from the median follow a
   power law. */
struct bar {
  double gain, spread, least, sd;
  double mean, scale;               /* of the prediction, as the shape of the widths sees it */
  double median, deviation;         /* of the scores */
  double lower_power, upper_power;
  const double *score;              /* ascending */
};

/* ---- what is known of it ------------------------------------------------------------------------------------------ */

/*@bars@*/

/* ---- widths ------------------------------------------------------------------------------------------------------- */

/*@variance@*/

/* m^2 of every output, of the members or of networks drawn from chains, by their distances from the first. */
static void find_spread(const double *states, double *v, double *spread) {
  const double share = SPREADING > 0 ? 1.0 / SPREADING : 0.0;
  double first[OUTPUTS], sum[OUTPUTS], squares[OUTPUTS], state[OUTPUTS];
  int e, o;
  for (o = 0; o < OUTPUTS; ++o) first[o] = sum[o] = squares[o] = 0.0;
  for (e = 0; e < SPREADING; ++e) {
    const double *its = states + e * OUTPUTS;
    if (DRAWN > 0) {
      run_member(members + MEMBERS + e, v, state, NULL);
      its = state;
    }
    for (o = 0; o < OUTPUTS; ++o) {
      double distance;
      if (e == 0) first[o] = its[o];
      distance = its[o] - first[o];
      sum[o] += distance;
      squares[o] += distance * distance;
    }
  }
  for (o = 0; o < OUTPUTS; ++o) {
    const double square = share * squares[o] - share * share * sum[o] * sum[o];
    spread[o] = square > 0.0 ? square : 0.0;
  }
}

/* The logarithm of the factor that a width has here: a closed form of the inputs and of what the model's own networks
   predict. */
static void find_shape(const double *states, double *v, double *factor) {
  double point[COORDINATES];
  int e, o;
  for (o = 0; o < OUTPUTS; ++o) {
    double own = 0.0;
    for (e = 0; e < OWN_MEMBERS; ++e) own += members[e].mean[o] + members[e].scale[o] * states[e * OUTPUTS + o];
    v[OWN_INPUTS + o] = bars[o].scale * (own - bars[o].mean);
    factor[o] = 0.0;
  }
  if (!shape_of_widths) return;
  place(shape_of_widths, OWN_INPUTS + OUTPUTS, v, NULL, point);
  add_centres(shape_of_widths, OWN_INPUTS + OUTPUTS, point, 0, shape_of_widths->centres, factor, NULL);
}

static double width_square(const struct bar *bar, double variance, double spread) {
  const double closed = posterior.prior - variance, beyond = variance - posterior.reach * closed;
  double open = bar->gain * variance;
  if (posterior.reach >= 0.0 && bar->gain < 1.0 && beyond > 0.0) open += (1.0 - bar->gain) * beyond;
  return (open > 0.0 ? posterior.far * open / (posterior.far / posterior.prior * closed + open) : 0.0) + bar->spread * spread + bar->least;
}

/* Outputs and widths of a row. */
static void find_widths(const double *row, double *outputs, double *width) {
  double v[VARIABLES], derivative[VARIABLES], states[MEMBERS * OUTPUTS], spread[OUTPUTS], factor[OUTPUTS];
  double known, variance;
  int o;
  run(row, outputs, NULL, states);
  known = see(members, row, v, derivative);
  variance = known == 0.0 ? variance_at(v) : 0.0;
  find_spread(states, v, spread);
  find_shape(states, v, factor);
  for (o = 0; o < OUTPUTS; ++o)
    width[o] = known + bars[o].sd * exp(factor[o]) * sqrt(width_square(bars + o, variance, spread[o]));
}

/* Of the scores: at k / (SCORES + 1) the k-th, and straight lines between. */
static double quantile(const struct bar *bar, double p) {
  const double at = p * (SCORES + 1.0), *const score = bar->score;
  int below;
  if (at < 1.0) return bar->median + (score[0] - bar->median) * pow(at, -bar->lower_power);
  if (at > SCORES)
    return bar->median + (score[SCORES - 1] - bar->median) * pow(SCORES + 1.0 - at, -bar->upper_power);
  below = (int)(at - 1.0);
  if (below >= SCORES - 1) return score[SCORES - 1];
  return score[below] + (at - 1.0 - below) * (score[below + 1] - score[below]);
}

void rfnn_exported_interval(const double *inputs, double coverage, double *lower, double *upper) {
  double outputs[OUTPUTS], width[OUTPUTS];
  int o;
  find_widths(inputs, outputs, width);
  for (o = 0; o < OUTPUTS; ++o) {
    if (!(coverage > 0.0 && coverage < 1.0)) {
      lower[o] = upper[o] = NAN;
      continue;
    }
    lower[o] = outputs[o] + quantile(bars + o, 0.5 * (1.0 - coverage)) * width[o];
    upper[o] = outputs[o] + quantile(bars + o, 0.5 * (1.0 + coverage)) * width[o];
  }
}

void rfnn_exported_std(const double *inputs, double *std) {
  double outputs[OUTPUTS], width[OUTPUTS];
  int o;
  find_widths(inputs, outputs, width);
  for (o = 0; o < OUTPUTS; ++o) std[o] = 0.0 * outputs[o] + bars[o].deviation * width[o];
}
