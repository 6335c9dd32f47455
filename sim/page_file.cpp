// The chart library read, the page written.
#include "sim/page_file.hpp"

#include <system_error>

#include "files/input_file.hpp"
#include "files/output_file.hpp"
#include "sim/report/page.hpp"
#include "sim/scenario_files.hpp"

namespace sim {

std::filesystem::path default_chart_library() {
  std::error_code unknown;
  const std::filesystem::path installed = data_folder().parent_path() / "chart.min.js";
  return std::filesystem::exists(installed, unknown) ? installed
                                                     : std::filesystem::path(GRADSIM_CHART_LIBRARY);
}

netmodels::Result<std::optional<std::string>> read_chart_library(const std::filesystem::path& path) {
  std::error_code unknown;
  auto text = files::read_bytes(path, {});
  if (!text && std::filesystem::exists(path, unknown)) return tl::unexpected(text.error());
  return text && !text->empty() ? std::optional(std::move(*text)) : std::nullopt;
}

std::uintmax_t write_page(const report::Page& page, const std::filesystem::path& target,
                          const std::optional<std::string>& chart_library) {
  const std::string html = report::page_html(page, chart_library);
  files::write_file(target, html);
  return html.size();
}

}  // namespace sim
