// Bars of computing and of exchanging, worker by worker.
#include <algorithm>
#include <optional>
#include <set>
#include <utility>

#include <fmt/format.h>

#include "sim/engine/simulate.hpp"

namespace sim::engine {
namespace {

using netmodels::Seconds;

/// The bars of one step.
class Drawing {
 public:
  Drawing(const StepSimulator& simulator, Seconds begin, std::int64_t step,
          const std::function<void(const Span&)>& draw)
      : simulator_(simulator),
        graph_(simulator.plan().graph()),
        times_(simulator.times()),
        begin_(begin + times_.parts.stream_wait),
        end_(begin + times_.duration),
        step_(step),
        draw_(draw) {}

  /// Forward and backward pass go at the worker's own pace; exchanges begin on all together.
  void compute(std::size_t rank) const {
    const SlowFactors& factors = simulator_.factors();
    const double pace =
        std::min(1.0, factors.of_worker[rank] / factors.slowest);  // a concurrent exchange slows all alike
    Seconds at = begin_;
    std::string_view name;
    Seconds busy;
    const auto end_bar = [&] {
      bar(rank, "compute", std::string(name), at, at + busy * pace);
      at += busy * pace;
      busy = {};
    };
    for (std::size_t i = 0; i < graph_.operations.size(); ++i) {
      const netmodels::StepOperation& operation = graph_.operations[i];
      if (operation.stream != netmodels::StepStream::compute) continue;
      if (operation.name != name) end_bar();
      if (!operation.after.empty()) at = std::max(at, begin_ + times_.operations[i].start);
      name = operation.name;
      busy += times_.operations[i].end - times_.operations[i].start;
    }
    end_bar();
  }

  void exchange(std::size_t rank) const {
    for (std::size_t i = 0; i < graph_.operations.size(); ++i) {
      const netmodels::StepOperation& operation = graph_.operations[i];
      if (operation.work != netmodels::StepWork::collective || operation.name.empty()) continue;
      bar(rank, "exchange", fmt::format("{}: {}", operation.name, simulator_.plan().evaluated(i).row->name),
          begin_ + times_.operations[i].start, begin_ + times_.operations[i].end);
    }
    for (std::uint32_t bucket = 0; bucket < simulator_.plan().exchange().buckets.size(); ++bucket)
      exchange(rank, bucket);
  }

 private:
  /// One bar for each kind of work on a bucket: compress, its collectives, restore.
  void exchange(std::size_t rank, std::uint32_t bucket) const {
    const std::string head = fmt::format("bucket {}:", bucket + 1);
    std::optional<Seconds> exchange;
    Seconds end;
    std::string name = head;
    for (std::size_t i = 0; i < graph_.operations.size(); ++i) {
      const netmodels::StepOperation& operation = graph_.operations[i];
      if (operation.stream != netmodels::StepStream::communication || operation.bucket != bucket) continue;
      const netmodels::OperationTimes& at = times_.operations[i];
      if (operation.work == netmodels::StepWork::collective && operation.name.empty()) {
        if (!exchange) exchange = at.start;
        end = at.end;
        name += fmt::format(" {}", simulator_.plan().evaluated(i).row->name);
      } else if (operation.work != netmodels::StepWork::collective) {
        bar(rank, "exchange", head + " " + std::string(operation.name), begin_ + at.start, begin_ + at.end);
      }
    }
    if (exchange) bar(rank, "exchange", name, begin_ + *exchange, begin_ + end);
  }

  void bar(std::size_t rank, std::string_view lane, std::string name, Seconds from, Seconds to) const {
    const auto worker = static_cast<int>(simulator_.workers()[rank]);
    if (to > from) draw_({worker, lane, std::move(name), from, to - from, step_});
  }

  const StepSimulator& simulator_;
  const netmodels::StepGraph& graph_;
  const netmodels::StepTimes& times_;
  Seconds begin_;  ///< of the slowest worker's passes
  Seconds end_;
  std::int64_t step_;
  const std::function<void(const Span&)>& draw_;
};

}  // namespace

std::vector<std::size_t> ranks_in_brief(const StepSimulator& simulator, int per_node) {
  constexpr std::size_t most_speeds = 8;  // where speeds vary by chance, each worker has its own
  const std::vector<double>& factors = simulator.factors().of_worker;
  std::vector<std::size_t> ranks;
  std::set<double> speeds;
  for (std::size_t rank = 0; rank < factors.size(); ++rank) {
    if (std::cmp_less(simulator.workers()[rank], per_node)) {
      ranks.push_back(rank);
      speeds.insert(factors[rank]);
    }
  }
  const std::size_t most = speeds.size() + most_speeds;
  for (std::size_t rank = 0; rank < factors.size(); ++rank)
    if (speeds.size() < most && speeds.insert(factors[rank]).second) ranks.push_back(rank);
  return ranks;
}

void draw_step(const StepSimulator& simulator, Seconds begin, std::int64_t step,
               const std::vector<std::size_t>& ranks, const std::function<void(const Span&)>& draw) {
  const Drawing drawing(simulator, begin, step, draw);
  for (const std::size_t rank : ranks) {
    drawing.compute(rank);
    drawing.exchange(rank);
  }
}

}  // namespace sim::engine
