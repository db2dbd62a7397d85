#include <algorithm>
#include <atomic>

#include "python/bindings/bindings.hpp"
#include "rfnn/core/parallel.hpp"

// The most threads a fit or prediction may use, for threadpoolctl, which looks for these names in the loaded module.
// 0: no limit was set.
namespace {
std::atomic<int> limit = 0;
}  // namespace

extern "C" {
__attribute__((visibility("default"))) int rfnn_get_thread_limit() {
  const auto most = static_cast<int>(rfnn::available_threads());
  const int set = limit.load();
  return set > 0 ? std::min(set, most) : most;
}
__attribute__((visibility("default"))) void rfnn_set_thread_limit(int threads) { limit.store(std::max(threads, 0)); }
}

namespace rfnn::python {

void bind_threads(nb::module_& module) {
  module.def("thread_limit", &rfnn_get_thread_limit, "The most threads a fit or prediction may use.");
  module.def("set_thread_limit", &rfnn_set_thread_limit, nb::arg("threads"), "0: as many as the process may use.");
}

}  // namespace rfnn::python
