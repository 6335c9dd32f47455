// Changes of one list that set the same thing at the same moment.
#pragma once

#include "netmodels/result.hpp"
#include "sim/language/value.hpp"
#include "sim/scenario/cluster.hpp"
#include "sim/scenario/work.hpp"

namespace sim::scenario {

/// Refuses two changes of the same links, of the speeds, or of the same streams at one moment: the first
/// would have no effect. A change of all links and one of some at the same moment are accepted: the later
/// one of the list counts for those.
netmodels::Result<void> check_repeated_changes(const Cluster& cluster, const Work& work,
                                               const language::Value& tree);

}  // namespace sim::scenario
