// How the nodes of a cluster are wired: one row for each topology, with its settings.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include "netmodels/quantity.hpp"
#include "settings/choice.hpp"

namespace sim::scenario {

/// How many workers a topology has to hold.
struct ClusterSize {
  int workers = 1;
  int workers_per_node = 1;
};

/// Switches in levels: SimGrid's fat-tree.
struct FatTree {
  std::vector<int> down, up, parallel;  ///< one entry per level, leaves first

  [[nodiscard]] std::int64_t hosts() const;
  [[nodiscard]] double links() const;  ///< that SimGrid makes of it, hosts' own among them
  bool operator==(const FatTree&) const = default;
};

/// Groups of chassis of routers: SimGrid's dragonfly.
struct Dragonfly {
  int groups = 0, chassis = 0, routers = 0, nodes = 0;

  [[nodiscard]] std::int64_t hosts() const;
  [[nodiscard]] double links() const;  ///< that SimGrid makes of it, hosts' own among them
  bool operator==(const Dragonfly&) const = default;
};

/// Nodes on a grid whose ends are joined.
struct Torus {
  std::vector<int> dimensions;

  [[nodiscard]] std::int64_t hosts() const;
  [[nodiscard]] double links() const;  ///< that SimGrid makes of it, hosts' own among them
  bool operator==(const Torus&) const = default;
};

/// Stars of nodes below one switch.
struct Racks {
  int workers_per_rack = 0;
  double oversubscription = 1;  ///< bandwidth into a rack's nodes over that of its uplink, at least 1

  [[nodiscard]] std::optional<settings::Problem> problem_with(const ClusterSize& size) const;
  bool operator==(const Racks&) const = default;
};

struct Site {
  std::string name;
  int workers = 0;
  netmodels::Bandwidth bandwidth;
  netmodels::Seconds latency;

  bool operator==(const Site&) const = default;
};

/// A star of sites over a backbone without limits.
struct Wan {
  std::vector<Site> sites;

  [[nodiscard]] std::optional<settings::Problem> problem_with(const ClusterSize& size) const;
  bool operator==(const Wan&) const = default;
};

/// Hosts and links of a SimGrid XML file.
struct PlatformFile {
  std::string path;
  std::vector<std::string> hosts;  ///< in rank order; empty: by name

  [[nodiscard]] const std::string& file() const { return path; }
  [[nodiscard]] std::optional<settings::Problem> problem_with(const ClusterSize& size) const;
  bool operator==(const PlatformFile&) const = default;
};

void describe(settings::Fields& fields, FatTree& tree);
/// Refuses levels of unequal number.
std::optional<settings::Problem> problem_of(const FatTree& tree);
void describe(settings::Fields& fields, Dragonfly& fly);
/// Refuses more groups than routers of a chassis.
std::optional<settings::Problem> problem_of(const Dragonfly& fly);
void describe(settings::Fields& fields, Torus& torus);
void describe(settings::Fields& fields, Racks& racks);
void describe(settings::Fields& fields, Site& site);
void describe(settings::Fields& fields, Wan& wan);
void describe(settings::Fields& fields, PlatformFile& file);

/// Properties of a topology that other code tests instead of its name.
struct TopologyTraits {
  bool takes_nodes = false;     ///< workers have their own links and may share a node; false: one worker on
                                ///< each host
  bool one_switch = false;      ///< one switch joins any number of nodes
  bool links_as_stated = true;  ///< all links between nodes follow from `cluster.link`
};

/// One row.
struct TopologyRow : settings::Row {
  TopologyTraits traits;
  /// Hosts that it holds; null: any number.
  std::int64_t (*hosts)(const void* settings) = nullptr;
  double (*links)(const void* settings) = nullptr;
  /// The file that it is loaded from; null: it is built from its settings.
  const std::string& (*file)(const void* settings) = nullptr;
  /// A conflict with the cluster; null: none.
  std::optional<settings::Problem> (*problem_with)(const void* settings, const ClusterSize& size) = nullptr;
};

/// Every topology, in a stable order; the first, which is the default, is a star.
std::span<const TopologyRow> topologies();
inline const TopologyRow& default_row(std::type_identity<TopologyRow>) { return topologies().front(); }

/// A topology with its settings: the map under `cluster.topology`.
using TopologyChoice = settings::RowChoice<TopologyRow>;

void describe(settings::Fields& fields, TopologyChoice& choice);
constexpr std::string_view choice_key(std::type_identity<TopologyChoice>) { return "kind"; }

/// @returns the row, or nullptr when there is no such name
const TopologyRow* find_topology(std::string_view name);

/// A choice by name, for code and tests that state one: `topology("racks", Racks{4, 1})`.
/// @param name  of a row whose settings are of type `S`
template <class S>
TopologyChoice topology(std::string_view name, S settings) {
  return {*find_topology(name), std::move(settings)};
}

/// The file that a topology is loaded from; null where it is built from its settings.
inline const std::string* platform_file(const TopologyChoice& choice) {
  return choice->file == nullptr ? nullptr : &choice->file(choice.settings());
}

}  // namespace sim::scenario
