// What an import takes beside the log, and what it gives.
#include "calibrate/imports/imported.hpp"

namespace calibrate::imports {

std::string counted_rows(int rows) { return std::to_string(rows) + (rows == 1 ? " row" : " rows"); }

}  // namespace calibrate::imports
