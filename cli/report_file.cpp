#include "cli/report_file.hpp"

#include <fmt/format.h>

#include "cli/columns.hpp"
#include "cli/terminal.hpp"
#include "rfnn/core/error.hpp"
#include "rfnn/io/atomic_file.hpp"
#include "rfnn/report/run_page.hpp"

namespace rfnn::cli {

std::size_t write_report(const report::RunStory& story, const std::string& place) {
  const std::string page = html(report::run_page(story));
  io::AtomicFile file(place);
  file.write(page);
  file.commit();
  return page.size();
}

void refuse_overwriting(const std::string& place, const std::vector<std::string>& read) {
  for (const std::string& file : read) {
    if (same_file(place, file)) {
      throw UsageError(fmt::format("The report would overwrite {}, which is read.", printable(file)),
                       "Give the report another name.");
    }
  }
}

}  // namespace rfnn::cli
