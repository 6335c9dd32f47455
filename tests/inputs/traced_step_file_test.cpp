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

using testing::EndsWith;
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
      "reduce_scatter, broadcast, all_to_all, send, recv");
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

const std::string wide =
    "operation,stream,duration_us,after,collective,bytes,among,flops,memory_bytes,kind,precision,group\n";

TEST(TracedStepFile, WorkStandsForADuration) {
  const tests::ScratchFolder scratch;
  const auto step = inputs::read_traced_step(
      scratch.write("g.csv", wide + "mm,compute,,,,,,312e12,8,matmul,bf16,\ncopy,copy,5,,,,,,,,,\n"));
  ASSERT_TRUE(step) << step.error().text();
  EXPECT_TRUE(step->is_predicted());
  const netmodels::DeviceWork work{netmodels::WorkKind::matmul, netmodels::Flops{312e12}, netmodels::Bytes{8},
                                   "bf16"};
  EXPECT_EQ(step->operations[0].work, work);
  EXPECT_NEAR(step->operations[1].duration.count, 5e-6, 1e-18);
}

TEST(TracedStepFile, CollectivesHaveGroupsMarksAndWidths) {
  const tests::ScratchFolder scratch;
  const auto step = inputs::read_traced_step(
      scratch.write("g.csv", wide + "sum,communication,,,all_reduce,8,,,,gradient,bf16,17:2:4\n"));
  ASSERT_TRUE(step) << step.error().text();
  const netmodels::TracedCollective& sum = *step->operations[0].collective;
  EXPECT_EQ(sum.group, (netmodels::RankGroup{17, 2, 4}));
  EXPECT_TRUE(sum.gradient);
  EXPECT_EQ(sum.value_bytes, 2);
  EXPECT_TRUE(step->has_groups());
  EXPECT_FALSE(step->has_node_groups());
}

TEST(TracedStepFile, EachRefusalOfWorkHasItsPlace) {
  EXPECT_EQ(file_error(wide + "mm,compute,,,,,,,,matmul,,\n"),
            "g.csv:2:12: the row states neither a duration nor work; write `duration_us`, or `flops` or "
            "`memory_bytes` with their `kind`");
  EXPECT_EQ(
      file_error(wide + "mm,compute,,,,,,1,,,,\n"),
      "g.csv:2:20: `` is not a word of the column `kind`; accepted: matmul, attention, pointwise, copy, "
      "optimizer, embedding");
  EXPECT_EQ(
      file_error(wide + "mm,compute,,,,,,1,,matmul,int8,\n"),
      "g.csv:2:27: `int8` is not a word of the column `precision`; accepted: fp32, tf32, bf16, fp16, fp8");
  EXPECT_EQ(file_error(wide + "read,host,,,,,,1,,pointwise,,\n"),
            "g.csv:2:11: a row of the host states no duration; its time does not follow from a device: write "
            "`duration_us`");
  EXPECT_EQ(file_error(head + "mm,compute,,,,,\n"),
            "g.csv:2:12: the row states neither a duration nor work; write `duration_us`, or `flops` or "
            "`memory_bytes` with their `kind`");
}

TEST(TracedStepFile, WorkWithoutTheFigureThatItsTimeFollowsFromIsRefused) {
  EXPECT_THAT(file_error(wide + "add,compute,,,,,,9000,,pointwise,,\n"),
              EndsWith("a row of the kind `pointwise` states no `memory_bytes`; its time follows from them: "
                       "write `memory_bytes`, or `duration_us`"));
  EXPECT_THAT(
      file_error(wide + "mm,compute,,,,,,,1000,matmul,bf16,\n"),
      EndsWith("a row of the kind `matmul` states no `flops`; its time follows from them: write `flops`, or "
               "`duration_us`"));
}

