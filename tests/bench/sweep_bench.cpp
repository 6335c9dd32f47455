// The cost of a sweep: 1000 points of 1000 steps, by one process at a time and by two; how near two come to
// half the time.
#include <string>

#include <benchmark/benchmark.h>

#include "sim/sweep/sweep.hpp"
#include "tests/source_tree.hpp"

namespace {

using namespace sim;

sweep::SweepRequest request(std::int64_t points) {
  sweep::SweepRequest asked{tests::source_dir() + "/scenarios/what_if/ag_or_ar.yaml",
                            {},
                            {},
                            tests::source_dir() + "/scenarios",
                            "bench"};
  asked.plan.axes.push_back(*sweep::parse_axis("seed=1.." + std::to_string(points)));
  return asked;
}

/// Range 0: points; range 1: processes at a time.
void sweep(benchmark::State& state) {
  const sweep::SweepRequest asked = request(state.range(0));
  const auto identity = *sweep::identify(asked);
  for (auto _ : state) {
    auto store = *sweep::SweepStore::open(":memory:", identity, false);
    const auto outcome = *sweep::sweep(asked, {.jobs = static_cast<std::size_t>(state.range(1))}, store);
    if (outcome.failed > 0) state.SkipWithError("a point failed");
  }
  state.counters["points_per_s"] =
      benchmark::Counter(static_cast<double>(state.range(0)), benchmark::Counter::kIsIterationInvariantRate);
}
BENCHMARK(sweep)
    ->Args({10, 1})
    ->Args({1000, 1})
    ->Args({1000, 2})
    ->UseRealTime()
    ->Unit(benchmark::kMillisecond)
    ->Iterations(1);

}  // namespace
