// Transports: all that are shipped load, published figures lie inside their ranges, and what is refused.
#include "sim/inputs/transport_file.hpp"

#include <algorithm>

#include <gtest/gtest.h>

#include "tests/scenario/scenario_text.hpp"

namespace sim::scenario {
namespace {

netmodels::Result<inputs::Transport> transport_of(const std::string& name) {
  return inputs::load_transport(language::Value::scalar(name, language::Origin("--set transport")), data_dir);
}

/// The error of a transport file with this text.
std::string error_of(const std::string& text) {
  const tests::ScratchFolder scratch;
  const auto read = transport_of(scratch.write("t.yaml", text).string());
  return read ? "accepted" : read.error().what + "; " + read.error().hint;
}

std::string with_class(const std::string& keys) {
  return "name: x\nprovenance: y\nfits: [ethernet]\ngoodput: [{" + keys + "}]\n";
}

TEST(TransportFile, EveryShippedTransportLoadsAndBearsItsFilesName) {
  const auto names = inputs::list_transports(data_dir);
  EXPECT_GE(names.size(), 15U);
  for (const std::string& name : names) {
    const auto transport = transport_of(name);
    ASSERT_TRUE(transport.has_value()) << transport.error().text();
    EXPECT_EQ(transport->name, name);
    EXPECT_FALSE(transport->provenance.empty());
    EXPECT_TRUE(transport->library.has_value()) << name;
  }
}

/// A published figure: what a transport reached of the line rate of a node's interfaces.
struct PublishedGoodput {
  const char* transport;
  inputs::FabricKind kind;
  double rate;  ///< Gbit/s, of one interface
  int nics;
  int workers_per_node;
  double reached;  ///< Gbit/s, of the node
  const char* source;
};

constexpr PublishedGoodput published[] = {
    {"nccl_tcp", inputs::FabricKind::ethernet, 0.05, 1, 1, 0.039, "EC2, shaped to 50 Mbit/s"},
    {"nccl_tcp", inputs::FabricKind::ethernet, 1, 1, 1, 0.987, "EC2, shaped to 1 Gbit/s"},
    {"nccl_tcp", inputs::FabricKind::ethernet, 5, 1, 1, 4.73, "EC2, shaped to 5 Gbit/s"},
    {"nccl_tcp_aws", inputs::FabricKind::ethernet, 20, 1, 1, 14.3, "EC2 g6e.2xlarge, lowest"},
    {"nccl_tcp_aws", inputs::FabricKind::ethernet, 20, 1, 1, 15.8, "EC2 g6e.2xlarge, highest"},
    {"nccl_tcp_aws", inputs::FabricKind::ethernet, 10, 1, 1, 5, "EC2 g4dn, 10 Gbit/s"},
    {"nccl_tcp_aws", inputs::FabricKind::ethernet, 50, 1, 4, 3.3, "EC2 g4dn, 50 Gbit/s, lowest"},
    {"nccl_tcp_aws", inputs::FabricKind::ethernet, 50, 1, 4, 4.2, "EC2 g4dn, 50 Gbit/s, highest"},
    {"nccl_tcp", inputs::FabricKind::ethernet, 25, 1, 4, 13.6, "Azure, NVIDIA/nccl-tests #83"},
    {"nccl_tcp_gcp", inputs::FabricKind::ethernet, 32, 1, 1, 31.4, "NVIDIA/nccl #209, 1 GPU a node"},
    {"nccl_tcp_gcp", inputs::FabricKind::ethernet, 32, 1, 8, 14.5, "NVIDIA/nccl #209, 8 GPUs a node"},
    {"nccl_tcp_aws", inputs::FabricKind::efa, 100, 1, 8, 41, "EC2 p3dn, NVIDIA/nccl #398"},
    {"nccl_tcp_aws", inputs::FabricKind::efa, 100, 1, 8, 10.7, "EC2 p3dn, NVIDIA/nccl #209"},
    {"nccl_tcp", inputs::FabricKind::ethernet, 100, 1, 8, 48, "NVIDIA/nccl #450"},
    {"nccl_tcp", inputs::FabricKind::slingshot, 200, 4, 4, 43, "cscs-docs"},
    {"infiniband", inputs::FabricKind::infiniband, 100, 1, 8, 96, "NVIDIA/nccl #307"},
    {"infiniband", inputs::FabricKind::infiniband, 200, 1, 8, 192, "NVIDIA/nccl-tests #119"},
    {"infiniband", inputs::FabricKind::infiniband, 400, 1, 1, 8 * 31.9, "dranet, all-reduce"},
    {"infiniband", inputs::FabricKind::infiniband, 400, 1, 1, 8 * 36.7, "dranet, all-gather"},
    {"roce", inputs::FabricKind::ethernet, 400, 8, 8, 8 * 329, "cluster-toolkit"},
    {"slingshot", inputs::FabricKind::slingshot, 200, 1, 4, 8 * 22.9, "cscs-docs"},
    {"tcpxo", inputs::FabricKind::ethernet, 200, 8, 8, 8 * 189, "cluster-toolkit"},
    {"tcpx", inputs::FabricKind::ethernet, 200, 4, 8, 8 * 71, "cluster-toolkit"},
    {"efa_without_gpudirect", inputs::FabricKind::efa, 100, 1, 8, 80, "p3dn, 2 nodes, NVIDIA/nccl #235"},
    {"efa_without_gpudirect", inputs::FabricKind::efa, 100, 1, 8, 50,
     "p3dn, 8 to 32 nodes, NVIDIA/nccl #235"},
    {"efa", inputs::FabricKind::efa, 100, 4, 8, 8 * 41.8,
     "p4de, 2 nodes, aws-samples/awsome-distributed-training"},
    {"efa", inputs::FabricKind::efa, 100, 4, 8, 8 * 31.8, "p4d, 3 nodes, NVIDIA/nccl #527"},
    {"efa", inputs::FabricKind::efa, 100, 4, 8, 8 * 29.6, "p4d, 4 nodes, NVIDIA/nccl #527"},
    {"rdma_without_gpudirect", inputs::FabricKind::infiniband, 100, 1, 8, 65, "openucx/ucx #11121"},
    {"nvlink", inputs::FabricKind::nvlink, 1200, 1, 8, 8 * 134, "8 V100"},
    {"nvlink", inputs::FabricKind::nvlink, 2400, 1, 8, 8 * 235, "8 A100"},
    {"nvlink", inputs::FabricKind::nvlink, 2400, 1, 2, 8 * 197, "2 A100"},
    {"pcie", inputs::FabricKind::pcie, 128, 1, 8, 8 * 6,
     "generation 3 through the processor, NVIDIA/nccl #766"},
    {"pcie", inputs::FabricKind::pcie, 128, 1, 8, 8 * 12, "generation 3 through a switch, NVIDIA/nccl #766"},
    {"shared_memory", inputs::FabricKind::pcie, 128, 1, 2, 8 * 4.0, "2 RTX 2080 Ti"},
};

TEST(TransportFile, PublishedFiguresLieInsideTheRanges) {
  constexpr double gigabit = 1e9 / 8;
  for (const PublishedGoodput& row : published) {
    const auto transport = transport_of(row.transport);
    ASSERT_TRUE(transport.has_value());
    EXPECT_TRUE(transport->fits_kind(row.kind)) << row.source;
    const netmodels::GoodputClass* known = transport->class_at({row.rate * gigabit}, row.workers_per_node);
    ASSERT_NE(known, nullptr) << row.source;
    const double line_rate = row.rate * row.nics;
    const double low = known->node_cap
                           ? std::min(known->shares.low * line_rate, known->node_cap->count / gigabit)
                           : known->shares.low * line_rate;
    EXPECT_LE(low, row.reached * (1 + 1e-9)) << row.transport << ", " << row.source;
    EXPECT_GE(known->shares.high * line_rate, row.reached * (1 - 1e-9))
        << row.transport << ", " << row.source;
  }
}

TEST(TransportFile, TheFirstClassThatHoldsDecides) {
  const auto transport = transport_of("infiniband");
  ASSERT_TRUE(transport.has_value());
  const netmodels::Bandwidth rate{400e9 / 8};
  EXPECT_DOUBLE_EQ(transport->class_at(rate, 1)->shares.mid, 0.75);  // one GPU with one interface
  EXPECT_DOUBLE_EQ(transport->class_at(rate, 8)->shares.mid, 0.90);
  EXPECT_DOUBLE_EQ(transport->class_at({100e9 / 8}, 1)->shares.mid, 0.90);
}

TEST(TransportFile, WhatIsNotPublishedIsNotKnown) {
  EXPECT_EQ(transport_of("nccl_tcp")->class_at({15e9 / 8}, 1), nullptr);  // between 5 to 10 and 20 to 32
  EXPECT_FALSE(transport_of("gloo")->latency.has_value());
  EXPECT_TRUE(transport_of("efa")->cpu.empty());
  EXPECT_EQ(transport_of("tcpx")->known_rates(), "200 Gbit/s");
}

TEST(TransportFile, UnknownNameIsRefusedWithTheNearest) {
  const auto transport = transport_of("nccl_tpc");
  ASSERT_FALSE(transport.has_value());
  EXPECT_EQ(transport.error().where, "--set transport");
  EXPECT_EQ(transport.error().what, "unknown transport `nccl_tpc`");
  EXPECT_TRUE(transport.error().hint.starts_with(
      "did you mean `nccl_tcp`? accepted: efa, efa_without_gpudirect, gloo,"))
      << transport.error().hint;
}

TEST(TransportFile, RefusesSharesAndRatesThatDoNotRise) {
  EXPECT_EQ(error_of(with_class("low: 50 %, mid: 40 %, high: 90 %, source: z")),
            "`goodput[0]`: the shares 0.5, 0.4, 0.9 do not rise; write low <= mid <= high");
  EXPECT_EQ(error_of(with_class("from: 10 Gbit/s, to: 5 Gbit/s, low: 1, mid: 1, high: 1, source: z")),
            "`goodput[0].from`: 10 Gbit/s is above `to`, 5 Gbit/s; write from <= to");
  EXPECT_EQ(error_of(with_class("low: 10 %, mid: 50 %, high: 110 %, source: z")),
            "`goodput[0].high`: `110 %` is too large; accepted: above 0 and at most 1");
  EXPECT_EQ(error_of(with_class("low: 1, mid: 1, high: 1, source: z") +
                     "latency: {mid: 5 us, high: 3 us, source: z}"),
            "`latency`: the latencies 5 us to 3 us do not rise; write low <= mid <= high");
}

TEST(TransportFile, RefusesAFileWithoutFabricsOrGoodput) {
  EXPECT_EQ(error_of("name: x\nprovenance: y\ngoodput: [{low: 1, mid: 1, high: 1, source: z}]\n"),
            "``: `fits` names no kind of fabric; write for example `fits: [ethernet]`");
  EXPECT_EQ(
      error_of("name: x\nprovenance: y\nfits: [ethernet]\n"),
      "``: `goodput` has no class; write for example `goodput: [{low: 80 %, mid: 90 %, high: 96 %, source: "
      "...}]`");
}

TEST(TransportFile, TakesTheSharesOfAnotherTransport) {
  const auto mpich = transport_of("mpich_tcp");
  const auto nccl = transport_of("nccl_tcp");
  ASSERT_TRUE(mpich.has_value() && nccl.has_value());
  ASSERT_EQ(mpich->goodput.size(), nccl->goodput.size());
  EXPECT_EQ(mpich->known_rates(), nccl->known_rates());
  EXPECT_EQ(mpich->goodput[0].shares.mid, nccl->goodput[0].shares.mid);
  EXPECT_EQ(error_of(with_class("low: 1, mid: 1, high: 1, source: z") + "library: ncl\n"),
            "``: unknown `library`: `ncl`; did you mean `nccl`? accepted: openmpi, mpich, gloo, nccl");
  EXPECT_EQ(error_of(with_class("low: 1, mid: 1, high: 1, source: z") + "goodput_as: nccl_tcp\n"),
            "``: `goodput` and `goodput_as` are given; keep one of them");
  EXPECT_EQ(error_of(with_class("low: 1, mid: 1, high: 1, source: z") + "nccl_network: {kind: roce}\n"),
            "``: `goodput` and `nccl_network` are given; keep one of them");
  EXPECT_EQ(error_of(with_class("low: 1, mid: 1, high: 1, source: z") + "nccl_network: {kind: roce}\n"),
            "``: `goodput` and `nccl_network` are given; keep one of them");
  EXPECT_EQ(error_of("name: x\nprovenance: y\nfits: [ethernet]\ngoodput_as: gloo\n"),
            "`gloo` takes its goodput from `nccl_tcp` itself; write `goodput_as: nccl_tcp`");
}

}  // namespace
}  // namespace sim::scenario
