// Goodput of a node's network interfaces: what a transport delivers of their line rate, with its range.
#pragma once

#include <optional>

#include "netmodels/quantity.hpp"

namespace netmodels {

/// Shares of the line rate that a transport delivers, each in (0, 1], low <= mid <= high.
struct GoodputShares {
  double low = 0;
  double mid = 0;
  double high = 0;
};

/// What bounds the goodput besides the line rate; nothing: no such bound is known.
struct GoodputCaps {
  /// Flows x cap of one flow, which a cloud enforces.
  std::optional<Bandwidth> flows;
  /// What a node, or the processes on it, usually reach whatever the line rate.
  std::optional<Bandwidth> node;
};

/// A range of what training traffic reaches, in each direction.
struct Goodput {
  Bandwidth low;
  Bandwidth mid;
  Bandwidth high;

  bool operator==(const Goodput&) const = default;
};

/// goodput = min(share x line rate, flows x flow cap, node cap).
///
/// `node` is what nodes usually reach and not a limit that anybody enforces, so that it bounds low and mid
/// only: single nodes exceed it (31.4 Gbit/s of 32 on Google Cloud where 24 is usual).
///
/// @param line_rate  of all interfaces of the node together, one direction, above 0
/// Leaves out: message size, loss, packets, the cost of more sockets than needed.
Goodput goodput(const GoodputShares& shares, Bandwidth line_rate, const GoodputCaps& caps);

}  // namespace netmodels
