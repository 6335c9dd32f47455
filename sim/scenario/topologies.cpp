// The rows of the topologies: their keys, and conflicts with a cluster.
#include "sim/scenario/topologies.hpp"

#include <algorithm>
#include <array>
#include <set>

#include <fmt/format.h>

#include "netmodels/collective.hpp"
#include "settings/type.hpp"

namespace sim::scenario {

using settings::above;
using settings::at_least;
using settings::between;
using settings::Fields;
using settings::Need;
using settings::Problem;

namespace {

/// The product, or a million where it is far beyond the largest number of workers.
std::int64_t hosts_of(std::span<const int> factors) {
  constexpr std::int64_t enough = 1'000'000;  // keeps the product from overflowing
  std::int64_t hosts = 1;
  for (const int factor : factors) hosts = hosts > enough ? hosts : hosts * factor;
  return hosts;
}

/// Whether the platform itself needs a name such as this one: SimGrid aborts on two things of one name.
bool is_taken(std::string_view name) {
  constexpr std::array<std::string_view, 5> endings{"_UP", "_DOWN", "_zone", "_router", "_gate"};
  if (name == "backbone" || name == "__loopback__") return true;
  if (std::ranges::any_of(endings, [&](std::string_view ending) { return name.ends_with(ending); }))
    return true;
  return std::ranges::any_of(std::array<std::string_view, 2>{"worker", "node"}, [&](std::string_view word) {
    return name.starts_with(word) && name.size() > word.size() &&
           name.find_first_not_of("0123456789", word.size()) == std::string_view::npos;
  });
}

consteval settings::Demands demands_of(const TopologyTraits& traits) {
  using enum settings::Capability;
  settings::Demands demands;
  if (!traits.takes_nodes) demands.denies |= {worker_links, shared_hosts};
  if (!traits.one_switch) {
    demands.denies |= {one_switch};
    demands.needs |= {one_gpu_workers};
  }
  return demands;
}

/// The members of a topology's settings set further facts of its row.
template <class S>
consteval TopologyRow topology_row(const settings::Row& facts, const TopologyTraits& traits = {}) {
  TopologyRow made{facts, traits};
  made.demands = demands_of(traits);
  made.settings = &settings::owned<S>;
  if constexpr (requires(const S& s) { s.hosts(); })
    made.hosts = [](const void* settings) { return static_cast<const S*>(settings)->hosts(); };
  if constexpr (requires(const S& s) { s.links(); })
    made.links = [](const void* settings) { return static_cast<const S*>(settings)->links(); };
  if constexpr (requires(const S& s) { s.file(); })
    made.file = [](const void* settings) -> const std::string& {
      return static_cast<const S*>(settings)->file();
    };
  if constexpr (requires(const S& s, const ClusterSize& size) { s.problem_with(size); })
    made.problem_with = [](const void* settings, const ClusterSize& size) {
      return static_cast<const S*>(settings)->problem_with(size);
    };
  return made;
}

constexpr std::array topology_table{
    topology_row<settings::None>({"star", "all nodes on one switch"},
                                 {.takes_nodes = true, .one_switch = true}),
    topology_row<FatTree>({"fat_tree", "levels of switches with several paths to each"}),
    topology_row<Dragonfly>({"dragonfly", "groups of chassis of routers"}),
    topology_row<Torus>({"torus", "a grid with wrap-around links"}),
    topology_row<Racks>({"racks", "stars of nodes below one switch"}, {.takes_nodes = true}),
    topology_row<Wan>({"wan", "a star of sites over a backbone of unlimited capacity"},
                      {.takes_nodes = true, .links_as_stated = false}),
    topology_row<PlatformFile>({"platform", "hosts and links of a SimGrid platform file"},
                               {.links_as_stated = false}),
};

}  // namespace

std::span<const TopologyRow> topologies() { return topology_table; }

const TopologyRow* find_topology(std::string_view name) { return settings::find_row(topologies(), name); }

void describe(Fields& fields, TopologyChoice& choice) {
  choice.describe_choice(fields, {.name = "kind", .doc = "Topology of the network.", .example = "fat_tree"},
                         topologies(), settings::Layout::beside);
}

std::int64_t FatTree::hosts() const { return hosts_of(down); }
std::int64_t Dragonfly::hosts() const { return hosts_of(std::array{groups, chassis, routers, nodes}); }
std::int64_t Torus::hosts() const { return hosts_of(dimensions); }

/// Of each switch of a level to each of its parents, from the hosts up.
double FatTree::links() const {
  double children = static_cast<double>(hosts());
  double links = 0;
  for (std::size_t level = 0; level < down.size(); ++level) {
    links += children * up[level] * parallel[level];
    children = children / down[level] * up[level];
  }
  return links;
}

/// Hosts' own; each pair of routers in a chassis; like routers of each pair of chassis in a group; each pair
/// of groups.
double Dragonfly::links() const {
  const auto pairs = [](double count) { return count * (count - 1) / 2; };
  const auto own = static_cast<double>(hosts());
  return own + groups * chassis * pairs(routers) + groups * routers * pairs(chassis) + pairs(groups);
}

double Torus::links() const { return static_cast<double>(hosts()) * static_cast<double>(dimensions.size()); }

std::optional<Problem> problem_of(const FatTree& tree) {
  if (tree.down.size() == tree.up.size() && tree.down.size() == tree.parallel.size()) return {};
  return Problem{{},
                 fmt::format("`down`, `up` and `parallel` have {}, {} and {} levels", tree.down.size(),
                             tree.up.size(), tree.parallel.size()),
                 "give each one number per level"};
}

std::optional<Problem> problem_of(const Dragonfly& fly) {
  if (fly.groups <= fly.routers) return {};
  return Problem{
      {},
      fmt::format("{} groups need more than the {} routers of a chassis; SimGrid 3.32 crashes on it",
                  fly.groups, fly.routers),
      "write at most as many `groups` as `routers`"};
}

std::optional<Problem> Racks::problem_with(const ClusterSize& size) const {
  const std::string key = "workers_per_rack";
  if (size.workers % workers_per_rack != 0) {
    return Problem{key, fmt::format("racks of {} do not divide {} workers", workers_per_rack, size.workers),
                   "write a divisor of `workers`"};
  }
  if (workers_per_rack % size.workers_per_node != 0) {
    return Problem{key,
                   fmt::format("nodes of {} workers do not fit into racks of {}", size.workers_per_node,
                               workers_per_rack),
                   "write a multiple of `workers_per_node`"};
  }
  return {};
}

std::optional<Problem> Wan::problem_with(const ClusterSize& size) const {
  int workers = 0;
  std::set<std::string> names;
  for (std::size_t i = 0; i < sites.size(); ++i) {
    const Site& site = sites[i];
    const std::string key = fmt::format("sites[{}]", i);
    workers += site.workers;
    if (is_taken(site.name)) {
      return Problem{key + ".name", "the platform itself uses names such as `" + site.name + "`",
                     "write a name of the place, such as `amsterdam`; not `backbone`, `worker0`, `node0`, "
                     "and nothing that ends in _UP, _DOWN, _zone, _router or _gate"};
    }
    if (!names.insert(site.name).second) {
      return Problem{key + ".name", "duplicate site `" + site.name + "`", "give each site its own name"};
    }
    if (site.workers % size.workers_per_node == 0) continue;
    return Problem{
        key + ".workers",
        fmt::format("nodes of {} workers do not fit into a site of {}", size.workers_per_node, site.workers),
        "write a multiple of `workers_per_node`"};
  }
  if (workers == size.workers) return {};
  return Problem{"sites", fmt::format("the sites hold {} workers, the cluster {}", workers, size.workers),
                 "let both be equal"};
}

std::optional<Problem> PlatformFile::problem_with(const ClusterSize& size) const {
  const int nodes = size.workers / size.workers_per_node;
  if (hosts.empty() || std::cmp_greater_equal(hosts.size(), nodes)) return {};
  return Problem{"hosts", fmt::format("{} hosts are named, {} nodes are needed", hosts.size(), nodes),
                 "name more hosts"};
}

void describe(Fields& fields, Site& site) {
  fields.field({.name = "name", .doc = "Name of the site.", .example = "amsterdam"}, site.name);
  fields.field({.name = "workers",
                .doc = "Workers there; ranks are given to the sites in order.",
                .bounds = between(1, netmodels::most_ranks),
                .example = "4"},
               site.workers);
  fields.field({.name = "bandwidth",
                .doc = "Capacity between the site and the backbone, each direction.",
                .bounds = above(0),
                .example = "1 Gbit/s"},
               site.bandwidth);
  fields.field(
      {.name = "latency",
       .doc = "Latency between the site's switch and the backbone; between two sites both are added, and "
              "`link` too.",
       .example = "20 ms"},
      site.latency);
}

void describe(Fields& fields, FatTree& tree) {
  fields.field({.name = "down",
                .doc = "Children of each switch, one number per level, leaves first.",
                .bounds = between(1, netmodels::most_ranks),
                .example = "[4, 4]",
                .need = Need::required},
               tree.down);
  fields.field({.name = "up",
                .doc = "Parents of each child, one number per level, leaves first.",
                .bounds = between(1, netmodels::most_ranks),
                .example = "[1, 2]",
                .need = Need::required},
               tree.up);
  fields.field({.name = "parallel",
                .doc = "Parallel links between child and parent, one number per level.",
                .bounds = between(1, netmodels::most_ranks),
                .example = "[1, 1]",
                .need = Need::required},
               tree.parallel);
}

void describe(Fields& fields, Dragonfly& fly) {
  fields.field({.name = "groups",
                .doc = "Groups; at most as many as routers in a chassis.",
                .bounds = between(1, netmodels::most_ranks),
                .example = "4"},
               fly.groups);
  fields.field({.name = "chassis",
                .doc = "Chassis in each group.",
                .bounds = between(1, netmodels::most_ranks),
                .example = "2"},
               fly.chassis);
  fields.field({.name = "routers",
                .doc = "Routers in each chassis.",
                .bounds = between(1, netmodels::most_ranks),
                .example = "4"},
               fly.routers);
  fields.field({.name = "nodes",
                .doc = "Nodes at each router.",
                .bounds = between(1, netmodels::most_ranks),
                .example = "2"},
               fly.nodes);
}

void describe(Fields& fields, Racks& racks) {
  fields.field({.name = "workers_per_rack",
                .doc = "Workers in each rack; divides the number of workers.",
                .bounds = between(1, netmodels::most_ranks),
                .example = "8"},
               racks.workers_per_rack);
  fields.field(
      {.name = "oversubscription",
       .doc = "Bandwidth into a rack's nodes over bandwidth of its uplink; between two racks the latency "
              "of `link` is added twice.",
       .bounds = at_least(1),
       .example = "4"},
      racks.oversubscription);
}

void describe(Fields& fields, Torus& torus) {
  fields.field({.name = "dimensions",
                .doc = "Nodes along each dimension.",
                .bounds = between(1, netmodels::most_ranks),
                .example = "[4, 4]",
                .need = Need::required},
               torus.dimensions);
}

void describe(Fields& fields, Wan& wan) {
  fields.field({.name = "sites",
                .doc = "A star of sites over a backbone of unlimited capacity.",
                .need = Need::required},
               wan.sites);
}

void describe(Fields& fields, PlatformFile& file) {
  fields.field({.name = "file", .doc = "SimGrid platform XML.", .example = "platforms/griffon.xml"},
               file.path);
  fields.field({.name = "hosts",
                .doc = "Names of hosts in rank order; without it, all hosts by name.",
                .example = "[node-0, node-1]"},
               file.hosts);
}

}  // namespace sim::scenario
