#include "rfnn/training/automatic.hpp"

#include "rfnn/core/error.hpp"

namespace rfnn {

Model fit_automatically(const DatasetView&, const Options&, const FitExtras&) {
  throw NumericalError("Preset auto is not there yet.", "Use preset paper.");
}

}  // namespace rfnn
