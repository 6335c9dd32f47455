// Rows with tabs between their cells.
#pragma once

#include <string>

#include "command_line/output_format.hpp"

namespace command_line {

std::string print_tsv(const Document& document, bool first);

}  // namespace command_line
