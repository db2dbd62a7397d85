#include "rfnn/training/facts.hpp"

#include <sys/utsname.h>

#include <ctime>

#include "rfnn/core/parallel.hpp"
#include "rfnn/core/version.hpp"

namespace rfnn::training {

std::map<std::string, std::string> facts_of_this_run(const Options& options) {
  std::map<std::string, std::string> facts;
  facts["version"] = version();
  facts["compiler"] = __VERSION__;
  facts["simd"] = simd_level();
  facts["threads"] = std::to_string(thread_count(options.threads));
  utsname host{};
  if (uname(&host) == 0) {
    facts["host"] = host.nodename;
    facts["system"] = std::string(host.sysname) + " " + host.release + " " + host.machine;
  }
  const std::time_t now = std::time(nullptr);
  std::tm utc{};
  char text[32];
  if (gmtime_r(&now, &utc) != nullptr && std::strftime(text, sizeof text, "%Y-%m-%dT%H:%M:%SZ", &utc) > 0)
    facts["started"] = text;
  return facts;
}

}  // namespace rfnn::training
