// The work of each worker: its model, batch and machine, and its share of both.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "netmodels/quantity.hpp"
#include "netmodels/roofline.hpp"
#include "netmodels/workload.hpp"
#include "policies/batching_row.hpp"
#include "settings/moment.hpp"
#include "sim/scenario/batching.hpp"
#include "sim/scenario/parallelism.hpp"

namespace sim::scenario {

/// Weights of the gradients of workers in their mean.
enum class Weights { by_batch, uniform };

struct Training {
  int batch = 1;  ///< samples per worker and step
  double epochs = 1;
  std::int64_t samples = 1;           ///< samples of the training set
  std::optional<std::int64_t> steps;  ///< overrides epochs
  std::vector<int> batches = {};      ///< of each worker where they differ; empty: all `batch`
  Weights weights = Weights::by_batch;
  int accumulation = 1;  ///< micro-batches that a step's batch is cut into
  int sharers = 1;       ///< workers that compute one batch together, as with tensor parallelism; of graphs
};

/// Samples of one worker's batch.
inline int batch_of(const Training& training, std::uint32_t worker) {
  return training.batches.empty() ? training.batch : training.batches[worker];
}

/// A worker's share of the samples of a step.
inline double own_samples(const Training& training) {
  return static_cast<double>(training.batch) / training.sharers;
}

/// Samples of a step of all workers.
inline std::int64_t samples_of_step(const Training& training, int workers) {
  std::int64_t samples = 0;
  for (int worker = 0; worker < workers; ++worker)
    samples += batch_of(training, static_cast<std::uint32_t>(worker));
  return samples / training.sharers;
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

/// Computation of each worker in a step, and its samples.
struct Work {
  netmodels::Workload workload;
  std::optional<netmodels::Device>
      device;  ///< the workload's, where a file describes it; floors of compression times
  Training training;
  Compute compute;
  policies::BatchingChoice batching;
  std::optional<Streams> streams;
  Parallelism parallelism;
};

}  // namespace sim::scenario
