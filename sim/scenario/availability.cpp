// The keys of `availability`, and the expected time of a run.
#include "sim/scenario/availability.hpp"

#include <cmath>

#include <fmt/format.h>

#include "policies/rental.hpp"
#include "settings/type.hpp"
#include "sim/scenario/scenario.hpp"

namespace sim::scenario {

using netmodels::Seconds;

void describe(settings::Fields& fields, Checkpoint& checkpoint) {
  fields.field({.name = "write",
                .doc = "How long training waits for each checkpoint.",
                .bounds = settings::above(0),
                .example = "2 min"},
               checkpoint.write);
  fields.field({.name = "every",
                .doc = "Training time between two checkpoints. Default: Daly's interval.",
                .bounds = settings::above(0),
                .example = "30 min"},
               checkpoint.every);
}

void describe(settings::Fields& fields, Availability& availability) {
  fields.field({.name = "mtbf",
                .doc = "Mean time between failures of one node; with more nodes they are as many times more "
                       "frequent.",
                .bounds = settings::above(0),
                .example = "2000 h"},
               availability.mtbf);
  fields.field({.name = "checkpoint",
                .doc = "How the states of the training are kept. Without it, a failure costs all that was "
                       "trained.",
                .example = "{write: 2 min, every: 30 min}"},
               availability.checkpoint);
}

int nodes_of(const Cluster& cluster) {
  return (cluster.workers + cluster.workers_per_node - 1) / cluster.workers_per_node;
}

namespace {

policies::Rental machine_of(const Availability& stated, const Cluster& cluster) {
  return {.interruptions = policies::Frequency{1 / stated.mtbf.count},
          .restore = cluster.recovery,
          .write = stated.checkpoint ? stated.checkpoint->write : Seconds{}};
}

std::string time_text(Seconds time) {
  constexpr int digits = 3;
  return std::isfinite(time.count) ? netmodels::print(time, digits) : "without end";
}

}  // namespace

RunWithFailures run_with_failures(const Availability& availability, const Cluster& cluster, Seconds run) {
  const int nodes = nodes_of(cluster);
  policies::Rental machine = machine_of(availability, cluster);
  RunWithFailures result{.expected = {},
                         .between_failures = availability.mtbf / static_cast<double>(nodes),
                         .young = machine.young_interval(nodes),
                         .daly = machine.daly_interval(nodes)};
  const auto expected_with = [&](Seconds every) {
    machine.checkpoint_every = every;
    return machine.expected_time(run, nodes);
  };
  if (!availability.checkpoint) {
    result.expected = expected_with(run);
    return result;
  }
  result.expected_by_daly = expected_with(*result.daly);
  result.every = availability.checkpoint->every.value_or(*result.daly);
  result.expected = expected_with(*result.every);
  return result;
}

std::string describe_availability(const Availability& availability, const Cluster& cluster, Seconds run) {
  const RunWithFailures result = run_with_failures(availability, cluster, run);
  const std::string text =
      fmt::format("the whole run takes {} in place of {}: a failure every {}", time_text(result.expected),
                  time_text(run), time_text(result.between_failures));
  if (!result.every) return text + ", and no checkpoint";
  return text + fmt::format(", a checkpoint of {} every {} (Young: {}; Daly: {}, with which it is {})",
                            time_text(availability.checkpoint->write), time_text(*result.every),
                            time_text(*result.young), time_text(*result.daly),
                            time_text(*result.expected_by_daly));
}

}  // namespace sim::scenario
