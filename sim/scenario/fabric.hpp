// A network stated by its line rate and its transport, and the link that follows from them.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "netmodels/link_state.hpp"
#include "netmodels/quantity.hpp"
#include "netmodels/result.hpp"
#include "settings/fields.hpp"
#include "sim/inputs/transport_file.hpp"
#include "sim/language/value.hpp"

namespace sim::scenario {

struct Cluster;

/// Which caps a transport has for each flow.
struct FlowCaps {
  bool anywhere = false;
  bool in_placement_group = false;  ///< another one, in a placement group

  bool operator==(const FlowCaps&) const = default;
};

/// Network interfaces and the software that uses them.
struct Fabric {
  inputs::FabricKind kind = inputs::FabricKind::ethernet;
  netmodels::Bandwidth rate = {};                  ///< of one interface, one direction
  int nics = 1;                                    ///< interfaces of a node, or links of a worker inside one
  std::string transport = {};                      ///< a file of scenarios/transports
  std::string library = {};                        ///< the transport's; empty: none; set by with_fabric_links
  std::optional<netmodels::Seconds> latency = {};  ///< nothing: the transport's
  std::optional<int> connections = {};             ///< of a channel; nothing: the transport's
  bool placement_group = false;
  /// Of the transport, set by with_fabric_links: what it caps for each flow, so that their number counts.
  FlowCaps caps = {};

  bool operator==(const Fabric&) const = default;
};

void describe(settings::Fields& fields, Fabric& value);

/// The link that a fabric usually yields, and the range of what was reported.
struct FabricRange {
  inputs::FabricKind kind = inputs::FabricKind::ethernet;
  std::string name;           ///< "nccl_tcp over 50 Gbit/s Ethernet"
  netmodels::LinkState low;   ///< lowest goodput, highest latency
  netmodels::LinkState mid;   ///< what is simulated
  netmodels::LinkState high;  ///< highest goodput, lowest latency
  std::string source;         ///< of the goodput

  bool operator==(const FabricRange&) const = default;
};

/// Whether all workers share one node, whose inner network is known.
bool is_one_node(const Cluster& cluster);

/// Whether the network between nodes is stated: a link, a fabric, NCCL's hardware or a platform file.
bool states_network_between_nodes(const Cluster& cluster, const language::Value& tree);

/// A cluster with the links of the fabrics that it states, with their ranges; for a plain link whose
/// bandwidth is a line rate of Ethernet, what TCP yields at that rate. A single node without a network to
/// others has its inner one.
/// @param tree  what the scenario was read from, for the places in messages
/// @returns the cluster, or the Error of a transport that does not run over the fabric or at its rate, of a
///          latency that is not known, and of both a link and a fabric
netmodels::Result<Cluster> with_fabric_links(Cluster cluster, const language::Value& tree,
                                             inputs::TransportFiles& transports);

/// A rate in bits for networks between nodes, in bytes for those inside a node; four digits.
std::string rate_text(inputs::FabricKind kind, netmodels::Bandwidth rate);

/// Sentences on the goodput of a cluster's links: what its fabric yields with its range; or that a plain
/// link's bandwidth is taken as goodput.
/// @param by_nccl  times are NCCL's on the hardware that the cluster describes: what is said is their error
std::vector<std::string> goodput_lines(const Cluster& cluster, bool by_nccl = false);

/// Those of them that belong below a result: of a plain link only that with a line rate as its bandwidth.
std::vector<std::string> goodput_notes(const Cluster& cluster, bool by_nccl = false);

}  // namespace sim::scenario
