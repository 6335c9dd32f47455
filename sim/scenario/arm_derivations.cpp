// Values of an arm that follow from others, one row each.
#include <array>
#include <cmath>
#include <numeric>
#include <utility>

#include "sim/language/place.hpp"
#include "sim/scenario/arm_contents.hpp"
#include "sim/scenario/checks.hpp"
#include "sim/scenario/fabric.hpp"
#include "sim/scenario/fields_scenario.hpp"
#include "sim/scenario/nccl_keys.hpp"
#include "sim/scenario/rental.hpp"
#include "sim/scenario/replicas.hpp"
#include "sim/scenario/resolving.hpp"

namespace sim::scenario {
namespace {

using netmodels::Result;

Result<void> derive_gradient_width(Resolving& arm) {
  Parallelism& parallelism = arm.scenario.work.parallelism;
  parallelism.states.gradient = parallelism.gradient_bytes.value_or(parallelism.states.gradient);
  return {};
}

Result<void> derive_ratio(Resolving& arm) {
  Compression& compression = arm.scenario.exchange.compression;
  if (states_rank(compression))
    compression.ratio = ratio_of_rank(*compression.rank, arm.scenario.work.workload);
  return {};
}

Result<void> derive_host_times(Resolving& arm) {
  if (const auto& stated = arm.scenario.work.compute.host_overhead)
    arm.scenario.work.workload.host_overhead = {*stated, {}};
  return {};
}

Result<void> derive_declarations(Resolving& arm) {
  arm.features = features_of(arm.scenario, arm.tree);
  return {};
}

Result<void> derive_fabric_links(Resolving& arm) {
  GRADSIM_TRY(linked, with_fabric_links(arm.scenario.cluster, arm.tree, arm.files.transports()));
  arm.scenario.cluster = std::move(*linked);
  return {};
}

Result<void> derive_links(Resolving& arm) {
  const bool compares = nccl_of(arm.scenario.work, arm.scenario.cluster, arm.scenario.exchange,
                                arm.scenario.simulation.evaluator) != nullptr;
  GRADSIM_TRY(linked, with_nccl_links(arm.scenario.cluster, compares, arm.tree));
  arm.scenario.cluster = std::move(*linked);
  return {};
}

Result<void> derive_waiting(Resolving& arm) {
  settle_waiting(arm.scenario);
  return {};
}

Result<void> derive_group(Resolving& arm) {
  Scenario& scenario = arm.scenario;
  const netmodels::ModelParallel inside = scenario.work.parallelism.inside();
  if (inside.devices() == 1) return {};
  GRADSIM_TRY(group, group_of_replicas({scenario.work.workload, scenario.cluster}, inside,
                                       scenario.work.training, arm.tree));
  scenario.stated =
      std::make_shared<const Stated>(Stated{std::move(scenario.cluster), scenario.stated->device});
  scenario.work.workload = std::move(group->workload);
  scenario.cluster = std::move(group->cluster);
  return {};
}

Result<void> derive_micro_batches(Resolving& arm) {
  arm.scenario.work.workload.accumulate(static_cast<std::uint32_t>(arm.scenario.work.training.accumulation));
  return {};
}

Result<void> derive_pipeline(Resolving& arm) {
  Scenario& scenario = arm.scenario;
  if (!scenario.work.workload.replica) return {};
  const double batch = batch_of(scenario.work.training, 0);
  scenario.work.workload =
      with_pipeline(std::move(scenario.work.workload), scenario.work.parallelism.inside(), scenario.cluster);
  scenario.cluster.speeds =
      speeds_of_whole_steps(std::move(scenario.cluster.speeds), scenario.work.workload, batch);
  return {};
}

/// Samples of an epoch where they are not stated: those of the learner's data set; a run that states only its
/// steps is one epoch.
Training with_length(Training training, const Learner& learner, int workers, const language::Value& tree) {
  if (language::find_path(tree, "training.samples") != nullptr) return training;
  if (const auto samples = known_samples(learner.kind)) {
    training.samples = *samples;
    return training;
  }
  const auto step = static_cast<double>(samples_of_step(training, workers));
  training.samples = static_cast<std::int64_t>(step * static_cast<double>(*training.steps));
  training.epochs = 1;
  return training;
}

Result<void> derive_length(Resolving& arm) {
  Scenario& scenario = arm.scenario;
  scenario.work.training =
      with_length(std::move(scenario.work.training), scenario.learner, scenario.cluster.workers, arm.tree);
  return {};
}

/// (cores / mean cores of the beginning)^exponent.
std::vector<double> speeds_of_cores(const std::vector<double>& cores, double mean, double exponent) {
  std::vector<double> speeds;
  for (const double count : cores) speeds.push_back(std::pow(count / mean, exponent));
  return speeds;
}

Result<void> derive_speeds(Resolving& arm) {
  Cluster& cluster = arm.scenario.cluster;
  if (cluster.cores.empty()) return {};
  const double mean = std::accumulate(cluster.cores.begin(), cluster.cores.end(), 0.0) /
                      static_cast<double>(cluster.cores.size());
  cluster.speeds = speeds_of_cores(cluster.cores, mean, cluster.core_exponent);
  for (SpeedChange& change : cluster.speed_changes)
    if (!change.cores.empty()) change.speeds = speeds_of_cores(change.cores, mean, cluster.core_exponent);
  return {};
}

Result<void> derive_rented_machines(Resolving& arm) {
  Scenario& scenario = arm.scenario;
  if (!scenario.price) return {};
  GRADSIM_TRY(machine, rented_machine(*scenario.price, arm.tree, "price", arm.files.data_dir()));
  scenario.rented = std::move(*machine);
  scenario.rented->count = nodes_of(cluster_as_stated(*scenario.stated, scenario.cluster));
  return {};
}

}  // namespace

std::span<const Derivation> derivations() {
  using enum Part;
  static constexpr std::array rows{
      Derivation{"width of gradients", {}, {gradient_width}, derive_gradient_width},
      Derivation{"ratio of a rank", {}, {ratio}, derive_ratio},
      Derivation{"host overhead", {}, {host_times}, derive_host_times},
      Derivation{"declarations", {known_names}, {declarations}, derive_declarations},
      Derivation{"links of fabrics", {known_names}, {fabric_links}, derive_fabric_links},
      Derivation{"links of NCCL", {fabric_links}, {links}, derive_links},
      Derivation{"waiting in each step", {combination}, {waiting}, derive_waiting},
      Derivation{"one GPU of each replica",
                 {combination, links, whole_nodes, nccl_hardware, stated_length, waiting, equal_parts},
                 {group},
                 derive_group},
      Derivation{"micro-batches", {fitting_states, host_times}, {micro_batches}, derive_micro_batches},
      Derivation{"pipeline", {micro_batches, batches}, {pipeline}, derive_pipeline},
      Derivation{"length of the training", {group, batches}, {length}, derive_length},
      Derivation{"speeds of cores", {core_counts, pipeline}, {speeds}, derive_speeds},
      Derivation{"trace of streams", {fitting_states, stream_rates}, {streams}, derive_streams},
      Derivation{"measured times", {fitting_states}, {kernel_times}, derive_kernel_times},
      Derivation{"compression times", {fitting_states}, {stack}, derive_stack},
      Derivation{"slow-down by overlap", {fitting_states}, {overlap}, derive_overlap},
      Derivation{"traces of links", {fitting_states}, {traces}, derive_traces},
      Derivation{"rented machines", {whole_nodes, machine_price}, {rented}, derive_rented_machines},
  };
  return rows;
}

}  // namespace sim::scenario
