// The cost of evaluating collectives: CPU time by evaluator and size.
#include <numeric>

#include <benchmark/benchmark.h>

#include "sim/engine/cost_evaluator.hpp"
#include "tests/engine/clusters.hpp"

namespace {

using namespace netmodels::literals;
using namespace sim::engine;

/// A star of 50 GB/s links with 500 ns, evaluated by one evaluator.
class Priced {
 public:
  Priced(std::uint32_t ranks, sim::scenario::Evaluator evaluator)
      : cluster_(testing::star(static_cast<int>(ranks), 500_ns, {50e9})),
        built_(std::move(*Platform::make(cluster_))),
        network_(std::move(*NetworkTimeline::make(cluster_, built_.platform(), built_.numbers()))),
        evaluator_(built_, {evaluator, 0, 1}) {
    evaluator_.set_workers(testing::everyone(ranks));
    handle_ = evaluator_.prepare(**netmodels::find_collective("ring_allreduce"), {ranks, 100_MB});
  }
  netmodels::Seconds evaluate() { return evaluator_.evaluate(handle_, network_, {})->duration; }

 private:
  sim::scenario::Cluster cluster_;
  SharedCluster built_;
  NetworkTimeline network_;
  CostEvaluator evaluator_;
  CostEvaluator::Handle handle_ = 0;
};

void ring_allreduces(benchmark::State& state, sim::scenario::Evaluator evaluator, int repeats) {
  Priced evaluated(static_cast<std::uint32_t>(state.range(0)), evaluator);
  for (auto _ : state) {
    netmodels::Seconds sum;
    for (int repeat = 0; repeat < repeats; ++repeat) sum += evaluated.evaluate();
    benchmark::DoNotOptimize(sum);
  }
}

void thousand_ring_allreduces_by_path(benchmark::State& state) {
  ring_allreduces(state, sim::scenario::Evaluator::path, 1000);
}
BENCHMARK(thousand_ring_allreduces_by_path)->Arg(64)->Unit(benchmark::kMillisecond);

void thousand_ring_allreduces_with_reuse(benchmark::State& state) {
  ring_allreduces(state, sim::scenario::Evaluator::automatic, 1000);
}
BENCHMARK(thousand_ring_allreduces_with_reuse)->Arg(64)->Unit(benchmark::kMillisecond);

void one_ring_allreduce_by_path(benchmark::State& state) {
  for (auto _ : state) {
    Priced evaluated(static_cast<std::uint32_t>(state.range(0)), sim::scenario::Evaluator::path);
    benchmark::DoNotOptimize(evaluated.evaluate());
  }
}
// Every platform makes an engine, and SimGrid's callbacks pile up with each: a few iterations only.
BENCHMARK(one_ring_allreduce_by_path)->Arg(64)->Arg(1024)->Unit(benchmark::kMillisecond)->Iterations(3);

void one_ring_allreduce_by_simgrid(benchmark::State& state) {
  ring_allreduces(state, sim::scenario::Evaluator::simgrid, 1);
}
BENCHMARK(one_ring_allreduce_by_simgrid)->Arg(64)->Arg(256)->Unit(benchmark::kMillisecond);

void closed_form(benchmark::State& state) {
  const netmodels::Collective& row = **netmodels::find_collective("ring_allreduce");
  const netmodels::Operation operation{64, 100_MB};
  for (auto _ : state) benchmark::DoNotOptimize(row.closed(operation, {500_ns, {50e9}}));
}
BENCHMARK(closed_form);

}  // namespace
