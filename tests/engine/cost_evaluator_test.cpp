// Which evaluator answers, reuse, audits, and the errors of each evaluator.
#include "sim/engine/cost_evaluator.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/engine/clusters.hpp"

namespace sim::engine {
namespace {

using namespace netmodels::literals;
using namespace testing;
using scenario::Evaluator;

/// Four workers at 1 ms and 100 MB/s; a ring of 16 MB takes 6 x 41 ms.
class Prices : public ::testing::Test {
 protected:
  void begin(Evaluator evaluator, double audit = 0) {
    built_.emplace(std::move(*Platform::make(cluster_)));
    network_.emplace(std::move(*NetworkTimeline::make(cluster_, built_->platform(), built_->numbers())));
    evaluator_.emplace(*built_, CostEvaluator::Settings{evaluator, audit, 1});
    evaluator_->set_workers(everyone(built_->platform().workers()));
  }
  CostEvaluator::Handle prepared(std::string_view name, std::uint32_t ranks = 4) {
    return evaluator_->prepare(**netmodels::find_collective(name), {ranks, 16_MB});
  }
  netmodels::Result<CostEvaluator::Cost> evaluate(std::string_view name, netmodels::Seconds now = {}) {
    network_->advance(now, 0, 0);
    return evaluator_->evaluate(prepared(name), *network_, now);
  }
  double seconds(std::string_view name, netmodels::Seconds now = {}) {
    return evaluate(name, now).value().duration.count;
  }
  std::string refusal(std::string_view name) {
    const auto refused = evaluate(name);
    return refused ? "" : refused.error().text();
  }

