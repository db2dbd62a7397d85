#pragma once

// Private header.

namespace rfnn {

/// Si(x) = ∫₀ˣ sin(t)/t dt, to about 1e-15 for every finite x.
double sine_integral(double x);

}  // namespace rfnn
