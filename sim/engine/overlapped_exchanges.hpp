// Exchanges of models that overlap later steps, and the waits for them.
#pragma once

#include <cstdint>
#include <deque>
#include <optional>

#include "netmodels/quantity.hpp"
#include "policies/synchronisation_row.hpp"
#include "sim/engine/run_state.hpp"
#include "sim/engine/step_simulator.hpp"

namespace sim::engine {

/// Sent one after another; a training may have none.
class OverlappedExchanges {
 public:
  explicit OverlappedExchanges(const policies::SynchronisationChoice& stated)
      : period_(period_of(stated)), streaming_(streaming_of(stated)) {}

  /// A simulated step waits for the exchanges that are due with it instead of its own, and the last step of a
  /// training for what later steps would not have hidden of the others.
  /// @param traffic  of the step
  void charge(StepSimulator& simulator, const RunState& state, Traffic traffic);

 private:
  struct UnderWay {
    std::int64_t due;  ///< the step that waits for it
    netmodels::Seconds arrives;
  };

  /// As much as a training that went on would: the mean step of a short one is that of a long one. An
  /// exchange overlaps no more steps than there are to the next one (see `overlap_room`).
  void wait_for_the_rest(StepSimulator& simulator, const RunState& state) const;

  std::int64_t period_;  ///< steps from one exchange to the next
  policies::Streaming streaming_;
  std::deque<UnderWay> under_way_;
  netmodels::Seconds sent_until_;                 ///< the last of them arrives
  std::optional<netmodels::Seconds> local_step_;  ///< the last one that exchanged no models took so long
  netmodels::Seconds exchanging_step_;            ///< the last one that did, without its exchange
};

}  // namespace sim::engine
