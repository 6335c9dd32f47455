// Fields between commas, quoted or not.
#include "sim/output/csv_line.hpp"

#include <algorithm>

namespace sim::output {

bool is_open(std::string_view text) { return std::ranges::count(text, '"') % 2 != 0; }

void split_csv_line(std::string_view line, std::vector<std::string>& fields) {
  std::size_t count = 0;
  bool quoted = false;
  const auto begin_field = [&] {
    if (fields.size() == count) fields.emplace_back();
    fields[count++].clear();
  };
  begin_field();
  for (std::size_t at = 0; at < line.size(); ++at) {
    const char letter = line[at];
    const bool doubled = quoted && letter == '"' && at + 1 < line.size() && line[at + 1] == '"';
    if (doubled) {
      fields[count - 1] += line[at++];
    } else if (letter == '"') {
      quoted = !quoted;
    } else if (letter == ',' && !quoted) {
      begin_field();
    } else {
      fields[count - 1] += letter;
    }
  }
  fields.resize(count);
}

}  // namespace sim::output
