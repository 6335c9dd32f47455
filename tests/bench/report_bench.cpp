// The cost of a report: 10^5 rows of a sweep, 10^5 steps of a run, from stored data to the page.
#include <sstream>
#include <string>

#include <benchmark/benchmark.h>
#include <fmt/format.h>

#include "sim/report/page.hpp"
#include "sim/report/run_page.hpp"
#include "sim/sweep/sweep_page.hpp"
#include "tests/sweep/swept.hpp"

namespace {

using namespace sim;

constexpr std::size_t arms = 4;

/// A number in [0, 1) that differs from row to row.
double place(std::size_t row) { return static_cast<double>(row * 48271 % 1000003) / 1000003; }

sweep::SweepStore store_of(std::size_t rows) {
  sweep::SweepIdentity identity = sweep::swept_axes();
  identity.axes = {{"seed", {}}};
  for (std::size_t point = 0; point < rows / arms; ++point)
    identity.axes[0].values.push_back(std::to_string(point));
  sweep::SweepStore store = *sweep::SweepStore::open(":memory:", identity, false);
  for (std::size_t point = 0; point < rows / arms; ++point) {
    std::vector<sweep::SweptArm> played;
    for (std::size_t arm = 0; arm < arms; ++arm)
      played.push_back(
          {"arm " + std::to_string(arm), 0.1 + place(arms * point + arm), 1e6 * place(arms * point)});
    store.write(sweep::swept(point, {std::to_string(point)}, played));
  }
  return store;
}

void sweep_report(benchmark::State& state) {
  const sweep::SweepStore store = store_of(static_cast<std::size_t>(state.range(0)));
  std::size_t bytes = 0;
  for (auto _ : state) bytes = report::page_html(*sweep::sweep_page(store, "sweep.db"), std::string()).size();
  state.counters["page_MB"] = static_cast<double>(bytes) / 1e6;
}
BENCHMARK(sweep_report)->Arg(1000)->Arg(100000)->Unit(benchmark::kMillisecond);

void step_series(benchmark::State& state) {
  std::string csv =
      "arm,step,epoch,start_s,step_time_s,sent_bytes,ratio,collective,method,bandwidth_bytes_per_s\n";
  for (std::int64_t step = 0; step < state.range(0); ++step) {
    const double time = 0.1 + place(static_cast<std::size_t>(step));
    csv += fmt::format("topk,{},{},{},{},178899224,{},ring_allgather,topk,1250000000\n", step, 0.005 * time,
                       static_cast<double>(step), time, 0.01 * time);
  }
  for (auto _ : state) {
    std::istringstream stream(csv);
    benchmark::DoNotOptimize(report::read_step_series(stream, "steps.csv", 200)->steps);
  }
}
BENCHMARK(step_series)->Arg(100000)->Unit(benchmark::kMillisecond);

}  // namespace
