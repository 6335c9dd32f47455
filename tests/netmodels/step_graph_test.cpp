// Steps by hand: overlap, slow-down by overlap, compression, slow workers, streams, and parts that add up.
#include "netmodels/step_graph.hpp"

#include <algorithm>
#include <functional>
#include <random>

#include <gtest/gtest.h>

#include "netmodels/data_parallel_step.hpp"

namespace netmodels {
namespace {

using namespace netmodels::literals;

Layer layer(std::int64_t parameters, Seconds forward, Seconds backward) {
  return {{}, {}, parameters, {}, {}, {}, {forward, {}}, {backward, {}}};
}

/// 5 ms on the host, 40 ms forward, 80 ms backward in four layers of 20 ms, 1 ms optimizer.
Workload four_layers() {
  Workload workload;
  workload.host_overhead = {5_ms, {}};
  workload.optimizer = 1_ms;
  for (int count = 0; count < 4; ++count) workload.layers.push_back(layer(1000, 10_ms, 20_ms));
  return workload;
}

/// One collective per layer with parameters.
std::vector<BucketExchange> layer_by_layer(const Workload& workload, Seconds compress = {}) {
  std::vector<BucketExchange> buckets;
  for (const Bucket& bucket : gradient_buckets(workload.layers, {Bytes{1}, Bytes{1}}))
    buckets.push_back({bucket, {{nullptr, {}}}, compress});
  return buckets;
}

using Price = std::function<Result<Seconds>(std::size_t collective, Seconds start)>;

/// Answers by a function of the collective's number.
class Prices final : public CollectiveEvaluator {
 public:
  Prices(const StepGraph& graph, Price price) : graph_(graph), price_(std::move(price)) {}
  Result<Seconds> duration(std::size_t operation, Seconds start) override {
    const auto found = std::ranges::find(graph_.collectives, operation);
    return price_(static_cast<std::size_t>(found - graph_.collectives.begin()), start);
  }

 private:
  const StepGraph& graph_;
  Price price_;
};

Price always(Seconds price) {
  return [price](std::size_t, Seconds) -> Result<Seconds> { return price; };
}

/// A step that was run, with its graph.
struct Ran {
  StepGraph graph;
  StepTimes times;

