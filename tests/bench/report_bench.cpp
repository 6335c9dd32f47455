// What a report costs: 10^5 rows of a sweep, 10^5 steps of a run, from what is kept to the text of the page.
#include <sstream>
#include <string>

#include <benchmark/benchmark.h>
#include <fmt/format.h>

#include "sim/output/page_html.hpp"
#include "sim/output/step_series.hpp"
#include "sim/study/sweeps/sweep_page.hpp"
#include "tests/study/sweeps/swept.hpp"

namespace {

using namespace sim;

constexpr std::size_t arms = 4;

/// A number in [0, 1) that differs from row to row.
double place(std::size_t row) { return static_cast<double>(row * 48271 % 1000003) / 1000003; }

study::sweeps::SweepStore store_of(std::size_t rows) {
  study::sweeps::SweepIdentity identity = study::sweeps::swept_axes();
  identity.axes = {{"seed", {}}};
  for (std::size_t point = 0; point < rows / arms; ++point)
    identity.axes[0].values.push_back(std::to_string(point));
  study::sweeps::SweepStore store = *study::sweeps::SweepStore::open(":memory:", identity, false);
  for (std::size_t point = 0; point < rows / arms; ++point) {
    std::vector<study::sweeps::SweptArm> played;
    for (std::size_t arm = 0; arm < arms; ++arm)
      played.push_back(
          {"arm " + std::to_string(arm), 0.1 + place(arms * point + arm), 1e6 * place(arms * point)});
    store.write(study::sweeps::swept(point, {std::to_string(point)}, played));
  }
  return store;
}

void sweep_report(benchmark::State& state) {
  const study::sweeps::SweepStore store = store_of(static_cast<std::size_t>(state.range(0)));
  std::size_t bytes = 0;
  for (auto _ : state)
    bytes = output::page_html(*study::sweeps::sweep_page(store, "sweep.db"), std::string()).size();
  state.counters["page_MB"] = static_cast<double>(bytes) / 1e6;
}
BENCHMARK(sweep_report)->Arg(100000)->Unit(benchmark::kMillisecond);

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
    benchmark::DoNotOptimize(output::read_step_series(stream, "steps.csv", 200)->steps);
  }
}
BENCHMARK(step_series)->Arg(100000)->Unit(benchmark::kMillisecond);

}  // namespace
