// Failures and checkpoints of a long training in closed form: `availability`.
#pragma once

#include <optional>
#include <string>
#include <type_traits>

#include "netmodels/quantity.hpp"
#include "settings/fields.hpp"

namespace sim::scenario {

struct Cluster;

/// How the states of a training are kept.
struct Checkpoint {
  netmodels::Seconds write;                      ///< training waits so long for each; above 0
  std::optional<netmodels::Seconds> every = {};  ///< of training between two; nothing: Daly's interval

  bool operator==(const Checkpoint&) const = default;
};

/// The settings of `availability`.
struct Availability {
  netmodels::Seconds mtbf;                    ///< mean time between failures of one node, above 0
  std::optional<Checkpoint> checkpoint = {};  ///< nothing: a failure costs all that was trained

  bool operator==(const Availability&) const = default;
};

/// Machines that a cluster has.
int nodes_of(const Cluster& cluster);

void describe(settings::Fields& fields, Checkpoint& value);
void describe(settings::Fields& fields, Availability& value);

/// A whole run with the failures that `availability` leads to expect.
struct RunWithFailures {
  netmodels::Seconds expected;  ///< time of the run with checkpoints, lost work and recoveries; may be inf
  netmodels::Seconds between_failures;                   ///< mean, of all nodes together
  std::optional<netmodels::Seconds> every = {};          ///< between checkpoints; nothing: there are none
  std::optional<netmodels::Seconds> young = {};          ///< Young's interval
  std::optional<netmodels::Seconds> daly = {};           ///< Daly's interval
  std::optional<netmodels::Seconds> expected_by_daly{};  ///< time of the run with Daly's interval
};

/// By `policies::Rental::expected_time`: failures without memory, each of which sends all nodes back to the
/// last checkpoint and takes `cluster.recovery` besides.
/// @param cluster  all GPUs
/// @param run      time of the whole training without failures, above 0
RunWithFailures run_with_failures(const Availability& availability, const Cluster& cluster,
                                  netmodels::Seconds run);

/// "58.2 h in place of 49 h: a failure every 3.1 h, a checkpoint of 2 min every 30 min (Young: 27 min, Daly:
/// 26.4 min, with which it is 58.1 h)".
std::string describe_availability(const Availability& availability, const Cluster& cluster,
                                  netmodels::Seconds run);

}  // namespace sim::scenario
