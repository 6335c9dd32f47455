// A scenario as the engine receives it: checked values, no text, no positions left.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "netmodels/measured_collective.hpp"
#include "netmodels/nccl/hardware.hpp"
#include "netmodels/quantity.hpp"
#include "netmodels/roofline.hpp"
#include "netmodels/workload.hpp"
#include "policies/batching_row.hpp"
#include "policies/synchronisation_row.hpp"
#include "settings/moment.hpp"
#include "sim/inputs/device_file.hpp"
#include "sim/scenario/availability.hpp"
#include "sim/scenario/batching.hpp"
#include "sim/scenario/compression.hpp"
#include "sim/scenario/fabric.hpp"
#include "sim/scenario/learner.hpp"
#include "sim/scenario/parallelism.hpp"
#include "sim/scenario/topologies.hpp"
#include "sim/scenario/uncertain_input.hpp"

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

/// Of workers' gradients in their mean.
enum class Weights { by_batch, uniform };

struct Training {
  int batch = 1;  ///< samples per worker and step
  double epochs = 1;
  std::int64_t samples = 1;           ///< in the training set
  std::optional<std::int64_t> steps;  ///< overrides epochs
  std::vector<int> batches = {};      ///< of each worker where they differ; empty: all `batch`
  Weights weights = Weights::by_batch;
  int accumulation = 1;  ///< micro-batches that a step's batch is cut into
};

/// Samples of one worker's batch.
inline int batch_of(const Training& training, std::uint32_t worker) {
  return training.batches.empty() ? training.batch : training.batches[worker];
}

enum class JitterKind { none, lognormal, exponential };

/// Random slow-down of each worker in each step; mean factor 1 for log-normal, 1 + scale for exponential.
struct Jitter {
  JitterKind kind = JitterKind::none;
  double sigma = 0;  ///< of the logarithm, for log-normal
  double scale = 0;  ///< mean of the added share, for exponential

  bool operator==(const Jitter&) const = default;
};

/// A worker computes slower by `factor` (above 1) for a while.
struct Slowdown {
  int worker = 0;
  netmodels::Seconds at;
  std::optional<netmodels::Seconds> until;
  double factor = 1;

  bool operator==(const Slowdown&) const = default;
};

struct Compute {
  Jitter jitter;
  std::vector<Slowdown> slowdowns;
  std::vector<BatchLimits> batch_limits;
  std::optional<netmodels::Seconds> host_overhead;  ///< stated in place of the workload's, which it replaces

  bool operator==(const Compute&) const = default;
};

/// What models or changes are exchanged through, in place of a collective.
enum class ThroughKind {
  server,       ///< takes one from each, and gives each the mean
  object_store  ///< keeps one of each, and each fetches those of all others
};

struct Through {
  ThroughKind kind = ThroughKind::server;
  netmodels::LinkState link;  ///< its own; workers' links are those of the cluster

  bool operator==(const Through&) const = default;
};

struct Exchange {
  std::optional<Through> through;        ///< of models and changes; nothing: a collective
  std::string collective = "auto";       ///< a row of the collectives, or auto
  std::optional<std::string> library;    ///< whose defaults are taken; nothing: of none
  std::optional<std::string> execution;  ///< a row of the execution models; nothing: see execution_of
  std::optional<bool> overlap;           ///< with the backward pass; nothing: as the execution model
  double overlap_slowdown = 0;           ///< extra compute time while both run, a share of it
  std::string overlap_slowdown_origin;   ///< what measured it; empty: stated, or 0 by default
  double overlap_slowdown_most = 0;  ///< that it may be, from 0 on, where it is predicted; 0: not predicted
  std::optional<netmodels::Bytes> first_bucket;  ///< 0: the whole gradient at once; nothing: as the model
  std::optional<netmodels::Bytes> bucket;        ///< likewise
  std::optional<bool> broadcast_buffers;         ///< before the forward pass; nothing: as the model
  int chunks = 16;                               ///< of pipelined collectives, 1 to 4096
  double hysteresis = 0;                         ///< a new collective must be better by this share, in [0, 1)
  std::vector<std::string> among;                ///< for auto: only these, where any of them fits; empty: all
  netmodels::Seconds switch_cost;                ///< training stalls that long when the collective changes
};

/// How a policy observes the network.
struct Probe {
  netmodels::Seconds interval;
  double noise = 0;         ///< standard deviation of a reading, relative
  netmodels::Seconds cost;  ///< training stalls that long for each probe
  bool oracle = false;      ///< the policy sees the true values at every step
};

enum class Evaluator { automatic, closed, path, simgrid, nccl };

