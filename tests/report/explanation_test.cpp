// Explanations as text: the sentences that must accompany the numbers.
#include "sim/report/explanation.hpp"

#include <algorithm>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "policies/diloco.hpp"
#include "policies/zero_one.hpp"
#include "tests/report/simulated.hpp"

namespace sim::report {
namespace {

using testing::EndsWith;
using testing::HasSubstr;
using testing::Not;
using testing::StartsWith;

scenario::Scenario with_trace() {
  scenario::Scenario arm;
  arm.name = "dense";
  arm.cluster.traces.emplace_back();
  return arm;
}

TEST(Explanation, AnEpochIsNotPlayedUpToAndSaysHowTheTracesStand) {
  engine::ExplainedStep step = explained("from epoch 2: 1 Gbit/s, 1 ms", 1, 2);
  const std::string note = "  with traces, timed changes and background traffic as they are ";
  EXPECT_THAT(explanation(with_trace(), {step}), HasSubstr("\n" + note + "at the start of training\n"));
  step.step.start = {30};
  EXPECT_THAT(explanation(with_trace(), {step}), HasSubstr("\n" + note + "at 30 s\n"));
}

TEST(Explanation, ABucketWaitsForTheExchangeBeforeIt) {
  engine::ExplainedStep step = explained("from the start: 1 Gbit/s", 1, 2);
  engine::ExplainedExchange& exchange = step.exchanges.front();
  exchange.ready = {0.5};
  exchange.wait = {0.25};
  exchange.compress = {1};
  exchange.start = {1.75};
  exchange.duration = {2};
  exchange.end = {3.75};
  EXPECT_THAT(
      explanation(scenario::Scenario(), {step}),
      HasSubstr("    ready at 500 ms, waits 250 ms for its turn, compressed in 1 s, starts at 1.75 s, "
                "ends at 3.75 s\n"));
  exchange.wait = {};
  EXPECT_THAT(explanation(scenario::Scenario(), {step}),
              HasSubstr("    ready at 500 ms, compressed in 1 s, starts at 1.75 s, ends at 3.75 s\n"));
}

scenario::Scenario with_diloco(policies::DiLoCo::Settings settings) {
  scenario::Scenario arm;
  arm.exchange.synchronisation = policies::synchronisation("diloco", settings);
  return arm;
}

TEST(Explanation, WhatLaterStepsHideOfAnExchangeIsToldFromWhatIsWaitedFor) {
  engine::ExplainedStep step = explained("from the start: 1 Gbit/s", 1, 2);
  step.overlapped = {3, {0.3}, {0.3}, {0.1}};
  EXPECT_THAT(
      explanation(with_diloco({.every = 10, .delay = 3}), {step}),
      HasSubstr("  `synchronisation.delay`: the exchange overlaps the 3 steps after it, which take 300 ms\n"
                "    300 ms of it are hidden, 100 ms waited for at the end of the last of these steps\n"
                "  step = "));
  EXPECT_THAT(explanation(with_diloco({.every = 10, .delay = 4}), {step}),
              HasSubstr("which take 300 ms (the next exchange follows sooner than `delay: 4`)\n"));
  step.overlapped = {1, {0.3}, {0.2}, {}};
  EXPECT_THAT(
      explanation(with_diloco({.every = 1, .eager = true}), {step}),
      HasSubstr("  `synchronisation.eager`: the exchange overlaps the step after it, which takes 300 ms\n"
                "    all of its 200 ms are hidden\n"));
  const scenario::Scenario arm = with_diloco({.every = 10, .delay = 3});
  nlohmann::ordered_json json;
  explanation_document({{&arm, {step}}}, "file.yaml", true).put_json(json);
  EXPECT_EQ(json["arms"][0]["phases"][0]["overlapped"].dump(),
            R"({"steps":1,"steps_time_s":0.3,"hidden_time_s":0.2,"waited_time_s":0.0})");
}

TEST(Explanation, OfARoundTheMeanStepIsGiven) {
  engine::ExplainedStep step = explained("from the start: 1 Gbit/s", 1, 2);
  step.round = {10, {0.1}, {1.5}};
  EXPECT_THAT(explanation(with_diloco({.every = 10}), {step}),
              HasSubstr("  round = 9 local steps of 100 ms each, and this one\n"
                        "        = 1.5 s in all, 150 ms per step\n"));
  step.round = {2, {0.1}, {0.4}};
  const scenario::Scenario arm = with_diloco({.every = 2});
  EXPECT_THAT(explanation(arm, {step}), HasSubstr("  round = 1 local step of 100 ms, and this one\n"));
  nlohmann::ordered_json json;
  explanation_document({{&arm, {step}}}, "file.yaml", true).put_json(json);
  EXPECT_EQ(json["arms"][0]["phases"][0]["round"].dump(),
            R"({"steps":2,"local_step_time_s":0.1,"time_s":0.4})");
}

TEST(Explanation, AnArmThatHasNoStepToExplainSaysWhyBesideTheOthers) {
  scenario::Scenario arm;
  arm.name = "apart";
  const command_line::Document document =
      explanation_document({{&arm, {}, "no common step"}}, "file.yaml", true);
  EXPECT_EQ(document.text(), "apart, not explained: no common step\n");
  nlohmann::ordered_json json;
  document.put_json(json);
  EXPECT_EQ(json["arms"][0].dump(), R"({"arm":"apart","not_explained":"no common step","phases":[]})");
}

TEST(Explanation, EqualExchangesAreExplainedOnce) {
  engine::ExplainedStep step = explained("from the start: 1 Gbit/s", 1, 2);
  step.exchanges.front().bucket = "bucket 1 of 2: 250 values";
  step.exchanges.push_back(step.exchanges.front());
  step.exchanges.back().bucket = "bucket 2 of 2: 250 values";
  step.exchanges.back().start = {2};
  step.exchanges.back().end = {2.003};
  EXPECT_THAT(
      explanation(scenario::Scenario(), {step}),
      HasSubstr("\n  bucket 2 of 2: 250 values, as bucket 1 of 2: ready at 0 s, compressed in 0 s, starts "
                "at 2 s, ends at 2.003 s\n"));
  step.exchanges.back().size = {7};
  EXPECT_THAT(explanation(scenario::Scenario(), {step}), Not(HasSubstr(", as bucket 1")));
}

TEST(Explanation, TwoLevelCollectivesShowTheRanksOfANodeAndTheNodes) {
  engine::ExplainedStep step = explained("from the start: 1 Gbit/s", 1, 2);
  engine::ExplainedExchange& exchange = step.exchanges.front();
  exchange.ranks = 32;
  EXPECT_THAT(explanation(scenario::Scenario(), {step}), HasSubstr("      N = 32, M = "));
  exchange.group = 8;
  EXPECT_THAT(explanation(scenario::Scenario(), {step}), HasSubstr("      N = 32, g = 8, n = 4, M = "));
}

TEST(Explanation, AFormulaThatDoesNotGiveTheTimeSaysWhatItGives) {
  engine::ExplainedStep step = explained("from the start: 1 Gbit/s", 1, 2);
  engine::ExplainedExchange& exchange = step.exchanges.front();
  exchange.hop = {{0.5}, {1e9}};
  exchange.by_formula = {0.002};
  EXPECT_THAT(explanation(scenario::Scenario(), {step}),
              HasSubstr("L = 500 ms, B = 8 Gbit/s\n"
                        "      = 1 ms of latency + 2 ms of bandwidth = 3 ms (evaluated by: )\n"
                        "      the formula, for equal links that nothing shares, gives 2 ms\n"));
  exchange.by_formula = {0.003 * (1 + 1e-9)};
  EXPECT_THAT(explanation(scenario::Scenario(), {step}), Not(HasSubstr("the formula, for equal links")));
}

TEST(Explanation, ADenseStepOfACompressedTrainingIsSentAsOneWithoutCompression) {
  scenario::Scenario arm;
  arm.cluster.workers = 4;
  arm.exchange.compression.method = "onebit_adam";
  engine::ExplainedStep step = explained("from the start: 1 Gbit/s", 1, 2);
  EXPECT_THAT(explanation(arm, {step}),
              HasSubstr("  execution: ddp_overlap (buckets of 1 MiB, then 25 MiB, overlapping the backward "
                        "pass), the default without compression\n"));
  step.step.method = "onebit_adam";
  EXPECT_THAT(explanation(arm, {step}),
              HasSubstr("  execution: after_backward (the whole gradient at once, after the backward pass), "
                        "the default of `onebit_adam`\n"));
  arm.exchange.synchronisation = policies::synchronisation("zero_one", policies::ZeroOne::Settings{});
  step.step.traffic = engine::Traffic::parameters;
  EXPECT_THAT(explanation(arm, {step}),
              HasSubstr("  execution: the whole momentum by `onebit_adam`, after the optimizer\n"));
  step.step.traffic = engine::Traffic::nothing;
  EXPECT_THAT(explanation(arm, {step}), HasSubstr("  execution: a local step exchanges nothing\n"));
}

TEST(Explanation, OnlyMethodsThatHaveARatioStateIt) {
  engine::ExplainedStep step = explained("from the start: 1 Gbit/s", 1, 2);
  step.worth.emplace();
  step.worth->sent.method = "onebit_adam";
  step.worth->sent.ratio = 1;
  EXPECT_THAT(explanation(scenario::Scenario(), {step}), HasSubstr(": onebit_adam takes "));
  step.worth->sent.method = "topk";
  step.worth->sent.ratio = 0.01;
  EXPECT_THAT(explanation(scenario::Scenario(), {step}), HasSubstr(": topk at 1 % takes "));
}

TEST(Explanation, BuffersAreNotCompressed) {
  engine::ExplainedStep step = explained("from the start: 1 Gbit/s", 1, 2);
  step.exchanges.front().bucket = "buffers";
  step.exchanges.front().collective = "pipelined_broadcast";
  EXPECT_THAT(explanation(scenario::Scenario(), {step}),
              HasSubstr("  buffers by pipelined_broadcast\n    ready at 0 s, starts at 0 s, ends at 3 ms\n"));
}

TEST(Explanation, NamesTheExecutionModel) {
  scenario::Scenario arm;
  arm.cluster.workers = 4;
  arm.exchange.execution = "deepspeed";
  EXPECT_THAT(explanation(arm, {explained("from the start: 1 Gbit/s", 1, 2)}),
              HasSubstr("  execution: deepspeed (buckets of 2 GB, after the backward pass), stated\n"));
}

TEST(Explanation, NothingNeedsToBeSaidWhereNothingGoesByTime) {
  EXPECT_THAT(explanation(scenario::Scenario(), {explained("from epoch 2: 1 Gbit/s", 1, 2)}),
              Not(HasSubstr("as they are")));
  EXPECT_THAT(explanation(with_trace(), {explained("from the start: 1 Gbit/s", 1, 2)}),
              Not(HasSubstr("as they are")));
  EXPECT_THAT(explanation(with_trace(), {explained("from 10 s: 1 Gbit/s", 1, 2)}),
              Not(HasSubstr("as they are")));
}

TEST(Explanation, IsOneDocumentInSeveralFormats) {
  scenario::Scenario arm;
  arm.name = "dense";
  engine::ExplainedStep step = explained("from the start", 1, 2);
  step.exchanges.front().bucket = "buffers";
  step.exchanges.front().ranks = 4;
  const command_line::Document document = explanation_document({{&arm, {step}}}, "s.yaml", true);
  EXPECT_EQ(command_line::print("table", document), explanation(arm, {step}));
  EXPECT_EQ(command_line::print("csv", document),
            "arm,phase,exchange,collective,formula,ranks,size_bytes,ready_s,wait_s,compress_s,start_s,"
            "duration_s,latency_s,evaluated_by\n"
            "dense,from the start,buffers,,,4,0,0,0,0,0,0.003,0.001,\n");
  const auto json = nlohmann::ordered_json::parse(command_line::print("json", document));
  EXPECT_EQ(json.at("scenario"), "s.yaml");
  const auto& phase = json.at("arms").at(0).at("phases").at(0);
  EXPECT_EQ(json.at("arms").at(0).at("arm"), "dense");
  EXPECT_EQ(phase.at("bound"), "computing decides: it takes 80 % of the step");
  EXPECT_EQ(phase.at("exchanges").at(0).at("ranks"), 4);
  EXPECT_EQ(phase.at("exchanges").at(0).at("duration_s"), 0.003);
}

TEST(Explanation, WithoutDetailsHasThePartsOfEightStepsAndCountsTheOthers) {
  scenario::Scenario arm;
  arm.name = "dense";
  engine::ExplainedStep step = explained("from the start", 1, 2);
  step.step.parts = {ms(90), ms(5), ms(0), ms(5)};
  step.step.duration = ms(100);
  const std::string text =
      explanation_document({{&arm, std::vector<engine::ExplainedStep>(10, step)}}, "s.yaml", false).text();
  EXPECT_THAT(text, StartsWith("step = compute + wait + compress + exposed communication\n\n"
                               "dense, from the start\n  90 ms + 5 ms + 0 s + 5 ms = 100 ms\n"
                               "  1 exchange in 3 ms: 1 ms of latency, 2 ms of bandwidth\n"
                               "  bound: computing decides: it takes 80 % of the step\n"));
  EXPECT_THAT(text, EndsWith("\n2 more steps, and formulas, the times of each exchange and origins: "
                             "--details\n"));
  EXPECT_LE(std::ranges::count(text, '\n'), 60);
}

}  // namespace
}  // namespace sim::report
