// The chart library read, the page written.
#include "sim/page_file.hpp"

#include "sim/report/page.hpp"
#include "sim/report/text_sink.hpp"

namespace sim {

std::filesystem::path default_chart_library() { return GRADSIM_CHART_LIBRARY; }

std::optional<std::string> read_chart_library(const std::filesystem::path& path) {
  auto text = report::file_text(path);
  return text && !text->empty() ? text : std::nullopt;
}

std::uintmax_t write_page(const report::Page& page, const std::filesystem::path& target,
                          const std::optional<std::string>& chart_library) {
  const std::string html = report::page_html(page, chart_library);
  report::TextSink sink(target);
  sink.write(html);
  sink.finish();
  return html.size();
}

}  // namespace sim
