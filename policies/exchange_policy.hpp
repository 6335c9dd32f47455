// The exchange role: which collective carries the gradient now, and the catalogue row of such a
// policy.
#pragma once

#include <memory>
#include <optional>
#include <span>
#include <string_view>

#include "netmodels/collective.hpp"
#include "netmodels/quantity.hpp"
#include "settings/choice.hpp"

namespace policies {

// The exchange role: which collective carries the gradient now.

/// A job's view of its network: from a probe, or the truth where `probe.oracle` asks for it.
struct NetworkEstimate : netmodels::LinkState {  ///< link between neighbouring workers
  netmodels::Seconds age;                        ///< since it was measured
};

/// Time of each candidate on the network as it was last read, evaluated on its links.
class CandidateTimes {
 public:
  virtual ~CandidateTimes() = default;
  /// Time of one step's exchanges, one after another.
  /// @param limit  the caller asks no further: a longer time may be returned as any value above it
  /// @returns the time; infinite for a candidate that cannot be evaluated
  virtual netmodels::Seconds time(const netmodels::Collective& row, netmodels::Seconds limit) = 0;
  /// Never above `time`, and known quickly.
  virtual netmodels::Seconds at_least(const netmodels::Collective& row) = 0;
};

/// Everything that an exchange policy may see.
struct ExchangeObservation {
  std::optional<NetworkEstimate> network;
  std::span<const netmodels::Operation> operations;          ///< one step's exchanges
  std::span<const netmodels::Collective* const> candidates;  ///< rows that can carry them, at least one
  CandidateTimes* times = nullptr;  ///< null: nothing but `network` is known, or not exactly
};

/// Decides before each step. Holds its own memory and nothing else: no clock, no randomness; a copy forks a
/// what-if.
class ExchangePolicy {
 public:
  virtual ~ExchangePolicy() = default;
  [[nodiscard]] virtual std::unique_ptr<ExchangePolicy> copy() const = 0;
  /// @returns one of the candidates
  virtual const netmodels::Collective* choose(const ExchangeObservation& seen) = 0;
};

// The catalogue row of an exchange policy.

/// One row. Where `exchange.collective` does not name a policy it names a collective, for `fixed`.
struct ExchangeRow : settings::Row {
  bool chooses = true;  ///< whether it chooses among several collectives
  /// @param hysteresis  another collective must be better by this share, in [0, 1)
  std::unique_ptr<ExchangePolicy> (*make)(double hysteresis) = nullptr;
};

/// Every exchange policy, in a stable order; the first is `fixed`.
std::span<const ExchangeRow> exchanges();

/// Whether `exchange.collective` names a policy that chooses, in place of a collective.
bool chooses_collective(std::string_view collective);

/// Row that `exchange.collective` names; null: it names a policy that chooses.
const netmodels::Collective* named_collective(std::string_view collective);

/// @param named  the only candidate; null: the policy chooses among several
/// @param hysteresis  of the choice, in [0, 1)
std::unique_ptr<ExchangePolicy> make_exchange_policy(const netmodels::Collective* named, double hysteresis);

}  // namespace policies
