// Sizes as the ledger prints them.
#include "calibrate/ledger/prediction.hpp"

#include <fmt/format.h>

namespace calibrate::ledger {

std::string size_label(netmodels::Bytes size) { return fmt::format("{} B", size.count); }

}  // namespace calibrate::ledger
