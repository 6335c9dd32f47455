// Checks `cluster.nccl` against the cluster, and reads it alone.
#include <algorithm>
#include <array>
#include <cctype>
#include <charconv>
#include <iterator>
#include <string>
#include <system_error>

#include <fmt/format.h>

#include "netmodels/nccl/rates.hpp"
#include "settings/type.hpp"
#include "sim/language/place.hpp"
#include "sim/language/reader.hpp"
#include "sim/scenario/checks.hpp"
#include "sim/scenario/exchange_library.hpp"
#include "sim/scenario/fabric.hpp"
#include "sim/scenario/nccl_keys.hpp"
#include "sim/scenario/overlay.hpp"
#include "sim/scenario/scenario.hpp"

namespace sim::scenario {

using netmodels::Result;

namespace {

/// Whether a name is that of AMD's GPUs: "AMD ...", "Instinct ...", "MI250X", "mi300x_datasheet".
bool names_amd(std::string_view name) {
  std::string lower(name);
  std::ranges::transform(lower, lower.begin(), [](unsigned char c) { return std::tolower(c); });
  if (lower.starts_with("amd") || lower.find("instinct") != std::string::npos) return true;
  const std::size_t at = lower.find("mi");
  return at != std::string::npos && (at == 0 || lower[at - 1] == ' ') && at + 2 < lower.size() &&
         std::isdigit(static_cast<unsigned char>(lower[at + 2])) != 0;
}

/// The device of the workload or of the cluster that is AMD's; empty where neither is.
/// @param known  the workload's, where a file describes it
/// @param timed  the workload's, as it states it
std::string_view amd_device(const std::optional<netmodels::Device>& known, const Cluster& cluster,
                            const std::string& timed) {
  if (known && names_amd(known->name)) return known->name;
  for (const std::string* device : {&cluster.device, &timed})
    if (names_amd(*device)) return *device;
  return "";
}

/// @param key  of NCCL's description
tl::unexpected<netmodels::Error> refuse_amd(const language::Value& tree, const std::string& key,
                                            std::string_view device) {
  return language::refuse_at(
      tree, key,
      fmt::format("`{}` is a GPU of AMD, which runs RCCL: constants of NCCL do not hold for it", device),
      "accepted: a measured table by `cluster.collective_times`, or links without `nccl`");
}

}  // namespace

Result<void> check_nccl(const Cluster& cluster, const std::optional<netmodels::Device>& device,
                        const std::string& timed, const language::Value& tree) {
  if (!cluster.nccl) return {};
  const auto refused = [&](const netmodels::Error& error) {
    return language::refuse_at(tree, "cluster.nccl." + error.where, error.what, error.hint);
  };
  if (const std::string_view amd = amd_device(device, cluster, timed); !amd.empty())
    return refuse_amd(tree, "cluster.nccl", amd);
  if (auto fine = netmodels::nccl::validate(*cluster.nccl); !fine) return refused(fine.error());
  const auto ranks = static_cast<std::uint32_t>(cluster.workers);
  const auto nodes = static_cast<std::uint32_t>(cluster.workers / cluster.workers_per_node);
  if (auto fine = netmodels::nccl::validate(*cluster.nccl, {.ranks = ranks, .nodes = nodes}); !fine)
    return refused(fine.error());
  return {};
}

Result<void> check_nccl_evaluator(const Cluster& cluster, const Parallelism& parallelism,
                                  const policies::SynchronisationChoice& method,
                                  const language::Value& tree) {
  const auto obstacle = nccl_obstacle(cluster, parallelism, method);
  if (!cluster.nccl || !obstacle) return {};
  return language::refuse_at(tree, "network",
                             fmt::format("`network: nccl` does not fit the cluster: {}", *obstacle),
                             "use `auto`, `path` or `simgrid`");
}

std::optional<std::string_view> nccl_obstacle(const Cluster& cluster) {
  if (cluster.preset != NetworkPreset::exact) return "`cluster.preset` models TCP";
  if (platform_file(cluster.topology) != nullptr) return "a platform file defines the links";
  const auto stays_down = [](const Failure& failure) { return !failure.until; };
  if (cluster.workers_per_node > 1 && std::ranges::any_of(cluster.failures, stays_down))
    return "`cluster.failures` may leave nodes with different numbers of workers";
  if (cluster.workers_per_node > 1 && cluster.workers_come_and_go())
    return "workers that leave may leave nodes with different numbers of workers";
  return std::nullopt;
}

std::optional<std::string_view> nccl_obstacle(const Cluster& cluster, const Parallelism& parallelism,
                                              const policies::SynchronisationChoice& method) {
  const bool of_sites = parallelism.site == SiteKind::node;
  if (cluster.workers_per_node > 1 && drawn_share(method) < 1 && !of_sites)
    return "`synchronisation.participants` below 100 % leaves nodes with different numbers of workers";
  return nccl_obstacle(cluster);
}

const netmodels::nccl::Hardware* nccl_of(const Cluster& cluster) {
  return cluster.nccl && !nccl_obstacle(cluster) ? &*cluster.nccl : nullptr;
}

namespace {

bool takes_nccl(Evaluator evaluator) {
  return evaluator == Evaluator::automatic || evaluator == Evaluator::nccl || evaluator == Evaluator::simgrid;
}

/// Of hardware that is described as no such hardware is, and of constants that were not read.
/// @param tree  that holds the description at `path`
std::vector<std::string> hardware_warnings(const netmodels::nccl::Hardware& hardware,
                                           const language::Value& tree, const std::string& path) {
  std::vector<std::string> found;
  const int capability = hardware.gpu.compute_capability;
  const netmodels::Bandwidth described = netmodels::nccl::nvlink_rate(hardware);
  const netmodels::Bandwidth most = netmodels::nccl::most_nvlink(capability);
  constexpr double rounding = 1.01;
  if (described.count > most.count * rounding)
    found.push_back(fmt::format(
        "{}: the NVLinks of a GPU carry {} in one direction, and no GPU of compute capability {} has more "
        "than {}",
        place_of(tree, path + ".nvlink"), rate_text(inputs::FabricKind::nvlink, described), capability,
        rate_text(inputs::FabricKind::nvlink, most)));
  const auto minor = netmodels::nccl::minor_version(hardware.version);
  if (minor && !netmodels::nccl::constants_were_read(*minor))
    found.push_back(
        fmt::format("{}: the constants of NCCL 2.{} were not read: those of its neighbours are taken",
                    place_of(tree, path + ".version"), *minor));
  return found;
}

/// Of a GPU whose compute capability is not that of the cluster's device.
std::vector<std::string> capability_warnings(int capability, const std::optional<inputs::DeviceKeys>& device,
                                             const language::Value& tree) {
  if (!device || !device->compute_capability || *device->compute_capability == capability) return {};
  return {fmt::format("{}: `cluster.nccl.gpu.compute_capability` is {}, and {} has {}",
                      place_of(tree, "cluster.nccl.gpu.compute_capability"), capability, device->name,
                      *device->compute_capability)};
}

/// Of a network between nodes that is faster than their interfaces.
std::vector<std::string> interface_warnings(const Cluster& cluster, const language::Value& tree) {
  const auto& network = cluster.nccl->network;
  if (!network || cluster.workers <= cluster.workers_per_node) return {};
  const netmodels::Bandwidth interfaces = network->rate * network->nics_per_node;
  const language::Value* link = language::find_path(tree, "cluster.link");
  if (link == nullptr || cluster.link.bandwidth <= interfaces) return {};
  return {fmt::format(
      "{}: `cluster.link` carries {}, and the interfaces of a node in `cluster.nccl` {}: the "
      "interfaces count",
      place_of(tree, "cluster.link"), rate_text(inputs::FabricKind::ethernet, cluster.link.bandwidth),
      rate_text(inputs::FabricKind::ethernet, interfaces))};
}

/// Of a collective that is named and not run.
std::vector<std::string> collective_warnings(const std::string& named, const language::Value& tree) {
  const language::Value* stated = language::find_path(tree, "exchange.collective");
  if (named == "auto" || named.starts_with("nccl.") || stated == nullptr) return {};
  return {fmt::format(
      "{}: NCCL chooses the algorithm, and its time is taken in place of `{}`; `network: path` takes that",
      place_of(tree, "exchange.collective"), named)};
}

}  // namespace

const netmodels::nccl::Hardware* nccl_of(const Work& work, const Cluster& cluster, const Exchange& exchange,
                                         Evaluator evaluator) {
  const bool may_use = takes_nccl(evaluator) && library_of(exchange, cluster) == "nccl";
  const bool fits = !nccl_obstacle(cluster, work.parallelism, exchange.synchronisation);
  return may_use && fits ? nccl_of(cluster) : nullptr;
}

std::vector<std::string> nccl_warnings(const Scenario& scenario, const language::Value& tree) {
  const Cluster& cluster = scenario.cluster;
  if (!cluster.nccl) return {};
  if (!takes_nccl(scenario.simulation.evaluator))
    return {fmt::format("{}: `cluster.nccl` is not used, because `network: {}` computes times from links",
                        place_of(tree, "cluster.nccl"),
                        scenario.simulation.evaluator == Evaluator::path ? "path" : "closed")};
  if (library_of(scenario.exchange, scenario.cluster) != "nccl")
    return {fmt::format("{}: `cluster.nccl` is not used: the library of collectives is {}",
                        place_of(tree, "cluster.nccl"),
                        describe_library(scenario.exchange, scenario.cluster))};
  if (const auto obstacle =
          nccl_obstacle(cluster, scenario.work.parallelism, scenario.exchange.synchronisation))
    return {fmt::format("{}: `cluster.nccl` is not used, because {}: times are computed from links",
                        place_of(tree, "cluster.nccl"), *obstacle)};
  std::vector<std::string> found =
      capability_warnings(cluster.nccl->gpu.compute_capability, scenario.stated->device, tree);
  for (std::vector<std::string> more :
       std::array{hardware_warnings(*cluster.nccl, tree, "cluster.nccl"), interface_warnings(cluster, tree),
                  collective_warnings(scenario.exchange.collective, tree)})
    std::ranges::move(more, std::back_inserter(found));
  return found;
}

Result<NcclDescription> read_nccl(const std::string& name, const std::filesystem::path& data_dir) {
  const language::Origin origin("--cluster");
  GRADSIM_TRY(cluster, expand_cluster(language::Value::scalar(name, origin), data_dir));
  const language::Value* described = cluster->find("nccl");
  if (described == nullptr && language::find_path(*cluster, "cluster.nccl") != nullptr)
    return netmodels::refuse("--cluster",
                             fmt::format("`{}` is a scenario, and a file of a cluster is read", name),
                             "write what its `cluster` holds into a file of its own");
  if (described == nullptr)
    return netmodels::refuse(
        "--cluster", fmt::format("`{}` has no key `nccl`", name),
        "describe its hardware by `nccl: {gpu: {compute_capability: ..., per_node: ...}, ...}`");
  if (const language::Value* device = cluster->find("device"); device != nullptr && names_amd(device->text()))
    return refuse_amd(*cluster, "nccl", device->text());
  language::Reader reader(*described, "nccl");
  NcclDescription read;
  netmodels::nccl::Hardware& hardware = read.hardware;
  describe(reader, hardware);
  if (auto finished = reader.finish(); !finished) return tl::unexpected(finished.error());
  if (auto fine = netmodels::nccl::validate(hardware); !fine)
    return language::refuse_at(*cluster, "nccl." + fine.error().where, fine.error().what, fine.error().hint);
  read.warnings = hardware_warnings(hardware, *cluster, "nccl");
  if (const language::Value* stated = cluster->find("workers_per_node")) {
    const std::string& text = stated->text();
    std::uint32_t per_node = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), per_node);
    if (error != std::errc() || end != text.data() + text.size() || per_node == 0)
      return language::refuse_at(*cluster, "workers_per_node",
                                 fmt::format("`{}` is not a whole number above 0", text),
                                 "accepted: 1 or more");
    read.workers_per_node = per_node;
  }
  return read;
}

}  // namespace sim::scenario
