// The cost of a long training run: a million steps on a network that changes every ten seconds, with
// stragglers; a hundred thousand of 64 unequal workers fed by streams.
#include <benchmark/benchmark.h>
#include <sys/resource.h>

#include "sim/engine/random.hpp"
#include "sim/engine/simulate.hpp"
#include "tests/engine/clusters.hpp"
#include "tests/source_tree.hpp"

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
  scenario.work.compute.jitter = {sim::scenario::JitterKind::lognormal, 0.05, 0};
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
  sim::engine::LearnerShelf shelf(tests::source_dir() + "/scenarios");
  sim::engine::ClusterCache clusters;
  Listeners listeners;
  listeners.step = [&](const StepRecord&) { ++rows; };
  for (auto _ : state) benchmark::DoNotOptimize(simulate(scenario, listeners, shelf, clusters)->time);
  state.counters["peak_rss_MB"] = peak_megabytes();
  state.counters["steps_per_s"] = benchmark::Counter(static_cast<double>(rows), benchmark::Counter::kIsRate);
}
BENCHMARK(million_steps)->Arg(1000000)->Unit(benchmark::kSecond)->Iterations(1);

/// The same network with 64 workers of four speeds, fed by streams that change, their batches moved by the
/// controller or following the streams.
void streaming_steps(benchmark::State& state, std::string_view policy) {
  sim::scenario::Scenario scenario = long_run(state.range(0));
  scenario.cluster.workers = 64;
  for (int worker = 0; worker < 64; ++worker) scenario.cluster.speeds.push_back(0.5 + 0.25 * (worker % 4));
  scenario.work.streams.emplace();
  scenario.work.streams->distribution = {sim::scenario::RateDistributionKind::normal, 64, 24, 8, {}};
  scenario.work.streams->sample_size = {3072};
  for (int change = 1; change <= 10; ++change)
    scenario.work.streams->changes.push_back({netmodels::Seconds{1000.0 * change}, {1, 2, 3}, 1.0 / change});
  scenario.work.batching = *policies::find_batching(policy);
  sim::engine::LearnerShelf shelf(tests::source_dir() + "/scenarios");
  sim::engine::ClusterCache clusters;
  for (auto _ : state) benchmark::DoNotOptimize(simulate(scenario, {}, shelf, clusters)->time);
  state.counters["peak_rss_MB"] = peak_megabytes();
}
BENCHMARK_CAPTURE(streaming_steps, dynamic, "dynamic")
    ->Arg(1000)
    ->Arg(100000)
    ->Unit(benchmark::kSecond)
    ->Iterations(1);
BENCHMARK_CAPTURE(streaming_steps, stream_rate, "stream_rate")
    ->Arg(100000)
    ->Unit(benchmark::kSecond)
    ->Iterations(1);

}  // namespace
