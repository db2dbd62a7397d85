
/* Given all centres. */
static double variance_at(const double *v) {
  double point[COORDINATES], of_point[GIVEN];
  int i;
  place(posterior.kernel, OWN_INPUTS, v, NULL, point);
  for (i = 0; i < GIVEN; ++i) of_point[i] = kernel_between(point, centre_at(i));
  return within_bounds(posterior.prior - half_solve(posterior.factor, GIVEN, of_point));
}
