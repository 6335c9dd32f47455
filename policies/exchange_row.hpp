// What the catalogue tells of an exchange policy.
#pragma once

#include <memory>
#include <span>
#include <string_view>

#include "policies/exchange_policy.hpp"
#include "settings/choice.hpp"

namespace policies {

/// One row. Where `exchange.collective` does not name a policy it names a collective, for `fixed`.
struct ExchangeRow : settings::Row {
  bool chooses = true;  ///< among several collectives
  /// @param hysteresis  another collective must be better by this share, in [0, 1)
  std::unique_ptr<ExchangePolicy> (*make)(double hysteresis) = nullptr;
};

/// Every exchange policy, in a stable order; the first is `fixed`.
std::span<const ExchangeRow> exchanges();

/// Whether `exchange.collective` names a policy that chooses, in place of a collective.
bool chooses_collective(std::string_view collective);

/// @param collective  the name of a policy that chooses, or that of the only candidate
/// @param hysteresis  of the choice, in [0, 1)
std::unique_ptr<ExchangePolicy> make_exchange_policy(std::string_view collective, double hysteresis);

}  // namespace policies
