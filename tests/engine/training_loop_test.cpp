// The calls of a run to its learner and its policy, step by step, and its results.
#include "sim/engine/training_loop.hpp"

#include <utility>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "policies/catalogue.hpp"
#include "policies/diloco.hpp"
#include "policies/easgd.hpp"
#include "policies/local_steps.hpp"
#include "policies/selsync.hpp"
#include "tests/engine/clusters.hpp"
#include "tests/policies/policy_host.hpp"

namespace sim::engine {
namespace {

using namespace netmodels::literals;
using namespace testing;

/// The calls of a training loop to its learner, and the learner's answers.
struct Book {
  std::vector<std::vector<learning::learners::Share>> computed;
  std::vector<learning::learners::Update> updates;
  std::vector<std::uint32_t> pulls;
  std::vector<std::pair<std::uint32_t, double>> pushes;  ///< worker and share of the learning rate
  std::vector<std::string> models;                       ///< steps, messages and merges of models
  std::size_t tests = 0;
  std::vector<double> accuracies;    ///< of one test after another
  double squared_norm = 4;           ///< of every worker
  std::optional<double> gain = 0.5;  ///< of every update
  std::optional<policies::MeasuredChange> measured_change = {};
};

/// Learns nothing and records its calls.
class Scribe final : public learning::learners::Learner {
 public:
  explicit Scribe(Book& book) : book_(book) {}

  [[nodiscard]] std::string label() const override { return "a scribe"; }
  [[nodiscard]] std::string note_on_norms() const override { return "norms of its own"; }
  [[nodiscard]] netmodels::Result<void> check(const learning::learners::Compression&) const override {
    return {};
  }
  learning::learners::Gradients compute(std::span<const learning::learners::Share> shares) override {
    book_.computed.emplace_back(shares.begin(), shares.end());
    return {2.5, std::vector<double>(shares.size(), book_.squared_norm), {}, {}, book_.measured_change};
  }
  [[nodiscard]] std::optional<double> gain(const learning::learners::Compression&) const override {
    return {};
  }
  learning::learners::Updated update(const learning::learners::Update& update) override {
    book_.updates.push_back(update);
    return {book_.gain, 3, 100};
  }
  std::optional<learning::learners::Evaluation> evaluate() override {
    if (book_.tests >= book_.accuracies.size()) return {};
    return learning::learners::Evaluation{1.5, book_.accuracies[book_.tests++]};
  }
  [[nodiscard]] std::unique_ptr<Learner> copy() const override { return std::make_unique<Scribe>(*this); }
  [[nodiscard]] bool asynchronous() const override { return true; }
  void pull(std::uint32_t worker) override { book_.pulls.push_back(worker); }
  void push(std::uint32_t worker, const learning::learners::Compression&, double share) override {
    book_.pushes.emplace_back(worker, share);
  }
  void step_alone(std::uint32_t worker) override { book_.models.push_back(fmt::format("{} steps", worker)); }
  void offer(std::uint32_t worker, const learning::learners::Fragment& fragment,
             const learning::learners::Compression&) override {
    book_.models.push_back(fmt::format("{} offers {} of {}", worker, fragment.number, fragment.of));
  }
  std::optional<double> merge(const learning::learners::Merge& merge) override {
    book_.models.push_back(
        fmt::format("{} of {} merged at {:g}", merge.fragment.number, merge.fragment.of, merge.rule.rate));
    return book_.gain;
  }
  void answer(std::uint32_t worker, const learning::learners::Fragment& fragment) override {
    book_.models.push_back(fmt::format("{} is sent {} of {}", worker, fragment.number, fragment.of));
  }
  void receive(std::uint32_t worker, const learning::learners::Fragment& fragment, double mixing) override {
    book_.models.push_back(
        fmt::format("{} receives {} of {} but for {:g}", worker, fragment.number, fragment.of, mixing));
  }