TEST(TracedStepFile, CellsThatNothingReadsAreRefused) {
  for (const char* cells : {"9,,,", ",9,,", ",,matmul,", ",,,bf16"})
    EXPECT_THAT(file_error(wide + "f,compute,5,,,,," + cells + ",\n"),
                HasSubstr("a row with a duration states `"))
        << cells;
  for (const char* cells : {"8,,,,,,", ",all,,,,,", ",,,,,,0:1:2"})
    EXPECT_THAT(file_error(wide + "f,compute,5,,," + cells + "\n"),
                HasSubstr("a row without a collective states `"))
        << cells;
  EXPECT_THAT(
      file_error(wide + "sum,communication,5,,all_reduce,8,all,,,,,\n"),
      EndsWith("a collective states `duration_us`; leave the cell empty: its time follows from the network"));
  EXPECT_THAT(file_error(wide + "sum,communication,,,all_reduce,8,all,5,,,,\n"),
              HasSubstr("a collective states `flops`"));
  EXPECT_THAT(file_error(wide + ",compute,5,,,,,,,,,\n"),
              EndsWith("the operation has no name; write a name, such as `forward`"));
}

TEST(TracedStepFile, EachRefusalOfAGroupHasItsPlace) {
  const auto error = [](const std::string& group, const std::string& among = "") {
    return file_error(wide + "sum,communication,,,all_reduce,8," + among + ",,,,," + group + "\n");
  };
  const std::string hint =
      "; write START:STRIDE:COUNT, such as `0:8:4` for the ranks 0, 8, 16 and 24, or `0:8:N/8` for any "
      "multiple of 8 workers";
  for (const std::string& text :
       std::vector<std::string>{"0:8", "0:0:4", "0:1:0", "a:1:2", "0:1:5000", "0:1:N/0", "0:1:N/a", "0:1:N"})
    EXPECT_EQ(error(text), "g.csv:2:39: `" + text + "` is not a group of ranks" + hint);
  EXPECT_EQ(
      error("2:2:4"),
      "g.csv:2:39: no group of `2:2:4` begins at 2; groups of 4 ranks, 2 apart, begin at the first 2 of "
      "each 8 ranks");
  EXPECT_EQ(error("0:8:N/8"),
            "g.csv:2:39: `0:8:N/8` depends on the number of workers; read it by a scenario, whose "
            "`cluster.workers` is N");
  EXPECT_EQ(error("0:1:2", "all"), "g.csv:2:42: a row states `among` and `group`; leave one of them empty");
  EXPECT_EQ(file_error(wide + "sum,communication,,,all_gather,8,all,,,gradient,,\n"),
            "g.csv:2:40: `all_gather` sums no gradients; mark `all_reduce` and `reduce_scatter` only");
}

/// The error of a scenario with a graph of these rows of all columns, or "accepted".
std::string wide_error(const std::string& operations, const std::string& cluster,
                       const std::string& more = "", const std::string& workload = "") {
  const tests::ScratchFolder scratch;
  scratch.write("g.csv", wide + operations);
  const auto reading =
      read(scratch, "# Traced?\nworkload: {name: t, graph: g.csv, parameters: 1000000, batch: 32" + workload +
                        "}\ncluster: {workers: 8, link: {latency: 1 ms, bandwidth: 10 Gbit/s}" + cluster +
                        "}\ntraining: {batch: 32, steps: 10}\n" + more);
  if (reading) return "accepted";
  const std::string error = reading.error().text();
  return error.substr(error.rfind("s.yaml"));
}

TEST(TracedStepFile, SamplesThatNeighboursShareAreWarnedOf) {
  const auto warned = [](const std::string& row) {
    const tests::ScratchFolder scratch;
    scratch.write("g.csv", wide + "mm,compute,5,,,,,,,,,\n" + row);
    const auto reading = read(scratch,
                              "# Traced?\nworkload: {name: t, graph: g.csv, parameters: 1000000, batch: 32}\n"
                              "cluster: {workers: 8, link: {latency: 1 ms, bandwidth: 10 Gbit/s}}\ntraining: "
                              "{batch: 32, steps: 10}\n");
    return reading ? reading->study.warnings : std::vector<std::string>{reading.error().text()};
  };
  EXPECT_THAT(
      warned("tp,communication,,0,all_reduce,8,,,,,,0:1:4\n"),
      testing::Contains(HasSubstr("`tp` sums among neighbours, and not gradients, as tensor parallelism "
                                  "does: they share their samples")));
  EXPECT_THAT(warned("dp,communication,,0,all_reduce,8,,,,gradient,,0:1:8\n"),
              testing::Not(testing::Contains(HasSubstr("neighbours"))));
}

