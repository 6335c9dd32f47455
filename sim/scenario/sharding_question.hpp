// Reads the question how to share the states of a model among workers, and its candidates.
#pragma once

#include <filesystem>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "netmodels/result.hpp"
#include "policies/rental.hpp"
#include "sim/scenario/policy_advice.hpp"
#include "sim/scenario/scenario.hpp"

namespace sim::scenario {

/// One way to train a model on the cluster, with the same samples in a step as every other.
struct ShardingCandidate {
  std::string sharding;              ///< "ddp", "fsdp"
  std::string compression;           ///< "none", "bf16", "hpz"
  int micro_batch = 1;               ///< samples of a worker at a time
  int accumulation = 1;              ///< micro-batches of a step
  std::optional<Scenario> scenario;  ///< nothing where it is refused
  std::string refused;               ///< why, with figures

  [[nodiscard]] bool compresses() const { return compression != kernels::Method().name(); }
};

/// One file for `sim advise`.
struct ShardingQuestion {
  std::string question;
  PolicyAdvice advice;
  std::vector<ShardingCandidate> candidates;
  std::optional<policies::Rental> rental;  ///< by worker; nothing without a price
  std::vector<std::string> warnings;
};

/// Whether a file shares the states of its model (`parallelism.data`), or has `advice.parallelism` or
/// `advice.accumulations`.
bool asks_about_sharding(const std::filesystem::path& file, std::span<const std::string> settings,
                         const std::filesystem::path& data_dir);

/// All candidates: those of `advice.parallelism`, else every kind of sharding with what goes with it, times
/// `advice.accumulations`, else the powers of two that divide `training.batch`.
/// @returns the question, or an Error where nothing could be asked of any candidate: a model without blocks,
/// one worker, replicas of several GPUs, keys of `advice` about policies, several trainings, a stated method
/// of compression, micro-batches that do not divide the batch
netmodels::Result<ShardingQuestion> read_sharding_question(const std::filesystem::path& file,
                                                           std::span<const std::string> settings,
                                                           const std::filesystem::path& data_dir);

}  // namespace sim::scenario
