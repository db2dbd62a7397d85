#pragma once

// RFNN_API marks what the shared library shows. Everything else is hidden.
#if defined(RFNN_BUILD_SHARED)
#define RFNN_API __attribute__((visibility("default")))
#else
#define RFNN_API
#endif