TEST(TracedStepFile, CollectivesHaveQueues) {
  const std::string queued = "operation,stream,duration_us,after,collective,bytes,among,queue\n";
  const tests::ScratchFolder scratch;
  const auto step = inputs::read_traced_step(scratch.write(
      "g.csv", queued + "a,communication,,,all_reduce,8,all,\nb,communication,,,all_reduce,8,all,3\n"));
  ASSERT_TRUE(step) << step.error().text();
  EXPECT_EQ(step->operations[0].queue, 0);
  EXPECT_EQ(step->operations[1].queue, 3);
  EXPECT_EQ(file_error(queued + "a,communication,,,all_reduce,8,all,64\n"),
            "g.csv:2:36: queue 64; number them from 0 to 63");
}

TEST(TracedStepFile, SizesFollowFromTheNumberOfWorkers) {
  const tests::ScratchFolder scratch;
  const auto file = scratch.write("g.csv", wide +
                                               "gather,communication,,,all_gather,800-800/N,all,,,,,\n"
                                               "mm,compute,,0,,,,10+16/N,64/N,matmul,bf16,\n"
                                               "sum,communication,,1,all_reduce,8,,,,,,0:4:N/4\n");
  const auto step = inputs::read_traced_step(file, 16);
  ASSERT_TRUE(step) << step.error().text();
  EXPECT_EQ(step->operations[0].collective->size.count, 750);
  EXPECT_EQ(step->operations[1].work->flops.count, 11);
  EXPECT_EQ(step->operations[1].work->memory.count, 4);
  EXPECT_EQ(step->operations[2].collective->group, (netmodels::RankGroup{0, 4, 4}));
  EXPECT_TRUE(step->scaled);
  EXPECT_TRUE(step->has_groups());
  EXPECT_THAT(inputs::read_traced_step(file).error().text(),
              EndsWith("`800-800/N` depends on the number of workers; read it by a scenario, whose "
                       "`cluster.workers` is N"));
  EXPECT_THAT(file_error(wide + "a,communication,,,all_gather,8-9/N,all,,,,,\n"),
              EndsWith("`8-9/N` is not a size that follows from N workers; write a sum such as `C+S/N`, "
                       "`S-S/N` or `C+S/N+G*N`, with numbers that give no negative size"));
}

TEST(TracedStepFile, SizesThatAreNoNumbersSayHowTheyAreWritten) {
  EXPECT_THAT(file_error(wide + "a,communication,,,all_gather,80 MB,all,,,,,\n"),
              EndsWith("column `bytes` is `80 MB`; write `80000000`: bytes without a unit"));
  for (const std::string text : {"50%", "80000000/n", "8e7 bytes"}) {
    EXPECT_THAT(file_error(wide + "a,communication,,,all_gather," + text + ",all,,,,,\n"),
                EndsWith("column `bytes` is `" + text +
                         "`; a number of at least 0, or one that follows from the number N of workers, such "
                         "as `C+S/N`"));
  }
}

TEST(TracedStepFile, GroupsOfAShareNeedAMultipleOfWorkers) {
  const tests::ScratchFolder scratch;
  const auto file = scratch.write("g.csv", wide + "sum,communication,,,all_reduce,8,,,,,,0:8:N/8\n");
  EXPECT_THAT(inputs::read_traced_step(file, 12).error().text(),
              EndsWith("`0:8:N/8` with 12 workers, which are not a multiple of 8; set `cluster.workers` to a "
                       "multiple of 8"));
  ASSERT_TRUE(inputs::read_traced_step(file, 16));
}

