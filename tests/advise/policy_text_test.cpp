// Advice on policies in three formats, and compared with bounds.
#include "sim/advise/policy_text.hpp"

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "tests/advise/asked.hpp"

namespace sim::advise {
namespace {

std::string printed(const std::string& format, const AdvisedPolicies& advised) {
  return command_line::print(format, policy_document(advised, "s.yaml"));
}

const std::string advice_setting =
    "advice={objective: time, compression: [none, topk, lwtopk], ratios: [10 %], collectives: "
    "[ring_allreduce, "
    "tree_allreduce, ring_allgather], expect: [{metric: over_dense, at_least: 1.5, source: A}, {metric: "
    "time_s, at_most: "
    "1, source: B}, {metric: cost_usd, at_most: 1, source: C}]}";

TEST(PolicyText, TheTableShowsEachCourseOnceAndFoldsWhatIsAlike) {
  const scenario::PolicyQuestion question = asked(by_hand, {advice_setting});
  const std::string text = printed("table", answered(question));
  EXPECT_NE(text.find("topk and 1 alike"), std::string::npos) << text;
  EXPECT_EQ(text.find("lwtopk"), std::string::npos) << text;
  EXPECT_EQ(text.find("synchronisation "), std::string::npos) << text;  // all bsp, so the column is left out
  EXPECT_NE(text.find("as far as is known here"), std::string::npos);
}

TEST(PolicyText, CsvHasEveryCandidateAndSaysHowItWasEvaluated) {
  const scenario::PolicyQuestion question = asked(by_hand, {advice_setting});
  const std::string csv = printed("csv", answered(question));
  EXPECT_EQ(
      csv.substr(0, csv.find('\n')),
      "rank,synchronisation,compression,ratio,collective,batch,evaluated_by,time_s,time_margin_s,time_if_"
      "least_s,time_if_"
      "most_s,worst_"
      "network,"
      "best_time_s,cost_usd,at_least_time_s,over_dense,step_time_s,steps,steps_known,best_accuracy,sent_"
      "bytes,reason");
  EXPECT_EQ(std::count(csv.begin(), csv.end(), '\n'), 5);
  EXPECT_NE(csv.find("\n,bsp,none,,tree_allreduce,32,closed form,"), std::string::npos) << csv;
}

TEST(PolicyText, EntriesOfOneMethodHaveRowsAndNamesOfTheirOwn) {
  const scenario::PolicyQuestion question = asked(
      by_hand, {"advice={objective: time, compression: [none, {method: topk, time: 1 ms}, {method: topk, "
                "time: 2 ms}], ratios: [10 %], collectives: [ring_allgather]}"});
  const AdvisedPolicies advised = answered(question);
  const std::string text = printed("table", advised);
  EXPECT_NE(text.find("use topk time 1 ms at 10 % by ring_allgather"), std::string::npos) << text;
  EXPECT_NE(text.find("topk time 2 ms "), std::string::npos) << text;
  const std::string csv = printed("csv", advised);
  for (const std::string row : {"bsp,topk time 1 ms,0.1,", "bsp,topk time 2 ms,0.1,"})
    EXPECT_NE(csv.find(row), std::string::npos) << csv;
}

TEST(PolicyText, JsonHasItsVersionAndWhatWasLeftOut) {
  const scenario::PolicyQuestion question = asked(by_hand, {advice_setting});
  const auto json = nlohmann::json::parse(printed("json", answered(question)));
  EXPECT_EQ(json.at("schema_version"), 1);
  EXPECT_EQ(json.at("candidates").size(), 4U);
  EXPECT_EQ(json.at("candidates")[0].at("compression"), "topk");
  EXPECT_NEAR(json.at("candidates")[0].at("time_s").get<double>(), 10.44, 1e-9);
  EXPECT_EQ(json.at("left_out")[0].at("combinations"), 5);
  EXPECT_EQ(json.at("learner"), "none");
}

TEST(PolicyText, BoundsAreJudgedAndMissedOnesNamed) {
  const scenario::PolicyQuestion question = asked(by_hand, {advice_setting});
  const std::vector<JudgedPolicyBound> bounds = judge(answered(question));
  ASSERT_EQ(bounds.size(), 3U);
  EXPECT_EQ(bounds[0].met(), true);
  EXPECT_EQ(bounds[1].met(), false);
  EXPECT_EQ(bounds[2].met(), std::nullopt);
  const std::vector<std::string> lines = missed(bounds);
  ASSERT_EQ(lines.size(), 2U);
  EXPECT_EQ(lines[0], "--set advice: time_s: 10.44, at most 1 (missed); B");
  const auto json = nlohmann::json::parse(printed("json", answered(question)));
  EXPECT_TRUE(json.at("bounds")[2].at("met").is_null());
  EXPECT_EQ(lines[1], "--set advice: cost_usd: not known, at most 1 (missed); C");
}

}  // namespace
}  // namespace sim::advise
