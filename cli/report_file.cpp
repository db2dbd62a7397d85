#include "cli/report_file.hpp"

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

}  // namespace rfnn::cli