/// Warnings of a scenario with a graph of one collective, on 8 workers; or the error.
std::vector<std::string> graph_warnings(const std::string& sum, const std::string& workload) {
  const tests::ScratchFolder scratch;
  scratch.write("g.csv", wide + "mm,compute,5,,,,,,,,,\n" + sum);
  const auto reading =
      read(scratch, "# Traced?\nworkload: {name: t, graph: g.csv, batch: 32, " + workload +
                        "}\ncluster: {workers: 8, link: {latency: 1 ms, bandwidth: 10 Gbit/s}}\n"
                        "training: {batch: 32, steps: 10}\n");
  return reading ? reading->study.warnings : std::vector<std::string>{reading.error().text()};
}

TEST(TracedStepFile, AnotherNumberOfWorkersThanRecordedIsWarnedOf) {
  const std::string sum = "dp,communication,,0,all_reduce,8,all,,,,,\n";
  const auto warned = testing::Contains(HasSubstr(
      "the step was recorded with 16 workers, and the cluster has 8: bytes and work are those of 16, "
      "shards too; `gradsim capture --world 16,32` records sizes that follow from the number of workers"));
  EXPECT_THAT(graph_warnings(sum, "parameters: 2, recorded_workers: 16"), warned);
  EXPECT_THAT(graph_warnings(sum, "parameters: 2, recorded_workers: 8"),
              testing::Not(testing::Contains(HasSubstr("recorded"))));
  EXPECT_THAT(graph_warnings("dp,communication,,0,all_reduce,8+8/N,all,,,,,\n" + sum,
                             "parameters: 2, recorded_workers: 16"),
              warned)
      << "a rule in one cell says nothing of the others";
}

TEST(TracedStepFile, ParametersAreThoseOfTheMarkedGradients) {
  const std::string sum = "dp,communication,,0,all_reduce,250000000,all,,,gradient,fp32,\n";
  const auto refused = testing::Contains(
      HasSubstr("the gradients of `g.csv` have 62500000 values, more than 5 parameters; write `parameters: "
                "62500000`, or the number that each micro-batch sums"));
  const auto warned =
      testing::Contains(HasSubstr("the marked gradients have 62500000 values of 62500001 parameters; "
                                  "compression compresses these"));
  const auto none = testing::Not(testing::Contains(HasSubstr("gradients")));
  EXPECT_THAT(graph_warnings(sum, "parameters: 5"), refused);
  EXPECT_THAT(graph_warnings(sum, "parameters: 62500000"), none);
  EXPECT_THAT(graph_warnings(sum + sum, "parameters: 62500000"), none);  // two micro-batches
  EXPECT_THAT(graph_warnings(sum, "parameters: 62500001"), warned);
}

TEST(TracedStepFile, WorkersOfAReplicaShareTheirSamples) {
  const std::string sum = "tp,communication,,0,all_reduce,8,,,,,,0:1:4\n";
  const std::string keys = "parameters: 100, workers_per_replica: ";
  EXPECT_THAT(graph_warnings(sum, keys + "4"), testing::Not(testing::Contains(HasSubstr("neighbours"))));
  EXPECT_THAT(
      graph_warnings(sum, keys + "3"),
      testing::Contains(HasSubstr("3 workers compute one batch together, and 8 workers are not a multiple; "
                                  "write a multiple of 3")));
}

