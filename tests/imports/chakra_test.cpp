// Tests of the import of Chakra execution traces: the three forms, the order of nodes, what is refused.
#include "calibrate/imports/chakra.hpp"

#include <algorithm>
#include <filesystem>
#include <iterator>
#include <sstream>

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "files/byte_stream.hpp"
#include "tests/data_folder.hpp"
#include "tests/imports/chakra_bytes.hpp"
#include "tests/imports/layer_lines.hpp"

namespace calibrate::imports {
namespace {

namespace fs = std::filesystem;
using netmodels::Result;
using testing::ElementsAre;

Result<ChakraTrace> read(const std::string& bytes, const std::string& source = "rank 0") {
  std::istringstream stream(bytes);
  return read_chakra(stream, source);
}

std::string reading_refused(const std::string& bytes) {
  const auto trace = read(bytes);
  return trace ? "read" : trace.error().text();
}

Result<TracedWorkload> import_bytes(const std::string& bytes) {
  const auto trace = read(bytes);
  if (!trace) return tl::unexpected(trace.error());
  return import_chakra({*trace}, {});
}

std::string chakra_error(const std::string& bytes) {
  const auto workload = import_bytes(bytes);
  return workload ? "imported" : workload.error().text();
}

/// 5 us forward, 7 and 11 backward, each before an all-reduce, 3 for the optimizer; the file is not in order.
std::string small_trace(std::uint64_t second_bytes = 8000) {
  return chakra_file({chakra_node(1, "conv", 4, 5), chakra_all_reduce_node(6, second_bytes, {5}),
                      chakra_node(7, "sgd", 4, 3, {6}), chakra_node(2, "linearBackward0", 4, 7, {1}),
                      chakra_all_reduce_node(3, 4000, {2}), chakra_node(5, "convBackward0", 4, 11, {2, 3})});
}

TEST(Chakra, ComputingBetweenAllReducesIsTheBackwardTimeOfTheirBuckets) {
  const auto workload = import_bytes(small_trace());
  ASSERT_TRUE(workload) << workload.error().text();
  EXPECT_THAT(layer_lines(*workload),
              ElementsAre("forward 0 5 0", "bucket_2 2000 0 11", "bucket_1 1000 0 7"));
  EXPECT_THAT(workload->buckets, ElementsAre(1000, 2000));
  EXPECT_NEAR(workload->optimizer.count, 3e-6, 1e-15);
}

TEST(Chakra, OfSeveralRanksTheSlowestCounts) {
  const auto one = read(small_trace());
  auto other = read(small_trace(), "rank 1");
  ASSERT_TRUE(one && other);
  for (ChakraNode& node : other->nodes) {
    if (node.name == "conv") node.duration = {9e-6};
  }
  const auto workload = import_chakra({*one, *other}, {});
  ASSERT_TRUE(workload) << workload.error().text();
  EXPECT_EQ(workload->ranks, 2);
  EXPECT_EQ(layer_lines(*workload).front(), "forward 0 9 0");
}

TEST(Chakra, RanksWithOtherAllReducesAreRefused) {
  const auto one = read(small_trace());
  const auto other = read(small_trace(9000), "rank 1");
  ASSERT_TRUE(one && other);
  const auto workload = import_chakra({*one, *other}, {});
  ASSERT_FALSE(workload);
  EXPECT_EQ(workload.error().text(),
            "rank 1: its all-reduces differ from those of rank 0; give the ranks of one run");
}

TEST(Chakra, TheHostIsLeftOutWhereThereIsADevice) {
  const std::string host = chakra_attribute("is_cpu_op", 27, 1);
  const auto workload =
      import_bytes(chakra_file({chakra_node(1, "aten::conv", 4, 100, {}, host), chakra_node(2, "gemm", 4, 5),
                                chakra_all_reduce_node(3, 4)}));
  ASSERT_TRUE(workload) << workload.error().text();
  EXPECT_THAT(layer_lines(*workload), ElementsAre("forward 0 0 0", "bucket_1 1 0 5"));
}

TEST(Chakra, TheHostsCallOfADevicesAllReduceIsNoBucketOfItsOwn) {
  const std::string sizes = chakra_attribute("comm_type", 9, 0) + chakra_attribute("comm_size", 9, 4000);
  const std::string host = chakra_attribute("is_cpu_op", 27, 1) + sizes;
  const auto both = import_bytes(
      chakra_file({chakra_node(1, "gemm", 4, 5), chakra_node(2, "c10d::allreduce_", 7, 90, {1}, host),
                   chakra_all_reduce_node(3, 4000, {2})}));
  ASSERT_TRUE(both) << both.error().text();
  EXPECT_THAT(both->buckets, ElementsAre(1000));
  EXPECT_THAT(both->skipped,
              ElementsAre("rank 0: 1 all-reduce of the host left out: those of the device are used"));
  const auto host_alone = import_bytes(
      chakra_file({chakra_node(1, "gemm", 4, 5), chakra_node(2, "c10d::allreduce_", 7, 90, {1}, host)}));
  ASSERT_TRUE(host_alone) << host_alone.error().text();
  EXPECT_THAT(host_alone->buckets, ElementsAre(1000));
}

TEST(Chakra, FilesAreNamedWithoutTheirFolders) {
  const auto trace = read(small_trace(), "/home/someone/rank0.et");
  ASSERT_TRUE(trace) << trace.error().text();
  const auto workload = import_chakra({*trace}, {});
  ASSERT_TRUE(workload) << workload.error().text();
  EXPECT_EQ(workload->source, "Chakra execution trace rank0.et");
  for (const std::string& fact : workload->facts) EXPECT_EQ(fact.find("someone"), std::string::npos) << fact;
}

TEST(Chakra, AttributesMayHaveAnyIntegerKind) {
  for (const std::uint32_t kind : {7U, 9U, 11U, 13U, 27U}) {
    const auto trace =
        read(chakra_file({chakra_node(1, "", 7, 0, {}, chakra_attribute("comm_size", kind, 40))}));
    ASSERT_TRUE(trace) << trace.error().text();
    EXPECT_EQ(trace->nodes.front().exchanged_bytes, 40) << kind;
  }
  for (const std::uint32_t kind : {15U, 17U}) {  // zigzag
    const auto trace =
        read(chakra_file({chakra_node(1, "", 7, 0, {}, chakra_attribute("comm_size", kind, 80))}));
    ASSERT_TRUE(trace) << trace.error().text();
    EXPECT_EQ(trace->nodes.front().exchanged_bytes, 40) << kind;
  }
  const std::string fixed =
      wire_bytes(1, "comm_size") + wire_varint(19U << 3U | 5U) + std::string("\x28\0\0\0", 4);
  const auto trace = read(chakra_file({chakra_node(1, "", 7, 0, {}, wire_bytes(10, fixed))}));
  ASSERT_TRUE(trace) << trace.error().text();
  EXPECT_EQ(trace->nodes.front().exchanged_bytes, 40);
}

TEST(Chakra, WhatIsMissingIsCounted) {
  const auto workload = import_bytes(
      chakra_file({chakra_node(1, "a", 4, 0, {99}, wire_number(4, 77)), chakra_all_reduce_node(2, 4000),
                   chakra_node(3, "b", 5, 0, {}, chakra_attribute("colour", 9, 1)),
                   chakra_node(4, "c", 7, 0, {}, chakra_attribute("comm_type", 13, 5))}));
  ASSERT_TRUE(workload) << workload.error().text();
  EXPECT_THAT(
      workload->skipped,
      ElementsAre("rank 0: 1 computing node of duration 0",
                  "rank 0: 1 data dependency edge to nodes that the trace does not contain: not followed",
                  "rank 0: 1 control dependency edge to nodes that the trace does not contain",
                  "rank 0: 1 collective left out, no all-reduce of a known size",
                  "rank 0: 1 send or receive node left out", "rank 0: 1 attribute `colour` not known"));
}

TEST(Chakra, ProtobufJsonObjectsAreRead) {
  const auto trace = read(
      R"({"version":"0.0.4"}{"id":"7","name":"all","type":"COMM_COLL_NODE","ctrlDeps":["3"],"dataDeps":["1","2"],)"
      R"("durationMicros":"12","attr":[{"name":"comm_size","int64Val":"4096"},{"name":"is_cpu_op","boolVal":true}]})");
  ASSERT_TRUE(trace) << trace.error().text();
  EXPECT_EQ(trace->version, "0.0.4");
  ASSERT_EQ(trace->nodes.size(), 1);
  const ChakraNode& node = trace->nodes.front();
  EXPECT_EQ(node.id, 7);
  EXPECT_EQ(node.type, ChakraType::collective);
  EXPECT_THAT(node.data, ElementsAre(1, 2));
  EXPECT_THAT(node.control, ElementsAre(3));
  EXPECT_NEAR(node.duration.count, 12e-6, 1e-15);
  EXPECT_EQ(node.exchanged_bytes, 4096);
  EXPECT_TRUE(node.host);
}

TEST(Chakra, TheFeedersJsonIsRead) {
  const auto trace = read(
      "{\n\"workload_graph\": [{\"Id\": 5, \"Name\": \"x\", \"NodeType\": 4, \"ctrlDeps\": [3], "
      "\"data_deps\": [], "
      "\"runtime\": 318, \"is_cpu_op\": true}, {\"Id\": 6, \"Name\": \"y\", \"NodeType\": 7, \"comm_type\": "
      "0, "
      "\"comm_size\": 4000}]}");
  ASSERT_TRUE(trace) << trace.error().text();
  ASSERT_EQ(trace->nodes.size(), 2);
  EXPECT_NEAR(trace->nodes[0].duration.count, 318e-6, 1e-12);
  EXPECT_TRUE(trace->nodes[0].host);
  EXPECT_EQ(trace->nodes[1].exchanged_bytes, 4000);
}

TEST(Chakra, BrokenFilesAreRefused) {
  const std::string whole = small_trace();
  EXPECT_EQ(reading_refused(whole.substr(0, whole.size() - 3)),
            "rank 0: message 7: the message is truncated; use the complete file");
  EXPECT_EQ(reading_refused(chakra_file({"\x0b\x01"})),
            "rank 0: message 2: this is not a message of Chakra's schema 0.0.4; give the .et file of a rank");
  EXPECT_EQ(reading_refused(std::string(11, '\xff')),
            "rank 0: message 1: the length of a message is invalid or truncated; use the complete file");
  EXPECT_EQ(
      reading_refused("\xff\xff\xff\x7f"
                      "abc"),
      "rank 0: message 1: a message of 268435455 bytes; accepted: at most 16777216; is this a Chakra trace?");
  EXPECT_EQ(reading_refused(""), "rank 0: the trace has 0 nodes; use the complete file");
  EXPECT_EQ(reading_refused("{\"id\":\"1\""),
            "rank 0: in the JSON that begins at byte 1: the JSON is invalid, truncated or not UTF-8; use the "
            "complete file");
  EXPECT_EQ(reading_refused("{\"workload_graph\":[5]}"), "rank 0: node 1: expected an object");
}

TEST(Chakra, GraphsThatCannotBePlayedAreRefused) {
  EXPECT_EQ(chakra_error(chakra_file({chakra_node(1, "a", 4, 1, {2}), chakra_node(2, "b", 4, 1, {1}),
                                      chakra_node(3, "c", 4, 1, {2}), chakra_node(0, "d", 4, 1)})),
            "rank 0: 3 nodes are in a dependency cycle or depend on one, the first of them is 1");
  EXPECT_EQ(chakra_error(chakra_file({chakra_node(1, "a", 4, 1), chakra_node(1, "b", 4, 1)})),
            "rank 0: duplicate node id 1");
  EXPECT_EQ(chakra_error(chakra_file({chakra_node(1, "a", 4, 1)})),
            "rank 0: none of its 1 node is an all-reduce of a known size (`comm_type` 0, `comm_size`); give "
            "a trace "
            "of data-parallel training");
}

const fs::path chakra_traces = tests::shared_path("traces/chakra");

/// A file of an archive in tar's format (POSIX ustar): blocks of 512 bytes, the size in octal at 124.
std::string unpacked(const fs::path& archive, const std::string& name) {
  std::string tar;
  const auto read_all = files::read_stream(archive.string(), [&tar](std::istream& stream) -> Result<void> {
    tar.assign(std::istreambuf_iterator<char>(stream), {});
    return {};
  });
  EXPECT_TRUE(read_all) << read_all.error().text();
  for (std::size_t at = 0; at + 512 <= tar.size() && tar[at] != '\0';) {
    const std::size_t size = std::stoull(tar.substr(at + 124, 12), nullptr, 8);
    if (std::string(tar.c_str() + at) == name) return tar.substr(at + 512, size);
    at += 512 + (size + 511) / 512 * 512;
  }
  return {};
}

class ChakraFiles : public testing::Test {
 protected:
  void SetUp() override {
    if (!fs::exists(chakra_traces))
      GTEST_SKIP() << "skipped: no ../shared/data/traces/chakra beside the checkout";
  }
};

TEST_F(ChakraFiles, ResNetOnTwoGpusHas3664NodesAnd21Collectives) {
  const auto trace =
      read(unpacked(chakra_traces / "tests/data/feeder_tests_trace.tar.gz", "tests/data/chakra.0.et"));
  ASSERT_TRUE(trace) << trace.error().text();
  EXPECT_EQ(trace->nodes.size(), 3664);
  EXPECT_EQ(std::ranges::count(trace->nodes, ChakraType::collective, &ChakraNode::type), 21);
  const auto workload = import_chakra({*trace}, {});
  ASSERT_TRUE(workload) << workload.error().text();
  EXPECT_THAT(workload->buckets, ElementsAre(2049000, 7875584, 6563840, 6637568, 2431040));
  EXPECT_NEAR(workload->step().count, 0.292828,
              1e-9);  // all device nodes that compute, added up by another program
  EXPECT_THAT(workload->skipped,
              ElementsAre("rank 0: 157 computing nodes of duration 0",
                          "rank 0: 1277 control dependency edges to nodes that the trace does not contain",
                          "rank 0: 2 collectives left out, no all-reduce of a known size"));
}

TEST_F(ChakraFiles, TheFeedersJsonHoldsTheSameNodes) {
  const auto trace = read(unpacked(chakra_traces / "tests/data/json_trace.tar.gz", "jsonData/chakra.0.json"));
  ASSERT_TRUE(trace) << trace.error().text();
  EXPECT_EQ(trace->nodes.size(), 3664);
  EXPECT_EQ(std::ranges::count(trace->nodes, ChakraType::collective, &ChakraNode::type), 21);
}

TEST(Chakra, MicroTracesHoldOneCollectiveOrOnlyMessages) {
  std::vector<ChakraTrace> ranks;
  for (int rank = 0; rank < 4; ++rank) {
    const fs::path file = tests::data_path(fmt::format("astra-sim/all_reduce.{}.et", rank));
    const auto taken = files::read_stream(file.string(), [&](std::istream& stream) -> Result<void> {
      auto trace = read_chakra(stream, file.filename().string());
      if (!trace) return tl::unexpected(trace.error());
      ranks.push_back(*trace);
      return {};
    });
    ASSERT_TRUE(taken) << taken.error().text();
  }
  const auto workload = import_chakra(ranks, {});
  ASSERT_TRUE(workload) << workload.error().text();
  EXPECT_THAT(workload->buckets, ElementsAre(262144));  // 1 MiB
  EXPECT_EQ(workload->ranks, 4);
}

// A byte of zero is an empty node, and a byte of a packed list a dependency of eight.
TEST(Chakra, AFileOfManySmallThingsIsRefusedBeforeItFillsTheMemory) {
  const std::string begin = chakra_file({});
  EXPECT_EQ(reading_refused(begin + std::string((1U << 21U) + 1, '\0')),
            "rank 0: the trace has more than 2097152 nodes; trace fewer steps");
  const std::string message = wire_bytes(5, std::string(16'000'000, '\1'));
  std::string file = begin;
  for (int i = 0; i < 5; ++i) file += wire_varint(message.size()) + message;
  EXPECT_EQ(
      reading_refused(file),
      "rank 0: node 5: the names and dependencies of the nodes take more than 512 MB; trace fewer steps");
}

TEST(Chakra, JsonBeyondItsLimitsIsRefusedBeforeItFillsTheMemory) {
  const std::string begin = R"({"workload_graph":)";
  EXPECT_EQ(reading_refused(begin + std::string(1000, '[')),
            "rank 0:1:118: arrays and objects are nested more than 100 deep; use the file as the tool "
            "wrote it");
  std::string many = begin + "[";
  for (int i = 0; i < 8'000'000; ++i) many += "0,";
  EXPECT_THAT(reading_refused(many + "0]}"),
              testing::HasSubstr("the JSON holds more than 8000000 values; trace or measure less"));
}

}  // namespace
}  // namespace calibrate::imports
