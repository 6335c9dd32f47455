// Nodes as nvidia-smi and NCCL print them: GPUs, NVLink, PCIe, interfaces, and each refusal.
#include "calibrate/imports/node_topology.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace calibrate::imports {
namespace {

using testing::HasSubstr;

/// A matrix of so many GPUs that are joined by one word, with interfaces at each.
std::string matrix(int gpus, const std::string& word, const std::string& interfaces = "") {
  std::string text = "\t";
  for (int gpu = 0; gpu < gpus; ++gpu) text += "GPU" + std::to_string(gpu) + "\t";
  text += interfaces.empty() ? "CPU Affinity\tNUMA Affinity\n" : "NIC0\tNIC1\tCPU Affinity\tNUMA Affinity\n";
  for (int row = 0; row < gpus; ++row) {
    text += "GPU" + std::to_string(row);
    for (int column = 0; column < gpus; ++column) text += "\t" + (row == column ? " X " : word);
    text += (interfaces.empty() ? "" : "\t" + interfaces) + "\t0-51\t0\n";
  }
  if (interfaces.empty()) return text;
  const std::size_t blank = interfaces.find('\t');
  for (int nic = 0; nic < 2; ++nic) {
    text += "NIC" + std::to_string(nic);
    for (int gpu = 0; gpu < gpus; ++gpu)
      text += "\t" + (nic == 0 ? interfaces.substr(0, blank) : interfaces.substr(blank + 1));
    text += nic == 0 ? "\t X \tSYS\n" : "\tSYS\t X \n";
  }
  return text + "\nLegend:\n\n  X    = Self\n\nNIC Legend:\n\n  NIC0: mlx5_0\n  NIC1: mlx5_3\n";
}

std::string node_text(const std::string& text, const NodeHints& hints) {
  const auto node = read_topology(text, "a");
  EXPECT_TRUE(node) << node.error().text();
  if (!node) return "";
  const auto printed = print_node(*node, hints);
  return printed ? printed->text : printed.error().text();
}

std::string topology_error(const std::string& text) {
  const auto node = read_topology(text, "a");
  return node ? "read" : node.error().text();
}

// 8 H100: 18 links to each of 7 others are more than a GPU has, so that they pass switches.
TEST(NodeTopologies, AMatrixOfEqualLinksBeyondAGpusIsSwitched) {
  const std::string text =
      node_text(matrix(8, "NV18", "PIX\tSYS"),
                {.compute_capability = 90, .network_kind = "infiniband", .rate = "400 Gbit/s"});
  EXPECT_THAT(text, HasSubstr("workers_per_node: 8\nnccl:\n  gpu: {compute_capability: 90, per_node: 8}\n"
                              "  nvlink: {links: 18, fabric: switch, multicast: true}\n"));
  EXPECT_THAT(text,
              HasSubstr("  network: {kind: infiniband, nics_per_node: 1, rate: 400 Gbit/s, path: PIX}\n"));
  EXPECT_THAT(text, HasSubstr("# Left out, farther than PIX of every GPU: mlx5_3.\n"));
}

// 4 A100: 4 links to each of 3 others are the 12 that a GPU has.
TEST(NodeTopologies, AMatrixOfLinksThatAGpuHasIsAMesh) {
  EXPECT_THAT(
      node_text(matrix(4, "NV4"), {.compute_capability = 80}),
      HasSubstr("  nvlink: {fabric: mesh, mesh: [[0, 1, 4], [0, 2, 4], [0, 3, 4], [1, 2, 4], [1, 3, 4], "
                "[2, 3, 4]]}\n"));
  EXPECT_THAT(node_text(matrix(4, "NV12"), {.compute_capability = 80}),
              HasSubstr("  nvlink: {links: 12, fabric: switch, multicast: false}\n"));
  EXPECT_THAT(node_text(matrix(2, "NV12"), {.compute_capability = 90}),
              HasSubstr("  nvlink: {links: 12, fabric: pairs}\n"));
}

// Three GPUs, two of which are joined, and four in couples of 2 and of 4 links.
TEST(NodeTopologies, NvlinkThatJoinsSomeGpusIsRefusedWithAWayOut) {
  const std::string one_alone =
      "\tGPU0\tGPU1\tGPU2\tCPU Affinity\nGPU0\tX\tNV4\tSYS\t0\nGPU1\tNV4\tX\tSYS\t0\nGPU2\tSYS\tSYS\tX\t0\n";
  const std::string uneven =
      "\tGPU0\tGPU1\tGPU2\tGPU3\tCPU Affinity\nGPU0\tX\tNV4\tSYS\tSYS\t0\nGPU1\tNV4\tX\tSYS\tSYS\t0\n"
      "GPU2\tSYS\tSYS\tX\tNV2\t0\nGPU3\tSYS\tSYS\tNV2\tX\t0\n";
  for (const std::string& text : {one_alone, uneven}) {
    EXPECT_EQ(
        node_text(text, {.compute_capability = 86}),
        "a (nvidia-smi topo -m): NVLink joins some of the GPUs, not all of them and not in equal pairs; "
        "give --without-nvlink: exchanges of all GPUs cross PCIe here, which sets their pace");
    const std::string node = node_text(text, {.compute_capability = 86, .without_nvlink = true});
    EXPECT_THAT(node, testing::Not(HasSubstr("nvlink: ")));
    EXPECT_THAT(node, HasSubstr("# NVLink is left out (--without-nvlink).\n"));
  }
}

TEST(NodeTopologies, VendorAndPcieAreStatedOrTheirDefaultsAreSaid) {
  const std::string silent = node_text(matrix(2, "NV12"), {.compute_capability = 90});
  EXPECT_THAT(
      silent,
      HasSubstr("# The vendor of the processors is not printed: intel is taken; `--cpu` states it.\n"
                "# The PCIe generation of the GPUs is not printed: 3 is taken; `--pcie` states it.\n"));
  const std::string stated =
      node_text(matrix(2, "NV12"), {.compute_capability = 90, .cpu = "amd", .pcie_generation = 5});
  EXPECT_THAT(stated, HasSubstr("  pcie: {generation: 5}\n  cpu: amd\n"));
  EXPECT_THAT(stated, testing::Not(HasSubstr("is taken")));
  EXPECT_EQ(node_text(matrix(2, "NV12"), {.compute_capability = 90, .cpu = "ibm"}),
            "--cpu: unknown vendor `ibm`; accepted: intel, amd, arm");
}

// 12 links into switches are an A100's; an H100 has 18, and 12 only in pairs behind a bridge.
TEST(NodeTopologies, FewerLinksThanGpusOfTheKindHaveAreWarnedOf) {
  const auto warnings = [](int gpus, const std::string& word, int capability) {
    const auto node = read_topology(matrix(gpus, word), "a");
    return print_node(*node, {.compute_capability = capability})->warnings;
  };
  EXPECT_EQ(warnings(8, "NV12", 90),
            std::vector<std::string>{
                "12 NVLinks of a GPU into switches, and GPUs of compute capability 90 have 18: check "
                "--compute-capability (70: V100 with 6 links; 80: A100 with 12; 90: H100 and H200 with 18), "
                "unless these are GPUs with fewer links (A800, H800: 8)"});
  EXPECT_THAT(node_text(matrix(8, "NV12"), {.compute_capability = 90}),
              HasSubstr("# Warning: 12 NVLinks of a GPU into switches, "));
  EXPECT_TRUE(warnings(8, "NV12", 80).empty());
  EXPECT_TRUE(warnings(8, "NV18", 90).empty());
  EXPECT_TRUE(warnings(2, "NV12", 90).empty()) << "a bridge";
}

// Interfaces that udev names by their place, and one of two ports.
TEST(NodeTopologies, EveryColumnUpToTheAffinityIsADevice) {
  const std::string text =
      "\tGPU0\tGPU1\trocep1s0\tirdma0\tCPU Affinity\tNUMA Affinity\nGPU0\tX\tNV4\tPIX\tSYS\t0-7\t0\n"
      "GPU1\tNV4\tX\tPIX\tSYS\t0-7\t0\nrocep1s0\tPIX\tPIX\tX\tSYS\nirdma0\tSYS\tSYS\tSYS\tX\n";
  const std::string node =
      node_text(text, {.compute_capability = 80, .network_kind = "roce", .rate = "100 Gbit/s"});
  EXPECT_THAT(node, HasSubstr("  network: {kind: roce, nics_per_node: 1, rate: 100 Gbit/s, path: PIX}\n"));
  EXPECT_THAT(node, HasSubstr("# Left out, farther than PIX of every GPU: irdma0.\n"));
}

TEST(NodeTopologies, WithoutNvlinkPcieIsThatOfTheMatrix) {
  EXPECT_THAT(node_text(matrix(4, "PIX"), {.compute_capability = 89}),
              HasSubstr("  pcie: {gpus_per_uplink: 4}\n"));
  const std::string apart = node_text(matrix(4, "SYS"), {.compute_capability = 89});
  EXPECT_THAT(apart, HasSubstr("  pcie: {gpus_per_uplink: 1}\n"));
  EXPECT_THAT(apart, testing::Not(HasSubstr("nvlink")));
}

TEST(NodeTopologies, ANetworkWithoutListedInterfacesIsAsStated) {
  const std::string text = matrix(4, "PIX");
  EXPECT_THAT(node_text(text, {.compute_capability = 89, .network_kind = "socket", .rate = "25 Gbit/s"}),
              HasSubstr("  network: {kind: socket, nics_per_node: 1, rate: 25 Gbit/s}\n"));
  EXPECT_EQ(node_text(text, {.compute_capability = 89, .rate = "25 Gbit/s"}),
            "--rate: no network interface is listed; give both --network and --rate, of the one interface of "
            "a node");
}

TEST(NodeTopologies, FarInterfacesDoNotReadGpuMemory) {  // NCCL's default reaches to PXB
  const NodeHints roce{.compute_capability = 89, .network_kind = "roce", .rate = "100 Gbit/s"};
  EXPECT_THAT(node_text(matrix(4, "SYS", "PHB\tSYS"), roce), HasSubstr(", gpu_direct: false, path: PHB}\n"));
  EXPECT_THAT(node_text(matrix(4, "SYS", "PXB\tSYS"), roce), testing::Not(HasSubstr("gpu_direct")));
  NodeHints socket = roce;
  socket.network_kind = "socket";
  EXPECT_THAT(node_text(matrix(4, "SYS", "PHB\tSYS"), socket), testing::Not(HasSubstr("gpu_direct")));
}

TEST(NodeTopologies, WhatAMatrixLacksIsAskedFor) {
  const std::string text = matrix(8, "NV18", "PIX\tPIX");
  EXPECT_EQ(node_text(text, {}),
            "a (nvidia-smi topo -m): the compute capability of the GPUs is unknown; state it, as "
            "--compute-capability 90 for an H100");
  EXPECT_EQ(
      node_text(text, {.compute_capability = 90}),
      "a (nvidia-smi topo -m): the kind of network of mlx5_0 is unknown; state it, as --network infiniband "
      "or --network roce");
  EXPECT_EQ(
      node_text(text, {.compute_capability = 90, .network_kind = "roce"}),
      "a (nvidia-smi topo -m): the rate of mlx5_0 is unknown; state that of one interface, as --rate '400 "
      "Gbit/s'");
}

TEST(NodeTopologies, HintsAreWordsAndNumbers) {
  const std::string text = matrix(8, "NV18", "PIX\tPIX");
  EXPECT_EQ(node_text(text, {.compute_capability = 90, .network_kind = "roce", .rate = "4, path: SYS"}),
            "--rate: `4, path: SYS` cannot be read; accepted: a rate such as 400 Gbit/s");
  EXPECT_EQ(node_text(text, {.compute_capability = 90, .network_kind = "roce", .rate = "400 Gbit"}),
            "--rate: `400 Gbit` cannot be read; accepted: a rate such as 400 Gbit/s");
  EXPECT_EQ(node_text(text, {.compute_capability = 90, .network_kind = "roce", .rate = "0 Gbit/s"}),
            "--rate: `0 Gbit/s` cannot be read; accepted: a rate such as 400 Gbit/s");
  EXPECT_EQ(node_text(text, {.compute_capability = 90, .network_kind = "ethernet", .rate = "4 Gbit/s"}),
            "--network: unknown kind `ethernet`; accepted: infiniband, roce, slingshot, efa, socket, tcpx, "
            "tcpxo");
  EXPECT_EQ(
      node_text(text, {.compute_capability = 90, .network_kind = "roce}", .rate = "4 Gbit/s"}),
      "--network: unknown kind `roce}`; did you mean `roce`? accepted: infiniband, roce, slingshot, efa, "
      "socket, tcpx, tcpxo");
}

TEST(NodeTopologies, BrokenMatricesAreRefused) {
  const std::string whole = matrix(4, "NV4");
  EXPECT_EQ(topology_error(""),
            "a (nvidia-smi topo -m): no matrix of GPUs found; use the whole output of `nvidia-smi topo -m`");
  EXPECT_EQ(topology_error(whole.substr(0, whole.rfind("GPU3"))),
            "a (nvidia-smi topo -m): 3 rows for 4 columns; use the whole output of `nvidia-smi topo -m`");
  std::string odd = whole;
  odd.replace(odd.find("NV4"), 3, "NVx");
  EXPECT_THAT(topology_error(odd), HasSubstr("`NVx` is not a connection; accepted: X, NV#, PIX"));
  std::string uneven = whole;
  uneven.replace(uneven.find("NV4"), 3, "NV6");
  EXPECT_THAT(topology_error(uneven), HasSubstr("GPU1 and GPU0 are joined by NV6 and by NV4"));
  EXPECT_THAT(topology_error("\tGPU0\tGPU1\tCPU Affinity\nGPU0\t X \n"), HasSubstr("the row is truncated"));
}

#if GRADSIM_HAS_EXPAT

/// Two GPUs below one switch with an interface, and two at the other processor.
std::string dump(const std::string& links_of_first, const std::string& more = "") {
  const auto gpu = [](const std::string& bus, const std::string& links) {
    return "<pci busid=\"" + bus +
           "\" class=\"0x030200\" link_speed=\"16.0 GT/s PCIe\" link_width=\"16\">"
           "<gpu dev=\"0\" sm=\"80\" rank=\"0\" gdr=\"1\">" +
           links + "</gpu></pci>\n";
  };
  const std::string net =
      "<pci busid=\"0000:0c:00.0\" class=\"0x020000\"><nic><net name=\"mlx5_0\" dev=\"0\" speed=\"200000\" "
      "port=\"1\" gdr=\"1\"/></nic></pci>\n";
  const std::string links = links_of_first;
  return "<system version=\"1\">\n<cpu numaid=\"0\" arch=\"x86_64\" vendor=\"AuthenticAMD\">\n"
         "<pci busid=\"0000:01:00.0\" class=\"0x060400\">\n" +
         gpu("0000:07:00.0", links) + gpu("0000:08:00.0", links) + net + "</pci>\n" + more +
         "</cpu>\n<cpu numaid=\"1\" arch=\"x86_64\" vendor=\"AuthenticAMD\">\n" + gpu("0000:87:00.0", links) +
         gpu("0000:88:00.0", links) + "</cpu>\n</system>\n";
}

const std::string six_switches =
    "<nvlink target=\"0000:d5:00.0\" count=\"2\" tclass=\"0x068000\"/><nvlink target=\"0000:d2:00.0\" "
    "count=\"10\" tclass=\"0x068000\"/>";

TEST(NodeTopologies, NcclsXmlIsAWholeNode) {
  const std::string text = node_text(dump(six_switches), {.network_kind = "infiniband"});
  EXPECT_THAT(text, HasSubstr("workers_per_node: 4\nnccl:\n  gpu: {compute_capability: 80, per_node: 4}\n"
                              "  nvlink: {links: 12, fabric: switch, multicast: false}\n"
                              "  pcie: {generation: 4, lanes: 16, gpus_per_uplink: 2}\n  cpu: amd\n"
                              "  network: {kind: infiniband, nics_per_node: 1, rate: 200 Gbit/s, gpu_direct: "
                              "true, path: PIX}\n"));
}

TEST(NodeTopologies, LinksToGpusAreAMesh) {
  const std::string to_all =
      "<nvlink target=\"0000:07:00.0\" count=\"4\" tclass=\"0x030200\"/><nvlink target=\"0000:08:00.0\" "
      "count=\"4\" tclass=\"0x030200\"/><nvlink target=\"0000:87:00.0\" count=\"4\" "
      "tclass=\"0x030200\"/><nvlink "
      "target=\"0000:88:00.0\" count=\"4\" tclass=\"0x030200\"/>";
  EXPECT_THAT(
      node_text(dump(to_all), {.network_kind = "infiniband"}),
      HasSubstr("  nvlink: {fabric: mesh, mesh: [[0, 1, 4], [0, 2, 4], [0, 3, 4], [1, 2, 4], [1, 3, 4], "
                "[2, 3, 4]]}\n"));
}

// NCCL 2.24 writes fused interfaces beside the physical ones, which it marks (topo.cc, ncclTopoMakeVnic).
TEST(NodeTopologies, InterfacesThatNcclDoesNotUseAreNotCounted) {
  const std::string more =
      "<pci busid=\"0000:01:00.1\" class=\"0x060400\"><pci busid=\"0000:0d:00.0\" class=\"0x020000\"><nic>"
      "<net name=\"mlx5_1\" dev=\"1\" keep=\"0\" speed=\"100000\" gdr=\"1\"/><net name=\"mlx5_2\" "
      "speed=\"100000\" gdr=\"1\"/></nic></pci></pci>\n";
  EXPECT_THAT(node_text(dump(six_switches, more), {.network_kind = "infiniband"}),
              HasSubstr("  network: {kind: infiniband, nics_per_node: 1, rate: 200 Gbit/s, "));
  EXPECT_THAT(node_text(dump(six_switches, more), {.network_kind = "infiniband"}),
              HasSubstr("# Left out, not used by NCCL: mlx5_1, mlx5_2.\n"));
}

TEST(NodeTopologies, ASpeedOfZeroOrLessIsUnknown) {
  for (const std::string speed : {"0", "-1"}) {
    std::string text = dump(six_switches);
    text.replace(text.find("200000"), 6, speed);
    EXPECT_THAT(node_text(text, {.network_kind = "infiniband"}), HasSubstr("the rate of mlx5_0 is unknown"));
  }
}

// A POWER9 processor has NVLinks, too.
TEST(NodeTopologies, LinksThatLeadToOtherDevicesAreNamed) {
  const std::string links =
      "<nvlink target=\"0004:04:00.0\" count=\"3\" tclass=\"0x068001\"/><nvlink target=\"0009:09:00.0\" "
      "count=\"3\" tclass=\"0x030200\"/>";
  const std::string node = node_text(dump(links), {.network_kind = "infiniband"});
  EXPECT_THAT(node, testing::Not(HasSubstr("nvlink: ")));
  EXPECT_THAT(node, HasSubstr("# Left out: 12 NVLinks to devices of class 0x068001.\n"));
  EXPECT_THAT(node, HasSubstr("# Left out: 12 NVLinks to GPUs that are not in the file.\n"));
}

TEST(NodeTopologies, OtherElementsAreNamed) {
  EXPECT_THAT(node_text(dump(six_switches, "<nvs/>\n"), {.network_kind = "infiniband"}),
              HasSubstr("# Left out: 1 elements `nvs`.\n"));
}

TEST(NodeTopologies, BrokenXmlIsRefusedWithItsPlace) {
  const std::string whole = dump(six_switches);
  EXPECT_THAT(topology_error(whole.substr(0, whole.size() / 2)),
              HasSubstr("the XML is invalid or truncated"));
  EXPECT_EQ(topology_error("<platform/>"),
            "a:1:1: the root is `platform`; use the file that NCCL_TOPO_DUMP_FILE names");
  EXPECT_THAT(topology_error("<!DOCTYPE a [<!ENTITY b 'c'>]><system/>"), HasSubstr("a document type"));
  EXPECT_EQ(topology_error("<system version=\"1\"/>"),
            "a (NCCL's topology): no GPU found; use the file as NCCL wrote it");
  EXPECT_THAT(topology_error("<system><cpu><pci><gpu dev=\"0\" sm=\"x\"/></pci></cpu></system>"),
              HasSubstr("a:1:19: `sm` = \"x\" is not a number; accepted: 0 to 999"));
  EXPECT_THAT(topology_error("<system><cpu><pci><gpu dev=\"0\" sm=\"90\" gcn=\"90a\"/></pci></cpu></system>"),
              HasSubstr("a GPU of AMD"));
  std::string deep = "<system>";
  for (int i = 0; i < 100; ++i) deep += "<pci>";
  EXPECT_THAT(topology_error(deep), HasSubstr("too many elements, or too deep ones"));
}

#endif

}  // namespace
}  // namespace calibrate::imports
