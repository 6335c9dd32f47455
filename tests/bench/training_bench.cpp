// What a long training run costs: a million steps on a network that changes every ten seconds, with
// stragglers.
#include <benchmark/benchmark.h>
#include <sys/resource.h>

#include "sim/engine/play.hpp"
#include "sim/engine/random.hpp"
#include "tests/engine/clusters.hpp"

namespace {

using namespace netmodels::literals;
using namespace sim::engine;

double peak_megabytes() {
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  return static_cast<double>(usage.ru_maxrss) / 1024;
}

/// 16 workers, four buckets of 4 MB, jitter on every worker, and a bandwidth between 2 and 18 Gbit/s that is
/// never the same twice within a day and a half of simulated time.
sim::scenario::Scenario long_run(std::int64_t steps) {
  sim::scenario::Scenario scenario = testing::plain(16, 1_ms, 10_Gbps, steps);
  scenario.exchange.overlap = true;
  scenario.exchange.first_bucket = {1};
  scenario.exchange.bucket = {1};
  scenario.compute.jitter = {sim::scenario::JitterKind::lognormal, 0.05, 0};
  sim::scenario::LinkTrace trace;
  constexpr int kPoints = 12960;
  for (int point = 0; point < kPoints; ++point) {
    const double share = Draw(7, Stream::probe, static_cast<std::uint64_t>(point)).uniform();
    trace.points.push_back(
        {netmodels::Seconds{10.0 * point}, (2 + 16 * share) * netmodels::Bandwidth{1.25e8}, std::nullopt});
  }
  trace.period = netmodels::Seconds{10.0 * kPoints};
  scenario.cluster.traces.push_back(std::move(trace));
  return scenario;
}

void million_steps(benchmark::State& state) {
  const sim::scenario::Scenario scenario = long_run(state.range(0));
  std::uint64_t rows = 0;
  sim::engine::LearnerShelf shelf(GRADSIM_SOURCE_DIR "/scenarios");
  Listeners listeners;
  listeners.step = [&](const StepRecord&) { ++rows; };
  for (auto _ : state) benchmark::DoNotOptimize(play(scenario, listeners, shelf)->time);
  state.counters["peak_rss_MB"] = peak_megabytes();
  state.counters["steps_per_s"] = benchmark::Counter(static_cast<double>(rows), benchmark::Counter::kIsRate);
}
BENCHMARK(million_steps)->Arg(1000000)->Unit(benchmark::kSecond)->Iterations(1);

}  // namespace
