/// Where this build and its sources are. Told to one source only, so that all others compile to the same wherever they
/// lie.
#pragma once

namespace rfnn::testing {

extern const char* const command_path;  ///< the rfnn command of this build; empty where none is built
extern const char* const source_folder;
extern const char* const build_version;

}  // namespace rfnn::testing
