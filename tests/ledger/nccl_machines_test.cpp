// Machines described in a file, and the rules that predict NCCL's times from them.
#include "calibrate/ledger/nccl_machines.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "calibrate/ledger/rules.hpp"
#include "netmodels/nccl/time.hpp"
#include "tests/ledger/evidence.hpp"

namespace calibrate::ledger {
namespace {

using ::testing::HasSubstr;
namespace nccl = netmodels::nccl;

const std::string node =
    "machines:\n"
    "  - tables: [a, folder/b]\n"
    "    kind: nvlink\n"
    "    version: 2.18\n"
    "    gpu: {compute_capability: 80, per_node: 8}\n"
    "    nvlink: {links: 12, fabric: switch}\n"
    "    cpu: amd\n";

std::string machine_error(const std::string& text) {
  const auto machines = parse_nccl_machines(text, "m.yaml");
  return machines ? "accepted" : machines.error().text();
}

TEST(NcclMachines, HoldWhatTheFileSays) {
  const auto machines = parse_nccl_machines(
      node +
          "  - tables: [ab]\n    nodes: 2\n"
          "    gpu: {compute_capability: 70, per_node: 3}\n"
          "    nvlink: {fabric: mesh, mesh: [[0, 1, 2], [1, 2, 1]]}\n"
          "    network: {kind: efa, rate: 100 Gbit/s, gpu_direct: false, path: PHB, plugin_latency: 75 us}\n"
          "    environment: {protocols: [LL, Simple]}\n",
      "m.yaml");
  ASSERT_TRUE(machines) << machines.error().text();
  EXPECT_EQ((*machines)[0].hardware.nvlink.links, 12);
  EXPECT_EQ((*machines)[0].hardware.cpu, nccl::Processor::amd);
  EXPECT_FALSE((*machines)[0].hardware.network);
  const nccl::Hardware& second = (*machines)[1].hardware;
  EXPECT_EQ(second.nvlink.mesh, (std::vector<std::vector<int>>{{0, 1, 2}, {1, 2, 1}}));
  EXPECT_DOUBLE_EQ(second.network->rate.count, 12.5e9);
  EXPECT_DOUBLE_EQ(second.network->plugin_latency.count, 75e-6);
  EXPECT_FALSE(second.network->gpu_direct);
  EXPECT_EQ(second.environment.protocols.size(), 2U);
  EXPECT_EQ(find_nccl_machine(*machines, "x/abc.csv"), &(*machines)[1]);  // the longest beginning
  EXPECT_EQ(find_nccl_machine(*machines, "x/folder/b8.csv"), machines->data());
  EXPECT_EQ(find_nccl_machine(*machines, "x/b8.csv"), nullptr);
}

TEST(NcclMachines, RefuseInvalidValuesByPlace) {
  EXPECT_EQ(machine_error(node + "    speed: 3\n").substr(0, 33), "m.yaml:8:5: unknown key `speed`; ");
  EXPECT_EQ(machine_error("machines:\n  - tables: [a]\n"),
            "m.yaml:2:5: the key `gpu` is missing; The GPUs of a node.");
  EXPECT_THAT(machine_error(node + "    pcie: {generation: 2}\n"),
              HasSubstr("m.yaml:2:1: `pcie.generation`"));
  EXPECT_EQ(machine_error(node + "    pcie: {lanes: many}\n"),
            "m.yaml:8:19: invalid value `many`; accepted: a whole number from 0 on");
  for (const std::string number : {"0.5", "-1", "400000000000000000000"}) {
    EXPECT_EQ(machine_error(node + "    pcie: {lanes: " + number + "}\n"),
              "m.yaml:8:19: invalid value `" + number + "`; accepted: a whole number from 0 on");
  }
  EXPECT_EQ(machine_error(node + "    pcie: {peer_to_peer: no}\n"),
            "m.yaml:8:26: invalid value `no`; accepted: true, false");
  EXPECT_THAT(machine_error(node + "    network: {kind: rocee, rate: 1 GB/s}\n"),
              HasSubstr("m.yaml:8:21: invalid value `rocee`; did you mean `roce`?"));
  EXPECT_EQ(machine_error("machines:\n"), "m.yaml: the file describes no machine");
}

/// Times of the model of `node`, each `factor` as long.
SourceText model_table(const std::string& path, const std::string& operation, int ranks, double factor) {
  const auto machines = parse_nccl_machines(node, "m.yaml");
  const auto model =
      nccl::Model::make(machines->front().hardware, {.ranks = static_cast<std::uint32_t>(ranks)});
  measurements::Measurements measured;
  measured.operation = *measurements::find_operation(operation);
  measured.ranks = ranks;
  for (double size = 1024; size < 2e9; size *= 4)
    measured.points.push_back(
        {{size}, factor * model->time(*nccl::find_operation(operation), {size})->total()});
  return {path, measurements::print_csv(measured)};
}

const SourceText described{"m.yaml", node};

TEST(NcclRules, HardwareAlonePredictsWhatTheModelGives) {
  const auto exact = predict_nccl_hardware({{}, {model_table("a.csv", "all_reduce", 8, 1)}, {described}});
  ASSERT_TRUE(exact) << exact.error().text();
  EXPECT_EQ(exact->size(), 11U);
  for (const Prediction& each : *exact) EXPECT_NEAR(each.error(), 0, 1e-9) << each.what;
  const auto doubled = predict_nccl_hardware({{}, {model_table("a.csv", "all_reduce", 8, 2)}, {described}});
  for (const Prediction& each : *doubled) EXPECT_NEAR(each.error(), -.5, 1e-9) << each.what;
}

TEST(NcclRules, MeasuredSizesAreNotPredicted) {
  const SourceText table = model_table("a.csv", "all_reduce", 8, 1.25);
  const auto two = predict_nccl_two_sizes({{}, {table}, {described}});
  const auto half = predict_nccl_half({{}, {table}, {described}});
  ASSERT_TRUE(two && half);
  EXPECT_EQ(two->size(), 9U);
  EXPECT_EQ(half->size(), 5U);
  for (const Prediction& each : *half) EXPECT_NEAR(each.error(), 0, .05) << each.what;  // alone .2
}

TEST(NcclRules, AnotherTableOfTheMachineCorrects) {
  const auto all = predict_nccl_other_table({{model_table("a2.csv", "all_reduce", 2, 1.25)},
                                             {model_table("a8.csv", "all_gather", 8, 1.25)},
                                             {described}});
  ASSERT_TRUE(all) << all.error().text();
  EXPECT_EQ(all->size(), 11U);
  EXPECT_NEAR(all->back().error(), 0, .02);
}

TEST(NcclRules, FactorsOfOtherClustersDoNotSeeTheJudgedOne) {
  const Evidence two{
      {},
      {model_table("a_one_ar.csv", "all_reduce", 8, 1), model_table("a_one_ag.csv", "all_gather", 8, 1),
       model_table("a_two_ar.csv", "all_reduce", 8, 2)},
      {described}};
  constexpr double grid = .03;
  const auto left_out = predict_nccl_left_out(two);
  ASSERT_TRUE(left_out) << left_out.error().text();
  EXPECT_EQ(left_out->size(), 33U);
  for (const Prediction& each : *left_out)
    EXPECT_NEAR(each.error(), each.table == "a_two_ar.csv" ? -.5 : 1, grid) << each.what;
  Evidence four = two;  // all but one cluster are as the model says
  for (const char* path : {"a_three_ar.csv", "a_four_ar.csv"})
    four.measured.push_back(model_table(path, "all_reduce", 8, 1));
  for (const auto& found : {predict_nccl_left_out(four), predict_nccl_in_sample(four)}) {
    ASSERT_TRUE(found) << found.error().text();
    for (const Prediction& each : *found)
      EXPECT_NEAR(each.error(), each.table == "a_two_ar.csv" ? -.5 : 0, grid) << each.what;
  }
  EXPECT_EQ(predict_nccl_left_out({{}, {model_table("a_one_ar.csv", "all_reduce", 8, 1)}, {described}})
                .error()
                .text(),
            "`a_one` is the only cluster; name tables of at least two clusters");
}

TEST(NcclRules, RefuseTablesThatTheyCannotPredict) {
  const SourceText table = model_table("a.csv", "all_reduce", 8, 1);
  EXPECT_EQ(
      predict_nccl_hardware({{}, {model_table("z.csv", "all_reduce", 8, 1)}, {described}}).error().text(),
      "z.csv: no machine under `machines` names this table; add the beginning of its name to `tables` of "
      "its machine");
  EXPECT_EQ(predict_nccl_other_table({{table, table}, {table}, {described}}).error().text(),
            "2 tables are seen; name one table, of which the smallest and the largest size are taken");
  EXPECT_EQ(
      predict_nccl_other_table({{table}, {table}, {described}}).error().text(),
      "a.csv: `seen` holds the same collective on as many ranks; name a table of another collective or of "
      "other ranks");
  const SourceText large = line_table("a.csv", "all_reduce", 16, 1e-5, 1e-9);
  EXPECT_THAT(predict_nccl_hardware({{}, {large}, {described}}).error().text(),
              HasSubstr("a.csv: `gpu.per_node`: 16 ranks a node, and a node has 8 GPUs; accepted: up to 8"));
}

}  // namespace
}  // namespace calibrate::ledger
