// Goodput of a node's network interfaces: what a transport delivers of their line rate, with its range.
#pragma once

#include <optional>
#include <span>
#include <string>

#include "netmodels/quantity.hpp"

namespace netmodels {

/// Shares of the line rate that a transport delivers, each in (0, 1], low <= mid <= high.
struct GoodputShares {
  double low = 0;
  double mid = 0;
  double high = 0;
};

/// Bounds of the goodput besides the line rate; nothing: no such bound is known.
struct GoodputCaps {
  /// Flows x cap of one flow, which a cloud enforces.
  std::optional<Bandwidth> flows;
  /// Rate that a node, or the processes on it, usually reach whatever the line rate.
  std::optional<Bandwidth> node;
};

/// The goodput at some line rates.
struct GoodputClass {
  std::optional<Bandwidth> from = {};  ///< lowest rate of one interface, included; nothing: any
  std::optional<Bandwidth> to = {};    ///< included; nothing: any
  bool one_worker = false;             ///< only where a node has one worker
  GoodputShares shares = {1, 1, 1};
  std::optional<Bandwidth> node_cap = {};  ///< rate that one node usually reaches whatever the line rate
  std::string source = {};

  [[nodiscard]] bool holds(Bandwidth rate, int workers_per_node) const;
};

/// The first class that holds for the line rate of one interface; null where none does.
const GoodputClass* class_at(std::span<const GoodputClass> classes, Bandwidth rate, int workers_per_node);

/// As class_at; where none holds, the class for this number of workers whose rates are nearest, by ratio.
/// @param classes  not empty
/// @param rate     above 0
const GoodputClass& nearest_class(std::span<const GoodputClass> classes, Bandwidth rate,
                                  int workers_per_node);

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
