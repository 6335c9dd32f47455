// Models and changes that go through a server or an object store, in place of a collective.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "netmodels/quantity.hpp"
#include "sim/engine/platform.hpp"
#include "sim/scenario/scenario.hpp"

namespace sim::engine {

/// The last of equal transfers that begin together, each over its own way and all over one shared link, which
/// they share max-min fairly.
/// @param ways    of each transfer, at least one; its latency adds to its own transfer
/// @param size    of each, at least 0
/// @param shared  its latency adds to all
netmodels::Seconds last_transfer(std::span<const netmodels::LinkState> ways, netmodels::Bytes size,
                                 const netmodels::LinkState& shared);

/// An exchange of models or changes among p workers through one host on a star:
///
///   server        each sends its message M; when the last has arrived, the host sends each the mean,
///                 which is a message where the method codes sums, else min(p M, 4 bytes a value)
///   object_store  each uploads its message once; when the last has arrived, each downloads those of the
///                 p - 1 others
///
/// Leaves out: links that change during one of the two directions; what the host computes; requests and
/// their retries. Source: McMahan et al., "Communication-Efficient Learning of Deep Networks from
/// Decentralized Data", AISTATS 2017 (server); Lidin et al., "Covenant-72B", arXiv:2603.08163, 2026 (object
/// store).
class ThroughExchange {
 public:
  /// @param through  how
  explicit ThroughExchange(const scenario::Through& through) : through_(through) {}

  /// @param workers  that take part, at least one of the platform's, which has two or more
  /// @param message  M
  /// @param mean     bytes of the mean, from the server
  [[nodiscard]] netmodels::Seconds time(const Platform& platform, const std::vector<std::uint32_t>& workers,
                                        const netmodels::NetworkState& state, netmodels::Bytes message,
                                        netmodels::Bytes mean) const;
  [[nodiscard]] std::string_view name() const;

 private:
  scenario::Through through_;
};

/// Bytes of one worker's message, and of the mean that a server sends back.
struct ThroughBytes {
  netmodels::Bytes message;
  netmodels::Bytes mean;
};

/// @param values   of the model, or of its fragment
/// @param workers  that take part
ThroughBytes through_bytes(const scenario::Compression& compression, std::int64_t values,
                           std::uint32_t workers);

}  // namespace sim::engine