/// Workers drawn in timeline.json: those of the first node and one of each other speed, or all.
enum class TimelineWorkers { brief, full };

struct Output {
  std::int64_t steps_every = 1;     ///< a row of steps.csv for each so many steps
  std::int64_t timeline_steps = 3;  ///< steps drawn in timeline.json
  TimelineWorkers timeline = TimelineWorkers::brief;
};

/// Which uncertain inputs are drawn: those that the scenario states a range for, or also those whose range
/// was published or measured with them.
enum class DrawnInputs { all, stated };

/// Runs with other values of the uncertain inputs.
struct Uncertainty {
  int samples = 200;
  std::uint64_t seed = 1;  ///< of the draws
  DrawnInputs inputs = DrawnInputs::all;

  bool operator==(const Uncertainty&) const = default;
};

/// Hardware as a file states it, where a run takes something else that follows from it.
struct Stated {
  std::optional<Cluster> cluster = {};            ///< all GPUs, where one of each replica is simulated
  std::optional<inputs::DeviceKeys> device = {};  ///< device that `cluster.device` names
};

/// Everything one arm needs.
struct Scenario {
  std::string name;
  netmodels::Workload workload;
  std::optional<netmodels::Device>
      device;       ///< the workload's, where a file describes it; floors of compression times
  Cluster cluster;  ///< of replicas on several GPUs: the data-parallel group of one of them
  std::shared_ptr<const Stated> stated = std::make_shared<const Stated>();  ///< never null
  Training training;
  policies::SynchronisationChoice synchronisation;
  Learner learner;
  Compute compute;
  policies::BatchingChoice batching;
  std::optional<Streams> streams;
  Compression compression;
  Exchange exchange;
  Parallelism parallelism;
  std::optional<Availability> availability = {};  ///< of whole runs; nothing: nothing fails unless stated
  Probe probe;
  Evaluator evaluator = Evaluator::automatic;
  double audit = 0;  ///< share of evaluations repeated by SimGrid
  Output output;
  std::uint64_t seed = 1;
  int seeds = 1;  ///< how many are run, counted up from `seed`; of all arms the largest counts
  std::optional<Uncertainty> uncertainty;  ///< nothing: uncertain inputs have their stated values
};

/// How a published figure was used.
enum class FigureRole {
  predicted,  ///< nothing of the scenario was taken from it
  fitted,     ///< a value of the scenario was chosen so that ours meets it
  input,      ///< a value of the scenario is this figure
};

constexpr auto names_of(FigureRole) {
  return std::to_array<settings::Named<FigureRole>>(
      {{"predicted", FigureRole::predicted}, {"fitted", FigureRole::fitted}, {"input", FigureRole::input}});
}

/// A published or measured figure that a result is compared with.
struct Expectation {
  std::string arm;
  std::string metric;                ///< a row of `metrics`
  std::optional<std::string> of;     ///< the whole of a share, where the metric asks for it
  std::optional<std::string> over;   ///< the figure is divided by that of this arm: a plain number
  std::optional<std::string> phase;  ///< nothing: the whole run
  std::optional<double> value;       ///< base units; nothing where only a bound was published
  std::optional<double> within;      ///< relative; nothing: shown, not judged
  std::optional<double> at_least;    ///< base units
  std::optional<double> at_most;     ///< base units
  FigureRole role = FigureRole::predicted;
  bool judged = true;                 ///< false: bounds are shown, but do not count
  std::optional<std::string> reason;  ///< why it is not judged
  std::string source;
  std::string where;  ///< file:line:column
};

/// A bound on the mean of |ours - theirs| / theirs over the expectations of all arms that match.
struct MeanErrorBound {
  std::string arms;  ///< a pattern; `*` matches any text
  std::string metric;
  double within = 0;
  std::string where;
};

/// For each combination of the other axes: the arm with the smallest figure must be the same in ours and
/// theirs.
struct BestAlongAxis {
  std::string axis;  ///< a name under `axes`
  std::string metric;
  int at_least = 0;  ///< combinations in which it must be right
  std::string where;
};

/// One file: the question, the arms to compare, and published figures.
struct Study {
  std::string question;        ///< the comment on line 1
  std::vector<Scenario> arms;  ///< at least one; `name` is the arm
  std::vector<std::string>
      axes;  ///< when the arms are a product: names of the axes; arm names are joined by `/`
  std::vector<Expectation> expectations;
  std::vector<MeanErrorBound> mean_errors;
  std::vector<BestAlongAxis> best_along;
  std::vector<std::string> warnings;      ///< warnings
  std::vector<UncertainInput> uncertain;  ///< quantities that are stated with a range
};

}  // namespace sim::scenario
