
/* ---- cells that are not known ------------------------------------------------------------------------------------- */

/* The probability that a score is less: the inverse of `quantile`. */
static double probability(const struct bar *bar, double s) {
  const double *const score = bar->score, outermost = 1.0 / (SCORES + 1.0);
  int below = 0, up_to = SCORES;
  if (s < score[0]) return outermost * pow((bar->median - s) / (bar->median - score[0]), -1.0 / bar->lower_power);
  if (s > score[SCORES - 1])
    return 1.0 - outermost * pow((s - bar->median) / (score[SCORES - 1] - bar->median), -1.0 / bar->upper_power);
  while (below < up_to) {
    const int middle = (below + up_to) / 2;
    if (score[middle] < s) {
      below = middle + 1;
    } else {
      up_to = middle;
    }
  }
  while (up_to < SCORES && score[up_to] == s) ++up_to;
  if (below != up_to) return 0.5 * (below + 1.0 + up_to) * outermost;
  return (below + (s - score[below - 1]) / (score[below] - score[below - 1])) * outermost;
}

/* How much of rows whose prediction may be any of `others`, with errors of this width, lies between the bounds. */
static double held_between(const struct bar *bar, double lower, double upper, double width, const double *others) {
  double sum = 0.0;
  int j;
  for (j = 0; j < DRAWN_CELLS; ++j)
    sum += probability(bar, (upper - others[j * OUTPUTS]) / width) -
           probability(bar, (lower - others[j * OUTPUTS]) / width);
  return sum / DRAWN_CELLS;
}

/* The width whose interval of HELD around `own` holds HELD of these. */
static double width_over(const struct bar *bar, double own, double width, const double *others) {
  const double low = quantile(bar, 0.5 * (1.0 - HELD)), high = quantile(bar, 0.5 * (1.0 + HELD));
  double farthest = 0.0, squares = 0.0, unit, least, most;
  int j, turn;
  for (j = 0; j < DRAWN_CELLS; ++j) {
    const double distance = fabs(others[j * OUTPUTS] - own);
    if (distance > farthest) farthest = distance;
    squares += distance * distance;
  }
  if (!(farthest > 0.0 && farthest < HUGE_VAL && width < HUGE_VAL)) return width;
  if (!(low < 0.0 && high > 0.0))
    return sqrt(width * width + squares / DRAWN_CELLS / (bar->deviation * bar->deviation));
  unit = width > 1e-9 * farthest ? width : 1e-9 * farthest;
  least = width;
  most = unit;
  for (turn = 0; turn < 200 && held_between(bar, own + most * low, own + most * high, unit, others) < HELD; ++turn) {
    least = most;
    most *= 2.0;
  }
  for (turn = 0; turn < 60 && least < most; ++turn) {
    const double middle = 0.5 * (least + most);
    if (held_between(bar, own + middle * low, own + middle * high, unit, others) < HELD) {
      least = middle;
    } else {
      most = middle;
    }
  }
  return most > width ? most : width;
}

/* 2: unknown, but the networks have learnt what such rows are in the mean. */
static int is_unknown(const struct cell *cell, double value) {
  if (!cell->likely) return 0;
  if (value != value) return cell->missing;
  return cell->levels > 0 && !(value >= 0.0 && value < (double)cell->levels && value == floor(value));
}

/* Outputs and widths of a row, over what cells that are not known may have been. */
static void find_widths(const double *row, double *outputs, double *width) {
  double drawn[COLUMNS], others[DRAWN_CELLS * OUTPUTS], wide[OUTPUTS], squares[OUTPUTS];
  int any = 0, j, k, o;
  double shift;
  find_known_widths(row, outputs, width);
  for (k = 0; k < COLUMNS; ++k) {
    drawn[k] = row[k];
    if (is_unknown(cells + k, row[k]) > any) any = is_unknown(cells + k, row[k]);
  }
  if (!any) return;
  for (o = 0; o < OUTPUTS; ++o) squares[o] = 0.0;
  for (j = 0; j < DRAWN_CELLS; ++j) {
    for (k = 0; k < COLUMNS; ++k)
      if (is_unknown(cells + k, row[k])) drawn[k] = cells[k].likely[j];
    if (j < CELLS_FOR_WIDTHS) {
      find_known_widths(drawn, others + j * OUTPUTS, wide);
      for (o = 0; o < OUTPUTS; ++o) squares[o] += wide[o] * wide[o];
    } else {
      run(drawn, others + j * OUTPUTS, NULL, NULL);
    }
  }
  for (o = 0; o < OUTPUTS; ++o) {
    for (shift = 0.0, j = 0; j < DRAWN_CELLS; ++j) shift += others[j * OUTPUTS + o];
    shift = any == 2 ? outputs[o] - shift / DRAWN_CELLS : 0.0;
    for (j = 0; j < DRAWN_CELLS; ++j) others[j * OUTPUTS + o] += shift;
    wide[o] = width_over(bars + o, outputs[o], sqrt(squares[o] / CELLS_FOR_WIDTHS), others + o);
    if (any == 1 || wide[o] > width[o]) width[o] = wide[o];
  }
}
