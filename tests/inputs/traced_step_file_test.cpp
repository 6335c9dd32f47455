// Traced steps in scenarios: the columns, and which keys would change what was traced.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "netmodels/traced_step.hpp"
#include "sim/inputs/input_files.hpp"
#include "sim/scenario/execution.hpp"
#include "tests/arm_parts.hpp"
#include "tests/scenario/scenario_text.hpp"

namespace sim::scenario {
namespace {

using testing::HasSubstr;

const std::string head = "operation,stream,duration_us,after,collective,bytes,among\n";
const std::string rows =
    "launch,host,2000,,,,\nforward,compute,10000,0,,,\nsum,communication,,1,all_reduce,4000000,all\n"
    "optimizer,compute,4000,2 0,,,\n";

/// The error of a file of operations, or "read".
std::string file_error(const std::string& text) {
  const tests::ScratchFolder scratch;
  const auto step = inputs::read_traced_step(scratch.write("g.csv", text));
  if (step) return "read";
  const std::string error = step.error().text();
  return error.substr(error.rfind("g.csv"));
}

/// The error of a scenario with more lines, or "accepted".
std::string scenario_error(const std::string& more, const std::string& operations = rows,
                           const std::string& training = "batch: 32, steps: 10",
                           const std::string& cluster = "") {
  const tests::ScratchFolder scratch;
  scratch.write("g.csv", head + operations);
  const auto reading = read(scratch,
                            "# Traced?\nworkload: {name: t, graph: g.csv, parameters: 1000000, batch: 32}\n"
                            "cluster: {workers: 4, link: {latency: 1 ms, bandwidth: 10 Gbit/s}" +
                                cluster + "}\ntraining: {" + training + "}\n" + more);
  if (reading) return "accepted";
  const std::string error = reading.error().text();
  return error.substr(error.rfind("s.yaml"));
}

TEST(TracedStepFile, HoldsStreamsDependenciesAndCollectives) {
  const tests::ScratchFolder scratch;
  const auto step = inputs::read_traced_step(scratch.write("g.csv", head + rows));
  ASSERT_TRUE(step) << step.error().text();
  ASSERT_EQ(step->operations.size(), 4);
  EXPECT_EQ(step->operations[0].stream, netmodels::StepStream::host);
  EXPECT_EQ(step->operations[2].collective->size.count, 4e6);
  EXPECT_EQ(step->operations[3].after, (std::vector<std::uint32_t>{2, 0}));
  EXPECT_NEAR(undisturbed(*step).count, 0.016, 1e-12);
}

TEST(TracedStepFile, EachRefusalHasItsPlace) {
  EXPECT_EQ(
      file_error(head + "a,gpu,1,,,,\n"),
      "g.csv:2:3: `gpu` is not a word of the column `stream`; accepted: compute, communication, copy, host");
  EXPECT_EQ(file_error(head + "a,compute,1,0,,,\n"),
            "g.csv:2:13: `0` is not the number of an earlier row; rows are counted from 0; this is row 0");
  EXPECT_EQ(file_error(head + "a,compute,1,x,,,\n"),
            "g.csv:2:13: `x` is not the number of an earlier row; rows are counted from 0; this is row 0");
  EXPECT_EQ(file_error(head + "a,communication,,,all_reduce,0,all\n"),
            "g.csv:2:30: a collective of 0 bytes; write what it exchanges");
  EXPECT_EQ(
      file_error(head + "a,communication,,,reduce,8,all\n"),
      "g.csv:2:19: `reduce` is not a word of the column `collective`; accepted: all_reduce, all_gather, "
      "reduce_scatter, broadcast, all_to_all");
  EXPECT_EQ(
      file_error(head + "a,communication,,,all_gather,8,nodes\n"),
      "g.csv:2:19: `all_gather` among `nodes` has no schedule; between nodes only `all_reduce`, within them "
      "no `broadcast`");
  EXPECT_EQ(file_error(head + "a,compute,1,,all_reduce,8,all\n"),
            "g.csv:2:14: a collective on the stream `compute`; write `communication` as its stream");
  EXPECT_EQ(file_error(head + "a,compute,0,,,,\n"),
            "g.csv: its operations take no time and exchange nothing; state `duration_us`, or rows with a "
            "collective");
}

TEST(TracedStepFile, WhatWouldChangeTheStepIsRefused) {
  EXPECT_EQ(scenario_error(""), "accepted");
  EXPECT_EQ(scenario_error("", rows, "batch: 16, steps: 10"),
            "s.yaml:4:19: `training.batch`: the trace is of steps with 32 samples a worker; write "
            "`training.batch: 32`, or trace another batch");
  const auto traced = [](const std::string& label, const std::string& hint) {
    return HasSubstr("`" + label +
                     "` needs a step that is composed of layers; `workload` with a `graph` runs it as it "
                     "was traced, unless it is imported with `--format workload`; " +
                     hint);
  };
  EXPECT_THAT(scenario_error("exchange: {bucket: 1 MB}\n"),
              traced("exchange.bucket: 1 MB", "leave out `exchange.bucket`"));
  EXPECT_THAT(scenario_error("parallelism: {gradient_bytes: 2}\n"),
              traced("parallelism.gradient_bytes: 2", "leave out `parallelism.gradient_bytes`"));
  EXPECT_THAT(scenario_error("compression: {method: topk, ratio: 0.01}\n"),
              traced("compression.method: topk", "write `compression.method: none`"));
  EXPECT_THAT(scenario_error("synchronisation: {method: periodic, every: 4}\n"),
              traced("synchronisation: periodic", "write `synchronisation: bsp`"));
  EXPECT_THAT(scenario_error("parallelism: {data: zero1}\n"),
              traced("parallelism.data: zero1", "write `parallelism.data: none`"));
  EXPECT_THAT(
      scenario_error("", "a,communication,,,all_reduce,8,node\n"),
      HasSubstr("the trace has groups within nodes, and nodes have 1 worker; write how many workers a node "
                "has"));
}

TEST(TracedStepFile, WorkersThatLeaveAreRefusedWhereTheTraceHasGroups) {
  const std::string nodes = ", workers_per_node: 2, inner_link: {latency: 1 us, bandwidth: 100 Gbit/s}, ";
  const std::string steps = "batch: 32, steps: 10";
  const std::string grouped = "a,communication,,,all_reduce,8,node\n";
  const auto refused = [](const std::string& key) {
    return HasSubstr(
        "`workload` with groups within nodes needs the same workers during the whole run; `cluster." + key +
        "` lets workers leave; leave out `cluster." + key + "`");
  };
  const std::string absences = "absences: [{worker: 1, from: 1 s}]";
  const std::string churn = "churn: {stay: 1 h, away: 1 min}";
  EXPECT_THAT(scenario_error("", grouped, steps, nodes + absences), refused("absences"));
  EXPECT_THAT(scenario_error("", grouped, steps, nodes + churn), refused("churn"));
  EXPECT_EQ(scenario_error("", rows, steps, ", " + absences), "accepted");
  EXPECT_EQ(scenario_error("", rows, steps, ", " + churn), "accepted");
}

TEST(TracedStepFile, TheExecutionSaysThatItWasTraced) {
  const tests::ScratchFolder scratch;
  scratch.write("g.csv", head + rows);
  const auto reading = read(scratch,
                            "# Traced?\nworkload: {name: t, graph: g.csv, parameters: 1000000, batch: 32}\n"
                            "cluster: {workers: 4, link: {latency: 1 ms, bandwidth: 10 Gbit/s}}\n"
                            "training: {batch: 32, steps: 10}\n");
  ASSERT_TRUE(reading) << reading.error().text();
  EXPECT_EQ(describe_execution(reading->study.arms.front()), "as it was traced: 4 operations");
}

}  // namespace
}  // namespace sim::scenario
