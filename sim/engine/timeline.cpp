// Bars of computing and of exchanging, worker by worker.
#include "sim/engine/timeline.hpp"

#include <fmt/format.h>

namespace sim::engine {
namespace {

using netmodels::Seconds;

std::string exchange_name(const Training& training, std::size_t bucket) {
  std::string name = fmt::format("bucket {}:", bucket + 1);
  for (const StepExchange::PricedStage& stage : training.exchange().priced()[bucket])
    name += fmt::format(" {}", stage.row->name);
  return name;
}

}  // namespace

void draw_step(const Training& training, Seconds begin, std::int64_t step,
               const std::function<void(const Span&)>& draw) {
  const ComputePlan& plan = training.exchange().compute();
  const StepTimes& times = training.times();
  const Seconds step_end = begin + times.duration;
  const Seconds start = begin + times.parts.stream_wait;
  for (std::size_t rank = 0; rank < training.workers().size(); ++rank) {
    const auto worker = static_cast<int>(training.workers()[rank]);
    const double factor = training.factors().of_worker[rank];
    const auto bar = [&](std::string_view lane, std::string name, Seconds from, Seconds to) {
      if (to > from) draw({worker, lane, std::move(name), from, to - from, step});
    };
    Seconds at = start;
    bar("compute", "host overhead", at, at + plan.host_overhead * factor);
    at += plan.host_overhead * factor;
    bar("compute", "forward", at, at + plan.forward * factor);
    at += plan.forward * factor;
    const double pace = factor / training.factors().slowest;  // an overlapped exchange stretches all alike
    const Seconds backward = (start + times.backward_end -
                              (start + (plan.host_overhead + plan.forward) * training.factors().slowest)) *
                             pace;
    bar("compute", "backward", at, at + backward);
    const Seconds optimizer =
        step_end - plan.optimizer * training.factors().slowest;  // all begin it together
    bar("compute", "optimizer", optimizer, optimizer + plan.optimizer * factor);
    for (std::size_t bucket = 0; bucket < times.buckets.size(); ++bucket) {
      const BucketTimes& way = times.buckets[bucket];
      bar("exchange", fmt::format("bucket {}: compress", bucket + 1), start + way.compress,
          start + way.exchange);
      bar("exchange", exchange_name(training, bucket), start + way.exchange, start + way.end);
    }
  }
}

}  // namespace sim::engine
