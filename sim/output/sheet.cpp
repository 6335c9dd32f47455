// Rows under named columns: leaving columns out.
#include "sim/output/sheet.hpp"

#include <algorithm>

namespace sim::output {

Sheet without(Sheet sheet, std::span<const std::string_view> keys) {
  for (std::size_t column = sheet.headings.size(); column-- > 0;) {
    if (std::ranges::find(keys, sheet.headings[column].key) == keys.end()) continue;
    const auto offset = static_cast<std::ptrdiff_t>(column);
    sheet.headings.erase(sheet.headings.begin() + offset);
    for (auto& row : sheet.rows) row.erase(row.begin() + offset);
  }
  return sheet;
}

}  // namespace sim::output
