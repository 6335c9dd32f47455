// Moving exchanges of models from their own step to the steps that wait for them.
#include "sim/engine/overlapped_exchanges.hpp"

#include <algorithm>

#include "sim/engine/overlap_room.hpp"

namespace sim::engine {

using netmodels::Seconds;

void OverlappedExchanges::charge(StepSimulator& simulator, const RunState& state, Traffic traffic) {
  if (streaming_.delay == 0) return;
  if (traffic == Traffic::nothing) local_step_ = simulator.times().duration;
  if (traffic == Traffic::parameters) {
    const Seconds sending = simulator.models_exchange();
    simulator.wait_for_exchange(-1.0 * sending);
    exchanging_step_ = simulator.times().duration;
    const Seconds begin = state.now() + simulator.times().duration;
    sent_until_ = std::max(begin, sent_until_) + sending;
    under_way_.push_back({state.step() + streaming_.delay, sent_until_});
  }
  while (!under_way_.empty() && under_way_.front().due <= state.step()) {
    const Seconds ended = state.now() + simulator.times().duration;
    const Seconds arrives = under_way_.front().arrives;
    simulator.wait_for_exchange(std::max(Seconds{}, arrives - ended));
    simulator.take_arrived(std::max(Seconds{}, ended - arrives));
    under_way_.pop_front();
  }
  if (state.done_after(1, simulator.samples_per_step())) wait_for_the_rest(simulator, state);
}

void OverlappedExchanges::wait_for_the_rest(StepSimulator& simulator, const RunState& state) const {
  Seconds waited;
  for (const UnderWay& exchange : under_way_) {
    const Seconds room = overlap_room(period_, exchange.due - state.step(),
                                      local_step_.value_or(exchanging_step_), exchanging_step_);
    const Seconds ends = state.now() + simulator.times().duration + room + waited;
    waited += std::max(Seconds{}, exchange.arrives - ends);
  }
  simulator.wait_for_exchange(waited);
}

}  // namespace sim::engine
