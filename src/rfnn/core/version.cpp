#include "rfnn/core/version.hpp"

namespace rfnn {

std::string version() { return RFNN_VERSION; }

}  // namespace rfnn
