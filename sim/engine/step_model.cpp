// Walking through the buckets of one step.
#include "sim/engine/step_model.hpp"

#include <algorithm>

namespace sim::engine {

using netmodels::Result;
using netmodels::Seconds;

namespace {

/// The backward pass of the slowest worker, which proceeds at a reduced rate while an exchange runs.
class BackwardPass {
 public:
  BackwardPass(Seconds start, double slowdown, const std::vector<BucketTimes>& exchanges)
      : now_(start), slowdown_(slowdown), exchanges_(exchanges) {}

  /// When so much of it is done (at full rate); asked in rising order, with all earlier exchanges known.
  Seconds reaches(Seconds work) {
    while (done_ < work) {
      while (next_ < exchanges_.size() && exchanges_[next_].end <= now_) ++next_;
      const bool busy = next_ < exchanges_.size() && exchanges_[next_].exchange <= now_;
      const double rate = busy ? 1 / (1 + slowdown_) : 1;
      Seconds step = (work - done_) / rate;
      if (next_ < exchanges_.size()) {
        step = std::min(step, (busy ? exchanges_[next_].end : exchanges_[next_].exchange) - now_);
      }
      const bool last = step * rate >= work - done_;
      now_ += step;
      done_ = last ? work : done_ + step * rate;
    }
    return now_;
  }

 private:
  Seconds now_;
  Seconds done_;
  double slowdown_;
  const std::vector<BucketTimes>& exchanges_;
  std::size_t next_ = 0;
};

Seconds overlap_of(Seconds begin, Seconds end, Seconds after) {
  return std::max(Seconds{}, end - std::max(begin, after));
}

}  // namespace

Result<void> play_step(const ComputePlan& plan, const OverlapRule& rule, double slowest, double mean,
                       const PriceBucket& price, StepTimes& times) {
  times.buckets.clear();
  times.exchange_busy = {};
  const Seconds backward_start = (plan.host_overhead + plan.forward) * slowest;
  const bool stretched = rule.overlap && rule.slowdown > 0;
  BackwardPass backward(backward_start, rule.slowdown, times.buckets);
  const auto done_at = [&](Seconds work) {
    return stretched ? backward.reaches(work * slowest) : backward_start + work * slowest;
  };

  Seconds free;
  for (std::size_t bucket = 0; bucket < plan.ready.size(); ++bucket) {
    const Seconds ready = done_at(rule.overlap ? plan.ready[bucket] : plan.backward);
    const Seconds compress = std::max(ready, free);
    const Seconds exchange = compress + plan.compress[bucket];
    const auto duration = price(bucket, exchange);
    if (!duration) return tl::unexpected(duration.error());
    free = exchange + *duration;
    times.exchange_busy += *duration;
    times.buckets.push_back({ready, compress, exchange, free});
  }

  times.backward_end = done_at(plan.backward);
  const Seconds computed = times.backward_end + plan.optimizer * slowest;
  Seconds hidden_nothing;  // exchange that runs on after the backward pass
  Seconds compressing;
  for (const BucketTimes& bucket : times.buckets) {
    compressing += overlap_of(bucket.compress, bucket.exchange, times.backward_end);
    hidden_nothing += overlap_of(bucket.exchange, bucket.end, times.backward_end);
  }
  const Seconds stretch = computed - plan.total() * slowest;
  times.parts.compute = plan.total() * mean + stretch;
  times.parts.wait = computed - times.parts.compute;
  times.parts.compress = compressing;
  times.parts.exchange = hidden_nothing;
  times.parts.stream_wait = {};
  times.duration = times.parts.total();
  return {};
}

}  // namespace sim::engine
