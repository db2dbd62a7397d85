
/* The NEAREST centres of a point, those whose kernels with it are largest; and these. */
struct nearest {
  int count, centre[NEAREST];
  double kernel[NEAREST], rank[NEAREST];
};

/* What is compared: numbers, `largest` at the most, that only rounding tells apart are equal. */
static double rank_of(double value, double largest) { return floor(fabs(value) * (RANKS / largest) + 0.5); }

/* Centres come in their order; of equal ones the first stay. */
static void compare(struct nearest *near, int centre, double kernel) {
  const double rank = rank_of(kernel, posterior.prior);
  int i;
  if (near->count == NEAREST && !(rank > near->rank[NEAREST - 1])) return;
  i = near->count < NEAREST ? near->count++ : NEAREST - 1;
  for (; i > 0 && rank > near->rank[i - 1]; --i) {
    near->rank[i] = near->rank[i - 1];
    near->kernel[i] = near->kernel[i - 1];
    near->centre[i] = near->centre[i - 1];
  }
  near->rank[i] = rank;
  near->kernel[i] = kernel;
  near->centre[i] = centre;
}

enum { PAIRS = NEAREST * (NEAREST + 1) / 2 }; /* of the nearest, column by column from the diagonal on */

/* The factor of a covariance with so much more on its diagonal; 0 where there is none. */
static int factor_of(const double *covariance, int size, double more, double *factor) {
  int i, j, k, pairs = size * (size + 1) / 2;
  for (i = 0; i < pairs; ++i) factor[i] = covariance[i];
  for (j = 0; j < size; factor += size - j, ++j) {
    double *later = factor + size - j;
    factor[0] += more;
    if (!(factor[0] > 0.0)) return 0;
    factor[0] = sqrt(factor[0]);
    for (i = 1; i < size - j; ++i) factor[i] /= factor[0];
    for (k = 1; k < size - j; later += size - j - k, ++k)
      for (i = k; i < size - j; ++i) later[i - k] -= factor[i] * factor[k];
  }
  return 1;
}

/* What the nearest leave of a variance; `covariance` is theirs, `left` that with the point. */
static double given_nearest(const double *covariance, int size, double *left, double variance) {
  double factor[PAIRS], rounding;
  for (rounding = ROUNDING; rounding <= MOST_ROUNDING; rounding *= 100.0)
    if (factor_of(covariance, size, rounding * posterior.prior, factor))
      return variance - half_solve(factor, size, left);
  return variance;
}
