// Every key under `cluster`: name, meaning, accepted values.
#include <fmt/format.h>

#include "settings/type.hpp"
#include "sim/scenario/fields_scenario.hpp"
#include "sim/scenario/nccl_keys.hpp"

namespace settings {

void describe(Fields& fields, netmodels::LinkState& link) {
  constexpr std::string_view measure =
      "`calibrate probe mpi` or `calibrate probe nccl` between two nodes, then `calibrate fit link`";
  fields.field({.name = "latency",
                .doc = "Time before the first byte arrives.",
                .example = "1 ms",
                .measure = measure},
               link.latency);
  fields.field({.name = "bandwidth",
                .doc = "Capacity in each direction.",
                .bounds = above(0),
                .example = "10 Gbit/s",
                .measure = measure},
               link.bandwidth);
}

}  // namespace settings

namespace sim::scenario {

using namespace settings;
using enum Capability;

/// Whether traffic takes its fair share of a link.
static bool is_adaptive(const BackgroundTraffic& traffic) { return !traffic.rate; }

std::span<const Condition> conditions_of(std::type_identity<BackgroundTraffic>) {
  static constexpr std::array conditions{
      condition<BackgroundTraffic, is_adaptive>("", "without a `rate`", {.needs = {common_step}})};
  return conditions;
}

void describe(Fields& fields, LinkChange& change) {
  fields.field(
      {.name = "at", .doc = "When: a time, a step or an epoch, counted from 0.", .example = "epoch 12"},
      change.at);
  fields.field({.name = "bandwidth",
                .doc = "Capacity of each direction from then on; of the link of a node, that of all its "
                       "interfaces together.",
                .bounds = above(0),
                .example = "1 Gbit/s"},
               change.bandwidth);
  fields.field({.name = "latency",
                .doc = "Latency from then on, with the meaning of the link's own: see `link`.",
                .example = "50 ms"},
               change.latency);
  fields.field(
      {.name = "workers",
       .doc = "Workers whose own links change, those of whole nodes where workers share them; on star, "
              "racks and wan only.",
       .bounds = at_least(0),
       .example = "[0, 3]"},
      change.workers);
  fields.field(
      {.name = "links",
       .doc = "Links as `sim explain` names them. Without `links` and `workers`: the own links of all "
              "workers, or every "
              "link where workers have none (fat_tree, torus, dragonfly, platform).",
       .example = "[rack0]"},
      change.links);
}

void describe(Fields& fields, LinkTrace& trace) {
  fields.field(
      {.name = "file",
       .doc = "CSV file with the columns time_s, bandwidth_bit_per_s, latency_s (either of the last two "
              "may be missing); the bandwidth of a node's link is that of all its interfaces together.",
       .example = "traces/wifi.csv"},
      trace.file);
  fields.field({.name = "period",
                .doc = "The trace starts over after this long.",
                .bounds = above(0),
                .example = "10 min"},
               trace.period);
  fields.field(
      {.name = "workers",
       .doc =
           "Workers whose own links follow the trace (star, racks and wan). Without it, the own links of all "
           "workers, or every link where workers have none.",
       .bounds = at_least(0),
       .example = "[2]"},
      trace.workers);
}

void describe(Fields& fields, BackgroundTraffic& traffic) {
  fields.field(
      {.name = "from", .doc = "Worker whose host sends the traffic.", .bounds = at_least(0), .example = "0"},
      traffic.from);
  fields.field({.name = "to", .doc = "Worker whose host receives it.", .bounds = at_least(0), .example = "1"},
               traffic.to);
  fields.field(
      {.name = "rate",
       .doc = "Rate of fixed-rate (non-adaptive) traffic; without it, the traffic takes its fair share.",
       .bounds = above(0),
       .example = "2 Gbit/s"},
      traffic.rate);
  fields.field({.name = "start", .doc = "Start time.", .fallback = "0 s", .example = "5 s"}, traffic.start);
  fields.field({.name = "end", .doc = "End time; without it, never.", .example = "20 s"}, traffic.end);
  fields.field(
      {.name = "period", .doc = "Period with which it repeats.", .bounds = above(0), .example = "1 min"},
      traffic.period);
}

void describe(Fields& fields, Failure& failure) {
  fields.field({.name = "worker",
                .doc = "Worker that fails permanently.",
                .bounds = at_least(0),
                .example = "3",
                .demands = {.needs = {whole_states}, .denies = {no_lost_workers}}},
               failure.worker);
  fields.field({.name = "link", .doc = "Link that fails, as `sim explain` names it.", .example = "worker3"},
               failure.link);
  fields.field({.name = "at", .doc = "Time of the failure.", .example = "30 s"}, failure.at);
  fields.field(
      {.name = "until", .doc = "Time at which the link works again; without it, never.", .example = "45 s"},
      failure.until);
}

void describe(Fields& fields, Absence& absence) {
  fields.field({.name = "worker",
                .doc = "Worker that leaves after the step under way.",
                .bounds = at_least(0),
                .example = "3",
                .need = Need::required},
               absence.worker);
  fields.field({.name = "from", .doc = "Time at which it leaves.", .fallback = "0 s", .example = "10 min"},
               absence.from);
  fields.field({.name = "until",
                .doc = "Time at which it returns and downloads the model; without it, never.",
                .example = "30 min"},
               absence.until);
}

void describe(Fields& fields, Churn& churn) {
  fields.field({.name = "stay",
                .doc = "Mean time that a worker takes part before it leaves (exponentially distributed).",
                .bounds = at_least(1),
                .example = "6 h",
                .need = Need::required},
               churn.stay);
  fields.field({.name = "away",
                .doc = "Mean time until it returns (exponentially distributed).",
                .bounds = at_least(1),
                .example = "30 min",
                .need = Need::required},
               churn.away);
  fields.field({.name = "workers",
                .doc = "Workers that leave and return; without it, all do.",
                .bounds = at_least(0),
                .example = "[2, 3]"},
               churn.workers);
}

void describe(Fields& fields, WorkerLink& own) {
  fields.field({.name = "workers",
                .doc = "Workers with that link; all workers of a node, where they share one.",
                .bounds = at_least(0),
                .example = "[7]",
                .need = Need::required},
               own.workers);
  fields.field({.name = "link", .doc = "Their link.", .need = Need::required}, own.link);
  fields.field({.name = "upload",
                .doc = "Bandwidth from the worker into the network, where it differs.",
                .bounds = above(0),
                .example = "10 Mbit/s",
                .demands = {.needs = {worker_links}, .denies = {even_links, measured_links}}},
               own.upload);
}

/// Events of the cluster during training.
static void describe_events(Fields& fields, Cluster& cluster) {
  fields.field({.name = "changes",
                .doc = "Bandwidth or latency that changes during the run.",
                .demands = {.needs = {one_gpu_workers}, .denies = {still_network, measured_links}}},
               cluster.changes);
  fields.field({.name = "traces",
                .doc = "Bandwidth and latency over time, from files.",
                .demands = {.needs = {one_gpu_workers}, .denies = {still_network, measured_links}}},
               cluster.traces);
  fields.field({.name = "background",
                .doc = "Background traffic between the hosts of two workers.",
                .demands = {.needs = {one_gpu_workers}, .denies = {still_network, measured_links}}},
               cluster.background);
  fields.field({.name = "failures",
                .doc = "Workers or links that fail.",
                .demands = {.needs = {common_step, one_gpu_workers, one_level},
                            .denies = {no_failures, still_network, measured_links},
                            .offers = {stated_failures, recoveries}}},
               cluster.failures);
  fields.field(
      {.name = "absences",
       .doc = "Workers that leave and return by schedule: a worker ends the step under way, and after "
              "its return downloads the model with the optimizer's states (bytes of "
              "`parallelism.optimizer_bytes`) from another. Where workers take local steps, it takes "
              "part again after the next exchange; its changes since the last one before it left are "
              "lost. With `parallelism.site: node` its whole node leaves.",
       .demands = {.needs = {steps_to_leave_after, whole_states, one_gpu_workers},
                   .denies = {same_workers, still_network, measured_links}}},
      cluster.absences);
  fields.field({.name = "churn",
                .doc = "Workers, or sites, that leave and return by a rate, as with `absences`.",
                .demands = {.needs = {steps_to_leave_after, whole_states, one_gpu_workers},
                            .denies = {same_workers, still_network, measured_links}}},
               cluster.churn);
  fields.field({.name = "on_failure",
                .doc = "Whether training continues with the remaining workers.",
                .fallback = "continue",
                .demands = {.uses = {stated_failures}}},
               cluster.on_failure);
  fields.field({.name = "recovery",
                .doc = "Time until training continues after a failure.",
                .fallback = "0 s",
                .demands = {.uses = {recoveries}}},
               cluster.recovery);
}

void describe(Fields& fields, Cluster& cluster) {
  fields.field({.name = "workers",
                .doc = "Number of workers, each with one device.",
                .bounds = between(1, most_workers),
                .example = "8"},
               cluster.workers);
  fields.field({.name = "workers_per_node",
                .doc = "Workers that share a node; divides the number of workers.",
                .fallback = "1",
                .bounds = between(1, most_workers),
                .demands = {.needs = {shared_hosts}, .denies = {one_worker_per_host}}},
               cluster.workers_per_node);
  fields.field(
      {.name = "device",
       .doc =
           "Device of each worker: a file of scenarios/devices, or a path. A workload whose times "
           "are a roofline has those of this device; the device of other times is compared with it, and so "
           "is NVLink.",
       .example = "v100_sxm2_datasheet",
       .need = Need::optional},
      cluster.device);
  fields.field(
      {.name = "link",
       .doc = "Own link of each worker or node. Its bandwidth is goodput. Its latency is end to end between "
              "two of them on star, inside a rack and inside a site; per hop on fat_tree, torus and "
              "dragonfly. With `nccl` it is the network between nodes, and may be left out: it is then "
              "what the described hardware reaches.",
       .example = "{latency: 1 ms, bandwidth: 10 Gbit/s}",
       .need = Need::optional},
      cluster.link);
  fields.field(
      {.name = "upload",
       .doc = "Bandwidth of own links from the worker or node into the network, where it differs from "
              "that of `link`, which is then the other direction's. On star, racks and wan. A change "
              "or a trace sets both directions, but for one that names a link such as `worker3_UP`.",
       .bounds = above(0),
       .example = "10 Mbit/s",
       .demands = {.needs = {worker_links, one_gpu_workers}, .denies = {even_links, measured_links}}},
      cluster.upload);
  fields.field({.name = "fabric",
                .doc = "The network in place of `link`, by its line rate and the transport that uses it.",
                .example = "{kind: ethernet, rate: 50 Gbit/s, transport: nccl_tcp}"},
               cluster.fabric);
  fields.field({.name = "inner_link",
                .doc = "Link inside a node, with end-to-end latency; needed when workers share nodes, "
                       "unless `nccl` describes them."},
               cluster.inner_link);
  fields.field({.name = "inner_fabric",
                .doc = "The network inside a node in place of `inner_link`.",
                .example = "{kind: nvlink, rate: 300 GB/s, transport: nvlink}"},
               cluster.inner_fabric);
  fields.field(
      {.name = "worker_links",
       .doc = "Workers whose link differs from the rest; whole nodes where workers share them. On star, "
              "racks and wan.",
       .demands = {.needs = {worker_links, one_gpu_workers}}},
      cluster.worker_links);
  fields.field({.name = "speeds",
                .doc = "Relative speed of each worker; without it, all 1.",
                .bounds = between(1e-6, 1e6),
                .example = "[1, 1, 1, 0.5]",
                .demands = {.denies = {speeds_by_cores}}},
               cluster.speeds);
  fields.field({.name = "cores",
                .doc = "Cores of each worker in place of `speeds`: a speed of 1 is the mean of them.",
                .bounds = between(1e-6, 1e6),
                .example = "[4, 11, 24]",
                .demands = {.needs = {speeds_by_cores, one_gpu_workers}, .offers = {stated_cores}}},
               cluster.cores);
  fields.field({.name = "core_exponent",
                .doc = "Speed grows with cores to this power.",
                .fallback = "1",
                .bounds = between(0, 4),
                .demands = {.uses = {stated_cores}}},
               cluster.core_exponent);
  fields.field({.name = "speed_changes",
                .doc = "Speeds or cores that change during the run.",
                .demands = {.needs = {one_gpu_workers}}},
               cluster.speed_changes);
  fields.field({.name = "topology", .doc = "Topology of the network.", .fallback = "star"}, cluster.topology);
  fields.field(
      {.name = "preset",
       .doc = "How SimGrid models a flow: exactly by capacity, or as TCP on a wide or a local network.",
       .fallback = "exact",
       .demands = {.needs = {collectives}, .denies = {measured_links}}},
      cluster.preset);
  fields.field(
      {.name = "collective_times",
       .doc = "File of fits written by `calibrate fit`: with `network: auto`, collectives that it covers "
              "on as many ranks and nodes take the measured time, whatever their algorithm.",
       .example = "collective_times/aws_2x1_socket.yaml",
       .need = Need::optional,
       .demands = {.needs = {measured_links, one_level, one_gpu_workers, whole_collectives},
                   .uses = {some_collectives},
                   .offers = {measured_tables}}},
      cluster.collective_times);
  fields.field(
      {.name = "extrapolate",
       .doc = "Allows `collective_times` to predict sizes more than 100 times above the largest or below "
              "the smallest measured one. Beyond the measured sizes the error shown is the held-out error "
              "times 1 + log2 of the factor.",
       .fallback = "false",
       .demands = {.uses = {measured_tables}}},
      cluster.extrapolate);
  fields.field({.name = "nccl",
                .doc = "The hardware that NCCL runs on: with `network: auto`, collectives without a measured "
                       "time take what NCCL would choose and need, whatever their algorithm; `network: nccl` "
                       "takes it for all. It describes what a node has; `link` is the network between nodes, "
                       "whose delay adds to each hop between them and whose bandwidth counts where the "
                       "interfaces are faster. Changes and background traffic act on its rings and trees as "
                       "flows; `network: simgrid` lets SimGrid share links among them.",
                .demands = {.needs = {even_links}, .denies = {server_links}, .offers = {nccl_hardware}}},
               cluster.nccl);
  describe_events(fields, cluster);
}

std::optional<Problem> problem_of(const LinkChange& change) {
  if (!change.bandwidth && !change.latency) {
    return Problem{
        {}, "the change has neither bandwidth nor latency", "write `bandwidth`, `latency`, or both"};
  }
  if (!change.workers.empty() && !change.links.empty()) {
    return Problem{{},
                   "both `workers` and `links` are given",
                   "write one of them, or neither for every link between nodes"};
  }
  return {};
}

std::optional<Problem> problem_of(const Failure& failure) {
  if (failure.worker.has_value() == failure.link.has_value()) {
    return Problem{
        {},
        failure.worker ? "both `worker` and `link` are given" : "neither `worker` nor `link` is given",
        "write `worker` or `link`"};
  }
  if (failure.worker && failure.until) {
    return Problem{{},
                   "a failed worker does not recover",
                   "leave out `until`, or write it in `cluster.absences`, from where workers return"};
  }
  if (failure.until && *failure.until <= failure.at)
    return Problem{{}, "the failure ends before it starts", "write an `until` after `at`"};
  return {};
}

std::optional<Problem> problem_of(const Absence& absence) {
  if (!absence.until || *absence.until > absence.from) return {};
  return Problem{"until", "the worker returns before it leaves", "write an `until` after `from`"};
}

}  // namespace sim::scenario
