
/* Given some centres, spread over all, and of the others those that are nearest: with these the covariances that the
   former leave,
     R = K_NN + noise - X' X,   r = k_N(x) - X' L^-1 k_G(x),   X = L^-1 K_GN,
   the variance that is left is less by r' R^-1 r. */
static double variance_at(const double *v) {
  enum { WIDTH = NEAREST + 1 };
  double point[COORDINATES], of_given[GIVEN * WIDTH]; /* row by row X and L^-1 k_G(x) */
  double covariance[PAIRS], left[NEAREST], variance = posterior.prior;
  const double *factor = posterior.factor;
  struct nearest near;
  int a, b, c, g = 0, i, pair = 0;
  near.count = 0;
  place(posterior.kernel, OWN_INPUTS, v, NULL, point);
  for (i = 0; i < posterior.kernel->centres; ++i) {
    const double kernel = kernel_between(point, centre_at(i));
    if (g < GIVEN && posterior.given[g] == i) {
      of_given[WIDTH * g++ + NEAREST] = kernel;
    } else {
      compare(&near, i, kernel);
    }
  }
  for (g = 0; g < GIVEN; ++g)
    for (a = 0; a < NEAREST; ++a)
      of_given[WIDTH * g + a] =
          a < near.count ? kernel_between(centre_at(near.centre[a]), centre_at(posterior.given[g])) : 0.0;
  for (g = 0; g < GIVEN; factor += GIVEN - g, ++g) {
    double *const own = of_given + WIDTH * g;
    for (c = 0; c < WIDTH; ++c) own[c] /= factor[0];
    for (i = 1; i < GIVEN - g; ++i)
      for (c = 0; c < WIDTH; ++c) own[WIDTH * i + c] -= factor[i] * own[c];
    variance -= own[NEAREST] * own[NEAREST];
  }
  for (a = 0; a < near.count; ++a) {
    left[a] = near.kernel[a];
    for (g = 0; g < GIVEN; ++g) left[a] -= of_given[WIDTH * g + a] * of_given[WIDTH * g + NEAREST];
    for (b = a; b < near.count; ++b, ++pair) {
      double sum = 0.0;
      for (g = 0; g < GIVEN; ++g) sum += of_given[WIDTH * g + a] * of_given[WIDTH * g + b];
      covariance[pair] = kernel_between(centre_at(near.centre[a]), centre_at(near.centre[b])) +
                         (a == b ? posterior.noise : 0.0) - sum;
    }
  }
  return within_bounds(given_nearest(covariance, near.count, left, variance));
}
