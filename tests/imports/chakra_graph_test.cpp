// Chakra traces as graphs: streams, dependencies, sizes; what a PyTorch trace lacks; what is refused; real
// traces.
#include <cstdint>
#include <filesystem>
#include <limits>
#include <sstream>

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "calibrate/imports/chakra.hpp"
#include "files/byte_stream.hpp"
#include "tests/data_folder.hpp"
#include "tests/imports/chakra_bytes.hpp"

namespace calibrate::imports {
namespace {

namespace fs = std::filesystem;
using netmodels::Result;
using netmodels::StepStream;
using testing::ElementsAre;
using testing::EndsWith;
using testing::HasSubstr;

ChakraTrace trace_of(const std::vector<std::string>& nodes, const std::string& source = "rank 0") {
  std::istringstream stream(chakra_file(nodes));
  const auto trace = read_chakra(stream, source);
  EXPECT_TRUE(trace) << trace.error().text();
  return trace.value_or(ChakraTrace{});
}

/// "compute 5 us after 0 1", "communication 4000 B after 2".
std::vector<std::string> lines(const netmodels::TracedStep& step) {
  static constexpr std::array names{"compute", "communication", "copy", "host"};
  std::vector<std::string> all;
  for (const netmodels::TracedOperation& one : step.operations) {
    const std::string size = one.collective ? fmt::format("{:.0f} B", one.collective->size.count)
                                            : fmt::format("{:.0f} us", one.duration.count * 1e6);
    all.push_back(fmt::format("{} {}{}{}", names[static_cast<std::size_t>(one.stream)], size,
                              one.after.empty() ? "" : " after ", fmt::join(one.after, " ")));
  }
  return all;
}

std::string refused(const std::vector<std::string>& nodes, std::optional<int> ranks = {}) {
  const auto graph = graph_chakra({trace_of(nodes)}, {.batch = {}, .ranks = ranks});
  return graph ? "imported" : graph.error().text();
}

std::string sent(std::uint64_t id, std::uint64_t kind, std::uint64_t bytes,
                 const std::vector<std::uint64_t>& data = {}) {
  return chakra_node(id, "sent", 7, 10, data,
                     chakra_attribute("comm_type", 9, kind) + chakra_attribute("comm_size", 9, bytes));
}

std::string on_host(std::uint64_t id, std::uint64_t micros, const std::vector<std::uint64_t>& data = {}) {
  return chakra_node(id, "aten::op", 4, micros, data, chakra_attribute("is_cpu_op", 27, 1));
}

std::string on_device(std::uint64_t id, std::uint64_t micros, const std::vector<std::uint64_t>& data = {}) {
  return chakra_node(id, "kernel", 4, micros, data, chakra_attribute("is_cpu_op", 27, 0));
}

std::string sum_on_device(std::uint64_t id, const std::vector<std::uint64_t>& data) {
  return chakra_node(id, "ncclKernel_AllReduce", 7, 10, data,
                     chakra_attribute("is_cpu_op", 27, 0) + chakra_attribute("comm_type", 9, 0) +
                         chakra_attribute("comm_size", 9, 4000));
}

TEST(ChakraGraph, NodesKeepTheirStreamsAndDependencies) {
  const auto graph = graph_chakra(
      {trace_of({chakra_node(1, "load", 2, 6), chakra_node(2, "a", 4, 5, {1}), sent(3, 0, 4000, {2}),
                 chakra_node(4, "b", 4, 7, {2}), chakra_node(5, "c", 4, 2, {3, 4})})},
      {.batch = 8});
  ASSERT_TRUE(graph) << graph.error().text();
  EXPECT_THAT(lines(graph->step),
              ElementsAre("copy 6 us", "compute 5 us after 0", "communication 4000 B after 1", "compute 7 us",
                          "compute 2 us after 2"));
  EXPECT_NEAR(undisturbed(graph->step).count, 20e-6, 1e-15);
  EXPECT_EQ(graph->parameters, 1000);
  EXPECT_THAT(graph->facts,
              ElementsAre("rank 0: schema 0.0.4, 5 nodes: 1 communication, 3 compute, 1 copy; 1 "
                          "all_reduce among all of 4 kB."));
}

TEST(ChakraGraph, CollectivesOfPyTorchTracesAreTiedToTheComputingAroundThem) {
  // the host launches a kernel, an all-reduce, another kernel, an all-reduce, a last kernel; no edge between
  // kernels and all-reduces
  const auto graph =
      graph_chakra({trace_of({on_host(1, 2), on_device(2, 50, {1}), on_host(3, 2, {1}), sum_on_device(4, {3}),
                              on_host(5, 2, {3}), on_device(6, 60, {5}), on_host(7, 2, {5}),
                              sum_on_device(8, {7}), on_host(9, 2, {7}), on_device(10, 5, {9})})},
                   {});
  ASSERT_TRUE(graph) << graph.error().text();
  EXPECT_THAT(lines(graph->step),
              ElementsAre("host 2 us", "compute 50 us after 0", "host 2 us", "communication 4000 B after 1 2",
                          "host 2 us", "compute 60 us after 4", "host 2 us", "communication 4000 B after 5 6",
                          "host 2 us", "compute 5 us after 7 8"));
  EXPECT_THAT(graph->facts.back(), HasSubstr("2 wait for what was launched before them, 2 are awaited"));
}

TEST(ChakraGraph, AnAllGatherStatesOneRanksContribution) {
  const ChakraTrace trace = trace_of({sent(1, 2, 1000)});
  const auto graph = graph_chakra({trace, trace, trace, trace}, {});
  ASSERT_TRUE(graph) << graph.error().text();
  EXPECT_EQ(graph->step.operations[0].collective->size.count, 4000);
  EXPECT_THAT(refused({sent(1, 2, 1000)}),
              HasSubstr("node 1 (`sent`): an all-gather of as many contributions as "
                        "the job has ranks, which are unknown; give --ranks N"));
  EXPECT_EQ(refused({sent(1, 2, 1000)}, 8), "imported");
}

TEST(ChakraGraph, TheSlowestRankIsTaken) {
  const auto rank = [](std::uint64_t micros) {
    return trace_of({chakra_node(1, "a", 4, micros), sent(2, 7, 800, {1})}, "rank " + std::to_string(micros));
  };
  const auto graph = graph_chakra({rank(3), rank(9), rank(5)}, {});
  ASSERT_TRUE(graph) << graph.error().text();
  EXPECT_NEAR(undisturbed(graph->step).count, 9e-6, 1e-15);
  const auto other = graph_chakra({rank(3), trace_of({sent(2, 0, 800)}, "other")}, {});
  EXPECT_EQ(other.error().text(),
            "other: its collectives differ from those of rank 3; give the ranks of one run");
}

TEST(ChakraGraph, WhatCannotBePricedIsNamed) {
  EXPECT_EQ(refused({chakra_node(1, "a", 4, 1)}),
            "rank 0: none of its 1 node is a collective; give a trace of distributed training");
  EXPECT_THAT(refused({chakra_node(1, "a", 5, 1)}),
              HasSubstr("node 1 (`a`): a message without its ranks or its size (`comm_src`, `comm_dst`, "
                        "`comm_size`); trace them, too"));
  EXPECT_THAT(refused({sent(1, 1, 8)}),
              HasSubstr("`comm_type` 1 has no schedule here; accepted: all-reduce"));
  EXPECT_THAT(refused({chakra_node(1, "a", 7, 1)}), HasSubstr("a collective without its size (`comm_size`)"));
}

/// An end of a message of 80 B between two ranks: type 5 sends, 6 receives.
std::string message(std::uint64_t id, std::uint64_t type, std::uint64_t from, std::uint64_t to) {
  return chakra_node(id, "message", type, 0, {},
                     chakra_attribute("comm_src", 9, from) + chakra_attribute("comm_dst", 9, to) +
                         chakra_attribute("comm_size", 9, 80));
}

TEST(ChakraGraph, MessagesAroundARingHaveTheirPeers) {
  const auto rank = [](std::uint64_t own) {
    return trace_of({message(1, 5, own, (own + 1) % 4), message(2, 6, (own + 3) % 4, own)},
                    "rank " + std::to_string(own));
  };
  const auto graph = graph_chakra({rank(0), rank(1), rank(2), rank(3)}, {});
  ASSERT_TRUE(graph) << graph.error().text();
  EXPECT_THAT(lines(graph->step), ElementsAre("communication 80 B", "communication 80 B"));
  const GraphFiles files = print_graph(*graph, {.name = "ring"}, "ring_graph.csv");
  EXPECT_THAT(files.graph, HasSubstr("among,peer\nmessage,communication,,,send,80,all,+1\n"
                                     "message,communication,,,recv,80,all,-1\n"));
  EXPECT_THAT(
      refused({message(1, 5, 0, 1)}, 4),
      HasSubstr("`message`: `send to +1` has no other end: all ranks do the same, and none has `recv from "
                "-1`; give a trace of ranks that all do the same"));
}

TEST(ChakraGraph, OneRankOfARingNeedsTheNumberOfRanks) {
  const std::vector<std::string> rank{message(1, 5, 0, 1), message(2, 6, 3, 0)};
  EXPECT_THAT(refused(rank), EndsWith("; give --ranks N, or the traces of all ranks"));
  EXPECT_EQ(refused(rank, 4), "imported");
}

TEST(ChakraGraph, MessagesAreBetweenTwoRanksOfTheJob) {
  const auto lowest = static_cast<std::uint64_t>(std::numeric_limits<std::int64_t>::min());
  EXPECT_THAT(
      refused({message(1, 5, lowest, 1)}),
      EndsWith("a message from rank -9223372036854775808 to 1; ranks of messages are from 0 to 4095"));
  EXPECT_THAT(refused({message(1, 5, 0, 4096)}), HasSubstr("from rank 0 to 4096; ranks of messages are"));
  EXPECT_THAT(refused({message(1, 5, 0, 4)}, 4),
              EndsWith("from rank 0 to 4, of 4 ranks; give --ranks N, or the traces of all ranks"));
  EXPECT_THAT(refused({message(1, 5, 2, 2)}, 4),
              EndsWith("a message of rank 2 to itself; `comm_src` and `comm_dst` are different ranks"));
}

/// The node in which PyTorch records process groups.
std::string process_groups(const std::string& list) {
  return chakra_node(100, "## process_group:init ##", 1, 0, {}, wire_bytes(8, wire_bytes(1, list)));
}

std::string summed_in(std::uint64_t id, const std::string& group) {
  return chakra_node(id, "sum", 7, 10, {},
                     chakra_attribute("comm_type", 9, 0) + chakra_attribute("comm_size", 9, 4000) +
                         wire_bytes(10, wire_bytes(1, "pg_name") + wire_bytes(29, group)));
}

TEST(ChakraGraph, ProcessGroupsAreEvenlySpacedRanks) {
  const std::string list =
      R"(['[{"pg_name": "0", "pg_desc": "default_pg", "ranks": [], "group_size": 8}, )"
      R"({"pg_name": "3", "ranks": [1, 5], "group_size": 2}, {"pg_name": "4", "ranks": [0, 1, 4, 5]}]'])";
  const auto graph = graph_chakra(
      {trace_of({process_groups(list), summed_in(1, "0"), summed_in(2, "3"), summed_in(3, "9")})},
      {.batch = {}, .ranks = 8});
  ASSERT_TRUE(graph) << graph.error().text();
  const auto& operations = graph->step.operations;
  EXPECT_EQ(operations[0].collective->reach, netmodels::CollectiveReach::all);
  EXPECT_EQ(operations[1].collective->reach, netmodels::CollectiveReach::groups);
  EXPECT_EQ(operations[1].collective->group, (netmodels::RankGroup{1, 4, 2}));
  EXPECT_EQ(operations[2].collective->reach, netmodels::CollectiveReach::all);
  EXPECT_THAT(
      graph->skipped,
      ElementsAre("1 collective of process groups that the trace does not describe: taken to be among "
                  "all ranks"));
  EXPECT_THAT(refused({process_groups(list), summed_in(1, "4")}, 8),
              HasSubstr("the ranks of the process group `4` are not evenly spaced"));
}

TEST(ChakraGraph, GroupsOfRanksThatNoJobHasAreNotDescribed) {
  for (const std::string rank : {"4294967296", "4096", "-1", "1.5"}) {
    const std::string list = R"(['[{"pg_name": "2", "ranks": [1, )" + rank + R"(]}]'])";
    const auto graph =
        graph_chakra({trace_of({process_groups(list), summed_in(1, "2")})}, {.batch = {}, .ranks = 8});
    ASSERT_TRUE(graph) << graph.error().text();
    EXPECT_EQ(graph->step.operations[0].collective->reach, netmodels::CollectiveReach::all) << rank;
    EXPECT_THAT(graph->skipped, ElementsAre(HasSubstr("1 collective of process groups"))) << rank;
  }
}

TEST(ChakraGraph, AMoveWithoutBytesIsNoWork) {
  const auto graph =
      graph_chakra({trace_of({chakra_node(1, "load", 2, 0, {}, chakra_attribute("num_ops", 9, 2000)),
                              chakra_node(2, "store", 3, 0, {}, chakra_attribute("tensor_size", 9, 64)),
                              sent(3, 0, 4000, {1, 2})})},
                   {});
  ASSERT_TRUE(graph) << graph.error().text();
  EXPECT_THAT(print_graph(*graph, {.name = "moves"}, "moves_graph.csv").graph,
              HasSubstr("among,flops,memory_bytes,kind\nload,copy,0.000,,,,,,,\nstore,copy,,,,,,,64,copy\n"));
  EXPECT_THAT(graph->skipped,
              ElementsAre("1 load or store node of `num_ops` without `tensor_size`: taken to last no time"));
}

TEST(ChakraGraph, NodesWithoutADurationAreWork) {
  const std::string work = chakra_attribute("num_ops", 9, 2000) + chakra_attribute("tensor_size", 9, 64);
  const auto graph =
      graph_chakra({trace_of({chakra_node(1, "mm", 4, 0, {}, work),
                              chakra_node(2, "add", 4, 0, {1}, chakra_attribute("tensor_size", 9, 32)),
                              chakra_node(3, "measured", 4, 5, {2}, work), sent(4, 0, 4000, {3})})},
                   {});
  ASSERT_TRUE(graph) << graph.error().text();
  const GraphFiles files = print_graph(*graph, {.name = "work"}, "work_graph.csv");
  EXPECT_THAT(files.graph, HasSubstr("among,flops,memory_bytes,kind\nmm,compute,,,,,,2000,64,matmul\n"
                                     "add,compute,,,,,,,32,pointwise\nmeasured,compute,5.000,,,,,,,\n"
                                     "sent,communication,,2,all_reduce,4000,all,,,gradient\n"));
  EXPECT_THAT(graph->facts.back(), HasSubstr("2 nodes without a duration: their times follow from FLOPs"));
}

TEST(ChakraGraph, ABarrierKeepsItsDependencies) {
  const auto graph =
      graph_chakra({trace_of({chakra_node(1, "a", 4, 5), sent(2, 9, 0, {1}), sent(3, 0, 400, {2})})}, {});
  ASSERT_TRUE(graph) << graph.error().text();
  EXPECT_THAT(lines(graph->step),
              ElementsAre("compute 5 us", "copy 0 us after 0", "communication 400 B after 1"));
  EXPECT_THAT(graph->skipped, ElementsAre("1 barrier left out"));
}

Result<ChakraTrace> read_file(const fs::path& path) {
  Result<ChakraTrace> trace;
  const auto read = files::read_stream(path.string(), [&](std::istream& stream) -> Result<void> {
    trace = read_chakra(stream, path.filename().string());
    return {};
  });
  if (!read) return tl::unexpected(read.error());
  return trace;
}

TEST(ChakraGraph, AstraSimsAllReduceOfFourIsOneCollective) {
  std::vector<ChakraTrace> ranks;
  for (int rank = 0; rank < 4; ++rank) {
    auto trace = read_file(tests::data_path(fmt::format("astra-sim/all_reduce.{}.et", rank)));
    ASSERT_TRUE(trace) << trace.error().text();
    ranks.push_back(std::move(*trace));
  }
  const auto graph = graph_chakra(ranks, {});
  ASSERT_TRUE(graph) << graph.error().text();
  EXPECT_THAT(lines(graph->step), ElementsAre("communication 1048576 B"));
}

}  // namespace
}  // namespace calibrate::imports