TEST(TracedStepFile, MessagesHaveAPeer) {
  const std::string with_peer = "operation,stream,duration_us,after,collective,bytes,among,peer\n";
  const tests::ScratchFolder scratch;
  const auto step = inputs::read_traced_step(scratch.write(
      "g.csv",
      with_peer + "a,communication,,,send,8,all,+1\nb,communication,,,recv,8,all,-1\nc,compute,5,1,,,,\n"));
  ASSERT_TRUE(step) << step.error().text();
  EXPECT_TRUE(step->has_messages());
  EXPECT_EQ(step->operations[0].collective->message, (netmodels::TracedMessage{false, 1}));
  EXPECT_EQ(step->operations[1].collective->message, (netmodels::TracedMessage{true, -1}));
  const std::string hint =
      "; write how many members of the group further on the other end is: `+1` for the next one, `-1` for "
      "the "
      "one before";
  for (const std::string& peer : std::vector<std::string>{"", "0", "next", "5000"}) {
    EXPECT_THAT(file_error(with_peer + "a,communication,,,send,8,all," + peer + "\n"),
                EndsWith("`" + peer + "` is not a distance to another rank" + hint));
  }
  EXPECT_THAT(file_error(with_peer + "a,communication,,,all_reduce,8,all,+1\n"),
              EndsWith("`all_reduce` has no peer; leave the cell empty"));
  EXPECT_THAT(
      file_error(with_peer + "a,compute,5,,,,,+1\n"),
      EndsWith("a row without a collective states `peer`; leave the cell empty, or write `collective`"));
}

TEST(TracedStepFile, MessagesThatNoRankReceivesAreRefused) {
  const tests::ScratchFolder scratch;
  scratch.write("g.csv",
                "operation,stream,duration_us,after,collective,bytes,among,peer\n"
                "forward,compute,5,,,,,\nactivations,communication,,0,send,8,all,+1\n");
  const auto reading = read(scratch,
                            "# Traced?\nworkload: {name: t, graph: g.csv, parameters: 1000000, batch: 32}\n"
                            "cluster: {workers: 4, link: {latency: 1 ms, bandwidth: 10 Gbit/s}}\n"
                            "training: {batch: 32, steps: 10}\n");
  ASSERT_FALSE(reading);
  EXPECT_THAT(
      reading.error().text(),
      EndsWith("s.yaml:2:28: `workload.graph`: row 1 (`activations`): `send to +1` has no other end: all "
               "ranks do the same, and none has `recv from -1`; write the row of the other end; stages "
               "of a pipeline that do different work have no graph"));
}

TEST(TracedStepFile, AMessageThatLeavesANodeAloneIsWarnedOf) {
  const auto warned = [](const std::string& peer) {
    const tests::ScratchFolder scratch;
    scratch.write(
        "g.csv",
        "operation,stream,duration_us,after,collective,bytes,among,peer\nto,communication,,,send,8,all,+" +
            peer + "\nfrom,communication,,,recv,8,all,-" + peer + "\n");
    const auto reading =
        read(scratch,
             "# Traced?\nworkload: {name: t, graph: g.csv, parameters: 1000000, batch: 32}\n"
             "cluster: {use: nvidia_dgx_h100, workers: 16}\ntraining: {batch: 32, steps: 10}\n");
    return reading ? reading->study.warnings : std::vector<std::string>{reading.error().text()};
  };
  EXPECT_THAT(warned("1"),
              testing::Contains(
                  HasSubstr("`to` leaves a node from 1 of its 8 workers and takes the rate of all 8 "
                            "interfaces, where NCCL gives each worker its own: its time is a lower bound")));
  EXPECT_THAT(warned("8"), testing::Not(testing::Contains(HasSubstr("interfaces"))));
}

TEST(TracedStepFile, GroupsThatLeaveANodeFromSomeOfItsWorkersAreWarnedOf) {
  const auto warned = [](const std::string& group) {
    const tests::ScratchFolder scratch;
    scratch.write("g.csv",
                  "operation,stream,duration_us,after,collective,bytes,among,group\n"
                  "sum,communication,,,all_reduce,8,," +
                      group + "\n");
    const auto reading =
        read(scratch,
             "# Traced?\nworkload: {name: t, graph: g.csv, parameters: 1000000, batch: 32, "
             "workers_per_replica: 4}\n"
             "cluster: {use: nvidia_dgx_h100, workers: 16}\ntraining: {batch: 32, steps: 10}\n");
    return reading ? reading->study.warnings : std::vector<std::string>{reading.error().text()};
  };
  // rings 0, 4, 8, 12 and its neighbours: the upper half of each node sends to the next one
  EXPECT_THAT(warned("0:4:4"),
              testing::Contains(HasSubstr("`sum` leaves a node from 4 of its 8 workers and takes the rate of "
                                          "all 8 interfaces")));
  for (const std::string known : {"0:1:4", "0:1:8", "0:8:2", "0:1:16"})
    EXPECT_THAT(warned(known), testing::Not(testing::Contains(HasSubstr("interfaces")))) << known;
}

