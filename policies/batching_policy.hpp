// The batching role: how many samples each worker takes in the next step.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "netmodels/quantity.hpp"
#include "settings/fields.hpp"

namespace policies {

/// State of one worker before it takes a step.
struct WorkerObservation {
  std::uint32_t worker = 0;  ///< from 0; keeps its number when others are lost
  int samples = 1;           ///< batch size of its last step; before the first one, as the training states
  std::optional<netmodels::Seconds> compute = {};  ///< time of its last step, only the worker's own passes
  double stated_speed = 1;  ///< relative, as the job's description has it: cores, or FLOP/s; above 0
  std::optional<double> arriving = {};  ///< samples per second of its stream; nothing without one
};

/// Everything that a batching policy may see.
struct BatchingObservation {
  std::int64_t step = 0;  ///< from 0
  double epoch = 0;
  std::span<const WorkerObservation> workers;  ///< participating workers, at least one
};

inline constexpr double most_samples = 1e9;  ///< largest batch of one worker

/// The input of every policy that changes batches.
struct BatchChanges {
  int min = 1;                      ///< samples of a worker, at least 1
  std::optional<int> max = {};      ///< likewise; nothing: as many as there are
  netmodels::Seconds restart = {};  ///< training stalls that long for each change

  bool operator==(const BatchChanges&) const = default;
};

void describe(settings::Fields& fields, BatchChanges& changes);
/// @param defaults  what is assumed where nothing is stated, in the text of keys
void describe_changes(settings::Fields& fields, BatchChanges& changes, const BatchChanges& defaults);

/// Keys `every` and `smoothing` of policies that look at measured times.
void describe_looks(settings::Fields& fields, std::int64_t& every, double& smoothing);

/// Samples that a worker may be given.
struct BatchBounds {
  int least = 1;
  std::optional<int> most = {};  ///< upper limit of every worker; nothing: as many as there are
  std::vector<std::optional<int>> most_of_worker = {};  ///< memory limit by worker; may be short

  /// The smaller bound of this worker; nothing where it has none.
  [[nodiscard]] std::optional<int> most_for(std::uint32_t worker) const {
    const auto own = worker < most_of_worker.size() ? most_of_worker[worker] : std::nullopt;
    if (!own || !most) return own ? own : most;
    return *own < *most ? own : most;
  }
};

/// Decides before each step. Holds its own memory and nothing else: no clock, no randomness; a copy forks a
/// what-if.
class BatchingPolicy {
 public:
  virtual ~BatchingPolicy() = default;
  [[nodiscard]] virtual std::unique_ptr<BatchingPolicy> copy() const = 0;
  /// @returns the samples of each worker in the order of `seen.workers`, each at least 1; nothing where all
  ///          stays as it was
  virtual std::optional<std::vector<int>> decide(const BatchingObservation& seen) = 0;
};

}  // namespace policies
