#include "places/places.hpp"

namespace rfnn::testing {

const char* const command_path = RFNN_CLI;
const char* const source_folder = RFNN_SOURCE_DIR;
const char* const build_version = RFNN_VERSION;

}  // namespace rfnn::testing