TEST(TracedStepFile, WorkNeedsADevice) {
  const std::string row = "mm,compute,,,,,,1e12,8,matmul,bf16,\n";
  EXPECT_EQ(
      wide_error(row, ""),
      "s.yaml:2:11: the graph states FLOPs, and neither the workload nor the cluster states its device; "
      "write `cluster.device`, or `workload.device`: for example `h100_sxm_datasheet`");
  EXPECT_EQ(wide_error(row, ", device: a100_sxm4_80gb_datasheet"), "accepted");
  EXPECT_EQ(wide_error(row, "", "", ", device: a100_sxm4_80gb_datasheet"), "accepted");
  EXPECT_THAT(wide_error(row, ", device: k80_datasheet"),
              HasSubstr("`k80_datasheet` has no peak in bf16; write `precision` as one of: fp32"));
  EXPECT_EQ(wide_error(row, ", device: k80_datasheet", "", ", precision: fp32"), "accepted");
  const std::string h100 = ", device: h100_sxm_datasheet, stack: ";
  EXPECT_THAT(
      wide_error(row, "", "", h100 + "megatron-te-2025"),
      HasSubstr("stack `megatron-te-2025`: a model of 1e+06 parameters; the utilisation was measured for "
                "8.03e+09 to 4.06e+11; leave out `stack`: the roofline of the device counts then"));
  EXPECT_THAT(
      wide_error(row, "", "", h100 + "pytorch-fsdp-2023"),
      HasSubstr("stack `pytorch-fsdp-2023`: its utilisation depends on the width and the tokens of the "
                "model; leave out `stack`"));
  EXPECT_THAT(wide_error("mm,compute,5,,,,,,,,,\n", "", "", ", precision: fp32"),
              HasSubstr("`precision` has no effect: the graph states durations, and no FLOPs; leave it out"));
}

TEST(TracedStepFile, GroupsThatDoNotHoldAllWorkersAreRefused) {
  const auto error = [](const std::string& group) {
    return wide_error("sum,communication,,,all_reduce,8,,,,,," + group + "\n", "");
  };
  EXPECT_EQ(error("0:2:4"), "accepted");
  EXPECT_EQ(
      error("0:1:3"),
      "s.yaml:3:20: `cluster.workers`: `sum` exchanges in the group 0:1:3, and 8 workers are not a multiple "
      "of 1 x 3; write a multiple of 3");
  EXPECT_EQ(
      error("8:1:4"),
      "s.yaml:3:20: `cluster.workers`: `sum` exchanges in the group 8:1:4, and the last worker is 7; write "
      "12 workers or more");
}

TEST(TracedStepFile, OnlyGradientsThatAllWorkersSumAreCompressed) {
  const std::string topk = "compression: {method: topk, ratio: 0.01}\n";
  EXPECT_EQ(scenario_error(topk), "accepted");
  const auto refused = HasSubstr(
      "`compression.method: topk` needs gradients that all workers sum by all-reduces; `workload` with a "
      "`graph` of other sums sums shards, or nothing; write `compression.method: none`");
  EXPECT_THAT(scenario_error(topk, "a,communication,,,reduce_scatter,8,all\n"), refused);
  EXPECT_THAT(scenario_error(topk, "a,communication,,,all_gather,8,all\n"), refused);
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
        "`workload` with groups of workers needs the same workers during the whole run; `cluster." + key +
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
