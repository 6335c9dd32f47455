// Printing rows with tabs.
#include "command_line/tsv.hpp"

#include <algorithm>

#include "command_line/csv.hpp"

namespace command_line {

std::string print_tsv(const Document& document, bool first) {
  const Table rows = document.rows();
  std::string text = (first ? csv_header(rows) : "") + csv_rows(rows);
  std::ranges::replace(text, ',', '\t');
  return text;
}

}  // namespace command_line
