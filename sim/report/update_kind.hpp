// Arms that change the model alike, so that their times alone decide between them.
#pragma once

#include <cstdint>
#include <vector>

#include "sim/report/comparison.hpp"

namespace sim::report {

/// How the updates of an arm differ from those of synchronous SGD.
enum class UpdateKind : std::uint8_t {
  exact,         ///< every step applies the mean of the gradients of all workers
  approximated,  ///< every step applies gradients that lost something on their way
  other  ///< not every step applies gradients of all workers: local steps, models, workers at own pace
};

UpdateKind update_kind(const policies::SynchronisationChoice& synchronisation,
                       const scenario::Compression& compression, const scenario::Parallelism& parallelism);

/// Whether both arms change the model alike: their updates are of one kind, learner, and number of samples
/// per step, and where they are not exact, of the same compression, execution and synchronisation. Then they
/// learn alike per sample.
bool same_update(const Candidate& one, const Candidate& other);

/// The arms of a comparison, each list the fastest per sample first.
struct ByUpdate {
  /// Arms of one update, between which time decides: the exact one of the fewest samples per step, which
  /// learns at least as well per sample as all others; without exact arms the update of all. Empty where
  /// there is no such update.
  std::vector<Candidate> leading;
  std::vector<Candidate> others;  ///< faster or not, they may learn worse per sample
};

ByUpdate by_update(const Comparison& comparison);

}  // namespace sim::report
