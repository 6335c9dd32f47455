// From zones or a platform file to hosts in rank order, a table of links and cached routes.
#include "sim/engine/platform.hpp"

#include <algorithm>
#include <cassert>
#include <cstring>
#include <iterator>
#include <map>
#include <unordered_map>

#include <simgrid/s4u.hpp>

#include "files/input_file.hpp"
#include "netmodels/nearest.hpp"
#include "sim/engine/simgrid_engine.hpp"

namespace sim::engine {

namespace sg4 = simgrid::s4u;
using netmodels::LinkId;
using netmodels::LinkState;
using netmodels::refuse;
using netmodels::Result;

struct Platform::Parts {
  std::unique_ptr<SimGridEngine> engine;  ///< null where the engine of a platform file is used
  scenario::NetworkPreset preset = scenario::NetworkPreset::exact;
  std::vector<std::string> host_names;
  std::vector<sg4::Host*> hosts;
  std::vector<PlatformLink> links;
  std::vector<sg4::Link*> simgrid_links;
  std::unordered_map<const sg4::Link*, LinkId> ids;
  std::vector<std::map<std::uint32_t, netmodels::Route>> routes;  ///< by sender
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
  SimGridEngine engine;
  std::map<std::string, LinkState> nominal;  ///< before evaluators override the values of links
};

LoadedFile*& loaded_file() {
  static LoadedFile* loaded = nullptr;  // never deleted: SimGrid's engine must not be torn down at exit
  return loaded;
}

/// Of a file that was read before.
std::string text_of(const std::string& path) { return files::read_bytes(path, {}).value_or(""); }

void keep_loaded(const std::string& path) {
  loaded_file() = new LoadedFile{text_of(path), {}, {}};
  loaded_file()->engine.load(path);
  for (sg4::Link* link : sg4::Engine::get_instance()->get_all_links()) {
    loaded_file()->nominal[link->get_name()] = {{link->get_latency()}, {link->get_bandwidth()}};
    link->set_latency(0.0);
  }
}

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

/// Orders "worker2" before "worker10".
bool by_natural_name(const std::string& left, const std::string& right) {
  return strverscmp(left.c_str(), right.c_str()) < 0;
}

/// Hosts and links as a platform file names them.
Result<ZonePlan> plan_of_file(const scenario::Cluster& cluster) {
  const auto& file = cluster.topology.as<scenario::PlatformFile>();
  ZonePlan plan;
  std::vector<std::string> known;
  for (const sg4::Host* host : sg4::Engine::get_instance()->get_all_hosts())
    known.push_back(host->get_name());
  std::ranges::sort(known, by_natural_name);
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

/// The row of the link table for one direction of a link.
PlatformLink describe(const sg4::Link& link, const std::map<std::string, PlannedLink>& planned,
                      const scenario::Cluster& cluster, const LinkState& others) {
  const std::string& name = link.get_name();
  for (const char* direction : {"_UP", "_DOWN"}) {
    if (!name.ends_with(direction)) continue;
    const auto found = planned.find(name.substr(0, name.size() - std::string_view(direction).size()));
    if (found == planned.end()) continue;
    PlannedLink one = found->second;
    if (name.ends_with("_UP")) one.nominal.bandwidth = one.upload.value_or(one.nominal.bandwidth);
    return row(name, one, cluster.preset);
  }
  const bool from_file = platform_file(cluster.topology) != nullptr;
  const LinkState& stated = from_file ? loaded_file()->nominal.at(name) : others;
  return row(name, {name, LinkRole::trunk, {}, stated, 1}, cluster.preset);
}

}  // namespace

Platform::Platform(std::unique_ptr<Parts> parts) : parts_(std::move(parts)) {}
Platform::~Platform() = default;

Result<std::unique_ptr<Platform>> Platform::make(const scenario::Cluster& cluster) {
  const std::string* file = platform_file(cluster.topology);
  const bool from_file = file != nullptr;
  const std::string path = from_file ? *file : "";
  const bool is_loaded = from_file && loaded_file() != nullptr && loaded_file()->text == text_of(path);
  if (!is_loaded && (loaded_file() != nullptr || (from_file && SimGridEngine::has_built_zones()))) {
    return refuse(from_file ? path : "cluster.topology",
                  "a platform file and another topology cannot be used in one run: SimGrid 3.32 crashes",
                  "put the arms with a platform file into a separate scenario, and run it separately");
  }
  if (from_file && !is_loaded) {
    const auto hosts = [&cluster] {
      const auto plan = plan_of_file(cluster);
      return plan ? plan->hosts : std::vector<std::string>{};  // errors of the hosts are reported below
    };
    if (auto tried = try_platform_file(path, hosts); !tried) return tl::unexpected(tried.error());
  }
  auto parts = std::make_unique<Parts>();
  parts->preset = cluster.preset;
  ZonePlan plan;
  if (from_file) {
    if (!is_loaded) keep_loaded(path);
    GRADSIM_TRY(loaded, plan_of_file(cluster));
    plan = std::move(*loaded);
  } else {
    parts->engine = std::make_unique<SimGridEngine>();
    SimGridEngine::note_built_zones();
    plan = build_zones(cluster);
  }

  parts->host_names = plan.hosts;
  for (const std::string& name : plan.hosts) parts->hosts.push_back(sg4::Host::by_name(name));
  parts->routes.resize(plan.hosts.size());
  std::map<std::string, PlannedLink> planned;
  for (const PlannedLink& link : plan.links) planned.emplace(link.name, link);
  std::vector<sg4::Link*> all = sg4::Engine::get_instance()->get_all_links();
  std::ranges::sort(all, by_natural_name, [](const sg4::Link* link) { return link->get_name(); });
  for (sg4::Link* link : all) {
    if (link->get_name() == "__loopback__") continue;
    parts->ids.emplace(link, static_cast<LinkId>(parts->links.size()));
    parts->links.push_back(describe(*link, planned, cluster, plan.other_links));
    parts->simgrid_links.push_back(link);
  }
  return std::unique_ptr<Platform>(new Platform(std::move(parts)));
}

std::uint32_t Platform::workers() const { return static_cast<std::uint32_t>(parts_->hosts.size()); }
const std::string& Platform::host_name(std::uint32_t worker) const { return parts_->host_names[worker]; }
const std::vector<PlatformLink>& Platform::links() const { return parts_->links; }
scenario::NetworkPreset Platform::preset() const { return parts_->preset; }
sg4::Host* Platform::host(std::uint32_t worker) const { return parts_->hosts[worker]; }
sg4::Link* Platform::link(LinkId link) const { return parts_->simgrid_links[link]; }

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
  if (is_new) {
    std::vector<sg4::Link*> links;
    double latency = 0;
    parts_->hosts[from]->route_to(parts_->hosts[to], links, &latency);
    for (const sg4::Link* link : links) known->second.push_back(parts_->ids.at(link));
  }
  assert(from == to || !known->second.empty());  // platform files were tried for routes
  return known->second;
}

}  // namespace sim::engine
