
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

/* What a cell of a column that is not known may have been: numbers, levels, each as likely as the others. */
struct cell {
  int missing;          /* 1: a missing cell is one; 2: and the networks have learnt what such rows are */
  int levels;           /* a level that is none of so many is one */
  const double *likely; /* DRAWN_CELLS, or a null pointer where nobody looks at the column */
};

/* ---- what is known of it ------------------------------------------------------------------------------------------ */

/*@bars@*/

/* ---- widths ------------------------------------------------------------------------------------------------------- */

/*@variance@*/

/* What is not known grows below the smallest value of an input that is taken as its logarithm, where outputs do not
   change: in the place of that value the number's own logarithm. Negative where there is none, 0 where nothing changes. */
static int open_logarithms(const double *row, double *v) {
  int changed = 0, k;
  for (k = 0; k < OWN_INPUTS; ++k) {
    const struct input *const in = inputs_seen + members[0].first_input + k;
    const double cell = row[in->column];
    if (!(in->log_from > 0.0 && cell < in->log_from)) continue;
    if (cell > 0.0) {
      v[k] = (log(cell) - in->mean) / in->sd;
      if (changed == 0) changed = 1;
    } else {
      changed = -1;
    }
  }
  return changed;
}

/* m^2 of every output, of the members or of networks drawn from chains, by their distances from the first. The states
   are those of the members, or a null pointer. */
static void find_spread(const double *states, double *v, double *spread) {
  const double share = SPREADING > 0 ? 1.0 / SPREADING : 0.0;
  double first[OUTPUTS], sum[OUTPUTS], squares[OUTPUTS], state[OUTPUTS];
  int e, o;
  for (o = 0; o < OUTPUTS; ++o) first[o] = sum[o] = squares[o] = 0.0;
  for (e = 0; e < SPREADING; ++e) {
    const double *its = state;
    if (DRAWN > 0 || !states) {
      run_member(members + (DRAWN > 0 ? MEMBERS : 0) + e, v, state, NULL);
    } else {
      its = states + e * OUTPUTS;
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

/* What the model's own networks would change the outputs by, did these not stay as they are below the smallest values
   whose logarithms are taken. */
static void add_change_below(const double *states, double *v, double *width) {
  double state[OUTPUTS], change[OUTPUTS];
  int e, o;
  for (o = 0; o < OUTPUTS; ++o) change[o] = 0.0;
  for (e = 0; e < OWN_MEMBERS; ++e) {
    run_member(members + e, v, state, NULL);
    for (o = 0; o < OUTPUTS; ++o) change[o] += members[e].scale[o] * (state[o] - states[e * OUTPUTS + o]);
  }
  for (o = 0; o < OUTPUTS; ++o) {
    const double of_width = change[o] / bars[o].deviation;
    width[o] = sqrt(width[o] * width[o] + of_width * of_width);
  }
}

static double width_square(const struct bar *bar, double variance, double spread) {
  const double closed = posterior.prior - variance, beyond = variance - posterior.reach * closed;
  double open = bar->gain * variance;
  if (posterior.reach >= 0.0 && bar->gain < 1.0 && beyond > 0.0) open += (1.0 - bar->gain) * beyond;
  return (open > 0.0 ? posterior.far * open / (posterior.far / posterior.prior * closed + open) : 0.0) + bar->spread * spread + bar->least;
}

/* Outputs and widths of a row whose cells are known. */
static void find_known_widths(const double *row, double *outputs, double *width) {
  double v[VARIABLES], derivative[VARIABLES], states[MEMBERS * OUTPUTS], spread[OUTPUTS], factor[OUTPUTS];
  double known, variance;
  int o, opened;
  run(row, outputs, NULL, states);
  known = see(members, row, v, derivative);
  opened = open_logarithms(row, v);
  variance = known != 0.0 ? 0.0 : opened < 0 ? posterior.prior : variance_at(v);
  find_spread(opened != 0 ? NULL : states, v, spread);
  find_shape(states, v, factor);
  for (o = 0; o < OUTPUTS; ++o)
    width[o] = known + bars[o].sd * exp(factor[o]) * sqrt(width_square(bars + o, variance, spread[o]));
  if (opened != 0) add_change_below(states, v, width);
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

/*@cells@*/
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
