// Questions about policies: what is read, what is left out, and what is refused with place, reason and mend.
#include "sim/scenario/policy_advice_file.hpp"

#include <algorithm>

#include <gtest/gtest.h>

#include "sim/language/print.hpp"
#include "tests/scenario/scenario_text.hpp"

namespace sim::scenario {
namespace {

netmodels::Result<PolicyQuestion> question(const tests::ScratchFolder& scratch, const std::string& text,
                                           const std::vector<std::string>& settings = {}) {
  return read_policy_question(scratch.write("s.yaml", text), settings, data_dir);
}

PolicyQuestion asked(const std::string& text, const std::vector<std::string>& settings = {}) {
  const tests::ScratchFolder scratch;
  auto read = question(scratch, text, settings);
  EXPECT_TRUE(read) << (read ? "" : read.error().text());
  return read ? std::move(*read) : PolicyQuestion{};
}

std::string policy_advice_error(const std::string& text, const std::vector<std::string>& settings = {}) {
  const tests::ScratchFolder scratch;
  const auto read = question(scratch, text, settings);
  if (read) return "accepted";
  std::string error = read.error().text();
  const std::string folder = scratch.path().string() + "/";
  for (std::size_t at = error.find(folder); at != std::string::npos; at = error.find(folder))
    error.erase(at, folder.size());
  return error;
}

std::string advice(const std::string& keys) { return least + "advice: {" + keys + "}\n"; }

std::string brief(const PolicyCandidate& candidate) {
  return candidate.synchronisation + "|" + candidate.compression + "|" +
         (candidate.ratio ? std::to_string(*candidate.ratio).substr(0, 5) : "") + "|" + candidate.collective +
         "|" + std::to_string(candidate.batch);
}

std::vector<std::string> briefs(const PolicyQuestion& question) {
  std::vector<std::string> all;
  for (const PolicyCandidate& candidate : question.candidates) all.push_back(brief(candidate));
  return all;
}

/// The name of each candidate in its column of compression.
std::vector<std::string> compressions(const std::string& keys) {
  std::vector<std::string> names;
  for (const PolicyCandidate& candidate : asked(least + keys).candidates)
    names.push_back(candidate.compression);
  return names;
}

TEST(PolicyAdviceFile, EntriesOfOneMethodBearNamesOfTheirOwn) {
  EXPECT_EQ(
      compressions("advice: {compression: [topk, {method: topk, time: 1 ms}, {method: topk, time: 2 ms}], "
                   "ratios: [1 %], collectives: [ring_allgather]}\n"),
      (std::vector<std::string>{"topk", "topk time 1 ms", "topk time 2 ms"}));
  EXPECT_EQ(
      compressions("advice: {compression: [{method: ar_topk, selection: staleness, ratio: 1 %}, {method: "
                   "ar_topk, selection: variance, ratio: 1 %}], collectives: [ring_allreduce]}\n"),
      (std::vector<std::string>{"ar_topk selection staleness", "ar_topk selection variance"}));
  EXPECT_EQ(
      compressions("learner: {kind: live, target: 80 %}\n"
                   "advice: {synchronisation: [bsp], compression: [gravac, {policy: gravac, method: topk, "
                   "gravac: {gain: 0.9, window: 50}}], collectives: [ring_allgather]}\n"),
      (std::vector<std::string>{"gravac method topk", "gravac method topk gravac {gain: 0.9, window: 50}"}));
  EXPECT_EQ(compressions("learner: {kind: live, target: 80 %}\n"
                         "advice: {synchronisation: [bsp], compression: [gravac], collectives: "
                         "[ring_allgather]}\n"),
            (std::vector<std::string>{"gravac"}));
}

TEST(PolicyAdviceFile, ACourseIsAllButTheCollective) {
  const PolicyQuestion read =
      asked(advice("compression: [{method: ar_topk, selection: staleness}, {method: ar_topk, selection: "
                   "variance}], ratios: [1 %], collectives: [ring_allreduce, tree_allreduce]"));
  ASSERT_EQ(read.candidates.size(), 4U);
  EXPECT_TRUE(same_course(read.candidates[0], read.candidates[1]));
  EXPECT_FALSE(same_course(read.candidates[0], read.candidates[2]));
  PolicyCandidate other = read.candidates[0];
  other.batch = 7;
  EXPECT_FALSE(same_course(read.candidates[0], other));
  other = read.candidates[0];
  other.ratio = 0.5;
  EXPECT_FALSE(same_course(read.candidates[0], other));
  other = read.candidates[0];
  other.synchronisation_entry = 1;
  EXPECT_FALSE(same_course(read.candidates[0], other));
}

TEST(PolicyAdviceFile, MultipliesItsListsInTheirOrder) {
  const PolicyQuestion read = asked(
      advice("compression: [none, topk], ratios: [10 %, 1 %], collectives: [ring_allreduce, ring_allgather], "
             "batches: [32, 64]"));
  EXPECT_EQ(briefs(read), (std::vector<std::string>{
                              "bsp|none||ring_allreduce|32", "bsp|none||ring_allreduce|64",
                              "bsp|topk|0.100|ring_allgather|32", "bsp|topk|0.100|ring_allgather|64",
                              "bsp|topk|0.010|ring_allgather|32", "bsp|topk|0.010|ring_allgather|64"}));
  ASSERT_EQ(read.left_out.size(),
            1U);  // topk by all-reduce at two ratios, none by all-gather; two batches each
  EXPECT_EQ(read.left_out.front().combinations, 6U);
  EXPECT_EQ(read.left_out.front().reason,
            "`exchange.collective`: `ring_allgather` cannot carry what the method `none` sends");
}

TEST(PolicyAdviceFile, AFileThatSaysNothingAsksAboutTheWholeCatalogue) {
  const PolicyQuestion read = asked(least);
  EXPECT_EQ(read.candidates.size(), 200U);  // by hand: 56 dense and fewer bits, 24 powersgd, 60 top-k,
                                            // 30 AR-Topk, 12 all-gathered codes, 18 of tensors
  EXPECT_EQ(read.networks, (std::vector<std::string>{"as stated"}));
  for (const PolicyCandidate& candidate : read.candidates) {
    EXPECT_EQ(candidate.synchronisation, "bsp");  // without training, the effect of local steps is unknown
    EXPECT_EQ(candidate.batch, 32);
    EXPECT_NE(candidate.collective, "auto");  // nothing changes, so it would choose one of the others
  }
}

TEST(PolicyAdviceFile, WithALiveLearnerEverySynchronisationIsACandidate) {
  const PolicyQuestion read =
      asked(least + "learner: {kind: live, target: 90 %}\n", {"advice.compression=[none]"});
  for (const std::string name :
       {"bsp", "periodic every 20", "fedavg every_epochs 0.25", "adacomm every 20", "easgd every 20",
        "diloco every 20", "selsync threshold 0.2", "ssp staleness 10", "asp"}) {
    const bool found = std::ranges::any_of(
        read.candidates, [&](const PolicyCandidate& candidate) { return candidate.synchronisation == name; });
    EXPECT_TRUE(found) << name;
  }
}

TEST(PolicyAdviceFile, AutoIsACandidateWhereTheNetworkChanges) {
  const PolicyQuestion read =
      asked(least, {"advice.compression=[none]", "cluster.changes=[{at: epoch 1, bandwidth: 1 Gbit/s}]"});
  EXPECT_TRUE(std::ranges::any_of(read.candidates, [](const auto& one) { return one.collective == "auto"; }));
}

TEST(PolicyAdviceFile, WhatTheTrainingSaysOfCompressionStaysButItsChoice) {
  const PolicyQuestion read =
      asked(least + "compression: {method: topk, ratio: 5 %, time: 3 ms, index_bytes: 8}\n",
            {"advice.compression=[none, topk]", "advice.ratios=[1 %]",
             "advice.collectives=[ring_allgather, ring_allreduce]"});
  ASSERT_EQ(read.candidates.size(), 2U);
  const Compression& topk = read.candidates.back().worlds.front().exchange.compression;
  EXPECT_EQ(topk.index_bytes, 8);
  EXPECT_EQ(topk.ratio, 0.01);
  EXPECT_FALSE(topk.time);  // it was the time of another ratio
}

TEST(PolicyAdviceFile, AnEntryMayStateItsOwnRatio) {
  const PolicyQuestion read =
      asked(advice("compression: [{method: topk, ratio: 5 %}, ar_topk], ratios: [1 %], collectives: "
                   "[ring_allgather, ar_topk_ring]"));
  EXPECT_EQ(briefs(read), (std::vector<std::string>{"bsp|topk|0.050|ring_allgather|32",
                                                    "bsp|ar_topk|0.010|ar_topk_ring|32"}));
}

TEST(PolicyAdviceFile, EveryNetworkIsAWorldOfItsOwn) {
  const PolicyQuestion read =
      asked(advice("compression: [none], collectives: [ring_allreduce], networks: {fast: {}, slow: {link: "
                   "{bandwidth: 1 Gbit/s}}}"));
  EXPECT_EQ(read.networks, (std::vector<std::string>{"fast", "slow"}));
  const auto& worlds = read.candidates.front().worlds;
  ASSERT_EQ(worlds.size(), 2U);
  EXPECT_EQ(worlds[0].cluster.link.bandwidth.count, 1.25e9);
  EXPECT_EQ(worlds[1].cluster.link.bandwidth.count, 1.25e8);
  EXPECT_EQ(worlds[1].cluster.link.latency.count, 1e-3);
}

TEST(PolicyAdviceFile, ANetworkMayBeTheFileOfATrace) {
  const tests::ScratchFolder scratch;
  scratch.write("t.csv", "time_s,bandwidth_bit_per_s\n0,1000000000\n10,500000000\n");
  const auto read = question(scratch, advice("compression: [none], networks: {evening: t.csv}"));
  ASSERT_TRUE(read) << read.error().text();
  EXPECT_EQ(read->candidates.front().worlds.front().cluster.traces.front().points.size(), 2U);
}

TEST(PolicyAdviceFile, AResolvedScenarioKeepsTheQuestionWithWholePaths) {
  const tests::ScratchFolder scratch;
  scratch.write("t.csv", "time_s,bandwidth_bit_per_s\n0,1000000000\n10,500000000\n");
  const auto reading = read(scratch, advice("networks: {evening: t.csv, quiet: {}}"));
  ASSERT_TRUE(reading) << reading.error().text();
  EXPECT_NE(print_study(*reading).find("file: " + (scratch / "t.csv").string()), std::string::npos);
}

TEST(PolicyAdviceFile, ArmsAreLeftAsideWithAWarning) {
  const PolicyQuestion read = asked(least + "compare: {a: {}, b: {}}\n");
  ASSERT_FALSE(read.warnings.empty());
  EXPECT_NE(read.warnings.back().find("`compare` is ignored: policies come from `advice`"),
            std::string::npos);
}

TEST(PolicyAdviceFile, ReadsThePriceOfAWorker) {
  const PolicyQuestion read =
      asked(advice("compression: [none], price: {per_machine: 3.6 USD/h}, "
                   "price_per_gigabyte: 0.02 USD"));
  EXPECT_NEAR(read.rental->price.count, 0.001, 1e-15);
  EXPECT_EQ(read.advice.price_per_gigabyte->count, 0.02);
}

TEST(PolicyAdviceFile, SettingsWinOverTheBlock) {
  const PolicyQuestion read =
      asked(advice("objective: knee, compression: [none]"), {"advice.objective=time"});
  EXPECT_EQ(read.advice.objective, policies::PlanningObjective::time);
}

TEST(PolicyAdviceFile, WhatIsPrintedIsTheSameQuestion) {
  const PolicyQuestion read =
      asked(advice("compression: [none, topk], networks: {a: {}, b: {link: {latency: 2 ms}}}"));
  language::Value tree = language::Value::map({}, language::Origin());
  tree.set("advice", read.resolved);
  const PolicyQuestion again = asked(least + language::print_tree(tree));
  EXPECT_EQ(briefs(again), briefs(read));
  EXPECT_EQ(again.networks, read.networks);
}

TEST(PolicyAdviceFile, LeavesOutWhatOnlyALiveLearnerShows) {
  const PolicyQuestion read =
      asked(advice("synchronisation: [bsp, asp, {method: periodic, every: 4}], compression: [none]"));
  ASSERT_EQ(read.left_out.size(), 2U);
  EXPECT_EQ(read.left_out[0].reason,
            "`exchange.collective`: `ring_allgather` cannot carry what the method `none` sends");
  EXPECT_EQ(read.left_out[1].reason, "the effect of `asp` on steps and accuracy needs a live learner");
}

TEST(PolicyAdviceFile, RefusesWhatNobodyCanBeAdvisedAbout) {
  EXPECT_EQ(policy_advice_error(least + "planning: {}\nadvice: {}\n"),
            "s.yaml:6:9: both `planning` and `advice` are given; keep one: `planning` chooses the cluster to "
            "rent, `advice` the policy");
  EXPECT_EQ(policy_advice_error(least + "advice: 3\n"),
            "s.yaml:5:9: `advice` is not a map of keys; write for example `advice: {objective: time, "
            "compression: [none, topk]}`");
  EXPECT_EQ(policy_advice_error(advice("objective: cost")),
            "s.yaml:5:21: `advice.objective`: `cost` needs the price of a machine; write `price: {machine: "
            "NAME}` of `sim list prices`, or `objective: time`");
  EXPECT_EQ(
      policy_advice_error(advice("price_per_gigabyte: 1 USD")),
      "s.yaml:5:30: `advice.price_per_gigabyte`: a price per gigabyte needs the price of a machine; write "
      "`price: {per_machine: 3 USD/h}` beside it");
  EXPECT_EQ(policy_advice_error(advice("price: {machine: aws/p3.2xlarg}")),
            "s.yaml:5:27: `advice.price.machine`: unknown machine `aws/p3.2xlarg`; did you mean "
            "`aws/p3.2xlarge`? `sim list prices` shows all");
  EXPECT_EQ(policy_advice_error(least, {"cluster.workers=1"}),
            "--set cluster.workers: `cluster.workers`: a single worker exchanges nothing, so all policies "
            "are equal; write at least 2");
  EXPECT_EQ(policy_advice_error(least + "learner: live\n"),
            "s.yaml:5:10: `learner`: it has no target, so no training would ever finish; write "
            "`learner.target`, for example `target: 90 %`");
  EXPECT_EQ(policy_advice_error(least, {"cluster.failures=[{worker: 1, at: 3 s}]"}),
            "--set cluster.failures: `cluster.failures`: a sample of steps does not predict the whole of "
            "such a training; leave it out, or write `learner: live`, which simulates the whole training");
}

TEST(PolicyAdviceFile, RefusesListsThatMeanNothing) {
  EXPECT_EQ(policy_advice_error(advice("compression: [topp]")).substr(0, 81),
            "s.yaml:5:24: `advice.compression[0]`: unknown policy `topp`; did you mean `topk`?");
  EXPECT_EQ(policy_advice_error(advice("synchronisation: [bps]")).substr(0, 87),
            "s.yaml:5:28: `advice.synchronisation[0]`: unknown policy `bps`; did you mean `bsp`? acc");
  EXPECT_EQ(policy_advice_error(advice("collectives: [ring_allreduc]")).substr(0, 63),
            "s.yaml:5:24: `advice.collectives[0]`: unknown collective `ring_");
  EXPECT_EQ(policy_advice_error(advice("compression: []")),
            "s.yaml:5:23: `advice.compression`: nothing to choose from; name at least one");
  EXPECT_EQ(policy_advice_error(advice("batches: [32, 32]")),
            "s.yaml:5:20: `advice.batches[0]`: duplicate `32`; name each once");
  EXPECT_EQ(policy_advice_error(advice("batches: [32, 64]"), {"training.steps=10"}),
            "s.yaml:5:19: `advice.batches`: a number of steps means another training for another batch; "
            "write `training.epochs` and `samples` in place of `steps`");
  EXPECT_EQ(policy_advice_error(advice("batches: [64]"), {"training.batches=[8, 8, 8, 8]"}),
            "s.yaml:5:19: `advice.batches`: `training.batches` states another batch for each worker; leave "
            "one of them "
            "out");
  EXPECT_EQ(
      policy_advice_error(advice("networks: []")),
      "s.yaml:5:20: `advice.networks` is not a map of networks; write `networks: {quiet: {link: {latency: "
      "1 ms, bandwidth: 10 Gbit/s}}}`");
  EXPECT_EQ(policy_advice_error(advice("networks: {a: [1]}")),
            "s.yaml:5:24: `advice.networks.a`: expected a map of changes in `cluster` or the file of a "
            "trace; write `{link: {latency: 1 ms, bandwidth: 1 Gbit/s}}`, or `traces/wan.csv`");
  EXPECT_EQ(policy_advice_error(advice("compression: [topk], collectives: [ring_allreduce]")),
            "s.yaml:5:9: `advice`: no combination can be simulated: `exchange.collective`: "
            "`ring_allreduce` cannot carry what the method `topk` sends; other policies, or the learner "
            "that they need");
  EXPECT_EQ(policy_advice_error(advice("batches: [1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14]")),
            "s.yaml:5:9: `advice`: its lists multiply to more than 2000 candidates; shorter lists");
  std::string many = "batches: [1";
  for (int batch = 2; batch < 200; ++batch) many += ", " + std::to_string(batch);
  EXPECT_EQ(policy_advice_error(advice(many + "]")),
            "s.yaml:5:9: `advice`: its lists multiply to more than 20000 combinations; shorter lists");
}

// 6 million combinations and more were too many for any memory.
TEST(PolicyAdviceFile, RefusesListsThatMultiplyToTooManyBeforeItMakesThem) {
  std::string batches = "batches: [1";
  for (int batch = 2; batch <= 3000; ++batch) batches += ", " + std::to_string(batch);
  std::string ratios = "ratios: [1 %";
  for (int ratio = 2; ratio <= 2000; ++ratio) ratios += ", 0." + std::to_string(10000 + ratio);
  EXPECT_EQ(policy_advice_error(advice(batches + "], " + ratios + "]")),
            "s.yaml:5:9: `advice`: its lists multiply to more than 20000 combinations; shorter lists");
}

TEST(PolicyAdviceFile, RefusesAnEntryThatStandsTwice) {
  EXPECT_EQ(policy_advice_error(advice("compression: [none, topk, {method: topk}]")),
            "s.yaml:5:36: `advice.compression[2]`: duplicate entry; name each once");
  EXPECT_EQ(policy_advice_error(advice("synchronisation: [bsp, periodic, periodic], compression: [none]")),
            "s.yaml:5:43: `advice.synchronisation[2]`: duplicate entry; name each once");
}

TEST(PolicyAdviceFile, RefusesBoundsThatBoundNothing) {
  EXPECT_EQ(
      policy_advice_error(advice("compression: [none], expect: 3")),
      "s.yaml:5:39: `advice.expect` is not a list; write `- {metric: over_dense, at_least: 1.5, source: "
      "...}`");
  EXPECT_EQ(policy_advice_error(advice("compression: [none], expect: [{metric: over_dense, source: x}]")),
            "s.yaml:5:40: `advice.expect[0]` has no bound; write `at_least` or `at_most`");
}

}  // namespace
}  // namespace sim::scenario
