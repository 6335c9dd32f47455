// The input of an import besides the log, and its result.
#include "calibrate/imports/imported.hpp"

namespace calibrate::imports {

std::string counted_rows(int rows) { return std::to_string(rows) + (rows == 1 ? " row" : " rows"); }

}  // namespace calibrate::imports