  scenario::Cluster cluster_ = star(4, 1_ms, {100e6});
  std::optional<SharedCluster> built_;
  std::optional<NetworkTimeline> network_;
  std::optional<CostEvaluator> evaluator_;
};

constexpr double kRing = 0.246;

TEST_F(Prices, EveryEvaluatorGivesTheFigureByHand) {
  for (const Evaluator evaluator :
       {Evaluator::closed, Evaluator::path, Evaluator::simgrid, Evaluator::automatic}) {
    evaluator_.reset();
    network_.reset();
    built_.reset();
    begin(evaluator);
    EXPECT_NEAR(seconds("ring_allreduce"), kRing, 1e-12);
  }
}

// Six rounds of 1 ms. A window of 4 MiB a round trip of 1 s lets 16 MB / 4 pass in about that time, however
// wide the link.
TEST_F(Prices, LatencyIsWhatIsLeftOnLinksOfInfiniteBandwidth) {
  begin(Evaluator::automatic);
  const auto latency = [&](netmodels::Seconds duration) {
    return evaluator_->latency_of(prepared("ring_allreduce"), network_->state(0_s), duration).count;
  };
  EXPECT_NEAR(latency(1_s), 0.006, 1e-12);
  EXPECT_EQ(latency(1_ms), 0.001);  // which is all that it took
  EXPECT_NEAR(evaluator_->latency_of(prepared("table_one_ring"), network_->state(0_s), 1_s).count, 0.006,
              1e-12);
  evaluator_.reset();
  network_.reset();
  built_.reset();
  cluster_.preset = scenario::NetworkPreset::tcp_wan;
  cluster_.link.latency = 1_s;
  begin(Evaluator::automatic);
  EXPECT_GT(latency({1e3}), 6 + 6 * 0.5);
}

TEST_F(Prices, AutomaticTakesTheLongestPathOnceAndReusesItThen) {
  begin(Evaluator::automatic);
  for (int count = 0; count < 5; ++count) EXPECT_NEAR(seconds("ring_allreduce", {1.0 * count}), kRing, 1e-12);
  EXPECT_EQ(evaluator_->counts().path, 1U);
  EXPECT_EQ(evaluator_->counts().reused, 4U);
  EXPECT_EQ(evaluator_->counts().simgrid, 0U);
}

TEST_F(Prices, AnEvaluatorThatWasAskedForIsAskedEveryTime) {
  begin(Evaluator::path);
  for (int count = 0; count < 5; ++count) seconds("ring_allreduce", {1.0 * count});
  EXPECT_EQ(evaluator_->counts().path, 5U);
  EXPECT_EQ(evaluator_->counts().reused, 0U);
}

TEST_F(Prices, AutomaticTurnsToSimGridWhereMessagesMeet) {  // 2 (1 ms + 3 x 160 ms)
  begin(Evaluator::automatic);
  EXPECT_NEAR(seconds("parameter_server_allreduce"), 0.962, 1e-9);
  EXPECT_EQ(evaluate("parameter_server_allreduce", 1_s)->by, EvaluatedBy::simgrid);
  EXPECT_EQ(evaluator_->counts().simgrid, 1U);
  EXPECT_EQ(evaluator_->counts().reused, 1U);
}

TEST_F(Prices, AutomaticTurnsToSimGridForTheWhileThatTrafficRuns) {
  cluster_.background = {{0, 1, std::nullopt, 1_s, 2_s, std::nullopt}};
  begin(Evaluator::automatic);
  EXPECT_EQ(evaluate("ring_allreduce")->by, EvaluatedBy::path);
  EXPECT_EQ(evaluate("ring_allreduce", {0.9})->by,
            EvaluatedBy::simgrid);  // begins while the ring is under way
  EXPECT_EQ(evaluate("ring_allreduce", 1_s)->by, EvaluatedBy::simgrid);
  EXPECT_EQ(evaluate("ring_allreduce", 3_s)->by, EvaluatedBy::path);
}

TEST_F(Prices, AutomaticTurnsToSimGridForTcpPresets) {
  cluster_.preset = scenario::NetworkPreset::tcp_wan;
  begin(Evaluator::automatic);
  EXPECT_EQ(evaluate("ring_allreduce")->by, EvaluatedBy::simgrid);
}

TEST_F(Prices, NothingIsReusedOverAChange) {  // at 100 ms: 0.1 s at 100 MB/s, the rest at half
  cluster_.changes = {at_time({10.1}, netmodels::Bandwidth{50e6})};
  begin(Evaluator::automatic);
  EXPECT_NEAR(seconds("ring_allreduce"), kRing, 1e-12);
  EXPECT_GT(seconds("ring_allreduce", 10_s), kRing + 0.1);
  EXPECT_NEAR(seconds("ring_allreduce", 11_s), 6 * 0.081, 1e-12);
  EXPECT_EQ(evaluator_->counts().reused, 0U);
}

TEST_F(Prices, AStateThatComesBackIsReused) {
  cluster_.changes = {at_time(10_s, netmodels::Bandwidth{50e6}), at_time(20_s, netmodels::Bandwidth{100e6})};
  begin(Evaluator::automatic);
  seconds("ring_allreduce");
  seconds("ring_allreduce", 12_s);
  EXPECT_NEAR(seconds("ring_allreduce", 22_s), kRing, 1e-12);
  EXPECT_EQ(evaluator_->counts().path, 2U);
  EXPECT_EQ(evaluator_->counts().reused, 1U);
}

TEST_F(
    Prices,
    AChangeBeyondTheFirstGuessAtTheEndIsForeseen) {  // 1 MB/s: 24 s in all, half of it after 12 s at double
  cluster_.link = {{}, {1e6}};
  cluster_.changes = {at_time(12_s, netmodels::Bandwidth{2e6})};
  begin(Evaluator::automatic);
  EXPECT_NEAR(seconds("ring_allreduce"), 18, 1e-9);
}

TEST_F(Prices, PreparingTheSameTwiceIsOneHandle) {
  begin(Evaluator::automatic);
  EXPECT_EQ(prepared("ring_allreduce"), prepared("ring_allreduce"));
  EXPECT_NE(prepared("ring_allreduce"), prepared("tree_allreduce"));
}

TEST_F(Prices, FewerWorkersMakeANewRing) {  // 4 (1 ms + 16/3 MB / 100 MB/s)
  begin(Evaluator::automatic);
  seconds("ring_allreduce");
  evaluator_->set_workers({0, 1, 3});
  EXPECT_NEAR(evaluator_->evaluate(prepared("ring_allreduce", 3), *network_, {})->duration.count,
              4 * (1e-3 + 0.16 / 3), 1e-12);
}

TEST_F(Prices, AWorkerSendsItsShareOfTheSchedule) {
  begin(Evaluator::automatic);
  EXPECT_EQ(evaluator_->sent_per_worker(prepared("ring_allreduce")), 24_MB);
  EXPECT_EQ(evaluator_->sent_per_worker(prepared("parameter_server_allreduce")), 24_MB);  // 6 x 16 MB by four
  EXPECT_EQ(evaluator_->sent_per_worker(prepared("table_one_ring")), std::nullopt);
}

TEST_F(Prices, AnAuditOfAllAnswersPasses) {
  cluster_.changes = {at_time({0.1}, netmodels::Bandwidth{70e6})};
  begin(Evaluator::automatic, 1);
  for (int count = 0; count < 5; ++count) ASSERT_TRUE(evaluate("ring_allreduce", {0.5 * count}).has_value());
  EXPECT_EQ(evaluator_->counts().audited, 5U);
}

TEST_F(Prices, AnAuditOfHalfTheAnswersChecksAboutHalf) {
  begin(Evaluator::automatic, 0.5);
  for (int count = 0; count < 200; ++count) seconds("ring_allreduce", {0.5 * count});
  EXPECT_NEAR(static_cast<double>(evaluator_->counts().audited), 100, 30);
}

TEST_F(Prices, TheClosedFormIsRefusedWhereTheNetworkChangesMeanwhile) {
  cluster_.changes = {at_time({0.1}, netmodels::Bandwidth{50e6})};
  for (const auto& [evaluator, row] :
       {std::pair{Evaluator::closed, "ring_allreduce"}, std::pair{Evaluator::automatic, "table_one_ring"}}) {
    evaluator_.reset();
    network_.reset();
    built_.reset();
    begin(evaluator);
    EXPECT_EQ(refusal(row),
              "network: closed forms assume a network that does not change during the operation; use a "
              "collective with a schedule, and `path`, `simgrid` or `auto`");
  }
}

TEST_F(Prices, APrintedFormIsPricedByItself) {
  begin(Evaluator::automatic);
  EXPECT_NEAR(seconds("table_one_ring"), kRing, 1e-12);
  EXPECT_EQ(evaluate("table_one_ring", 1_s)->by, EvaluatedBy::closed);
}

TEST_F(Prices, APrintedFormIsRefusedByEvaluatorsThatNeedASchedule) {
  for (const Evaluator evaluator : {Evaluator::path, Evaluator::simgrid}) {
    evaluator_.reset();
    network_.reset();
    built_.reset();
    begin(evaluator);
    EXPECT_EQ(
        refusal("table_one_ring"),
        "exchange.collective: `table_one_ring` is a published closed form without a schedule; use `closed` "
        "or `auto`");
  }
}

TEST_F(Prices, ThePathEvaluatorRefusesTcpPresets) {
  cluster_.preset = scenario::NetworkPreset::tcp_wan;
  begin(Evaluator::path);
  EXPECT_EQ(refusal("ring_allreduce"),
            "network: the path evaluator does not support TCP presets; use `simgrid` or `auto`");
}

TEST_F(Prices, SimGridsModelsOfTcpRefuseNotices) {
  cluster_.preset = scenario::NetworkPreset::tcp_wan;
  begin(Evaluator::automatic);
  EXPECT_EQ(
      refusal("gloo.allreduce"),
      "cluster.preset: SimGrid's models of TCP take no time for messages without bytes, and "
      "`gloo.allreduce` waits for such notices; leave out the preset, or choose a collective of another "
      "library");
}

TEST_F(Prices, ThePathEvaluatorsRefusalsNameTheKey) {
  begin(Evaluator::path);
  EXPECT_EQ(refusal("parameter_server_allreduce"),
            "network: messages share a link on the path from rank 0 to rank 3; the path evaluator supports "
            "one flow per link at a time; use `simgrid` or `auto`");
}

/// Why the closed form was refused.
std::string closed_refusal(const std::string& why) {
  return "network: the closed form is valid only on a free homogeneous network: " + why +
         "; use `path`, `simgrid` or `auto`";
}

TEST_F(Prices, TheClosedFormRefusesTcpPresets) {
  cluster_.preset = scenario::NetworkPreset::tcp_lv08;
  begin(Evaluator::closed);
  EXPECT_EQ(refusal("ring_allreduce"), closed_refusal("a TCP preset is set"));
}

TEST_F(Prices, TheClosedFormRefusesOtherTraffic) {
  cluster_.background = {{0, 1, std::nullopt, {}, std::nullopt, std::nullopt}};
  begin(Evaluator::closed);
  EXPECT_EQ(refusal("ring_allreduce"), closed_refusal("background traffic runs"));
}

TEST_F(Prices, TheClosedFormRefusesSharedLinks) {
  cluster_.topology = scenario::topology("racks", scenario::Racks{2, 1});
  begin(Evaluator::closed);
  EXPECT_EQ(refusal("ring_allreduce"), closed_refusal("links are shared"));
}

TEST_F(Prices, TheClosedFormRefusesLinksThatDiffer) {
  cluster_.worker_links = {{{2}, {1_ms, {50e6}}}};
  begin(Evaluator::closed);
  EXPECT_EQ(refusal("ring_allreduce"), closed_refusal("links differ"));
}

TEST_F(Prices, TheClosedFormLooksAtTheLinksOfWhoTakesPart) {
  cluster_.worker_links = {{{2}, {1_ms, {50e6}}}};
  begin(Evaluator::closed);
  evaluator_->set_workers({0, 1, 3});
  EXPECT_TRUE(evaluator_->evaluate(prepared("ring_allreduce", 3), *network_, {}).has_value());
}

TEST(EvaluatedBy, HasANameForEachEvaluator) {
  EXPECT_EQ(to_string(EvaluatedBy::closed), "closed");
  EXPECT_EQ(to_string(EvaluatedBy::path), "path");
  EXPECT_EQ(to_string(EvaluatedBy::simgrid), "simgrid");
}

/// 10 us and 1 ms per megabyte: 16.01 ms for 16 MB.
class MeasuredPrices : public Prices {
 protected:
  void begin(Evaluator evaluator, bool extrapolate = false) {
    Prices::begin(evaluator);
    evaluator_.emplace(*built_, CostEvaluator::Settings{evaluator, 0, 1, rows_, 2, extrapolate});
    evaluator_->set_workers(everyone(built_->platform().workers()));
  }

