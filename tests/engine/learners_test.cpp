// Learners made as scenarios ask for them, and the text of each refusal.
#include "sim/engine/learners.hpp"

#include <fmt/core.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "learning/datasets/readers.hpp"
#include "learning/learners/live_learner.hpp"
#include "learning/learners/parametric_learner.hpp"
#include "learning/learners/replay_learner.hpp"
#include "tests/engine/clusters.hpp"
#include "tests/source_tree.hpp"

namespace sim::engine {
namespace {

using namespace netmodels::literals;
using namespace testing;
using learning::learners::LearnerChoice;
using learning::learners::live;
using learning::learners::LiveSettings;
namespace datasets = learning::datasets;
namespace models = learning::models;

const std::string kFolder = tests::source_dir() + "/scenarios";

scenario::Scenario learning_by(const LearnerChoice& learner) {
  scenario::Scenario scenario = plain(2, {}, {100e6}, 4);
  scenario.learner.kind = learner;
  return scenario;
}

scenario::Scenario live_scenario(const std::string& model = "mlp_32") { return learning_by(live(model)); }

scenario::Scenario live_on(const datasets::DatasetChoice& dataset) {
  return learning_by(
      learning::learners::learner("live", LiveSettings{.model = "mlp_32", .dataset = dataset}));
}

scenario::Scenario replaying(const std::string& file) {
  return learning_by(
      learning::learners::learner("replay", learning::learners::ReplayLearner::Settings{file}));
}

scenario::Scenario following(const std::string& law) {
  return learning_by(
      learning::learners::learner("parametric", learning::learners::ParametricLearner::Settings{law}));
}

std::string refusal(const scenario::Scenario& scenario) {
  const auto learner = LearnerShelf(kFolder).make(scenario);
  return learner ? "accepted" : learner.error().text();
}

std::string label(const scenario::Scenario& scenario) {
  return LearnerShelf(kFolder).make(scenario).value()->label();
}

TEST(LearnerShelf, NobodyLearnsWhereTheScenarioHasNoLearner) {
  EXPECT_EQ(LearnerShelf(kFolder).make(plain(2, {}, {100e6}, 4)).value(), nullptr);
}

TEST(LearnerShelf, ALiveLearnerSaysWhatItIs) {
  EXPECT_EQ(label(live_scenario()),
            "live: mlp_32 (2410 parameters) trained on optdigits by SGD with momentum 0.9 at 0.05");
  scenario::Scenario scenario = live_scenario("softmax");
  scenario.learner.kind.edit<LiveSettings>().optimizer = {*models::find_optimizer("adam"), 0.001};
  EXPECT_EQ(label(scenario), "live: softmax (650 parameters) trained on optdigits by Adam at 0.001");
}

TEST(LearnerShelf, TheRecordOfSitesCountsEachAsAWorkerWithTheSamplesOfAll) {  // 2 sites of 2 times 10
  scenario::Scenario scenario = learning_by(learning::learners::learner(
      "live", LiveSettings{.model = "mlp_32", .record = learning::learners::Recording{}}));
  scenario.cluster.workers = 4;
  scenario.cluster.workers_per_node = 2;
  scenario.work.parallelism.site = scenario::SiteKind::node;
  const auto learner = LearnerShelf(kFolder).make(scenario).value();
  ASSERT_NE(learner->record(), nullptr);
  EXPECT_EQ(learner->record()->facts.workers, 2);
  EXPECT_EQ(learner->record()->facts.batch, 20);
}

TEST(LearnerShelf, AFittedLawGoesByTheNameOfWhatIsShipped) {
  const auto learner = LearnerShelf(kFolder).make(following("resnet18_cifar10")).value();
  EXPECT_THAT(learner->label(), ::testing::HasSubstr("resnet18_cifar10"));
}

TEST(LearnerShelf, TwoLearnersOfOneScenarioStartAlikeAndGoTheirOwnWay) {
  LearnerShelf shelf(kFolder);
  const auto one = shelf.make(live_scenario()).value();
  const auto other = shelf.make(live_scenario()).value();
  const std::vector<learning::learners::Share> shares{{0, 8}, {1, 8}};
  const auto first = one->compute(shares);
  (void)one->update({});
  EXPECT_EQ(other->compute(shares).squared_norms, first.squared_norms);
}

TEST(LearnerShelf, AModelThatIsNoneIsRefusedWithTheNearest) {
  EXPECT_THAT(refusal(live_scenario("mlp_l28")), ::testing::StartsWith("learner.model: "));
  EXPECT_THAT(refusal(live_scenario("softmx")), ::testing::HasSubstr("did you mean `softmax`?"));
}

TEST(LearnerShelf, AModelThatCannotTakeTheSamplesIsRefused) {
  EXPECT_EQ(refusal(live_scenario("lstm_64")),
            "learner.model: model `lstm_64` cannot take images; models for images: softmax, mlp_32, mlp_64, "
            "mlp_128, "
            "mlp_256_128, mlp_128_64_bn, cnn, resnet_8_bn, resnet_8_gn, resnet_20_bn");
}

TEST(LearnerShelf, ADataSetWithoutPathIsRefused) {
  EXPECT_EQ(refusal(live_on(*datasets::find_dataset("mnist"))),
            "learner.dataset: the data set `mnist` has no path; get train-images-idx3-ubyte.gz, "
            "train-labels-idx1-ubyte.gz, t10k-images-idx3-ubyte.gz and t10k-labels-idx1-ubyte.gz from "
            "http://yann.lecun.com/exdb/mnist and give their folder as path");
}

TEST(LearnerShelf, ADataSetThatIsNotThereIsRefused) {
  const datasets::CsvFile letters{.path = "/nowhere/letters.csv"};
  EXPECT_EQ(refusal(live_on(datasets::dataset("csv", letters))),
            "learner.dataset: /nowhere/letters.csv: file not found; check the path");
}

TEST(LearnerShelf, ACompressionThatNoGradientCanGoThroughIsRefused) {
  scenario::Scenario scenario = live_scenario();
  scenario.exchange.compression.method = "threshold";
  EXPECT_EQ(refusal(scenario), "compression.method: `threshold` needs the threshold in advance; choose topk");
}

TEST(LearnerShelf, ShardsThatCannotBeDealtAreRefused) {  // 2 workers with a label each, of 10
  scenario::Scenario scenario = live_scenario();
  scenario.learner.kind.edit<LiveSettings>().shards = *datasets::find_partition_rule("label_skew");
  EXPECT_EQ(refusal(scenario),
            "learner.shards: 2 workers with 1 label(s) each cannot hold all 10 labels; give each at least 5 "
            "labels, "
            "or take at least 10 workers");
}

TEST(LearnerShelf, ARecordThatIsNotThereIsRefused) {
  EXPECT_EQ(refusal(replaying("/nowhere/record.csv")),
            "learner.file: /nowhere/record.csv: file not found; check the path");
  EXPECT_EQ(refusal(following("/nowhere/law.csv")),
            "learner.file: /nowhere/law.csv: file not found; check the path");
}

TEST(LearnerShelf, ACompressionThatALawDoesNotKnowIsRefused) {
  scenario::Scenario scenario = following("resnet18_cifar10");
  scenario.exchange.compression.method = "topk";
  scenario.exchange.compression.ratio = 0.01;
  EXPECT_EQ(refusal(scenario),
            "compression.method: resnet18_cifar10: gains of `topk` with error feedback are unknown; fit "
            "them to a record, or train live");
}

/// That of `policy` with a learner that replays `resnet18_gains_tyagi2023`, which has gains of `topk` and
/// `ar_topk`, or `resnet8_fashion_mnist_gains`, which has those of `topk` alone.
std::string refusal_of_policy(const std::string& policy, const std::string& method, const std::string& record,
                              scenario::Selection selection = scenario::Selection::staleness) {
  scenario::Scenario scenario = replaying(record);
  scenario.exchange.compression.selection = selection;
  scenario.exchange.compression.method = method;
  scenario.exchange.compression.policy.select(*policies::find_compression(policy));
  return refusal(scenario);
}

TEST(LearnerShelf, ARatioThatAPolicyChoosesNeedsRecordedGainsLikeAStatedOne) {
  const std::string missing =
      "compression.method: resnet8_fashion_mnist_gains: no gains of `{}` with error feedback were recorded; "
      "recorded are gains of `topk`";
  EXPECT_EQ(refusal_of_policy("gravac", "topk", "resnet8_fashion_mnist_gains"), "accepted");
  EXPECT_EQ(refusal_of_policy("gravac", "dgc", "resnet8_fashion_mnist_gains"),
            fmt::format(fmt::runtime(missing), "dgc"));
  EXPECT_EQ(refusal_of_policy("accordion", "dgc", "resnet8_fashion_mnist_gains"), "accepted");  // by norms
  EXPECT_EQ(refusal_of_policy("flexible", "none", "resnet8_fashion_mnist_gains"),
            fmt::format(fmt::runtime(missing), "ar_topk"));
  EXPECT_EQ(refusal_of_policy("flexible", "none", "resnet18_gains_tyagi2023"), "accepted");
  EXPECT_EQ(
      refusal_of_policy("flexible", "none", "resnet18_gains_tyagi2023", scenario::Selection::variance),
      "compression.method: resnet18_gains_tyagi2023: no gains of `ar_topk_by_variance` with error feedback "
      "were recorded; recorded are gains of `topk, ar_topk`");
}

}  // namespace
}  // namespace sim::engine
