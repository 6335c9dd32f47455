// Which settings can be combined, from what each declares: the support matrix.
#pragma once

#include <string>
#include <vector>

#include "sim/scenario/declarations.hpp"

namespace sim::scenario {

/// A setting, and every other one that a scenario cannot have beside it.
struct SupportRow {
  std::string setting;                ///< `synchronisation: asp`, `cluster.failures`
  std::vector<std::string> needs;     ///< "workers that wait for each other"
  std::vector<std::string> excludes;  ///< labels of settings
};

/// Whether one rules out what the other needs, or is a word of the only key that could offer it.
bool exclude_each_other(const Declared& one, const Declared& other);

/// Every setting that needs, offers or rules out something, in the order in which keys are described.
std::vector<SupportRow> support_rows();

}  // namespace sim::scenario
