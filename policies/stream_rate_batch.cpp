// Rates of streams made into samples.
#include "policies/stream_rate_batch.hpp"

#include <algorithm>

#include "policies/batch_split.hpp"

namespace policies {

std::optional<std::vector<int>> StreamRateBatch::decide(const BatchingObservation& seen) {
  const auto wanted = [&](const WorkerObservation& one) {
    return one.arriving ? bounded_batch(*one.arriving, one.worker, bounds_) : one.samples;
  };
  if (std::ranges::all_of(seen.workers, [&](const auto& one) { return wanted(one) == one.samples; }))
    return std::nullopt;
  std::vector<int> samples;
  for (const WorkerObservation& one : seen.workers) samples.push_back(wanted(one));
  return samples;
}

void describe(settings::Fields& fields, StreamRateBatch::Settings& settings) {
  describe_changes(fields, settings.changes, StreamRateBatch::Settings{}.changes);
}

}  // namespace policies
