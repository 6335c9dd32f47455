// Advice how to share the states of a model: which candidates there are, which fit, and which is fastest.
#include "sim/advise/sharding_advice.hpp"

#include <algorithm>
#include <atomic>
#include <set>

#include <gtest/gtest.h>

#include "tests/arm_parts.hpp"
#include "tests/scratch_folder.hpp"
#include "tests/source_tree.hpp"

namespace sim::advise {
namespace {

const std::filesystem::path shipped = tests::source_dir() + "/scenarios";

/// Llama 2 7B on two nodes of eight H100; with more keys.
std::string llama(const std::string& more, const std::string& bandwidth = "400 Gbit/s") {
  return "# How?\n"
         "workload: {model: llama2_7b, device: h100_sxm_datasheet, stack: pytorch-fsdp-2023, recomputation: "
         "full}\n"
         "cluster: {workers: 16, workers_per_node: 8, link: {latency: 10 us, bandwidth: " +
         bandwidth +
         "}, inner_link: {latency: 3 us, bandwidth: 300 GB/s}}\n"
         "training: {batch: 4, steps: 100}\n" +
         more;
}

netmodels::Result<scenario::ShardingQuestion> question_of(const std::string& text) {
  const tests::ScratchFolder scratch;
  return scenario::read_sharding_question(scratch.write("s.yaml", text), {}, shipped);
}

std::string refused_question(const std::string& text) {
  const auto question = question_of(text);
  if (question) return "accepted";
  const std::string all = question.error().text();
  return all.substr(all.find("s.yaml"));
}

const AdvisedSharding* found(const AdvisedShardings& advised, const std::string& sharding,
                             const std::string& compression, int accumulation) {
  const auto row = std::ranges::find_if(advised.ranked, [&](const AdvisedSharding& one) {
    return one.candidate->sharding == sharding && one.candidate->compression == compression &&
           one.candidate->accumulation == accumulation;
  });
  return row == advised.ranked.end() ? nullptr : &*row;
}

TEST(ShardingAdvice, TriesEveryShardingInEveryMicroBatch) {
  const auto question = question_of(llama("parallelism: {data: fsdp}\n"));
  ASSERT_TRUE(question) << question.error().text();
  std::set<std::string> names;
  for (const auto& candidate : question->candidates) {
    names.insert(candidate.sharding + " " + candidate.compression);
    EXPECT_EQ(candidate.micro_batch * candidate.accumulation, 4);
  }
  EXPECT_EQ(names, (std::set<std::string>{"ddp none", "ddp bf16", "zero1 none", "zero2 none", "zero2 sdp4bit",
                                          "fsdp none", "fsdp hpz", "fsdp qgz", "zero++ none", "hsdp none",
                                          "hsdp qwz"}));
  EXPECT_EQ(question->candidates.size(), 11 * 3U);  // 1, 2 and 4 micro-batches
}

TEST(ShardingAdvice, LeavesOutWhatDoesNotFitWithItsFigures) {
  const auto question = question_of(llama("parallelism: {data: fsdp}\n"));
  ASSERT_TRUE(question);
  const auto advised = advise_shardings(*question);
  ASSERT_TRUE(advised) << advised.error().text();
  EXPECT_EQ(found(*advised, "ddp", "none", 1), nullptr);
  ASSERT_FALSE(advised->refused.empty());
  EXPECT_NE(advised->refused.front()->refused.find(
                "parameters, gradients and optimizer states take 108 GB on each worker, and "
                "h100_sxm_datasheet has 80 GB"),
            std::string::npos)
      << advised->refused.front()->refused;
  EXPECT_NE(found(*advised, "zero1", "none", 1), nullptr);
  EXPECT_TRUE(std::ranges::is_sorted(advised->ranked, {}, &AdvisedSharding::time));
}

TEST(ShardingAdvice, ASlowNetworkWantsFewerBytesBetweenNodes) {
  const auto question = question_of(llama("parallelism: {data: fsdp}\n", "10 Gbit/s"));
  ASSERT_TRUE(question);
  const auto advised = advise_shardings(*question);
  ASSERT_TRUE(advised);
  const AdvisedSharding& best_known = advised->ranked[advised->best_known];
  EXPECT_FALSE(best_known.bound);
  EXPECT_GT(found(*advised, "fsdp", "none", 1)->step, found(*advised, "fsdp", "hpz", 1)->step);
  EXPECT_GT(found(*advised, "fsdp", "hpz", 1)->step, found(*advised, "zero++", "none", 1)->step);
  EXPECT_TRUE(found(*advised, "zero++", "none", 1)->bound);
  std::string text = sharding_document(*advised, "s.yaml").text();  // no advice rests on a bound
  for (std::size_t end = 0; (end = text.find("\n  ")) != std::string::npos;) text.replace(end, 3, " ");
  EXPECT_NE(text.find("advice: take " + best_known.candidate->sharding + ","), std::string::npos) << text;
  EXPECT_NE(text.find("if compressing takes no longer than its memory traffic, "), std::string::npos) << text;
}

// Qwen2.5 7B on 80 GB: zero2 in micro-batches of 2 allocates 79.4 GB.
TEST(ShardingAdvice, LeavesRoomForTheFramework) {
  const auto question = question_of(
      "# How?\n"
      "workload: {model: qwen2_5_7b, sequence: 4096, stack: pytorch-fsdp-2023}\n"
      "cluster: {workers: 16, workers_per_node: 8, device: a100_sxm4_80gb_datasheet, link: {latency: 10 us, "
      "bandwidth: 100 Gbit/s}, inner_link: {latency: 3 us, bandwidth: 300 GB/s}}\n"
      "training: {batch: 4, steps: 1000}\n"
      "parallelism: {data: fsdp}\n");
  ASSERT_TRUE(question) << question.error().text();
  int left_out = 0;
  for (const auto& candidate : question->candidates) {
    if (candidate.refused.find("the framework's share makes") != std::string::npos) ++left_out;
    if (!candidate.scenario) continue;
    EXPECT_LE(needed_memory(*candidate.scenario)->total().count, 80e9) << candidate.sharding;
  }
  EXPECT_GT(left_out, 0);
}

TEST(ShardingAdvice, NamedCandidatesAreTheOnlyOnes) {
  const auto question = question_of(llama(
      "advice: {parallelism: [{data: zero2}, {data: fsdp, compress: [qwz, hpz]}], accumulations: [2]}\n"));
  ASSERT_TRUE(question) << question.error().text();
  ASSERT_EQ(question->candidates.size(), 2U);
  EXPECT_EQ(question->candidates[1].compression, "qwz+hpz");
  EXPECT_EQ(question->candidates[1].micro_batch, 2);
}

TEST(ShardingAdvice, CostsFollowTheTimeOfTheTraining) {  // 100 steps on two machines of 36 USD/h
  const auto question =
      question_of(llama("parallelism: {data: fsdp}\nadvice: {price: {per_machine: 36 USD/h}}\n"));
  ASSERT_TRUE(question) << question.error().text();
  const auto advised = advise_shardings(*question);
  ASSERT_TRUE(advised);
  const AdvisedSharding& best = advised->ranked.front();
  EXPECT_NEAR(best.cost->count, 100 * best.step.count * 2 * 0.01, 1e-9);
}

TEST(ShardingAdvice, RefusesWhatNobodyCouldAnswer) {
  EXPECT_EQ(refused_question(llama("parallelism: {data: fsdp}\nadvice: {collectives: [auto]}\n")),
            "s.yaml:6:23: `advice.collectives` is about policies of plain data parallelism; leave it out, or "
            "leave out `parallelism`");
  EXPECT_EQ(refused_question(llama("parallelism: {data: fsdp}\nadvice: {objective: cost}\n")),
            "s.yaml:6:9: `advice.objective`: `cost` needs the price of a machine; write `price: {machine: "
            "NAME}` of `sim list prices`, or `objective: time`");
  const std::string whole =
      "s.yaml:1:1: advice is about models of which each worker computes the whole; leave out `tensor` and "
      "`pipeline` of `parallelism`, or compare arms by `sim run`";
  EXPECT_EQ(refused_question(llama("parallelism: {tensor: 8}\n")), whole);
  EXPECT_EQ(refused_question(llama("advice: {parallelism: [{data: fsdp}, {tensor: 8}]}\n")), whole);
  EXPECT_EQ(
      refused_question(llama("parallelism: {data: fsdp, site: node}\n"
                             "synchronisation: {method: diloco, every: 20}\n")),
      "s.yaml:1:1: advice on sharding is about gradients that are exchanged in each step, and not about "
      "`diloco`; leave out `synchronisation` and `parallelism.site`, or compare arms by `sim run`");
  EXPECT_EQ(
      refused_question("# How?\n"
                       "workload: llama2_70b\n"
                       "cluster: {workers: 4, link: {latency: 10 us, bandwidth: 400 Gbit/s}}\n"
                       "training: {batch: 1, steps: 3}\n"
                       "parallelism: {data: fsdp}\n"),
      "s.yaml:1:1: no candidate can be trained: `parallelism.data`: parameters, gradients and optimizer "
      "states take 281 GB on each worker, and h100_sxm_datasheet has 80 GB; another cluster, batch or "
      "model");
  EXPECT_EQ(refused_question("# How?\n"
                             "workload: {name: tiny, parameters: 1000000, compute: 30 ms, batch: 32}\n"
                             "cluster: {workers: 4, link: {latency: 1 ms, bandwidth: 10 Gbit/s}}\n"
                             "training: {batch: 32, steps: 3}\n"
                             "parallelism: {data: fsdp}\n"),
            "s.yaml:1:1: the memory that `tiny` takes is unknown; describe the model by `transformer`, "
            "`config` or `model`");
}

TEST(ShardingAdvice, RefusesKeysThatNoCandidateKeeps) {
  const std::string sharded = "parallelism: {data: fsdp}\n";
  const auto refused = [&](const std::string& more) { return refused_question(llama(sharded + more)); };
  EXPECT_EQ(refused("compare: {a: {}, b: {training: {batch: 8}}}\n"),
            "s.yaml:6:10: advice on sharding is about one training, and `compare` states several; leave it "
            "out, and ask about each by `--set`");
  EXPECT_EQ(
      refused("compression: {method: topk}\n"),
      "s.yaml:6:23: `compression.method`: advice on sharding tries how to send by itself; leave it out; "
      "`advice.parallelism` names what is tried");
  EXPECT_EQ(refused("advice: {parallelism: []}\n"),
            "s.yaml:6:23: `advice.parallelism`: nothing to choose from; name at least one");
  EXPECT_EQ(
      refused("advice: {accumulations: [1, 3]}\n"),
      "s.yaml:6:25: `advice.accumulations`: 3 micro-batches do not divide a batch of 4; name divisors of "
      "`training.batch`");
  EXPECT_EQ(refused("advice: {price_per_gigabyte: 1 USD}\n").substr(0, 70),
            "s.yaml:6:30: `advice.price_per_gigabyte` is about policies of plain da");
}

TEST(ShardingAdvice, ATimeOfQuantisingIsNotChargedToWholeGradients) {
  std::string small = llama(
      "parallelism: {data: fsdp}\ncompression: {time: 20 ms}\nadvice: {parallelism: [{data: none}, {data: "
      "fsdp, compress: [qgz]}]}\n");
  small.replace(small.find("llama2_7b"), std::string("llama2_7b").size(), "gpt2_medium");
  const auto question = question_of(small);
  ASSERT_TRUE(question) << question.error().text();
  for (const auto& candidate : question->candidates) {
    ASSERT_TRUE(candidate.scenario) << candidate.refused;
    EXPECT_EQ(candidate.scenario->exchange.compression.time.has_value(), candidate.sharding != "ddp");
  }
}

TEST(ShardingAdvice, RowsHaveRanksOrReasons) {
  const auto question = question_of(llama("parallelism: {data: fsdp}\n"));
  ASSERT_TRUE(question);
  const auto advised = advise_shardings(*question);
  ASSERT_TRUE(advised);
  const command_line::Table table = sharding_table(*advised);
  EXPECT_EQ(table.rows.size(), question->candidates.size());
  const std::size_t rank = *column_of(table, "rank");
  const std::size_t reason = *column_of(table, "refused");
  for (const auto& row : table.rows)
    EXPECT_NE(std::holds_alternative<std::monostate>(row[rank]),
              std::holds_alternative<std::monostate>(row[reason]));
  const std::string text = sharding_document(*advised, "s.yaml").text();
  EXPECT_NE(text.find("advice: take "), std::string::npos);
  EXPECT_NE(text.find("left out: ddp in micro-batches of 4, 2, 1: "), std::string::npos) << text;
}

TEST(ShardingAdvice, AnInterruptionKeepsWhatWasFinished) {
  const auto question =
      question_of(llama("parallelism: {data: fsdp}\nadvice: {parallelism: [{data: zero2}, {data: fsdp}]}\n"));
  ASSERT_TRUE(question) << question.error().text();
  const std::atomic<bool> stop = true;
  const auto nothing = advise_shardings(*question, &stop);
  ASSERT_TRUE(nothing);
  EXPECT_EQ(nothing->unfinished, question->candidates.size());
  auto advised = advise_shardings(*question);
  ASSERT_TRUE(advised);
  EXPECT_EQ(advised->unfinished, 0U);
  advised->ranked.pop_back();
  advised->unfinished = 1;
  EXPECT_NE(sharding_document(*advised, "s.yaml")
                .text()
                .find("interrupted: 1 of " + std::to_string(question->candidates.size()) +
                      " candidates were not simulated"),
            std::string::npos);
}

}  // namespace
}  // namespace sim::advise
