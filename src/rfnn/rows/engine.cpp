#include "rfnn/rows/engine.hpp"

#include "rfnn/rows/direct/direct_engine.hpp"
#include "rfnn/rows/reference/reference_engine.hpp"

namespace rfnn {

std::unique_ptr<Engine> make_engine(EngineKind kind, const ScaledRows& train, const ScaledRows& validation,
                                    std::size_t threads) {
  if (kind == EngineKind::reference) return std::make_unique<ReferenceEngine>(train, validation);
  return std::make_unique<DirectEngine>(train, validation, threads);
}

}  // namespace rfnn
