// A warm-up before another compression policy.
#include "policies/stated_compression.hpp"

#include <utility>

namespace policies {

RatioWarmUp::RatioWarmUp(const RatioSchedule& schedule, const CompressionChoice& first,
                         std::unique_ptr<CompressionPolicy> then)
    : schedule_(schedule), first_(first), then_(std::move(then)) {}

std::unique_ptr<CompressionPolicy> RatioWarmUp::copy() const {
  auto other = std::make_unique<RatioWarmUp>(schedule_, first_, then_->copy());
  other->over_ = over_;
  return other;
}

CompressionPlan RatioWarmUp::plan(const CompressionObservation& seen) {
  over_ = schedule_.over(seen.done, seen.epoch);
  if (over_) return then_->plan(seen);
  const double ratio = schedule_.at(seen.epoch, first_.ratio);
  const CompressionChoice now = ratio < 1 ? CompressionChoice{first_.method, ratio} : CompressionChoice{};
  return {{now}, std::nullopt};
}

std::optional<std::size_t> RatioWarmUp::choose(const CompressionTrials& shown) {
  return over_ ? then_->choose(shown) : 0;
}

void RatioWarmUp::learn(const CompressionOutcome& outcome) {
  if (over_) then_->learn(outcome);
}

}  // namespace policies
