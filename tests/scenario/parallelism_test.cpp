// `parallelism` and `training.accumulation`: what is accepted, each refusal, and memory in words.
#include "sim/scenario/parallelism.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "sim/scenario/execution.hpp"
#include "sim/scenario/scenario.hpp"
#include "sim/scenario/sharded_sending.hpp"
#include "tests/arm_parts.hpp"
#include "tests/scenario/scenario_text.hpp"

namespace sim::scenario {
namespace {

/// Llama 2 7B on two nodes of eight H100.
std::string seven_b(const std::string& parallelism, const std::string& training = "batch: 2",
                    const std::string& more = "") {
  return "# Question?\n"
         "workload: {model: llama2_7b, device: h100_sxm_datasheet, stack: pytorch-fsdp-2023, recomputation: "
         "full}\n"
         "cluster: {workers: 16, workers_per_node: 8, link: {latency: 10 us, bandwidth: 400 Gbit/s}, "
         "inner_link: {latency: 3 us, bandwidth: 300 GB/s}}\n"
         "training: {" +
         training + ", steps: 10}\n" + (parallelism.empty() ? "" : "parallelism: {" + parallelism + "}\n") +
         more;
}

Scenario scenario_of(const std::string& text) {
  const tests::ScratchFolder scratch;
  const auto reading = read(scratch, text);
  EXPECT_TRUE(reading) << reading.error().text();
  return reading ? reading->study.arms.front() : Scenario{};
}

TEST(Parallelism, FsdpWithinANodeIsHsdp) {
  const Scenario scenario = scenario_of(seven_b("data: fsdp, shard_within: node"));
  EXPECT_EQ(scenario.work.parallelism.sharding(), netmodels::find_sharding("hsdp")->shares);
  EXPECT_EQ(
      describe_sharding(scenario),
      "hsdp over 8 workers of a node by blocks, 1 gathered ahead, gathered again for the backward pass, "
      "parameters in 2 bytes, gradients in 2");
  EXPECT_EQ(describe_sharding(scenario_of(seven_b("data: zero2"))),
            "zero2 over 16 workers by blocks, parameters in 2 bytes, gradients in 2");
  EXPECT_EQ(describe_sharding(scenario_of(seven_b("data: fsdp, prefetch: 2, reshard_after_forward: false"))),
            "fsdp over 16 workers by blocks, 2 gathered ahead, kept for the backward pass, parameters in 2 "
            "bytes, gradients in 2");
}

TEST(Parallelism, GradientsAreSentAsTheLibraryOrTheStackSendsThem) {
  const auto sent = [](const std::string& parallelism, bool by_stack) {
    std::string text = seven_b(parallelism);
    const std::string stack = "stack: pytorch-fsdp-2023";
    if (!by_stack) text.replace(text.find(stack), stack.size(), "precision: bf16, mfu: 40 %");
    return sharded_exchange(scenario_of(text), 16).gradient_bytes;
  };
  EXPECT_EQ(sent("data: fsdp", false), 4);
  EXPECT_EQ(sent("data: hsdp", false), 4);
  EXPECT_EQ(sent("data: zero2", false), 2);
  EXPECT_EQ(sent("data: fsdp, gradient_bytes: 2", false), 2);
  EXPECT_EQ(sent("data: fsdp", true), 2) << "llm-foundry reduces in bf16";
}

TEST(Parallelism, ARootUnitIsDescribed) {
  EXPECT_EQ(
      describe_sharding(scenario_of(seven_b("data: fsdp, unit: root"))),
      "fsdp over 16 workers by blocks and a root unit, 1 gathered ahead, gathered again for the backward "
      "pass, parameters in 2 bytes, gradients in 2");
}

TEST(Parallelism, ARootUnitThatNothingWouldBeInIsRefused) {
  EXPECT_EQ(refusal(seven_b("data: fsdp, pipeline: 2, unit: root", "batch: 4, accumulation: 4")),
            "s.yaml:5:46: `parallelism.unit: root` needs layers before the blocks; the workload has none, or "
            "none before those of the last stage of a pipeline; leave it out");
}

TEST(Parallelism, SumsBetweenNodesThatNothingHasAreRefused) {
  EXPECT_EQ(refusal(seven_b("data: fsdp, accumulate: node_shards")),
            "s.yaml:5:39: `parallelism.accumulate` of `node_shards` needs copies of the states in several "
            "nodes; `parallelism.data: fsdp` keeps one; write `parallelism.shard_within: node` or "
            "`parallelism.data: hsdp`, or leave out `parallelism.accumulate`");
  EXPECT_FALSE(
      sharded_exchange(scenario_of(seven_b("data: hsdp, accumulate: node_shards")), 16).replicas_in_each);
  EXPECT_TRUE(sharded_exchange(scenario_of(seven_b("data: hsdp")), 16).replicas_in_each);
}

// 1.4 % of a step where 16 GPUs wait for each other in each one; 8 of a site are a node.
TEST(Parallelism, StepsOfManyGpusAreSlowerByWhatTheStackLosesAtADoubling) {
  const auto workload = [](const std::string& parallelism, const std::string& method) {
    std::string text = seven_b(parallelism, "batch: 2", "synchronisation: {method: " + method + "}\n");
    const std::string model = "llama2_7b";
    text.replace(text.find(model), model.size(), "gpt2_medium");
    return scenario_of(text).work.workload;
  };
  const netmodels::Workload all = workload("", "bsp");
  const netmodels::Workload local = workload("", "diloco, every: 20");
  const double alone = local.compute(2).count;
  EXPECT_NEAR(all.compute(2).count, alone / 0.986, 1e-9 * alone);
  EXPECT_NEAR(workload("", "periodic, every: 1").compute(2).count, alone / 0.986, 1e-9 * alone);
  EXPECT_NEAR(workload("data: fsdp, site: node", "diloco, every: 20").compute(2).count, alone, 1e-9 * alone);
  EXPECT_THAT(all.provenance,
              testing::EndsWith("within 9 %, 1.4 % slower where 16 GPUs wait for each other in each step"));
  EXPECT_THAT(local.provenance, testing::EndsWith("within 9 %"));
}

TEST(Parallelism, ReplicasWaitForEachOtherAsTheirMethodSays) {
  const auto slower = [](const std::string& parallelism, const std::string& method) {
    std::string text = seven_b(parallelism, "batch: 16, accumulation: 8",
                               "synchronisation: {method: " + method +
                                   "}\nlearner: {kind: parametric, file: "
                                   "resnet18_cifar10}\n");
    const std::string workers = "workers: 16";
    text.replace(text.find(workers), workers.size(), "workers: 32");
    return scenario_of(text).work.workload.token_work->waited;
  };
  const double two = 1 / 0.986 / 0.986;
  EXPECT_NEAR(slower("tensor: 8", "bsp"), two, 1e-12);  // all 32 GPUs, not 4 replicas
  EXPECT_NEAR(slower("tensor: 8, pipeline: 2", "bsp"), two, 1e-12);
  EXPECT_NEAR(slower("tensor: 8, pipeline: 2", "diloco, every: 20"), 1 / 0.986, 1e-12);  // 16 of a replica
  EXPECT_EQ(slower("tensor: 8", "diloco, every: 20"), 1);
}

TEST(Parallelism, FlagsOfEachStepAreWaitedForAndServersAreNot) {
  const auto slower = [](const std::string& method, const std::string& learner) {
    std::string text = seven_b("", "batch: 2", "synchronisation: " + method + "\n" + learner);
    const std::string model = "llama2_7b";
    text.replace(text.find(model), model.size(), "gpt2_medium");
    return scenario_of(text).work.workload.token_work->waited;
  };
  EXPECT_NEAR(slower("{method: selsync, threshold: 0.2}", "learner: live\n"), 1 / 0.986, 1e-12);
  EXPECT_EQ(slower("{method: asp, server: first_worker}", ""), 1);
  EXPECT_EQ(slower("{method: ssp, staleness: 3, server: first_worker}", ""), 1);
}

TEST(Parallelism, WaitingIsSettledAgainWhereTheWorkersChange) {
  Scenario scenario = scenario_of(seven_b("data: fsdp"));
  const double of_16 = scenario.work.workload.compute(2).count;
  settle_waiting(scenario);
  EXPECT_DOUBLE_EQ(scenario.work.workload.compute(2).count, of_16);
  scenario.cluster.workers = 8;
  settle_waiting(scenario);
  EXPECT_NEAR(scenario.work.workload.compute(2).count, 0.986 * of_16, 1e-12);
  scenario.cluster.workers = 64;
  settle_waiting(scenario);
  EXPECT_NEAR(scenario.work.workload.compute(2).count, of_16 / 0.986 / 0.986, 1e-12);
}

TEST(Parallelism, ZeroPlusPlusIsItsThreeParts) {
  const Scenario short_form = scenario_of(seven_b("data: zero++"));
  EXPECT_EQ(short_form.work.parallelism.sharding(), netmodels::find_sharding("fsdp")->shares);
  EXPECT_EQ(describe_sharding(short_form),
            describe_sharding(scenario_of(seven_b("data: fsdp, compress: [qwz, hpz, qgz]"))));
  EXPECT_EQ(describe_sharding(short_form),
            "fsdp over 16 workers by blocks, 1 gathered ahead, gathered again for the backward pass, "
            "parameters in 2 bytes, gradients in 2; parameters gathered in 8 bits; gathered inside nodes for "
            "the backward pass, from second copies; gradients summed all to all in 4 bits inside nodes, 4 "
            "bits between them");
}

TEST(Parallelism,
     ErrorsOfASiteAreSharedByItsWorkers) {  // fp32 of an eighth, and of half of that as its owner
  const std::string site = seven_b("data: fsdp, site: node", "batch: 2",
                                   "synchronisation: {method: diloco, every: 20}\n"
                                   "compression: {method: block_4bit}\n");
  EXPECT_NEAR(needed_memory(scenario_of(site))->errors.count, 4 * 1.5 * 6738415616.0 / 8, 1);
}

TEST(Parallelism, SecondCopiesTakeMemory) {  // 2 bytes of 6.738 G parameters on 8 workers of a node
  EXPECT_NEAR(needed_memory(scenario_of(seven_b("data: zero++")))->second_copy.count, 2 * 6738415616.0 / 8,
              1);
  EXPECT_NEAR(needed_memory(scenario_of(seven_b("data: fsdp, compress: [loco]")))->errors.count, 6738415616.0,
              1);
  const std::string large =
      "# Question?\n"
      "workload: llama3_405b\n"
      "cluster: {workers: 256, workers_per_node: 8, link: {latency: 10 us, bandwidth: 400 Gbit/s}, "
      "inner_link: {latency: 3 us, bandwidth: 300 GB/s}}\n"
      "training: {batch: 1, steps: 10}\n"
      "parallelism: {data: zero++}\n";
  EXPECT_EQ(refusal(large),
            "s.yaml:5:21: `parallelism.data`: parameters, gradients and optimizer states take 146 GB (101 GB "
            "of it in second copies) on each worker, and h100_sxm_datasheet has 80 GB; fits without `hpz`; "
            "fits with `parallelism.data`: `fsdp` (44.5 GB)");
}

TEST(Parallelism,
     ErrorFeedbackOfWholeGradientsTakesMemory) {  // 4 bytes, and of the part summed again a quarter
  const auto errors = [](const std::string& method) {
    return needed_memory(scenario_of("# Question?\n"
                                     "workload: gpt2_xl\n"
                                     "cluster: {workers: 4, link: {latency: 10 us, bandwidth: 10 Gbit/s}}\n"
                                     "training: {batch: 2, steps: 10}\n"
                                     "compression: {method: " +
                                     method + "}\n"))
               ->errors.count /
           1557611200.0;
  };
  EXPECT_DOUBLE_EQ(errors("onebit_adam"), 5);
  EXPECT_DOUBLE_EQ(errors("ef_sign"), 4);
  EXPECT_DOUBLE_EQ(errors("bf16"), 0);
}

TEST(Parallelism, MomentaThatAWorkerAccumulatesTakeMemory) {  // 4 bytes for each of 1.56 billion parameters
  const auto optimizer = [](const std::string& more) {
    return needed_memory(scenario_of("# Question?\n"
                                     "workload: gpt2_xl\n"
                                     "cluster: {workers: 4, link: {latency: 10 us, bandwidth: 10 Gbit/s}}\n"
                                     "training: {batch: 2, steps: 10}\n"
                                     "compression: {method: onebit_adam}\n" +
                                     more))
        ->optimizer.count;
  };
  EXPECT_DOUBLE_EQ(optimizer("synchronisation: {method: zero_one, freeze_after: 3}\n") - optimizer(""),
                   4.0 * 1557611200);
}

TEST(Parallelism, RefusesCompressionThatDoesNotFitTheSharding) {
  const auto of = [](const std::string& parallelism) { return refusal(seven_b(parallelism)); };
  EXPECT_EQ(of("data: fsdp, compress: [qzw]"),
            "s.yaml:5:38: `parallelism.compress[0]`: unknown way of sending `qzw`; did you mean `qwz`? "
            "accepted: qwz, hpz, qgz, zero++, fp8, sdp4bit, loco, flexdemo");
  EXPECT_EQ(of("data: fsdp, compress: [qwz, fp8]"),
            "s.yaml:5:43: `parallelism.compress[1]`: two of them state how parameters are gathered; name one "
            "of them");
  EXPECT_EQ(
      of("compress: [qwz]"),
      "s.yaml:5:26: `parallelism.compress: qwz` needs parameters that are gathered; `parallelism.data: none` "
      "gathers none; write `parallelism.data: fsdp` or `parallelism.data: hsdp`, or leave out `qwz`");
  EXPECT_EQ(of("data: zero++, compress: [qwz]"),
            "s.yaml:5:40: `parallelism.compress: qwz` needs sharding without compression of its own; "
            "`parallelism.data: zero++` compresses already; write `parallelism.data: fsdp` or "
            "`parallelism.data: hsdp`, or leave out `qwz`");
  EXPECT_EQ(of("data: fsdp, compress: [sdp4bit]"),
            "s.yaml:5:38: `parallelism.compress: sdp4bit` needs whole parameters kept on each worker; "
            "`parallelism.data: fsdp` keeps none; write `parallelism.data: zero1`, or leave out `sdp4bit`");
  EXPECT_EQ(
      of("data: zero2, compress: [qwz]"),
      "s.yaml:5:39: `parallelism.compress: qwz` needs parameters that are gathered; `parallelism.data: "
      "zero2` gathers none; write `parallelism.data: fsdp` or `parallelism.data: hsdp`, or leave out `qwz`");
  EXPECT_EQ(of("data: hsdp, compress: [hpz]"),
            "s.yaml:5:38: `parallelism.compress: hpz` needs a second gather, for the backward pass, from all "
            "workers; `parallelism.data: hsdp` has none; write `parallelism.data: fsdp`, or leave out `hpz`");
  EXPECT_EQ(of("data: fsdp, reshard_after_forward: false, compress: [hpz]"),
            "s.yaml:5:68: `parallelism.compress: hpz` needs a second gather, for the backward pass, from all "
            "workers; `parallelism.reshard_after_forward: false` has none; leave out "
            "`parallelism.reshard_after_forward` or `hpz`");
  EXPECT_EQ(of("data: fsdp, compress: [flexdemo]"),
            "s.yaml:5:38: `parallelism.compress: flexdemo` needs copies of the states in several nodes; "
            "`parallelism.data: fsdp` keeps one; write `parallelism.shard_within: node` or "
            "`parallelism.data: hsdp`, or leave out `flexdemo`");
  EXPECT_EQ(of("data: hsdp, compress: [qgz]"),
            "s.yaml:5:38: `parallelism.compress: qgz` needs sums of gradients among all workers; "
            "`parallelism.data: hsdp` has none; write `parallelism.data: fsdp` or `parallelism.data: zero1`, "
            "or leave out `qgz`");
  EXPECT_EQ(of("data: zero2, compress: [sdp4bit]"), "accepted");
  EXPECT_EQ(of("data: hsdp, compress: [qwz]"), "accepted");
}

// Of 16 workers: parameters and optimizer states whole, a sixteenth of the gradients.
TEST(Parallelism, AKindOfShardingIsOneRow) {
  constexpr netmodels::ShardingKind gradients_alone{
      .name = "gradients_alone", .summary = "", .shares = {.gradients = true}, .gradient_bytes = 2};
  Scenario scenario = scenario_of(seven_b("data: zero2"));
  scenario.work.parallelism.data = netmodels::find_sharding("none");
  const netmodels::WorkerMemory whole = *needed_memory(scenario);
  const double workers = scenario.cluster.workers;
  scenario.work.parallelism.data = &gradients_alone;
  EXPECT_TRUE(scenario.work.parallelism.is_sharded());
  const netmodels::WorkerMemory shared = *needed_memory(scenario);
  EXPECT_DOUBLE_EQ(shared.parameters.count, whole.parameters.count);
  EXPECT_DOUBLE_EQ(shared.optimizer.count, whole.optimizer.count);
  EXPECT_DOUBLE_EQ(shared.gradients.count, whole.gradients.count / workers);
  EXPECT_EQ(describe_sharding(scenario).substr(0, 23), "gradients_alone over 16");
  const settings::Demands demands = netmodels::demands_of(gradients_alone);
  EXPECT_TRUE(demands.offers.contains(settings::Capability::kept_parameters));
  EXPECT_FALSE(demands.offers.contains(settings::Capability::gathered_parameters));
}

TEST(Parallelism, HintForWhatIsCompressedIsAccepted) {
  for (const netmodels::ShardSendingRow& row : netmodels::shard_sendings()) {
    const std::string compress = "compress: [" + std::string(row.name) + "]";
    const std::string error = refusal(seven_b(compress));
    const std::string hint = "write `parallelism.";
    ASSERT_NE(error.find(hint + "data: "), std::string::npos) << error;
    const std::size_t from = error.find(hint) + hint.size();
    const std::string data = error.substr(from, error.find('`', from) - from);
    EXPECT_EQ(refusal(seven_b(data + ", " + compress)), "accepted") << data;
  }
}

TEST(Parallelism, WaysOfSendingThatNoShardingTakesTogetherAreRefused) {
  for (const std::string data : {"", "data: fsdp, ", "data: zero2, ", "data: hsdp, "}) {
    const std::string error = refusal(seven_b(data + "compress: [flexdemo, sdp4bit]"));
    EXPECT_THAT(
        error, ::testing::HasSubstr(data == "data: hsdp, " ? "leave out `sdp4bit`" : "leave out `flexdemo`"));
  }
}

TEST(Parallelism, RefusesQuantisingThatTakesAnUnknownTime) {
  Scenario scenario = scenario_of(seven_b("data: zero++"));
  const language::Value tree = language::Value::map({}, language::Origin());
  const auto check = [&] {
    return check_sending(scenario.work.parallelism, scenario.cluster, scenario.exchange.compression,
                         scenario.work.device, tree);
  };
  EXPECT_TRUE(check());
  scenario.work.device.reset();
  scenario.exchange.compression.framework.rows.clear();
  EXPECT_EQ(check().error().what,
            "`parallelism`: the time of quantising is unknown: no file describes the device of the workload");
  scenario.exchange.compression.time = netmodels::Seconds{0.1};
  EXPECT_TRUE(check());
  scenario.cluster.workers = 12;
  EXPECT_EQ(
      check().error().what,
      "`cluster.workers`: 12 workers do not fill nodes of 8, and exchanges inside nodes are of whole ones");
}

TEST(Parallelism, ALearnerOfRecordsDoesNotKnowValuesOfFewBits) {
  const auto learned = [](const std::string& parallelism, const std::string& learner) {
    return refusal(seven_b(parallelism) + "learner: {" + learner + "}\n");
  };
  const std::string parametric = "kind: parametric, file: resnet18_cifar10";
  EXPECT_EQ(learned("data: fsdp, compress: [qgz]", "kind: live, model: mlp_64"), "accepted");
  EXPECT_EQ(learned("data: fsdp, compress: [hpz]", parametric), "accepted");  // a copy changes nothing
  EXPECT_EQ(learned("data: fsdp, compress: [hpz, qgz]", parametric),
            "s.yaml:5:43: `parallelism.compress: qgz` needs a learner that knows what rounding does, or "
            "none; `learner: parametric` does not model it; write `learner: none` or `learner: live`, or "
            "leave out `qgz`");
  EXPECT_EQ(learned("data: zero++", parametric),
            "s.yaml:5:21: `parallelism.data: zero++` needs a learner that knows what rounding does, or none; "
            "`learner: parametric` does not model it; write `learner: none`, `learner: live`, "
            "`parallelism.data: none` or `parallelism.data: fsdp`");
  EXPECT_THAT(
      learned("data: fsdp, compress: [qgz]", "kind: live, record: {}"),
      ::testing::HasSubstr("`learner.record` needs gradients as they were computed; `parallelism.compress: "
                           "qgz` changes what is sent; leave out `qgz` or `learner.record`"));
}

TEST(Parallelism, RefusesCompressionThatDoesNotFitTheCluster) {
  const auto on = [](const std::string& cluster) {
    return refusal(
        "# Question?\nworkload: gpt2_xl\ncluster: {link: {latency: 10 us, bandwidth: 400 Gbit/s}, " +
        cluster + "}\ntraining: {batch: 1, steps: 10}\nparallelism: {data: fsdp, compress: [hpz, qgz]}\n");
  };
  const std::string inner = ", inner_link: {latency: 3 us, bandwidth: 300 GB/s}";
  EXPECT_EQ(on("workers: 4"),
            "s.yaml:5:14: `parallelism`: second copies are kept in shares of a node, and nodes have 1 "
            "worker; write several nodes of several workers, or leave out `hpz`");
  EXPECT_EQ(on("workers: 4, workers_per_node: 4" + inner),
            "s.yaml:5:14: `parallelism`: second copies are kept in shares of a node, and there is 1 node; "
            "write several nodes of several workers, or leave out `hpz`");
  EXPECT_EQ(
      on("workers: 8, workers_per_node: 4, collective_times: t.csv" + inner),
      "s.yaml:3:109: `cluster.collective_times: t.csv` needs collectives among all workers; "
      "`parallelism.compress: hpz` runs some inside nodes; leave out `hpz` or `cluster.collective_times`");
}

TEST(Parallelism, WholeGradientsOfATransformerSayTheirWidth) {
  const auto said = [](const std::string& more) {
    return describe_execution(
               scenario_of("# Question?\n"
                           "workload: gpt2_xl\n"
                           "cluster: {workers: 4, link: {latency: 10 us, bandwidth: 10 Gbit/s}}\n"
                           "training: {batch: 2, steps: 10}\n" +
                           more))
               .find("the default without compression") != std::string::npos;
  };
  EXPECT_TRUE(said(""));
  EXPECT_FALSE(said("compression: {method: bf16}\n"));
  EXPECT_FALSE(said("parallelism: {data: zero1}\n"));
}

TEST(Parallelism, MemoryHasItsParts) {
  // 6.738 G parameters on 16: 2 + 2 + 12 bytes; three blocks of 202.4 M values in 2 bytes; activations of 2
  // samples in 32 blocks of 2 s h = 33.6 MB and one of 0.63 GB; 10 bytes for 32000 logits a token
  EXPECT_EQ(
      describe_memory(scenario_of(seven_b("data: fsdp"))),
      "17.5 GB of 80 GB: 842 MB of parameters, 842 MB of gradients, 5.05 GB of optimizer states, 1.21 GB "
      "of gathered blocks, 3.41 GB of activations, 2.62 GB of logits, 3.49 GB of the framework");
}

TEST(Parallelism, AccumulationHalvesActivations) {
  const auto activations = [](const std::string& training) {
    return needed_memory(scenario_of(seven_b("data: fsdp", training)))->activations.count;
  };
  EXPECT_DOUBLE_EQ(activations("batch: 8, accumulation: 4"), activations("batch: 2"));
}

TEST(Parallelism, LogitsTakeTheirStatedBytes) {  // 6 bytes of 2 x 4096 x 32000 values
  std::string text = seven_b("data: fsdp");
  const std::string before = "recomputation:";
  text.insert(text.find(before), "logit_bytes: 6, ");
  EXPECT_DOUBLE_EQ(needed_memory(scenario_of(text))->outside.count, 6.0 * 2 * 4096 * 32000);
}

TEST(Parallelism, WholeGradientsAreKeptBetweenMicroBatchesOnly) {  // 4 bytes of 6 738 415 616 parameters
  const std::string whole = "data: fsdp, gradient_bytes: 4, accumulate: whole";
  EXPECT_NEAR(needed_memory(scenario_of(seven_b(whole, "batch: 8, accumulation: 4")))->gradients.count,
              4 * 6738415616.0, 1);
  EXPECT_NEAR(needed_memory(scenario_of(seven_b(whole, "batch: 8")))->gradients.count, 4 * 6738415616.0 / 16,
              1);
  EXPECT_EQ(describe_sharding(scenario_of(seven_b(whole, "batch: 8, accumulation: 4"))),
            "fsdp over 16 workers by blocks, 1 gathered ahead, gathered again for the backward pass, "
            "parameters in 2 bytes, gradients in 4, added up whole");
}

TEST(Parallelism, WholeGradientsBeyondTheMemoryAreRefusedWithWhatFits) {
  // 70.55 G parameters on 64: 14 bytes by shards, 4 whole; two of the largest unit, 1.05 G values, in 2 bytes
  // and one in 4
  EXPECT_EQ(
      refusal("# Question?\n"
              "workload: llama3_70b\n"
              "cluster: {workers: 64, workers_per_node: 8, link: {latency: 10 us, bandwidth: 400 Gbit/s}, "
              "inner_link: {latency: 3 us, bandwidth: 300 GB/s}}\n"
              "training: {batch: 2, accumulation: 2, steps: 10}\n"
              "parallelism: {data: fsdp, gradient_bytes: 4, accumulate: whole}\n"),
      "s.yaml:5:21: `parallelism.data`: parameters, gradients and optimizer states take 306 GB on each "
      "worker, and h100_sxm_datasheet has 80 GB; fits with `accumulate: shards`; fits with "
      "`parallelism.data`: `fsdp` (28.2 GB)");
}

TEST(Parallelism, AccumulationSpendsFixedTimeInEachMicroBatch) {
  // the fixed part of pytorch-fsdp-2023 is that of 1000 tokens in each micro-batch
  const Scenario whole = scenario_of(seven_b("data: fsdp", "batch: 8"));
  const Scenario cut = scenario_of(seven_b("data: fsdp", "batch: 8, accumulation: 4"));
  const netmodels::Seconds micro = whole.work.workload.compute(2);
  EXPECT_NEAR(cut.work.workload.compute(8).count, 4 * micro.count, 1e-9);
  EXPECT_GT(cut.work.workload.compute(8), whole.work.workload.compute(8));
}

TEST(Parallelism, RefusesStatesBeyondTheMemoryWithWhatFits) {
  EXPECT_EQ(
      refusal(seven_b("")),
      "s.yaml:2:11: `workload`: parameters, gradients and optimizer states take 108 GB on each worker, and "
      "h100_sxm_datasheet has 80 GB; fits with `parallelism.data`: `zero1` (32 GB), `zero2` (19.4 GB), "
      "`hsdp` (14.7 GB), `fsdp` (7.95 GB)");
  const std::string seventy =
      "# Question?\n"
      "workload: llama2_70b\n"
      "cluster: {workers: 4, link: {latency: 10 us, bandwidth: 400 Gbit/s}}\n"
      "training: {batch: 1, steps: 10}\n"
      "parallelism: {data: fsdp}\n";
  EXPECT_EQ(refusal(seventy),
            "s.yaml:5:21: `parallelism.data`: parameters, gradients and optimizer states take 281 GB on each "
            "worker, and h100_sxm_datasheet has 80 GB; fits with `data: fsdp` on 15 "
            "workers or more");  // 16 bytes x 68 976 648 192 over 80 GB - 6 bytes x 855 654 400
}

TEST(Parallelism, WhatFitsIsWhatASiteOrAReplicaTakes) {
  const auto of = [](const std::string& more) {
    return refusal(
        "# Question?\n"
        "workload: llama2_7b\n"
        "cluster: {workers: 16, workers_per_node: 8, link: {latency: 10 us, bandwidth: 400 Gbit/s}, "
        "inner_link: {latency: 3 us, bandwidth: 300 GB/s}}\n"
        "training: {batch: 1, steps: 10}\n" +
        more);
  };
  EXPECT_THAT(of("parallelism: {site: node}\nsynchronisation: {method: diloco, every: 20}\n"),
              testing::EndsWith("has 80 GB; fits with `parallelism.data`: `fsdp` (14.7 GB)"));
  EXPECT_EQ(
      of("parallelism: {data: hsdp, tensor: 8}\n"),
      "s.yaml:5:14: `parallelism`: states are shared within a node, and each stage of a replica takes a "
      "whole node; write `data: fsdp`, or a smaller `tensor`");
}

TEST(Parallelism, WarnsOfActivationsBeyondTheMemory) {
  const tests::ScratchFolder scratch;
  const auto reading = read(scratch, seven_b("data: fsdp", "batch: 28"));
  ASSERT_TRUE(reading) << reading.error().text();
  ASSERT_EQ(reading->study.warnings.size(), 1U);
  EXPECT_NE(reading->study.warnings[0].find(
                "the training with `fsdp` may not fit into memory: 115 GB of 80 GB: 842 MB"),
            std::string::npos)
      << reading->study.warnings[0];
}

TEST(Parallelism, GradientsOfWholeModelsAreSentInTheirStatedWidth) {
  const auto reading_of = [](const std::string& more) {
    const tests::ScratchFolder scratch;
    const auto reading = read(scratch,
                              "# Question?\n"
                              "workload: gpt2\n"
                              "cluster: {workers: 4, link: {latency: 10 us, bandwidth: 10 Gbit/s}}\n"
                              "training: {batch: 2, steps: 10}\n" +
                                  more);
    EXPECT_TRUE(reading) << reading.error().text();
    return *reading;
  };
  EXPECT_THAT(describe_execution(reading_of("").study.arms[0]),
              testing::EndsWith("the default without compression"));
  const Reading stated = reading_of("parallelism: {gradient_bytes: 2}\n");
  EXPECT_TRUE(stated.study.warnings.empty());
  EXPECT_THAT(describe_execution(stated.study.arms[0]), testing::EndsWith("; gradients sent in 2 bytes"));
  EXPECT_TRUE(reading_of("parallelism: {gradient_bytes: 2}\ncompression: {method: onebit_adam, time: 1 ms, "
                         "warm_up: {shape: dense, steps: 1}}\n")
                  .study.warnings.empty());
  for (const std::string& warning :
       reading_of("parallelism: {gradient_bytes: 2}\ncompression: {method: onebit_adam, time: 1 ms}\n"
                  "synchronisation: {method: zero_one, freeze_after: 1}\n")
           .study.warnings)
    EXPECT_EQ(warning.find("it is the width"), std::string::npos) << warning;
  const Reading unused =
      reading_of("parallelism: {gradient_bytes: 2}\ncompression: {method: topk, ratio: 0.01, time: 1 ms}\n");
  ASSERT_EQ(unused.study.warnings.size(), 1U);
  EXPECT_THAT(
      unused.study.warnings[0],
      testing::HasSubstr("s.yaml:5:31: it is the width of gradients that are sent as they are, and `topk` "
                         "sends its own form"));
}

TEST(Parallelism, RefusesActivationsThatCannotFit) {
  EXPECT_EQ(
      refusal(seven_b("data: fsdp", "batch: 64")),
      "s.yaml:4:19: `training.batch`: a micro-batch of 64 keeps 193 GB of activations beside 7.95 GB of "
      "states, "
      "and h100_sxm_datasheet has 80 GB; write `training.accumulation: 4` (micro-batches of 16) or "
      "`parallelism.tensor: 8`");
}

/// What a refusal or a warning says to write; with each setting that it names.
std::string memory_said(const std::string& text, const std::vector<std::string>& settings = {}) {
  const tests::ScratchFolder scratch;
  const auto reading = read(scratch, text, settings);
  if (!reading) return reading.error().hint;
  const std::string before = "for a predicted fit, ";
  for (const std::string& warning : reading->study.warnings) {
    const std::size_t at = warning.find(before);
    if (at != std::string::npos) return warning.substr(at + before.size());
  }
  return "fits";
}

TEST(Parallelism, EachRemedyOfMemoryFits) {
  // 131072 tokens of Llama 3 8B: one sample of full recomputation, and its logits, exceed 80 GB
  const std::string longest =
      "# Question?\n"
      "workload: {model: llama3_8b, sequence: 131072, stack: megatron-te-2025, recomputation: full}\n"
      "cluster: {use: nvidia_dgx_h100, workers: 16}\n"
      "training: {batch: 1, steps: 20}\n"
      "parallelism: {data: fsdp}\n";
  EXPECT_EQ(memory_said(longest), "write `parallelism.tensor: 8`");
  EXPECT_EQ(memory_said(longest, {"parallelism.tensor=8"}), "fits");
  const std::string kept =
      "# Question?\n"
      "workload: {model: llama2_7b, stack: pytorch-fsdp-2023}\n"
      "cluster: {use: nvidia_dgx_h100, workers: 16}\n"
      "training: {batch: 4, steps: 20}\n"
      "parallelism: {data: fsdp}\n";
  EXPECT_EQ(memory_said(kept),
            "write `training.accumulation: 2` (micro-batches of 2) or `workload.recomputation: "
            "full` or `parallelism.tensor: 8`");
  for (const std::string setting : {"training.accumulation=2", "parallelism.tensor=8"})
    EXPECT_EQ(memory_said(kept, {setting}), "fits") << setting;
  EXPECT_EQ(memory_said(kept, {"workload.recomputation=full"}), "fits");
}

TEST(Parallelism, RefusesWhatShardingCannotBeCombinedWith) {
  EXPECT_EQ(refusal(seven_b("data: zero1, shard_within: node")),
            "s.yaml:5:42: `parallelism.shard_within` of nodes needs parameters that are gathered; "
            "`parallelism.data: zero1` gathers none; write `parallelism.data: fsdp` or `parallelism.data: "
            "hsdp`, or leave out `parallelism.shard_within`");
  EXPECT_EQ(refusal(seven_b("data: hsdp, shard_within: all")),
            "s.yaml:5:41: `parallelism.shard_within` of all workers needs sums of gradients among all "
            "workers; `parallelism.data: hsdp` has none; write `parallelism.data: fsdp` or "
            "`parallelism.data: zero1`, or leave out `parallelism.shard_within`");
  EXPECT_EQ(refusal(seven_b("data: fsdp", "batch: 2", "compression: {method: topk, ratio: 0.01}\n")),
            "s.yaml:6:23: `compression.method: topk` needs the whole model and optimizer on each worker; "
            "`parallelism.data` without `site` shards them; leave out `parallelism.data`");
  EXPECT_EQ(refusal(seven_b("data: fsdp", "batch: 2", "exchange: {bucket: 10 MiB}\n")),
            "s.yaml:6:20: `exchange.bucket: 10 MiB` needs gradients in buckets; `parallelism.data: fsdp` "
            "exchanges blocks; write `parallelism.data: none`, or leave out `exchange.bucket`");
  EXPECT_EQ(refusal(seven_b("data: fsdp", "batch: 2", "exchange: {collective: ring_allreduce}\n")),
            "s.yaml:6:24: `exchange.collective: ring_allreduce` needs exchanges whose collective a key may "
            "name; `parallelism.data: fsdp` runs its own; write `parallelism.data: none`, or leave out "
            "`exchange.collective`");
  EXPECT_EQ(refusal(seven_b("data: fsdp, unit: layer")),
            "s.yaml:5:33: `parallelism.unit`: unknown value `layer`; accepted: block, root");
}

TEST(Parallelism, RefusesClustersAndPoliciesThatBreakShards) {
  const auto in_cluster = [](const std::string& more) {
    std::string text = seven_b("data: hsdp");
    const std::string end = "300 GB/s}";
    return refusal(text.insert(text.find(end) + end.size(), more));
  };
  EXPECT_EQ(
      in_cluster(", failures: [{worker: 1, at: 3 s}]"),
      "s.yaml:3:162: `cluster.failures[0].worker: 1` needs the whole model and optimizer on each worker; "
      "`parallelism.data` without `site` shards them; leave out `parallelism.data` or `cluster.failures[0]`");
  EXPECT_EQ(in_cluster(", failures: [{link: node0, at: 3 s, until: 4 s}]"), "accepted");
  EXPECT_EQ(in_cluster(", collective_times: t.csv"),
            "s.yaml:3:160: `cluster.collective_times: t.csv` needs collectives among all workers; "
            "`parallelism.data: hsdp` runs some inside nodes; write `parallelism.data: none` or "
            "`parallelism.data: fsdp`, or leave out `cluster.collective_times`");
  EXPECT_EQ(refusal(seven_b("data: fsdp", "batch: 2", "synchronisation: {method: periodic, every: 4}\n")),
            "s.yaml:6:27: `synchronisation: periodic` needs the whole model and optimizer on each worker; "
            "`parallelism.data` without `site` shards them; write `synchronisation: bsp`, or leave out "
            "`parallelism.data`");
}

TEST(Parallelism, CyclesOfAnExchangeHaveNoMicroBatches) {
  EXPECT_EQ(refusal("# Question?\n"
                    "workload: gpt2_xl\n"
                    "cluster: {workers: 4, link: {latency: 10 us, bandwidth: 400 Gbit/s}}\n"
                    "training: {batch: 4, steps: 10, accumulation: 2}\n"
                    "exchange: {execution: horovod_fusion}\n"),
            "s.yaml:4:47: `training.accumulation: 2` needs exchanges of whole batches; `exchange.execution` "
            "with a cycle times them by cycles; leave out `exchange.execution` or `training.accumulation`");
}

TEST(Parallelism, CyclesWithoutOverlapHaveMicroBatches) {
  EXPECT_EQ(refusal("# Question?\n"
                    "workload: gpt2_xl\n"
                    "cluster: {workers: 4, link: {latency: 10 us, bandwidth: 400 Gbit/s}}\n"
                    "training: {batch: 4, steps: 10, accumulation: 2}\n"
                    "exchange: {execution: horovod_fusion, overlap: false}\n"),
            "accepted");
}

TEST(Parallelism, ZeroppRunsCollectivesThatWereNotMeasured) {
  EXPECT_THAT(refusal(seven_b("data: zero++"), {"cluster.collective_times=t.csv"}),
              ::testing::HasSubstr("`parallelism.data: zero++` runs some inside nodes"));
}

TEST(Parallelism, AcceptsDefaultsThatAreWrittenOut) {
  EXPECT_EQ(refusal(seven_b("data: fsdp", "batch: 2",
                            "compression: {method: none, policy: fixed}\nexchange: {collective: auto}\n")),
            "accepted");
}

TEST(Parallelism, RefusesShardsThatDoNotFitTheCluster) {
  EXPECT_EQ(refusal("# Question?\n"
                    "workload: gpt2_xl\n"
                    "cluster: {workers: 1, link: {latency: 10 us, bandwidth: 400 Gbit/s}}\n"
                    "training: {batch: 1, steps: 10}\n"
                    "parallelism: {data: fsdp}\n"),
            "s.yaml:5:21: `parallelism.data`: `fsdp` shares states among workers, and there is one; write "
            "`cluster.workers` of at least 2, or leave out `parallelism`");
  EXPECT_EQ(refusal("# Question?\n"
                    "workload: gpt2_xl\n"
                    "cluster: {workers: 4, link: {latency: 10 us, bandwidth: 400 Gbit/s}}\n"
                    "training: {batch: 1, steps: 10}\n"
                    "parallelism: {data: hsdp}\n"),
            "s.yaml:5:14: `parallelism`: states are shared within a node, and nodes have 1 worker; write "
            "`cluster.workers_per_node` of at least 2, or `data: fsdp`");
  EXPECT_EQ(
      refusal(least + "parallelism: {data: fsdp}\n"),
      "s.yaml:5:21: `parallelism.data`: the workload `tiny` has no blocks that could be gathered; describe "
      "the model by `transformer`, `config` or `model`, or leave out `parallelism`");
}

TEST(Parallelism, RefusesMicroBatchesThatDoNotDivideTheBatch) {
  EXPECT_EQ(
      refusal(seven_b("data: fsdp", "batch: 6, accumulation: 4")),
      "s.yaml:4:36: `training.accumulation`: 4 micro-batches do not divide a batch of 6; write a divisor of "
      "`batch`, which counts the samples of all micro-batches");
  EXPECT_EQ(
      refusal(seven_b("data: fsdp", "batch: 6, accumulation: 0")),
      "s.yaml:4:36: `training.accumulation`: `0` is too small; accepted: at least 1 and at most 1000000");
}

}  // namespace
}  // namespace sim::scenario
