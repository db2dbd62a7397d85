#include "rfnn/rows/engine.hpp"

#include "rfnn/rows/direct/direct_engine.hpp"
#include "rfnn/rows/reference/reference_engine.hpp"

namespace rfnn {

void ScaledRows::read(const Part& part, std::size_t column, std::size_t first, std::size_t count, double* out) const {
  if (rows_.empty())
    part.columns[column].read(first, count, out);
  else
    part.columns[column].read(rows_.subspan(first, count), out);
  const double mean = part.mean[column], sd = part.sd[column];
  for (std::size_t i = 0; i < count; ++i) out[i] = (out[i] - mean) / sd;
}

std::unique_ptr<Engine> make_engine(EngineKind kind, const ScaledRows& train, const ScaledRows& validation,
                                    std::size_t threads) {
  if (kind == EngineKind::reference) return std::make_unique<ReferenceEngine>(train, validation);
  return std::make_unique<DirectEngine>(train, validation, threads);
}

}  // namespace rfnn
