// The record of a simulated scenario: steps, phases, totals, spans of a timeline.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "netmodels/network.hpp"
#include "netmodels/quantity.hpp"
#include "netmodels/step_graph.hpp"
#include "sim/engine/reason.hpp"
#include "sim/scenario/compression.hpp"
#include "sim/scenario/moments.hpp"

namespace learning::learners {
struct Record;
}

namespace sim::engine {

using netmodels::Parts;

/// What the workers exchange at the end of a step.
enum class Traffic {
  gradients,   ///< compressed as the scenario says, during the backward pass where it allows that
  parameters,  ///< the whole model as it is, or its change compressed as the scenario says, after the
               ///< optimizer's own step
  nothing,     ///< a local step
};

/// "gradients", "parameters", "nothing".
std::string_view to_string(Traffic traffic);

/// A test of the model.
struct Evaluated {
  std::int64_t steps = 0;  ///< that were made
  double epoch = 0;        ///< that was reached
  netmodels::Seconds at;   ///< since the beginning of the training; the test itself takes no time
  std::optional<netmodels::Bytes>
      sent_by_all;             ///< until then; nothing where a closed form without a schedule was used
  std::optional<double> loss;  ///< mean cross-entropy on the test set, nats
  double accuracy = 0;         ///< share of the test set, in [0, 1]
};

/// One step as the learner saw it.
struct LearningStep {
  std::optional<double> loss;               ///< mean over the samples of all batches
  double squared_norm = 0;                  ///< mean over the workers of ||g||^2
  std::optional<double> mean_squared_norm;  ///< ||mean of the messages||^2
  std::optional<double> gain;               ///< sum ||g_c||^2 / sum ||g_e||^2
  std::optional<double> noise_scale;        ///< samples
  std::optional<Evaluated> evaluated;       ///< after this step
};

/// The results of learning in a run.
struct LearningResult {
  std::vector<Evaluated> curve;     ///< every test, in order
  std::optional<Evaluated> target;  ///< the first test that reached the scenario's target
  std::optional<double> best_accuracy;
  std::optional<double> best_loss;      ///< least of the tests, nats; where it is known
  std::optional<double> last_accuracy;  ///< mean of the last five tests, or of as many as there are
  std::optional<netmodels::Seconds> unknown_since;           ///< from then on accuracy is unknown
  std::optional<double> mean_gain;                           ///< over the steps that sent gradients
  std::optional<double> noise_scale;                         ///< samples, at the end
  std::shared_ptr<const learning::learners::Record> record;  ///< null where nothing was to be recorded
};

/// Samples that streams brought and no batch has taken, after a step.
struct BufferState {
  double samples = 0;      ///< of all devices
  double fullest = 0;      ///< of the device that has most
  netmodels::Bytes bytes;  ///< of all devices
  double streamed = 0;     ///< samples that have arrived since the beginning, on all devices
};

/// One step of all workers.
struct StepRecord {
  std::int64_t step = 0;     ///< from 0
  double epoch = 0;          ///< from 0
  std::size_t phase = 0;     ///< index into ArmResult::phases
  netmodels::Seconds start;  ///< since the beginning of the training
  netmodels::Seconds duration;
  Parts parts;
  netmodels::Seconds exchange_busy;  ///< the network at work, hidden by the backward pass or not
  std::optional<netmodels::Bytes>
      sent;  ///< per worker, on average; nothing for closed forms without a schedule
  std::uint32_t workers = 1;
  std::string_view collective;  ///< that carries the values; empty where nothing is exchanged
  double ratio = 1;             ///< compression ratio, kept / original
  std::string_view method;      ///< of compression; empty where neither gradients nor changes are sent
  Traffic traffic = Traffic::gradients;
  std::int64_t staleness = 0;  ///< steps of others between this worker's pull and its push, largest so far;
                               ///< 0 where all wait for each other
  std::optional<LearningStep> learning;                ///< nothing without a learner
  std::int64_t samples = 0;                            ///< of all workers' batches
  std::optional<BufferState> buffer = {};              ///< nothing without streams
  netmodels::Seconds margin = {};                      ///< of `duration`, up and down: see StepTimes
  std::optional<netmodels::Bytes> between_nodes = {};  ///< of `sent`, to other nodes; nothing too where nodes
                                                       ///< have one worker, or flags or a server are used
  std::optional<netmodels::LinkState> network =
      {};  ///< as the step begins, between neighbouring workers: smallest bandwidth, largest latency; nothing
           ///< where there is no listener or a single worker
};

/// Steps under one state of the declared changes.
struct PhaseResult {
  std::string label;  ///< "from epoch 12: 1 Gbit/s, 1 ms"
  std::int64_t steps = 0;
  netmodels::Seconds time;           ///< of these steps
  Parts parts;                       ///< mean per step
  netmodels::Seconds exchange_busy;  ///< mean per step
  std::optional<netmodels::Bytes>
      sent;  ///< mean per step and worker; nothing where a step used a closed form without a schedule
  std::optional<netmodels::Bytes> sent_by_all;    ///< by all workers in all these steps
  std::optional<netmodels::Bytes> between_nodes;  ///< of `sent`, as in StepRecord
  double samples_per_second = 0;  ///< all workers together, while they step: without probes and recoveries
  double scaling_efficiency = 0;  ///< throughput / (N x throughput of a single worker of nominal speed);
                                  ///< above 1 only where `speeds` are
  std::map<std::string, std::int64_t> collectives;  ///< steps that used each
  std::map<std::string, std::int64_t> methods;      ///< of compression, likewise; dense is none
  std::map<double, std::int64_t> ratios;            ///< likewise, by compression ratio to three digits
  double mean_ratio = 1;                            ///< over the steps that sent gradients or changes
  netmodels::Seconds margin;                        ///< mean per step: see StepTimes

