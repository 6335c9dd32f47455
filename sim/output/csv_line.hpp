// One line of a CSV file, taken apart.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace sim::output {

/// The fields of a line, without its end, as `csv_field` writes them: quotes are taken off. A field that
/// holds a line break is not whole on one line: see `is_open`.
/// @param fields  what was in it is gone; its memory is used again
void split_csv_line(std::string_view line, std::vector<std::string>& fields);

/// Whether a quoted field goes on behind the end of this text.
bool is_open(std::string_view text);

}  // namespace sim::output
