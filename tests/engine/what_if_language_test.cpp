// What the shipped scenarios of language models answer, where the text is at hand.
#include <array>
#include <filesystem>
#include <string>

#include <gtest/gtest.h>

#include "sim/scenario/study.hpp"
#include "tests/data_folder.hpp"
#include "tests/engine/clusters.hpp"
#include "tests/source_tree.hpp"

namespace sim::engine {
namespace {

using namespace testing;

const std::string shakespeare = tests::shared_path("sets/tinyshakespeare/input.txt");

/// The least test loss of an arm of a shipped scenario, in nats per byte.
double best_loss_of(const std::string& file, const std::string& arm) {
  const std::filesystem::path data = tests::source_dir() + "/scenarios";
  constexpr std::array expected{language::ExpectableMetric{"target_time", language::MetricUnit::time}};
  const std::array text{"learner.dataset.path=" + shakespeare};
  const auto reading = scenario::read_study(data / file, text, data, expected);
  for (const scenario::Scenario& scenario : reading.value().study.arms) {
    if (scenario.name == arm) return result_of(scenario).learning.value().best_loss.value();
  }
  ADD_FAILURE() << file << " has no arm " << arm;
  return 0;
}

TEST(LanguageCompression, AThousandthOfTheGradientCostsMoreThanAThirdOfANat) {
  if (!std::filesystem::exists(shakespeare))
    GTEST_SKIP() << "skipped: no ../shared/data/sets/tinyshakespeare beside the checkout";
  const std::string file = "what_if/language_compression.yaml";
  const double dense = best_loss_of(file, "dense");
  EXPECT_LT(dense, 2.8);
  EXPECT_GT(best_loss_of(file, "topk-0.1%"), dense + 0.33);
  EXPECT_LT(best_loss_of(file, "signsgd"), dense + 0.1);  // signs of everything cost nothing here
}

TEST(LanguageLocalSteps, MeetingOnceCostsLoss) {
  if (!std::filesystem::exists(shakespeare))
    GTEST_SKIP() << "skipped: no ../shared/data/sets/tinyshakespeare beside the checkout";
  const std::string file = "what_if/language_local_steps.yaml";
  EXPECT_GT(best_loss_of(file, "every-200"), best_loss_of(file, "every-step") + 0.05);
}

}  // namespace
}  // namespace sim::engine
