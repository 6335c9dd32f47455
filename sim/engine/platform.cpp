// From planned zones or a platform file to hosts in rank order, a table of links and cached routes.
#include "sim/engine/platform.hpp"

#include <algorithm>
#include <cassert>
#include <map>
#include <optional>
#include <unordered_map>
#include <utility>

#include "files/input_file.hpp"
#include "netmodels/nearest.hpp"

namespace sim::engine {

using netmodels::LinkId;
using netmodels::LinkState;
using netmodels::refuse;
using netmodels::Result;

struct Platform::Parts {
  scenario::NetworkPreset preset = scenario::NetworkPreset::exact;
  ZonePlan plan;
  std::vector<PlatformLink> links;
  std::optional<StarRoutes> star;         ///< nothing where routes are SimGrid's
  std::unique_ptr<SimGridNetwork> built;  ///< null until needed, and where a platform file is used
  SimGridNetwork* simgrid = nullptr;      ///< null until needed
  std::vector<std::map<std::uint32_t, netmodels::Route>> routes;  ///< by sender

  SimGridNetwork& network();
  /// The table of links, and routes that are not SimGrid's.
  void add_links(const scenario::Cluster& cluster);
};

namespace {

// LV08, Velho & Legrand, "Accuracy study and improvement of network simulation in the SimGrid framework",
// 2009.
constexpr double lv08_latency = 13.01;
constexpr double lv08_bandwidth = 0.97;

/// A platform file in SimGrid's hands. SimGrid 3.32 cannot load a second one, nor build zones after it, so
/// that the first stays loaded until the process ends and serves every later platform.
struct LoadedFile {
  std::string text;
  std::unique_ptr<SimGridNetwork> network;
};

LoadedFile*& loaded_file() {
  static LoadedFile* loaded = nullptr;  // never deleted: SimGrid's engine must not be torn down at exit
  return loaded;
}

/// Whether a platform of this process may have had its zones built: SimGrid 3.32 crashes on a file after
/// that.
bool& has_zones() {
  static bool built = false;
  return built;
}

/// Of a file that was read before.
std::string text_of(const std::string& path) { return files::read_bytes(path, {}).value_or(""); }

/// A row of the link table whose nominal state is stated as `stated`.
PlatformLink row(const std::string& name, const PlannedLink& plan, scenario::NetworkPreset preset) {
  const bool lv08 = preset == scenario::NetworkPreset::tcp_lv08;
  const double slower = lv08 ? lv08_latency : 1;
  const double narrower = lv08 ? lv08_bandwidth : 1;
  return {name,
          plan.role,
          plan.workers,
          {plan.nominal.latency * slower, plan.nominal.bandwidth * narrower},
          plan.latency_share * slower,
          narrower,
          plan.latency_share != 1};
}

/// Hosts of a platform file in rank order, from those it has.
Result<ZonePlan> plan_of_file(const scenario::Cluster& cluster, const std::vector<std::string>& known) {
  const auto& file = cluster.topology.as<scenario::PlatformFile>();
  ZonePlan plan;
  plan.hosts = file.hosts.empty() ? known : file.hosts;
  for (const std::string& name : plan.hosts) {
    if (std::ranges::find(known, name) != known.end()) continue;
    const std::vector<std::string_view> names(known.begin(), known.end());
    const auto close = netmodels::nearest(name, names);
    return refuse(file.path, "unknown host `" + name + "` in the platform file",
                  close ? "did you mean `" + std::string(*close) + "`?" : "accepted: its hosts");
  }
  if (plan.hosts.size() < static_cast<std::size_t>(cluster.workers)) {
    return refuse(file.path,
                  "the platform file has " + std::to_string(plan.hosts.size()) + " hosts for " +
                      std::to_string(cluster.workers) + " workers",
                  "at least one host per worker");
  }
  plan.hosts.resize(static_cast<std::size_t>(cluster.workers));
  return plan;
}

/// The directions of the links of a star, in natural order.
std::vector<SimGridLink> directions_of(const ZonePlan& plan) {
  std::vector<SimGridLink> links;
  for (const PlannedLink& link : plan.links) {
    links.push_back({link.name + "_UP", {}});
    links.push_back({link.name + "_DOWN", {}});
  }
  std::ranges::sort(links, by_natural_name, &SimGridLink::name);
  return links;
}

/// The row of the link table for one direction of a link.
PlatformLink describe(const SimGridLink& link, const std::map<std::string, PlannedLink>& planned,
                      const scenario::Cluster& cluster, const LinkState& others) {
  const std::string& name = link.name;
  for (const char* direction : {"_UP", "_DOWN"}) {
    if (!name.ends_with(direction)) continue;
    const auto found = planned.find(name.substr(0, name.size() - std::string_view(direction).size()));
    if (found == planned.end()) continue;
    PlannedLink one = found->second;
    if (name.ends_with("_UP")) one.nominal.bandwidth = one.upload.value_or(one.nominal.bandwidth);
    return row(name, one, cluster.preset);
  }
  const bool from_file = platform_file(cluster.topology) != nullptr;
  const LinkState& stated = from_file ? link.state : others;
  return row(name, {name, LinkRole::trunk, {}, stated, 1}, cluster.preset);
}

}  // namespace

SimGridNetwork& Platform::Parts::network() {
  if (simgrid == nullptr) {
    built = simgrid_module().build(plan);
    assert(links.empty() ||
           std::ranges::equal(links, built->links(), {}, &PlatformLink::name, &SimGridLink::name));
    simgrid = built.get();
  }
  return *simgrid;
}

void Platform::Parts::add_links(const scenario::Cluster& cluster) {
  std::map<std::string, PlannedLink> planned;
  for (const PlannedLink& link : plan.links) planned.emplace(link.name, link);
  const auto* root = simgrid == nullptr ? std::get_if<StarZone>(&plan.zones) : nullptr;
  for (const SimGridLink& link : root != nullptr ? directions_of(plan) : network().links())
    links.push_back(describe(link, planned, cluster, plan.other_links));
  if (root == nullptr) return;
  std::unordered_map<std::string, LinkId> numbers;
  for (LinkId id = 0; id < links.size(); ++id) numbers.emplace(links[id].name, id);
  star.emplace(*root, numbers);
}

Platform::Platform(std::unique_ptr<Parts> parts) : parts_(std::move(parts)) {}
Platform::~Platform() = default;

Result<std::unique_ptr<Platform>> Platform::make(const scenario::Cluster& cluster) {
  const std::string* file = platform_file(cluster.topology);
  const bool from_file = file != nullptr;
  const std::string path = from_file ? *file : "";
  const bool is_loaded = from_file && loaded_file() != nullptr && loaded_file()->text == text_of(path);
  if (!is_loaded && (loaded_file() != nullptr || (from_file && has_zones()))) {
    return refuse(from_file ? path : "cluster.topology",
                  "a platform file and another topology cannot be used in one run: SimGrid 3.32 crashes",
                  "put the arms with a platform file into a separate scenario, and run it separately");
  }
  auto parts = std::make_unique<Parts>();
  parts->preset = cluster.preset;
  if (from_file && !is_loaded) {
    const auto hosts = [&cluster](const std::vector<std::string>& known) {
      const auto plan = plan_of_file(cluster, known);
      return plan ? plan->hosts : std::vector<std::string>{};  // errors of the hosts are reported below
    };
    if (auto tried = simgrid_module().try_file(path, hosts); !tried) return tl::unexpected(tried.error());
    loaded_file() = new LoadedFile{text_of(path), simgrid_module().load(path)};
  }
  if (from_file) {
    parts->simgrid = loaded_file()->network.get();
    GRADSIM_TRY(plan, plan_of_file(cluster, parts->simgrid->hosts()));
    parts->plan = std::move(*plan);
    parts->simgrid->place(parts->plan.hosts);
  } else {
    has_zones() = true;
    parts->plan = plan_zones(cluster);
  }
  parts->add_links(cluster);
  parts->routes.resize(parts->plan.hosts.size());
  return std::unique_ptr<Platform>(new Platform(std::move(parts)));
}

std::uint32_t Platform::workers() const { return static_cast<std::uint32_t>(parts_->plan.hosts.size()); }
const std::string& Platform::host_name(std::uint32_t worker) const { return parts_->plan.hosts[worker]; }
const std::vector<PlatformLink>& Platform::links() const { return parts_->links; }
scenario::NetworkPreset Platform::preset() const { return parts_->preset; }
SimGridNetwork& Platform::simgrid_network() const { return parts_->network(); }

Result<std::vector<LinkId>> Platform::find_links(const std::string& name) const {
  std::vector<LinkId> found;
  std::vector<std::string_view> known;
  for (LinkId id = 0; id < parts_->links.size(); ++id) {
    const std::string& own = parts_->links[id].name;
    known.push_back(own);
    if (own == name || own == name + "_UP" || own == name + "_DOWN") found.push_back(id);
  }
  if (!found.empty()) return found;
  const auto close = netmodels::nearest(name, known);
  return refuse("", "unknown link `" + name + "`",
                close ? "did you mean `" + std::string(*close) + "`?" : "`sim explain` prints the links");
}

const netmodels::Route& Platform::route(std::uint32_t from, std::uint32_t to) const {
  const auto [known, is_new] = parts_->routes[from].try_emplace(to);
  if (is_new)
    known->second = parts_->star ? parts_->star->route(from, to) : parts_->network().route(from, to);
  assert(from == to || !known->second.empty());  // platform files were tried for routes
  return known->second;
}

}  // namespace sim::engine
