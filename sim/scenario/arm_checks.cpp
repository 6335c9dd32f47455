// Conditions on several values of an arm, one row each.
#include <array>

#include "sim/scenario/checks.hpp"
#include "sim/scenario/conflicts.hpp"
#include "sim/scenario/fields_scenario.hpp"
#include "sim/scenario/nccl_keys.hpp"
#include "sim/scenario/parallelism.hpp"
#include "sim/scenario/rental.hpp"
#include "sim/scenario/repeated_changes.hpp"
#include "sim/scenario/replicas.hpp"
#include "sim/scenario/resolving.hpp"

namespace sim::scenario {
namespace {

using netmodels::Result;

Result<void> check_known_names(const Resolving& arm) {
  return check_names(arm.written.exchange, arm.written.exchange.compression.method,
                     arm.written.work.parallelism.compress, arm.tree);
}

Result<void> check_stated_rank(const Resolving& arm) {
  return check_rank(arm.written.exchange.compression, arm.tree);
}

Result<void> check_combination(const Resolving& arm) {
  if (conflicts_of(arm.features).empty()) return {};
  Scenario described = arm.scenario;
  return check_conflicts(features_of(described, arm.tree, OtherWords::listed), arm.tree);
}

Result<void> check_whole_cluster(const Resolving& arm) {
  return check_cluster(cluster_as_stated(*arm.scenario.stated, arm.scenario.cluster), arm.tree);
}

Result<void> check_nccl_hardware(const Resolving& arm) {
  const Scenario& scenario = arm.scenario;
  return check_nccl(cluster_as_stated(*scenario.stated, scenario.cluster), scenario.work.device,
                    scenario.work.workload.device, arm.tree);
}

Result<void> check_evaluator(const Resolving& arm) {
  const Scenario& scenario = arm.scenario;
  if (scenario.simulation.evaluator != Evaluator::nccl) return {};
  return check_nccl_evaluator(cluster_as_stated(*scenario.stated, scenario.cluster),
                              scenario.work.parallelism, scenario.exchange.synchronisation, arm.tree);
}

Result<void> check_stated_length(const Resolving& arm) { return check_training(arm.written, arm.tree); }

Result<void> check_slowed_workers(const Resolving& arm) {
  return check_slowdowns(arm.written.work.compute.slowdowns, arm.written.cluster.workers, arm.tree);
}

Result<void> check_collective(const Resolving& arm) {
  return check_exchange(arm.scenario.exchange, arm.scenario.exchange.compression, arm.tree);
}

Result<void> check_nodes_as_sites(const Resolving& arm) {
  return check_sites(arm.written.work.parallelism, arm.written.cluster, arm.tree);
}

Result<void> check_trace(const Resolving& arm) {
  return check_traced(arm.written.work.workload, arm.written.work.training, arm.written.cluster, arm.tree);
}

Result<void> check_equal_parts(const Resolving& arm) {
  const Scenario& scenario = arm.scenario;
  return check_replicas({scenario.work.workload, scenario.cluster}, scenario.work.parallelism.inside(),
                        scenario.work.training.accumulation, arm.tree);
}

Result<void> check_states_and_memory(const Resolving& arm) {
  return check_parallelism(arm.scenario.work, arm.scenario.cluster, arm.scenario.exchange, arm.tree);
}

Result<void> check_each_batch(const Resolving& arm) {
  return check_batches(arm.scenario.work.training.batches, arm.scenario.cluster.workers, arm.tree);
}

Result<void> check_method_of_synchronisation(const Resolving& arm) {
  return check_synchronisation(arm.scenario.exchange.synchronisation, arm.scenario.work.workload,
                               arm.scenario.cluster.workers, arm.tree);
}

Result<void> check_learning(const Resolving& arm) {
  const Scenario& scenario = arm.scenario;
  return check_learner(scenario.learner, scenario.work.training, scenario.cluster.workers, arm.tree);
}

Result<void> check_members(const Resolving& arm) {
  return check_membership(arm.scenario.cluster,
                          workers_of_site(arm.scenario.work.parallelism, arm.scenario.cluster), arm.tree);
}

Result<void> check_each_core_count(const Resolving& arm) {
  return check_cores(arm.written.cluster, arm.tree);
}

Result<void> check_limits(const Resolving& arm) {
  const Scenario& scenario = arm.scenario;
  return check_batch_limits(scenario.work.compute.batch_limits, scenario.work.training,
                            scenario.cluster.workers, arm.tree);
}

Result<void> check_batching_policy(const Resolving& arm) {
  return check_batching(arm.written.work.batching, arm.tree);
}

Result<void> check_each_stream(const Resolving& arm) {
  const auto& streams = arm.written.work.streams;
  return streams ? check_streams(*streams, arm.scenario.cluster.workers, arm.tree) : Result<void>{};
}

Result<void> check_cost_level(const Resolving& arm) {
  const Scenario& scenario = arm.scenario;
  return check_cost(scenario.exchange.compression, scenario.work.device, scenario.work.workload.device,
                    arm.tree);
}

Result<void> check_changes_of_one_moment(const Resolving& arm) {
  return check_repeated_changes(arm.written.cluster, arm.written.work, arm.tree);
}

/// The machine has the device of the cluster, or else of the compute times.
Result<void> check_rented_machine(const Resolving& arm) {
  const Scenario& scenario = arm.scenario;
  if (!scenario.price) return {};
  if (auto stated = check_price(*scenario.price, arm.tree, "price"); !stated) return stated;
  const auto& data_dir = arm.files.data_dir();
  const auto& own = scenario.stated->device;
  const std::string& device = own ? own->name : scenario.work.workload.device;
  if (auto fits = check_priced_device(*scenario.price, device, arm.tree, "price", data_dir); !fits)
    return fits;
  return check_machine_size(*scenario.price, arm.written.cluster.workers_per_node, arm.tree, "price",
                            data_dir);
}

}  // namespace

std::span<const Check> checks() {
  using enum Part;
  static constexpr std::array rows{
      Check{"names", {}, {known_names}, check_known_names},
      Check{"rank", {}, {}, check_stated_rank},
      Check{"combination", {declarations}, {combination}, check_combination},
      Check{"cluster", {links}, {whole_nodes}, check_whole_cluster},
      Check{"hardware of NCCL", {whole_nodes}, {nccl_hardware}, check_nccl_hardware},
      Check{"evaluator", {nccl_hardware}, {}, check_evaluator},
      Check{"length", {known_names}, {stated_length}, check_stated_length},
      Check{"slow-downs", {known_names}, {}, check_slowed_workers},
      Check{"collective", {combination}, {}, check_collective},
      Check{"sites", {combination, whole_nodes}, {sites}, check_nodes_as_sites},
      Check{"traced step", {combination, whole_nodes}, {}, check_trace},
      Check{"replicas",
            {combination, whole_nodes, nccl_hardware, stated_length, sites},
            {equal_parts},
            check_equal_parts},
      Check{"states and memory", {group, gradient_width}, {fitting_states}, check_states_and_memory},
      Check{"batches", {group}, {batches}, check_each_batch},
      Check{"synchronisation", {fitting_states}, {}, check_method_of_synchronisation},
      Check{"learner", {batches}, {}, check_learning},
      Check{"membership", {group}, {}, check_members},
      Check{"cores", {combination}, {core_counts}, check_each_core_count},
      Check{"batch limits", {batches}, {}, check_limits},
      Check{"batching", {combination}, {}, check_batching_policy},
      Check{"streams", {group}, {stream_rates}, check_each_stream},
      Check{"repeated changes", {known_names}, {}, check_changes_of_one_moment},
      Check{"price", {whole_nodes}, {machine_price}, check_rented_machine},
      Check{"cost level", {kernel_times, stack}, {}, check_cost_level},
  };
  return rows;
}

}  // namespace sim::scenario
