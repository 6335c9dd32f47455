// Every policy of every role: the rows of all catalogues.
#pragma once

#include <string_view>
#include <vector>

#include "policies/batching_row.hpp"
#include "policies/compression_row.hpp"
#include "policies/exchange_policy.hpp"
#include "policies/planner_row.hpp"
#include "policies/synchronisation_row.hpp"

namespace policies {

/// The name and the description of a policy of any role.
struct PolicyRow {
  std::string_view role;  ///< synchronisation, compression, exchange, batching, planning
  std::string_view name;
  std::string_view summary;  ///< one sentence
  std::string_view source;
};

/// Every policy, by role, in a stable order.
std::vector<PolicyRow> catalogue();

}  // namespace policies
