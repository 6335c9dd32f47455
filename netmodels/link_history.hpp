// Links whose state changes while an operation runs.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "netmodels/network.hpp"

namespace netmodels {

/// Link states over time: one copy of the links for each moment at which something changes. Time counts from
/// the start of the operation, which keeps the last digits: it costs the same at any hour of the training.
class LinkHistory {
 public:
  /// @param state  its `upcoming` outlives this
  explicit LinkHistory(const NetworkState& state);

  /// The stretch of time that contains `at`, reading changes as far as needed.
  std::size_t stretch(Seconds at);
  [[nodiscard]] Seconds begin(std::size_t stretch) const { return begins_[stretch]; }
  /// When a stretch ends; infinite when nothing changes any more.
  Seconds end(std::size_t stretch);
  [[nodiscard]] const std::vector<LinkState>& links(std::size_t stretch) const { return states_[stretch]; }

  /// When the last byte arrives of a message whose first byte leaves at `begin`; infinite where a link on the
  /// way stays without bandwidth.
  Seconds arrival(Bytes size, Seconds begin, std::span<const LinkId> route);

 private:
  void append();

  Seconds origin_;
  std::span<const LinkChange> upcoming_;
  std::size_t next_ = 0;
  std::vector<Seconds> begins_;
  std::vector<std::vector<LinkState>> states_;
};

/// Sum of the latencies on the way.
Seconds latency_of(std::span<const LinkId> route, const std::vector<LinkState>& links);

/// The least bandwidth on the way; infinite where there is no link.
Bandwidth narrowest(std::span<const LinkId> route, const std::vector<LinkState>& links);

/// size / bandwidth; no bytes take no time where there is no bandwidth, either.
Seconds time_to_carry(Bytes size, Bandwidth bandwidth);

}  // namespace netmodels