  std::vector<netmodels::MeasuredCollective> rows_ = {measured_all_reduce(4, 2)};
};

TEST_F(MeasuredPrices, StandForEveryAlgorithmOfTheirKind) {
  begin(Evaluator::automatic);
  for (const char* name : {"ring_allreduce", "tree_allreduce", "table_one_ring"}) {
    const auto price = this->evaluate(name).value();
    EXPECT_DOUBLE_EQ(price.duration.count, 0.01601) << name;
    EXPECT_EQ(price.by, EvaluatedBy::measured);
    EXPECT_DOUBLE_EQ(price.error, 0.2);  // 0.1 (1 + log2(16 MB / 8 MB))
  }
  EXPECT_EQ(evaluator_->counts().measured, 3U);
  EXPECT_EQ(evaluator_->counts().beyond_measured, 3U);  // 16 MB is above 8 MB
}

TEST_F(MeasuredPrices, AreRefusedFarBeyondTheMeasuredSizes) {
  rows_.front().smallest = rows_.front().largest = netmodels::Bytes{1e5};  // 16 MB is 160 times that
  begin(Evaluator::automatic);
  EXPECT_EQ(
      evaluate("ring_allreduce").error().text(),
      "cluster.collective_times: all-reduce of 16 MB on 4 ranks is 160 times beyond the measured sizes, 100 "
      "kB "
      "to 100 kB; measure sizes nearer to it, or write `cluster.extrapolate: true` to go more than 100 times "
      "beyond");
}

TEST_F(MeasuredPrices, AreExtrapolatedFarWhereAskedFor) {
  rows_.front().smallest = rows_.front().largest = netmodels::Bytes{1e5};
  begin(Evaluator::automatic, true);
  EXPECT_DOUBLE_EQ(evaluate("ring_allreduce").value().duration.count, 0.01601);
}

TEST_F(MeasuredPrices, LeaveOtherKindsAlone) {
  begin(Evaluator::automatic);
  EXPECT_EQ(evaluate("ring_allgather").value().by, EvaluatedBy::path);
}

TEST_F(MeasuredPrices, AreOfTheAutomaticEvaluatorOnly) {
  begin(Evaluator::path);
  EXPECT_NEAR(seconds("ring_allreduce"), kRing, 1e-12);
  EXPECT_EQ(evaluate("ring_allreduce").value().error, 0);
}

}  // namespace
}  // namespace sim::engine