 private:
  Book& book_;
};

scenario::Scenario some_scenario() {
  scenario::Scenario scenario = plain(2, {}, {100e6}, 100);
  scenario.learner.evaluate_every = 2;
  return scenario;
}

TrainingLoop course_of(const scenario::Scenario& scenario, Book& book) {
  return {scenario.work, scenario.cluster, scenario.exchange, scenario.learner,
          std::make_unique<Scribe>(book)};
}

/// Steps of workers 0 and 1 from the first on; the last one is known to be the last.
std::vector<LearningStep> simulate(TrainingLoop& loop, std::int64_t steps) {
  std::vector<LearningStep> found;
  for (std::int64_t step = 0; step < steps; ++step) {
    (void)loop.begin(step, everyone(2));
    const auto made = static_cast<double>(step + 1);
    found.push_back(
        *loop.finish({step + 1, made / 10, {made}, netmodels::Bytes{100 * made}, step + 1 == steps}));
  }
  return found;
}

TEST(TrainingLoop, TakesEveryPolicyOfTheCatalogue) {
  tests::FakePolicyHost host("", "");
  const policies::InstalledPolicyHost installed(host);
  for (const policies::SynchronisationRow& row : policies::synchronisations()) {
    scenario::Scenario scenario = some_scenario();
    scenario.exchange.synchronisation = row;
    TrainingLoop loop(scenario.work, scenario.cluster, scenario.exchange, scenario.learner, nullptr);
    if (is_asynchronous(row)) continue;  // takes no common step
    const Traffic exchanged = exchanges_models(row) ? Traffic::parameters : Traffic::gradients;
    const bool sees_nothing = row.traits.looks == policies::Looks::gradients ||
                              row.traits.looks == policies::Looks::models;  // without a learner
    EXPECT_EQ(loop.begin(0, everyone(2), 1), sees_nothing ? Traffic::nothing : exchanged) << row.name;
  }
}

TEST(TrainingLoop, WithoutALearnerThereIsNothingToLearn) {
  const scenario::Scenario scenario = some_scenario();
  TrainingLoop loop(scenario.work, scenario.cluster, scenario.exchange, scenario.learner, nullptr);
  EXPECT_EQ(loop.begin(0, everyone(2)), Traffic::gradients);
  EXPECT_FALSE(loop.finish({1, 1, 1_s, {}, true}).has_value());
  loop.pull(0);
  EXPECT_FALSE(loop.push(0, Progress{}).has_value());
  EXPECT_FALSE(loop.result().has_value());
  EXPECT_EQ(loop.label(), "none: times only, accuracy is not predicted");
}

TEST(TrainingLoop, WorkersComputeOnBatchesOfTheirOwn) {
  Book book;
  scenario::Scenario scenario = some_scenario();
  scenario.work.training.batches = {8, 16, 24};
  TrainingLoop loop = course_of(scenario, book);
  (void)loop.begin(0, {0, 2});
  ASSERT_EQ(book.computed.at(0).size(), 2U);
  EXPECT_EQ(book.computed[0][0].samples, 8);
  EXPECT_EQ(book.computed[0][1].worker, 2U);
  EXPECT_EQ(book.computed[0][1].samples, 24);
  EXPECT_EQ(loop.label(), "a scribe");
}

TEST(TrainingLoop, AStepIsWhatLearnerAndMeanSay) {
  Book book;
  TrainingLoop loop = course_of(some_scenario(), book);
  const LearningStep step = simulate(loop, 1).front();
  EXPECT_EQ(step.loss, 2.5);
  EXPECT_EQ(step.squared_norm, 4);
  EXPECT_EQ(step.mean_squared_norm, 3);
  EXPECT_EQ(step.gain, 0.5);
  EXPECT_EQ(step.noise_scale, 100);
}

TEST(TrainingLoop, UpdatesAreCompressedAndWeightedAsTheScenarioSays) {
  Book book;
  scenario::Scenario scenario = some_scenario();
  scenario.exchange.compression.method = "topk";
  scenario.exchange.compression.ratio = 0.01;
  scenario.learner.error_feedback = false;
  scenario.work.training.weights = scenario::Weights::uniform;
  TrainingLoop loop = course_of(scenario, book);
  (void)simulate(loop, 1);
  EXPECT_EQ(book.updates.at(0).exchange, learning::learners::Exchange::gradients);
  EXPECT_EQ(book.updates[0].compression, (learning::learners::Compression{"topk", 0.01, false, false}));
  EXPECT_EQ(book.updates[0].weights, learning::learners::Weights::uniform);
}

TEST(TrainingLoop, LocalStepsEndWithNothingAndPeriodsWithParameters) {
  Book book;
  scenario::Scenario scenario = some_scenario();
  scenario.exchange.synchronisation =
      policies::synchronisation("periodic", policies::Periodic::Settings{.every = 2});
  TrainingLoop loop = course_of(scenario, book);
  EXPECT_EQ(loop.begin(0, everyone(2)), Traffic::nothing);
  EXPECT_EQ(loop.begin(1, everyone(2)), Traffic::parameters);
  (void)simulate(loop, 2);
  EXPECT_EQ(book.updates.at(0).exchange, learning::learners::Exchange::nothing);
  EXPECT_EQ(book.updates.at(1).exchange, learning::learners::Exchange::parameters);
}

TEST(TrainingLoop, PeriodsEndWithGradientsWhereTheScenarioSaysSo) {
  scenario::Scenario scenario = some_scenario();
  scenario.exchange.synchronisation = policies::synchronisation(
      "periodic", policies::Periodic::Settings{.averaged = policies::Averaged::gradients});
  TrainingLoop loop(scenario.work, scenario.cluster, scenario.exchange, scenario.learner, nullptr);
  EXPECT_EQ(loop.begin(0, everyone(2)), Traffic::gradients);
}

/// The learner's input about the exchange in step 0 under this synchronisation.
learning::learners::Meeting first_meeting(const policies::SynchronisationChoice& synchronisation,
                                          int workers = 2) {
  Book book;
  scenario::Scenario scenario = plain(workers, {}, {100e6}, 100);
  scenario.exchange.synchronisation = synchronisation;
  TrainingLoop loop = course_of(scenario, book);
  EXPECT_EQ(loop.begin(0, everyone(static_cast<std::uint32_t>(workers)), 1), Traffic::parameters);
  (void)loop.finish({1, 1, 1_s, {}, false});
  EXPECT_EQ(book.updates.at(0).exchange, learning::learners::Exchange::parameters);
  return book.updates.at(0).meeting;
}

TEST(TrainingLoop, AMeanIsOfAllWorkersAfterTheStepWhereNothingElseIsSaid) {
  const auto mean =
      std::get<learning::learners::Mean>(first_meeting(*policies::find_synchronisation("periodic")));
  EXPECT_FALSE(mean.before_step);
}

TEST(TrainingLoop, SelSyncMayAverageBeforeTheStep) {
  const auto released = policies::synchronisation(
      "selsync",
      policies::SelSync::Settings{.threshold = 0, .average = policies::AverageMoment::before_step});
  EXPECT_TRUE(std::get<learning::learners::Mean>(first_meeting(released)).before_step);
}

TEST(TrainingLoop, ElasticWorkersMoveByTheirRateOrNineTenthsOverTheirNumber) {
  policies::SynchronisationChoice elastic = *policies::find_synchronisation("easgd");
  EXPECT_DOUBLE_EQ(std::get<learning::learners::ElasticMean>(first_meeting(elastic, 4)).rate, 0.225);
  elastic.edit<policies::Easgd::Settings>().moving_rate = 0.1;
  EXPECT_DOUBLE_EQ(std::get<learning::learners::ElasticMean>(first_meeting(elastic, 4)).rate, 0.1);
}

TEST(TrainingLoop, AnOuterStepHasItsRateAndMomentum) {
  const auto diloco = policies::synchronisation(
      "diloco", policies::DiLoCo::Settings{.outer_rate = 0.5, .outer_momentum = 0.25});
  const auto outer = std::get<learning::learners::OuterStep>(first_meeting(diloco));
  EXPECT_EQ(outer.rate, 0.5);
  EXPECT_EQ(outer.momentum, 0.25);
}

TEST(TrainingLoop, SelSyncDecidesByAChangeThatTheLearnerKnows) {  // the norms stay as they are
  Book book;
  scenario::Scenario scenario = some_scenario();
  scenario.exchange.synchronisation =
      policies::synchronisation("selsync", policies::SelSync::Settings{.threshold = 0.9, .smoothing = 1});
  TrainingLoop loop = course_of(scenario, book);
  EXPECT_EQ(loop.begin(0, everyone(2)), Traffic::parameters);  // there is no change yet
  EXPECT_EQ(loop.begin(1, everyone(2)), Traffic::nothing);
  book.measured_change = policies::MeasuredChange{0.9, {25, 1}};
  EXPECT_EQ(loop.begin(2, everyone(2)), Traffic::parameters);
  book.measured_change->largest = 0.8;
  EXPECT_EQ(loop.begin(3, everyone(2)), Traffic::nothing);
  EXPECT_EQ(loop.label(), "a scribe; norms of its own");  // others do not look at norms: see above
}

TEST(TrainingLoop, SelSyncDecidesByTheLearnersGradients) {  // s = 1: ||g||^2 goes from 4 to 4 and to 8
  Book book;
  scenario::Scenario scenario = some_scenario();
  scenario.exchange.synchronisation = policies::synchronisation(
      "selsync", policies::SelSync::Settings{.threshold = 0.9, .smoothing = 1, .warmup_steps = 0});
  TrainingLoop loop = course_of(scenario, book);
  EXPECT_EQ(loop.begin(0, everyone(2)), Traffic::parameters);
  EXPECT_EQ(loop.begin(1, everyone(2)), Traffic::nothing);
  book.squared_norm = 8;
  EXPECT_EQ(loop.begin(2, everyone(2)), Traffic::parameters);
}

TEST(TrainingLoop, TheModelIsTestedEverySoManyStepsAndAtTheEnd) {
  Book book;
  book.accuracies = {0.1, 0.2, 0.3};
  TrainingLoop loop = course_of(some_scenario(), book);
  (void)simulate(loop, 5);
  const LearningResult result = loop.result().value();
  ASSERT_EQ(result.curve.size(), 3U);
  EXPECT_EQ(result.curve[0].steps, 2);
  EXPECT_EQ(result.curve[1].steps, 4);
  EXPECT_EQ(result.curve[2].steps, 5);
  EXPECT_EQ(result.curve[2].at, 5_s);
  EXPECT_EQ(result.curve[2].epoch, 0.5);
  EXPECT_EQ(result.curve[2].sent_by_all, netmodels::Bytes{500});
  EXPECT_EQ(result.curve[2].loss, 1.5);
  EXPECT_EQ(result.curve[2].accuracy, 0.3);
}

TEST(TrainingLoop, TheTargetIsReachedByTheFirstTestThatHasIt) {
  Book book;
  book.accuracies = {0.5, 0.9, 0.7, 0.95};
  scenario::Scenario scenario = some_scenario();
  scenario.learner.target = 0.9;
  TrainingLoop loop = course_of(scenario, book);
  (void)simulate(loop, 8);
  const LearningResult result = loop.result().value();
  ASSERT_TRUE(result.target.has_value());
  EXPECT_EQ(result.target->steps, 4);
  EXPECT_EQ(result.best_accuracy, 0.95);
}

TEST(TrainingLoop, ATargetCanBeALoss) {
  scenario::Target target;
  target.loss = 1.8;
  EXPECT_TRUE(target.reached_by(0.1, 1.8));
  EXPECT_FALSE(target.reached_by(0.9, 1.9));
  EXPECT_FALSE(target.reached_by(0.9, std::nullopt));
  Book book;
  book.accuracies = {0.5, 0.9};
  scenario::Scenario scenario = some_scenario();
  scenario.learner.target = target;
  TrainingLoop loop = course_of(scenario, book);
  (void)simulate(loop, 4);
  const LearningResult result = loop.result().value();
  ASSERT_TRUE(result.target.has_value());
  EXPECT_EQ(result.target->steps, 2);
  EXPECT_EQ(result.best_loss, result.curve.back().loss);
}

TEST(TrainingLoop, ATargetThatNoTestReachesIsNotReached) {
  Book book;
  book.accuracies = {0.5, 0.6};
  scenario::Scenario scenario = some_scenario();
  scenario.learner.target = 0.7;
  TrainingLoop loop = course_of(scenario, book);
  (void)simulate(loop, 4);
  EXPECT_FALSE(loop.result()->target.has_value());
}

TEST(TrainingLoop, LastAccuracyIsTheMeanOfTheLastFiveTestsOrOfAllThereAre) {
  Book few;
  few.accuracies = {0.25, 0.75};
  TrainingLoop short_one = course_of(some_scenario(), few);
  (void)simulate(short_one, 4);
  EXPECT_DOUBLE_EQ(*short_one.result()->last_accuracy, 0.5);
  Book many;
  many.accuracies = {0, 0, 0.1, 0.2, 0.3, 0.4, 0.5};
  TrainingLoop long_one = course_of(some_scenario(), many);
  (void)simulate(long_one, 14);
  EXPECT_DOUBLE_EQ(*long_one.result()->last_accuracy, 0.3);
}

TEST(TrainingLoop, ALearnerThatCannotTestHasNoCurve) {
  Book book;
  TrainingLoop loop = course_of(some_scenario(), book);
  (void)simulate(loop, 4);
  EXPECT_TRUE(loop.result()->curve.empty());
  EXPECT_FALSE(loop.result()->last_accuracy.has_value());
  EXPECT_FALSE(loop.result()->best_accuracy.has_value());
}

TEST(TrainingLoop, AccuracyThatStopsBeingKnownIsNotKnownInTheEnd) {  // tests after steps 2, 4 and 6
  Book book;
  book.accuracies = {0.5};
  TrainingLoop loop = course_of(some_scenario(), book);
  (void)simulate(loop, 6);
  const LearningResult result = loop.result().value();
  EXPECT_EQ(result.unknown_since, 4_s);
  EXPECT_EQ(result.curve.size(), 1U);
  EXPECT_EQ(result.best_accuracy, 0.5);
  EXPECT_FALSE(result.last_accuracy.has_value());
}

TEST(TrainingLoop, AnExperimentIsNeitherCountedNorTested) {
  Book book;
  book.accuracies = {0.5};
  TrainingLoop loop = course_of(some_scenario(), book);
  (void)loop.begin(0, everyone(2));
  loop.set_checkpoint();
  loop.compress({"topk", 0.1});
  EXPECT_EQ(loop.finish_experiment()->gain, 0.5);
  loop.return_to_checkpoint();
  EXPECT_EQ(book.updates.at(0).compression.method, "topk");
  EXPECT_EQ(book.tests, 0U);
  EXPECT_FALSE(loop.result()->mean_gain.has_value());
  EXPECT_TRUE(loop.result()->curve.empty());
}

TEST(TrainingLoop, APushTakesAWorkersPartOfTheLearningRateWhereNothingElseIsSaid) {
  Book book;
  scenario::Scenario scenario = some_scenario();
  scenario.cluster.workers = 4;
  scenario.exchange.synchronisation = policies::synchronisation("asp", policies::Asynchronous{});
  TrainingLoop loop = course_of(scenario, book);
  loop.pull(0);
  (void)loop.push(0, {});
  EXPECT_EQ(book.pushes.at(0), std::pair(0U, 0.25));
}

TEST(TrainingLoop, WhereAServerMergesModelsAGradientIsTheWorkersOwn) {
  Book book;
  scenario::Scenario scenario = some_scenario();
  policies::MergingServer server{.every = 4, .fragments = 2, .mixing = 0.25, .outer_rate = 0.5};
  scenario.exchange.synchronisation =
      policies::synchronisation("decoupled_diloco", policies::DecoupledDiLoCo{server});
  TrainingLoop loop = course_of(scenario, book);
  EXPECT_FALSE(loop.push(1, {})->gain.has_value());
  loop.offer(1, 1);
  loop.merge(1, {{1, 3}});
  loop.answer(0, 1);
  loop.receive(0, 1);
  EXPECT_EQ(book.models, (std::vector<std::string>{"1 steps", "1 offers 1 of 2", "1 of 2 merged at 0.5",
                                                   "0 is sent 1 of 2", "0 receives 1 of 2 but for 0.25"}));
  EXPECT_EQ(loop.push(0, {})->gain, 0.5);
  EXPECT_FALSE(loop.push(0, {})->gain.has_value());  // of the merge before, counted once
}

TEST(TrainingLoop, MeanGainIsOverTheStepsThatKnowOne) {
  Book book;
  TrainingLoop loop = course_of(some_scenario(), book);
  (void)simulate(loop, 1);
  book.gain = {};
  (void)simulate(loop, 1);
  book.gain = 0.25;
  (void)simulate(loop, 1);
  EXPECT_DOUBLE_EQ(*loop.result()->mean_gain, 0.375);
  EXPECT_EQ(loop.result()->noise_scale, 100);
}

TEST(TrainingLoop, AGradientIsComputedByOneWorkerAndPushedWithItsShare) {
  Book book;
  book.accuracies = {0.4};
  scenario::Scenario scenario = some_scenario();
  scenario.exchange.synchronisation =
      policies::synchronisation("asp", policies::Asynchronous{.push_share = 0.125});
  scenario.work.training.batches = {8, 16};
  TrainingLoop loop = course_of(scenario, book);
  loop.pull(1);
  const auto step = loop.push(1, {});
  EXPECT_EQ(book.pulls, (std::vector<std::uint32_t>{1}));
  EXPECT_EQ(book.computed.at(0).at(0).worker, 1U);
  EXPECT_EQ(book.computed[0][0].samples, 16);
  EXPECT_EQ(book.pushes.at(0), std::pair(1U, 0.125));
  EXPECT_EQ(step->squared_norm, 4);
  EXPECT_FALSE(step->evaluated.has_value());
  EXPECT_EQ(loop.push(0, Progress{2, 0.1, 1_s, {}, false})->evaluated->accuracy, 0.4);
}

}  // namespace
}  // namespace sim::engine
