// The answer how to share the states of a model among workers: candidates that fit, by time.
#pragma once

#include <atomic>
#include <optional>
#include <string>
#include <vector>

#include "command_line/output_format.hpp"
#include "netmodels/step_graph.hpp"
#include "netmodels/training_memory.hpp"
#include "sim/scenario/sharding_question.hpp"

namespace sim::advise {

/// A candidate that fits, with a step of it on the undisturbed network.
struct AdvisedSharding {
  const scenario::ShardingCandidate* candidate = nullptr;
  netmodels::Seconds step;
  netmodels::Parts parts;
  netmodels::WorkerMemory memory;
  netmodels::Seconds time;                 ///< of the training
  std::optional<netmodels::Dollars> cost;  ///< nothing without a price
  bool bound = false;  ///< compressing takes a least time or longer, so that the step does
};

struct AdvisedShardings {
  const scenario::ShardingQuestion* question = nullptr;  ///< outlives it
  std::vector<AdvisedSharding> ranked;                   ///< the shortest time first
  std::vector<const scenario::ShardingCandidate*> refused;
  std::size_t best_known = 0;  ///< of `ranked`: the first whose step is not a bound; its size where none is
  std::size_t unfinished = 0;  ///< candidates that were not simulated when it was interrupted
};

/// Simulates a step of each candidate. Time and cost rank alike, as all candidates run on the same workers.
/// @param stop  ends it before the next candidate when true; may be null
/// @returns an Error where a candidate that was read cannot be simulated
netmodels::Result<AdvisedShardings> advise_shardings(const scenario::ShardingQuestion& question,
                                                     const std::atomic<bool>* stop = nullptr);

/// One row per candidate: those that fit by rank, then the others with their reasons.
command_line::Table sharding_table(const AdvisedShardings& advised);

/// @param advised  outlives the document
/// @param file     as named on the command line
/// @param width    of lines of tables; `npos`: as long as they are
command_line::Document sharding_document(const AdvisedShardings& advised, const std::string& file,
                                         std::size_t width = std::string::npos);

}  // namespace sim::advise