  [[nodiscard]] netmodels::Seconds step_time() const {
    return steps == 0 ? netmodels::Seconds{} : time / static_cast<double>(steps);
  }
};

/// Something that happened at a time and that a reader of the result should know.
struct Event {
  netmodels::Seconds at;
  Reason what;
};

/// How often each evaluator answered.
struct EvaluatorCounts {
  std::uint64_t closed = 0;
  std::uint64_t path = 0;
  std::uint64_t simgrid = 0;
  std::uint64_t reused = 0;
  std::uint64_t audited = 0;
  std::uint64_t measured = 0;         ///< taken from measured times
  std::uint64_t beyond_measured = 0;  ///< of these: smaller or larger than all sizes that were measured
  std::uint64_t nccl = 0;             ///< as NCCL would choose on the described hardware

  EvaluatorCounts& operator+=(const EvaluatorCounts& other) {
    closed += other.closed;
    path += other.path;
    simgrid += other.simgrid;
    reused += other.reused;
    audited += other.audited;
    measured += other.measured;
    beyond_measured += other.beyond_measured;
    nccl += other.nccl;
    return *this;
  }
};

/// Merges of the models of workers at their own pace, in a whole run.
struct MergingResult {
  std::int64_t merges = 0;
  double workers = 0;                 ///< whose messages a merge had, on average
  std::optional<double> steps_apart;  ///< of a worker, between two merges of the same values, on average;
                                      ///< nothing without a merge
  std::int64_t late = 0;              ///< messages that came after their merge
};

/// Why a run ended.
enum class Ending {
  finished,
  stopped_by_failure,
  diverged,  ///< the loss of a training batch became NaN
  interrupted
};

/// The result of one arm.
struct ArmResult {
  std::string name;
  PhaseResult whole;                 ///< all steps together
  std::vector<PhaseResult> phases;   ///< one unless the network changes as declared
  netmodels::Seconds time;           ///< of the training, with probes and recoveries
  netmodels::Seconds outside_steps;  ///< probes, lost work and recoveries, part of `time`
  std::vector<Event> events;         ///< the first hundred
  EvaluatorCounts evaluators;
  netmodels::Seconds compute_alone;         ///< a step of one undisturbed worker that exchanges nothing
  scenario::CostLevel compression_level{};  ///< of the least known method that was sent
  std::string learner;                      ///< the learner that accuracy figures come from
  std::optional<LearningResult> learning;   ///< nothing without a learner
  std::int64_t local_steps = 0;             ///< that ended without an exchange
  std::optional<MergingResult> merging;     ///< nothing where no server merges models
  std::int64_t experiment_steps = 0;        ///< that a policy made to learn and undid; their time is outside
  Ending ending = Ending::finished;
  std::vector<scenario::StatedMoment> unreached = {};  ///< moments after the end of the run
  std::int64_t batch_changes = 0;                      ///< by a policy, once training had begun
  std::vector<int> batches;                            ///< of each worker in the end
  std::optional<BufferState> buffer;                   ///< in the end; nothing without streams
  std::optional<netmodels::Bytes> streamed;            ///< that arrived in all; likewise
};

/// A bar of the timeline.
struct Span {
  int worker;             ///< from 0
  std::string_view lane;  ///< compute, exchange
  std::string name;       ///< forward, backward, bucket 2: ring_allreduce
  netmodels::Seconds start;
  netmodels::Seconds duration;
  std::int64_t step;
};

}  // namespace sim::engine
