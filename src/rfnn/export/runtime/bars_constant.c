/* No place is farther from the rows than others. */
static double variance_at(const double *v) {
  (void)v;
  return posterior.prior;
}
