
/* How much a window counts; outside all of them, negative, how far its middle is. */
static double count_of(const struct windows *w, int window, const double *v) {
  double weight = 1.0, far = 0.0;
  int k;
  for (k = 0; k < w->inputs; ++k) {
    const double low = w->low[window * w->inputs + k], high = w->high[window * w->inputs + k];
    const double u = fabs(2.0 * (v[k] - low) / (high - low) - 1.0), rest = 1.0 - u;
    if (u > far) far = u;
    weight = u < 1.0 ? weight * (rest * rest * (rest * rest) * (4.0 * u + 1.0)) : 0.0;
  }
  weight = rank_of(weight, 1.0);
  return weight > 0.0 ? weight : -rank_of(far, 1.0);
}

/* Given the nearest centres of the window that counts most. */
static double variance_at(const double *v) {
  const struct windows *const w = posterior.kernel->windows;
  double point[COORDINATES], covariance[PAIRS], most = 0.0;
  struct nearest near;
  int first = 0, best = 0, begin = 0, window, i, a, b, pair = 0;
  for (window = 0; window < w->count; first += w->centres[window], ++window) {
    const double count = count_of(w, window, v);
    if (window > 0 && !(count > most)) continue;
    most = count;
    best = window;
    begin = first;
  }
  near.count = 0;
  place(posterior.kernel, OWN_INPUTS, v, w->scale + best * OWN_INPUTS, point);
  for (i = begin; i < begin + w->centres[best]; ++i) compare(&near, i, kernel_between(point, centre_at(i)));
  for (a = 0; a < near.count; ++a)
    for (b = a; b < near.count; ++b, ++pair)
      covariance[pair] = kernel_between(centre_at(near.centre[a]), centre_at(near.centre[b])) +
                         (a == b ? posterior.noise : 0.0);
  return within_bounds(given_nearest(covariance, near.count, near.kernel, posterior.prior));
}
