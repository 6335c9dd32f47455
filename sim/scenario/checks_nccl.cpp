// Checks `cluster.nccl` against the cluster, and reads it alone.
#include <fmt/format.h>

#include "settings/type.hpp"
#include "sim/scenario/checks.hpp"
#include "sim/scenario/nccl_keys.hpp"
#include "sim/scenario/overlay.hpp"
#include "sim/scenario/place.hpp"
#include "sim/scenario/reader.hpp"
#include "sim/scenario/scenario.hpp"

namespace sim::scenario {

using netmodels::Result;

Result<void> check_nccl(const Scenario& scenario, const Value& tree) {
  const Cluster& cluster = scenario.cluster;
  if (!cluster.nccl) {
    if (scenario.evaluator != Evaluator::nccl) return {};
    return refuse_at(tree, "network", "`network: nccl` needs `cluster.nccl`, which describes the hardware",
                     "write `cluster.nccl`, or `network: auto`");
  }
  const auto refused = [&](const netmodels::Error& error) {
    return refuse_at(tree, "cluster.nccl." + error.where, error.what, error.hint);
  };
  if (auto fine = netmodels::nccl::validate(*cluster.nccl); !fine) return refused(fine.error());
  const auto ranks = static_cast<std::uint32_t>(cluster.workers);
  const auto nodes = static_cast<std::uint32_t>(cluster.workers / cluster.workers_per_node);
  if (auto fine = netmodels::nccl::validate(*cluster.nccl, {.ranks = ranks, .nodes = nodes}); !fine)
    return refused(fine.error());
  const auto obstacle = nccl_obstacle(cluster);
  if (!obstacle || scenario.evaluator != Evaluator::nccl) return {};
  return refuse_at(tree, "network",
                   fmt::format("`network: nccl` gives times of a quiet network: {}", *obstacle),
                   "use `auto`, `path` or `simgrid`");
}

std::optional<std::string_view> nccl_obstacle(const Cluster& cluster) {
  if (!cluster.changes.empty()) return "`cluster.changes` changes it";
  if (!cluster.traces.empty()) return "`cluster.traces` change it";
  if (!cluster.background.empty()) return "`cluster.background` loads it";
  if (!cluster.failures.empty()) return "`cluster.failures` interrupt it";
  if (!cluster.worker_links.empty()) return "`cluster.worker_links` make it uneven";
  if (cluster.preset != NetworkPreset::exact) return "`cluster.preset` models TCP";
  if (cluster.topology.name() != "star") return "its topology is not a star";
  return std::nullopt;
}

const netmodels::nccl::Hardware* nccl_of(const Cluster& cluster) {
  return cluster.nccl && !nccl_obstacle(cluster) ? &*cluster.nccl : nullptr;
}

namespace {

bool takes_nccl(Evaluator evaluator) {
  return evaluator == Evaluator::automatic || evaluator == Evaluator::nccl;
}

bool has_other_library(const Scenario& scenario) {
  return scenario.exchange.library.value_or("nccl") != "nccl";
}

}  // namespace

const netmodels::nccl::Hardware* nccl_of(const Scenario& scenario) {
  const bool may_use = takes_nccl(scenario.evaluator) && !has_other_library(scenario);
  return may_use ? nccl_of(scenario.cluster) : nullptr;
}

std::vector<std::string> nccl_doubts(const Scenario& scenario, const Value& tree) {
  const Cluster& cluster = scenario.cluster;
  if (!cluster.nccl || !takes_nccl(scenario.evaluator)) return {};
  if (has_other_library(scenario))
    return {fmt::format("{}: `cluster.nccl` is not used, because `exchange.library` is `{}`",
                        place_of(tree, "cluster.nccl"), *scenario.exchange.library)};
  if (const auto obstacle = nccl_obstacle(cluster))
    return {fmt::format("{}: `cluster.nccl` is not used, because {}: times are computed from links",
                        place_of(tree, "cluster.nccl"), *obstacle)};
  const auto minor = netmodels::nccl::minor_version(cluster.nccl->version);
  if (!minor || netmodels::nccl::constants_were_read(*minor)) return {};
  return {fmt::format("{}: the constants of NCCL 2.{} were not read: those of its neighbours are taken",
                      place_of(tree, "cluster.nccl.version"), *minor)};
}

Result<netmodels::nccl::Hardware> read_nccl(const std::string& name, const std::filesystem::path& data_dir) {
  const Origin origin("--cluster");
  GRADSIM_TRY(cluster, expand_cluster(Value::scalar(name, origin), data_dir));
  const Value* described = cluster->find("nccl");
  if (described == nullptr)
    return netmodels::refuse(
        "--cluster", fmt::format("`{}` has no key `nccl`", name),
        "describe its hardware by `nccl: {gpu: {compute_capability: ..., per_node: ...}, ...}`");
  Reader reader(*described, "nccl");
  netmodels::nccl::Hardware hardware;
  describe(reader, hardware);
  if (auto finished = reader.finish(); !finished) return tl::unexpected(finished.error());
  if (auto fine = netmodels::nccl::validate(hardware); !fine)
    return refuse_at(*cluster, "nccl." + fine.error().where, fine.error().what, fine.error().hint);
  return hardware;
}

}  // namespace sim::scenario
