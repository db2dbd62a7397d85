static double kernel_between(const double *a, const double *b) {
  const struct kernel *const k = posterior.kernel;
  double d[COORDINATES], sum = 0.0;
  int c, p;
  for (c = 0; c < OWN_INPUTS + k->mapped; ++c) d[c] = a[c] - b[c];
  for (p = 0; p < k->parts; ++p) sum += part_at(k->part + p, OWN_INPUTS, k->mapped, d, NULL);
  return sum;
}

static const double *centre_at(int i) {
  return posterior.kernel->centre + (size_t)i * (size_t)(OWN_INPUTS + posterior.kernel->mapped);
}

/* L^-1 b in the place of b, and the sum of its squares; L lies column by column, each from the diagonal on. */
static double half_solve(const double *restrict factor, int size, double *restrict b) {
  double squares = 0.0;
  int i, j;
  for (j = 0; j < size; factor += size - j, ++j) {
    const double x = b[j] / factor[0];
    for (i = 1; i < size - j; ++i) b[j + i] -= factor[i] * x;
    b[j] = x;
    squares += x * x;
  }
  return squares;
}

static double within_bounds(double variance) {
  const double least = ROUNDING * posterior.prior;
  return variance < least ? least : variance > posterior.prior ? posterior.prior : variance;
}