  [[nodiscard]] OperationTimes collective(std::size_t number) const {
    return times.operations[graph.collectives[number]];
  }
  /// Of the last operation with this name to end, such as a piece of the backward pass.
  [[nodiscard]] Seconds end_of(std::string_view name) const {
    Seconds end;
    for (std::size_t i = 0; i < graph.operations.size(); ++i) {
      if (graph.operations[i].name == name) end = std::max(end, times.operations[i].end);
    }
    return end;
  }
};

Ran run(StepGraph graph, const StepPace& pace, const Price& price) {
  Ran ran{std::move(graph), {}};
  Prices prices(ran.graph, price);
  EXPECT_TRUE(run_step(ran.graph, pace, prices, ran.times).has_value());
  return ran;
}

Ran run_layers(bool overlap, const Price& price, const StepPace& pace = {}, Seconds compress = {}) {
  const Workload workload = four_layers();
  return run(data_parallel_step(workload, 1, {overlap, layer_by_layer(workload, compress)}), pace, price);
}

void expect_parts(const Parts& parts, double compute, double wait, double compress, double exchange) {
  EXPECT_NEAR(parts.compute.count, compute, 1e-14);
  EXPECT_NEAR(parts.wait.count, wait, 1e-14);
  EXPECT_NEAR(parts.compress.count, compress, 1e-14);
  EXPECT_NEAR(parts.exchange.count, exchange, 1e-14);
}

TEST(DataParallelStep, WithoutOverlapAllExchangesFollowTheBackwardPass) {  // 125 ms, 4 x 6 ms, 1 ms
  const Ran ran = run_layers(false, always(6_ms));
  EXPECT_NEAR(ran.times.duration.count, 0.150, 1e-14);
  expect_parts(ran.times.parts, 0.126, 0, 0, 0.024);
  EXPECT_NEAR(ran.collective(2).start.count, 0.137, 1e-14);
  EXPECT_NEAR(ran.end_of("backward").count, 0.125, 1e-14);
}

TEST(DataParallelStep, TheBackwardPassIsCutOnlyWhereABucketIsReady) {  // after each of four layers
  const auto pieces = [](bool overlap) {
    const Workload workload = four_layers();
    const StepGraph graph = data_parallel_step(workload, 1, {overlap, layer_by_layer(workload)});
    return std::ranges::count(graph.operations, "backward", &StepOperation::name);
  };
  EXPECT_EQ(pieces(true), 4);
  EXPECT_EQ(pieces(false), 1);
}

TEST(DataParallelStep, OverlapHidesAllButTheLastBucket) {
  const Ran ran = run_layers(true, always(6_ms));
  EXPECT_NEAR(ran.times.duration.count, 0.132, 1e-14);
  expect_parts(ran.times.parts, 0.126, 0, 0, 0.006);
  EXPECT_NEAR(ran.times.exchange_busy.count, 0.024, 1e-14);
  EXPECT_NEAR(ran.collective(1).start.count, 0.085, 1e-14);
}

TEST(DataParallelStep, BucketsQueueWhileTheNetworkIsBusy) {  // 65 ms, then 4 x 66 ms in a row
  const Ran ran = run_layers(true, always(66_ms));
  EXPECT_NEAR(ran.times.duration.count, 0.065 + 4 * 0.066 + 0.001, 1e-14);
  expect_parts(ran.times.parts, 0.126, 0, 0, 0.329 - 0.125);
  EXPECT_NEAR(ran.end_of("backward").count, 0.125, 1e-14);
  EXPECT_NEAR(ran.collective(3).start.count, 0.263, 1e-14);
}

TEST(DataParallelStep,
     ComputingSlowsDownWhileAnExchangeRuns) {  // each hidden exchange of 6 ms does 4 ms of work at 1/1.5
  const Ran ran = run_layers(true, always(6_ms), {1, 1, 0.5});
  EXPECT_NEAR(ran.collective(1).start.count, 0.087, 1e-14);
  EXPECT_NEAR(ran.end_of("backward").count, 0.131, 1e-14);
  EXPECT_NEAR(ran.times.duration.count, 0.138, 1e-14);
  expect_parts(ran.times.parts, 0.132, 0, 0, 0.006);
}

TEST(DataParallelStep, AnExchangeWithoutEndSlowsTheRestOfTheBackwardPass) {  // 60 ms left take 90 ms
  EXPECT_NEAR(run_layers(true, always(1_s), {1, 1, 0.5}).end_of("backward").count, 0.065 + 0.090, 1e-14);
}

TEST(DataParallelStep, SlowdownMeansNothingWithoutOverlap) {
  EXPECT_NEAR(run_layers(false, always(6_ms), {1, 1, 0.5}).times.duration.count, 0.150, 1e-14);
}

TEST(DataParallelStep, AllWaitForTheSlowestWorker) {  // 2 x 126 ms; the mean worker computes 1.25 x 126 ms
  const Ran ran = run_layers(false, always(6_ms), {2, 1.25, 0});
  EXPECT_NEAR(ran.times.duration.count, 0.276, 1e-14);
  expect_parts(ran.times.parts, 0.1575, 0.0945, 0, 0.024);
}

TEST(DataParallelStep,
     CompressionGoesBeforeItsExchangeAndHidesAsItDoes) {  // 3 ms + 6 ms; the last bucket of four is seen
  const Ran ran = run_layers(true, always(6_ms), {}, 3_ms);
  EXPECT_NEAR(ran.collective(0).start.count, 0.068, 1e-14);
  EXPECT_NEAR(ran.times.duration.count, 0.135, 1e-14);
  expect_parts(ran.times.parts, 0.126, 0, 0.003, 0.006);
}

TEST(DataParallelStep, RestoringFollowsTheExchangeOnTheSameStream) {  // 3 ms + 6 ms + 2 ms
  const Workload workload = four_layers();
  std::vector<BucketExchange> buckets = layer_by_layer(workload, 3_ms);
  for (BucketExchange& bucket : buckets) bucket.restore = 2_ms;
  const Ran ran = run(data_parallel_step(workload, 1, {true, buckets}), {}, always(6_ms));
  EXPECT_NEAR(ran.times.duration.count, 0.137, 1e-14);
  expect_parts(ran.times.parts, 0.126, 0, 0.005, 0.006);
  EXPECT_NEAR(ran.collective(3).start.count, 0.128, 1e-14);  // right after compressing
  EXPECT_NEAR(ran.end_of("restore").count, 0.136, 1e-14);    // after the collective
}

TEST(DataParallelStep,
     APartOfAnExchangeMayBeHidden) {  // bucket 4 waits for bucket 3, which ends 5 ms after the backward pass
  const Ran ran = run_layers(true, always(25_ms));
  EXPECT_NEAR(ran.times.duration.count, 0.065 + 0.100 + 0.001, 1e-14);
  EXPECT_NEAR(ran.times.parts.exchange.count, 0.040, 1e-14);
}

TEST(DataParallelStep, SumsLayersUpAtTheBatch) {
  Workload workload = four_layers();
  workload.host_overhead = {3_ms, 1_ms};
  for (Layer& one : workload.layers) one.forward = {{}, 1_ms};
  const StepGraph graph = data_parallel_step(workload, 20, {true, {}});
  EXPECT_NEAR(graph.total("host overhead").count, 0.023, 1e-15);
  EXPECT_NEAR(graph.total("forward").count, 0.080, 1e-15);
  EXPECT_NEAR(graph.total("backward").count, 0.080, 1e-15);
  EXPECT_EQ(graph.total("optimizer"), 1_ms);
  EXPECT_NEAR(graph.computing.count, 0.184, 1e-15);
}

TEST(DataParallelStep, ABucketWithoutStagesStaysOnItsWorker) {
  const Workload workload = four_layers();
  std::vector<BucketExchange> buckets = layer_by_layer(workload, 3_ms);
  for (BucketExchange& bucket : buckets) bucket.stages.clear();
  const Ran ran = run(data_parallel_step(workload, 1, {true, buckets}), {1, 1, 0.5}, always(6_ms));
  expect_parts(ran.times.parts, 0.126, 0, 0, 0);
}

TEST(DataParallelStep, LayersWithoutParametersAtTheFrontGoOnBehindTheLastBucket) {
  Workload workload = four_layers();
  workload.layers.front().parameters = 0;
  const Ran ran = run(data_parallel_step(workload, 1, {true, layer_by_layer(workload)}), {}, always(15_ms));
  EXPECT_EQ(ran.graph.collectives.size(), 3U);
  EXPECT_NEAR(ran.times.duration.count, 0.126, 1e-14);  // the last exchange ends at 120 ms
}

TEST(RunStep, EvaluatorsAreAskedInOrderForTheMomentOfTheStart) {
  std::vector<double> asked;
  (void)run_layers(true, [&](std::size_t collective, Seconds start) -> Result<Seconds> {
    EXPECT_EQ(collective, asked.size());
    asked.push_back(start.count);
    return 30_ms;
  });
  ASSERT_EQ(asked.size(), 4U);
  for (std::size_t bucket = 0; bucket < 4; ++bucket)
    EXPECT_NEAR(asked[bucket], 0.065 + 0.030 * static_cast<double>(bucket), 1e-14);
}

TEST(RunStep, HandsOnTheErrorOfACollectiveThatCannotBeEvaluated) {
  const Workload workload = four_layers();
  const StepGraph graph = data_parallel_step(workload, 1, {true, layer_by_layer(workload)});
  Prices prices(graph,
                [](std::size_t, Seconds) -> Result<Seconds> { return refuse("network", "no", "yes"); });
  StepTimes times;
  const auto refused = run_step(graph, {}, prices, times);
  ASSERT_FALSE(refused.has_value());
  EXPECT_EQ(refused.error().text(), "network: no; yes");
}

// A copy of 30 ms during 20 ms of computing, and a collective of 5 ms that waits for both.
TEST(RunStep, StreamsRunBesideEachOtherAndWaitForWhatTheyNeed) {
  StepGraph graph;
  const auto compute = graph.add({.name = "forward", .duration = 20_ms});
  const auto copy =
      graph.add({.work = StepWork::memory, .stream = StepStream::copy, .name = "offload", .duration = 30_ms});
  const auto sent = graph.add({.work = StepWork::collective,
                               .stream = StepStream::communication,
                               .name = {},
                               .after = {compute, copy}});
  graph.add({.name = "optimizer", .duration = 1_ms, .after = {sent}});
  const Ran ran = run(std::move(graph), {}, always(5_ms));
  EXPECT_NEAR(ran.collective(0).start.count, 0.030, 1e-15);
  EXPECT_NEAR(ran.times.duration.count, 0.036, 1e-15);
  expect_parts(ran.times.parts, 0.021, 0, 0.010, 0.005);  // 10 ms of the copy are seen
}

TEST(RunStep, TwoExchangesAtOnceAreSeenOnce) {  // 10 ms and, from 4 ms on, 10 ms: 14 ms in all
  StepGraph graph;
  const auto first =
      graph.add({.work = StepWork::collective, .stream = StepStream::communication, .name = {}});
  const auto ready =
      graph.add({.work = StepWork::memory, .stream = StepStream::copy, .name = "copy", .duration = 14_ms});
  graph.add({.name = "optimizer", .duration = 1_ms, .after = {first, ready}});
  const Ran ran = run(std::move(graph), {}, always(10_ms));
  expect_parts(ran.times.parts, 0.001, 0, 0.004, 0.010);
  EXPECT_NEAR(ran.times.duration.count, 0.015, 1e-15);
}

TEST(RunStep, RandomStepsEndWithTheirLastBucketOrTheirComputing) {
  std::mt19937 random(1);
  const auto draw = [&](double most) {
    return Seconds{most * (static_cast<double>(random()) / 4294967296.0)};
  };
  for (int count = 0; count < 2000; ++count) {
    Workload workload;
    workload.host_overhead = {draw(1e-2), {}};
    workload.optimizer = draw(1e-2);
    const Seconds forward = draw(0.1);
    workload.layers.push_back(layer(0, forward, draw(0.05)));
    for (std::uint64_t left = random() % 6; left > 0; --left)
      workload.layers.push_back(layer(10, {}, draw(0.1)));
    std::vector<BucketExchange> buckets = layer_by_layer(workload);
    for (BucketExchange& bucket : buckets) bucket.compress = draw(1e-2);
    const bool overlap = random() % 2 == 0;
    const double slowdown = random() % 2 == 0 ? 0.0 : draw(2).count;
    const double mean = 1 + draw(1).count;
    const Ran ran =
        run(data_parallel_step(workload, 1, {overlap, buckets}), {mean + draw(1).count, mean, slowdown},
            [&](std::size_t, Seconds) { return Result<Seconds>(draw(0.2)); });
    const StepTimes& times = ran.times;
    const double end = times.operations.back().end.count;
    EXPECT_EQ(ran.graph.operations.back().name, "optimizer");
    EXPECT_NEAR(times.duration.count, end, 1e-12 * end);
    EXPECT_NEAR(times.parts.total().count, times.duration.count, 1e-12 * times.duration.count);
    EXPECT_GE(times.parts.wait.count, -1e-15);
    EXPECT_LE(times.parts.exchange.count, times.exchange_busy.count * (1 + 1e-12));
  }
}

TEST(Parts, AreAddedEachToItself) {
  Parts sum{1_s, 2_s, 3_s, 4_s, 5_s};
  sum += Parts{10_s, 20_s, 30_s, 40_s, 50_s};
  EXPECT_EQ(sum.compute, 11_s);
  EXPECT_EQ(sum.wait, 22_s);
  EXPECT_EQ(sum.compress, 33_s);
  EXPECT_EQ(sum.exchange, 44_s);
  EXPECT_EQ(sum.stream_wait, 55_s);
}

TEST(Parts, AreDividedEachByItself) {
  const Parts half = Parts{2_s, 4_s, 6_s, 8_s, 10_s} / 2;
  EXPECT_EQ(half.compute, 1_s);
  EXPECT_EQ(half.wait, 2_s);
  EXPECT_EQ(half.compress, 3_s);
  EXPECT_EQ(half.exchange, 4_s);
  EXPECT_EQ(half.stream_wait, 5_s);
}

}  // namespace
}  // namespace netmodels
