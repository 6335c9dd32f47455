// A parameter server: workers push gradients and pull parameters, and no step is common to all of them.
#pragma once

#include <cstdint>
#include <optional>

#include "settings/choice.hpp"

namespace policies {

/// Host that runs the server.
enum class ServerHost : std::uint8_t { own, first_worker };

/// Demands of a server on a host of its own.
inline constexpr settings::Demands own_host_demands{
    .needs = {settings::Capability::one_switch, settings::Capability::one_worker_per_host}};

constexpr auto names_of(ServerHost) {
  return std::to_array<settings::Named<ServerHost>>(
      {{"own", ServerHost::own, own_host_demands}, {"first_worker", ServerHost::first_worker}});
}

/// Properties of a policy with a parameter server, for the engine.
struct ParameterServer {
  ServerHost host = ServerHost::own;
  std::optional<double> push_share = {};  ///< share of the learning rate for each push; nothing: 1 / workers
  std::optional<std::int64_t> staleness =
      {};  ///< steps that the fastest worker may be ahead; nothing: any number
};

/// Settings of asynchronous training, in which no worker waits.
/// Source: Recht, Re, Wright & Niu, "Hogwild!: A Lock-Free Approach to Parallelizing Stochastic Gradient
/// Descent",
///         NeurIPS 2011.
struct Asynchronous {
  ServerHost server = ServerHost::own;
  std::optional<double> push_share = {};  ///< in (0, 1]

  bool operator==(const Asynchronous&) const = default;
  [[nodiscard]] ParameterServer parameter_server() const { return {server, push_share, std::nullopt}; }
};

/// Settings of stale-synchronous training: the fastest worker waits when it is too far ahead of the slowest.
/// Source: Ho et al., "More Effective Distributed ML via a Stale Synchronous Parallel Parameter Server",
/// NeurIPS
///         2013.
struct StaleSynchronous {
  std::int64_t staleness = 0;  ///< steps, at least 0
  ServerHost server = ServerHost::own;
  std::optional<double> push_share = {};  ///< in (0, 1]

  bool operator==(const StaleSynchronous&) const = default;
  [[nodiscard]] ParameterServer parameter_server() const { return {server, push_share, staleness}; }
};

void describe(settings::Fields& fields, Asynchronous& settings);
void describe(settings::Fields& fields, StaleSynchronous& settings);

}  // namespace policies
