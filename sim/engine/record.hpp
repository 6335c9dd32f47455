// What a played scenario leaves behind: steps, phases, totals, spans of a timeline.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "netmodels/network.hpp"
#include "netmodels/quantity.hpp"

namespace sim::engine {

/// Where the time of a step goes, for the average worker. The parts add up to the step.
struct Parts {
  netmodels::Seconds compute;   ///< its own forward and backward pass, optimizer and host overhead
  netmodels::Seconds wait;      ///< until the slowest worker has computed as much
  netmodels::Seconds compress;  ///< compression and restoring that nothing hides
  netmodels::Seconds exchange;  ///< exchange that nothing hides

  [[nodiscard]] netmodels::Seconds total() const { return compute + wait + compress + exchange; }
  Parts& operator+=(const Parts& other);
};

Parts operator/(const Parts& parts, double divisor);

/// One step of all workers.
struct StepRecord {
  std::int64_t step = 0;     ///< from 0
  double epoch = 0;          ///< from 0
  std::size_t phase = 0;     ///< index into ArmResult::phases
  netmodels::Seconds start;  ///< since the beginning of the training
  netmodels::Seconds duration;
  Parts parts;
  netmodels::Seconds exchange_busy;  ///< the network at work, hidden behind the backward pass or not
  std::optional<netmodels::Bytes>
      sent;  ///< per worker, on average; nothing for printed forms, which have no messages
  std::uint32_t workers = 1;
  std::string_view collective;  ///< that carries the values; empty where nothing is exchanged
  double ratio = 1;             ///< compression ratio, kept / original
};

/// Steps under one state of the declared changes.
struct PhaseResult {
  std::string label;  ///< "from epoch 12: 1 Gbit/s, 1 ms"
  std::int64_t steps = 0;
  netmodels::Seconds time;           ///< of these steps
  Parts parts;                       ///< mean per step
  netmodels::Seconds exchange_busy;  ///< mean per step
  std::optional<netmodels::Bytes>
      sent;  ///< mean per step and worker; nothing where a step used a printed form
  std::optional<netmodels::Bytes> sent_by_all;  ///< by all workers in all these steps
  double samples_per_second = 0;  ///< all workers together, while they step: without probes and recoveries
  double scaling_efficiency = 0;  ///< throughput / (N x throughput of one worker of nominal speed alone);
                                  ///< above 1 only where `speeds` are
  std::map<std::string, std::int64_t> collectives;  ///< steps that used each

  [[nodiscard]] netmodels::Seconds step_time() const {
    return steps == 0 ? netmodels::Seconds{} : time / static_cast<double>(steps);
  }
};

/// Something that happened at a time and that a reader of the result should know.
struct Event {
  netmodels::Seconds at;
  std::string what;  ///< "worker 3 lost; 7 go on after 30 s"
};

/// How often each evaluator answered.
struct EvaluatorCounts {
  std::uint64_t closed = 0;
  std::uint64_t path = 0;
  std::uint64_t simgrid = 0;
  std::uint64_t reused = 0;
  std::uint64_t audited = 0;
};

/// Why a run ended.
enum class Ending { finished, stopped_by_failure, interrupted };

/// One arm, played.
struct ArmResult {
  std::string name;
  PhaseResult whole;                 ///< all steps together
  std::vector<PhaseResult> phases;   ///< one unless the network changes as declared
  netmodels::Seconds time;           ///< of the training, with probes and recoveries
  netmodels::Seconds outside_steps;  ///< probes, lost work and recoveries, part of `time`
  std::vector<Event> events;         ///< the first hundred
  EvaluatorCounts evaluators;
  netmodels::Seconds compute_alone;     ///< a step of one undisturbed worker that exchanges nothing
  std::string compression_time_origin;  ///< "as stated", "floor of V100 ...", "none"
  std::string learner;                  ///< which learner stands behind accuracy figures
  Ending ending = Ending::finished;
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
