// A cluster: workers, their links, and what happens to them over time.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "netmodels/link_state.hpp"
#include "netmodels/measured_collective.hpp"
#include "netmodels/nccl/hardware.hpp"
#include "netmodels/quantity.hpp"
#include "settings/moment.hpp"
#include "sim/inputs/device_file.hpp"
#include "sim/scenario/batching.hpp"
#include "sim/scenario/fabric.hpp"
#include "sim/scenario/topologies.hpp"

namespace sim::scenario {

/// Latency and bandwidth as written; either may be left out where only one of them changes.
struct LinkChange {
  Moment at;
  std::optional<netmodels::Bandwidth> bandwidth;
  std::optional<netmodels::Seconds> latency;
  std::vector<int> workers;  ///< whose own links change, a shared one for the whole node (star, racks, wan)
  std::vector<std::string> links;  ///< names of links as `sim explain` prints them; both empty: the own links
                                   ///< of all workers, or every link of a topology in which workers have none

  bool operator==(const LinkChange&) const = default;
};

/// Bandwidth and latency over time from a file, for the own links of all workers or of some.
struct LinkTrace {
  std::string file;  ///< as found; `points` holds its contents
  struct Point {
    netmodels::Seconds at;
    std::optional<netmodels::Bandwidth> bandwidth;
    std::optional<netmodels::Seconds> latency;

    bool operator==(const Point&) const = default;
  };
  std::vector<Point> points;                 ///< in order of time
  std::optional<netmodels::Seconds> period;  ///< starts over after this long
  std::vector<int> workers;  ///< empty: all workers, or every link where workers have no own links

  bool operator==(const LinkTrace&) const = default;
};

/// Somebody else's traffic between the hosts of two workers.
struct BackgroundTraffic {
  int from = 0;
  int to = 0;
  std::optional<netmodels::Bandwidth> rate;  ///< constant (non-adaptive); nothing: takes its fair share
  netmodels::Seconds start;
  std::optional<netmodels::Seconds> end;
  std::optional<netmodels::Seconds> period;  ///< repeats [start, end) with this period

  bool operator==(const BackgroundTraffic&) const = default;
};

/// Something breaks.
struct Failure {
  std::optional<int> worker;        ///< a worker lost for good ...
  std::optional<std::string> link;  ///< ... or a link that is down until `until`
  netmodels::Seconds at;
  std::optional<netmodels::Seconds> until;

  bool operator==(const Failure&) const = default;
};

enum class OnFailure { go_on, stop };

/// A worker leaves in an orderly way: it ends the step under way, and none is lost.
struct Absence {
  int worker = 0;
  netmodels::Seconds from;
  std::optional<netmodels::Seconds> until;  ///< returns then; nothing: never

  bool operator==(const Absence&) const = default;
};

/// Workers leave and return by a rate.
struct Churn {
  netmodels::Seconds stay;   ///< mean time that a worker takes part, above 0
  netmodels::Seconds away;   ///< mean time that it is away, above 0
  std::vector<int> workers;  ///< who leaves; empty: all do

  bool operator==(const Churn&) const = default;
};

/// Workers whose link differs from the rest; all workers of a node where they share one.
struct WorkerLink {
  std::vector<int> workers;
  netmodels::LinkState link;
  std::optional<netmodels::Bandwidth> upload = {};  ///< from the worker; nothing: as `link`

  bool operator==(const WorkerLink&) const = default;
};

enum class NetworkPreset { exact, tcp_wan, tcp_lv08 };

/// Of the latency of a cluster's links, what the hops of NCCL contain: all of it where the link follows from
/// `nccl`, or the latency is that of a transport; nothing where it is stated.
struct HopLatency {
  netmodels::Seconds link = {};
  netmodels::Seconds inner_link = {};

  bool operator==(const HopLatency&) const = default;
};

struct Cluster {
  int workers = 1;
  int workers_per_node = 1;
  std::string device;         ///< of each worker, a file of devices; empty: not stated
  netmodels::LinkState link;  ///< own link of each worker or node. Latency: end to end between two of them
                              ///< on star, in a rack and in a site; per hop on fat-tree, torus, dragonfly
  std::optional<netmodels::Bandwidth> upload;      ///< of own links, from the worker; nothing: as `link`
  std::optional<netmodels::LinkState> inner_link;  ///< inside a node, when workers_per_node > 1
  std::vector<WorkerLink> worker_links;
  std::vector<double> speeds;  ///< relative speed per worker; empty: all 1
  std::vector<double>
      cores;                 ///< stated in place of speeds; `speeds` follow from them once a scenario is read
  double core_exponent = 1;  ///< speed is (cores / mean cores) to this power
  std::vector<SpeedChange> speed_changes;
  TopologyChoice topology;
  NetworkPreset preset = NetworkPreset::exact;
  std::string collective_times;  ///< file of fits as found, empty: none; `measured` holds its contents
  std::vector<netmodels::MeasuredCollective> measured;
  bool extrapolate = false;                       ///< allows `measured` times far beyond the measured sizes
  std::optional<netmodels::nccl::Hardware> nccl;  ///< by which NCCL's choices and times are computed
  HopLatency in_hops;                             ///< for `nccl`
  std::vector<LinkChange> changes;
  std::vector<LinkTrace> traces;
  std::vector<BackgroundTraffic> background;
  std::vector<Failure> failures;
  std::vector<Absence> absences;
  std::optional<Churn> churn;
  OnFailure on_failure = OnFailure::go_on;
  netmodels::Seconds recovery;                  ///< until training resumes after a failure
  std::optional<Fabric> fabric;                 ///< stated in place of `link`, which then follows from it
  std::optional<Fabric> inner_fabric;           ///< stated in place of `inner_link`
  std::optional<FabricRange> link_range;        ///< of `fabric`
  std::optional<FabricRange> inner_link_range;  ///< of `inner_fabric`
  std::optional<FabricRange> tcp_at_line_rate;  ///< where `link` is stated with a line rate of Ethernet

  /// Whether workers leave and return in an orderly way.
  [[nodiscard]] bool workers_come_and_go() const { return !absences.empty() || churn.has_value(); }

  bool operator==(const Cluster&) const = default;
};

/// Hardware as a file states it, where a run takes something else that follows from it.
struct Stated {
  std::optional<Cluster> cluster = {};            ///< all GPUs, where one of each replica is simulated
  std::optional<inputs::DeviceKeys> device = {};  ///< device that `cluster.device` names
};

}  // namespace sim::scenario
