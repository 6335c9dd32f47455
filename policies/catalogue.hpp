// The one table of policies, by role.
#pragma once

#include <memory>
#include <span>
#include <string_view>

#include "policies/exchange_policy.hpp"

namespace policies {

/// What a policy of any role is called and does.
struct PolicyRow {
  std::string_view role;  ///< synchronisation, compression, exchange, batching, planning
  std::string_view name;
  std::string_view summary;  ///< one sentence
  std::string_view source;
};

/// Every policy, by role, in a stable order.
std::span<const PolicyRow> catalogue();

/// @param collective  `auto`, or the name of the only candidate
/// @param hysteresis  of the choice, in [0, 1)
std::unique_ptr<ExchangePolicy> make_exchange_policy(std::string_view collective, double hysteresis);

}  // namespace policies
