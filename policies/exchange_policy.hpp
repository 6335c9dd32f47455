// The exchange role: which collective carries the gradient now.
#pragma once

#include <memory>
#include <optional>
#include <span>
#include <string_view>

#include "netmodels/collective.hpp"
#include "netmodels/quantity.hpp"

namespace policies {

/// What a job knows of its network: from a probe, or the truth where `probe.oracle` asks for it.
struct NetworkEstimate : netmodels::LinkState {  ///< between neighbouring workers
  netmodels::Seconds age;                        ///< since it was measured
};

/// What an exchange took, as the job itself could time it.
struct PastExchange {
  std::string_view collective;
  netmodels::Bytes size;
  netmodels::Seconds duration;
};

/// Everything that an exchange policy may see.
struct ExchangeObservation {
  std::optional<NetworkEstimate> network;
  std::optional<PastExchange> past;
  std::span<const netmodels::Operation> operations;          ///< one step's exchanges
  std::span<const netmodels::Collective* const> candidates;  ///< rows that can carry them, at least one
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

}  // namespace policies
