// NCCL's goodput as a share of the interfaces' line rates: usual shares are a judgement over the named
// figures, three to four independent sources for a class of sockets; the outer ones are about the lowest and
// the highest that were reported.
#include "netmodels/nccl/network_goodput.hpp"

#include <vector>

namespace netmodels::nccl {
namespace {

using namespace literals;

/// Classes by line rate; the first that holds decides.
struct GoodputTable {
  std::vector<GoodputClass> sockets;
  std::vector<GoodputClass> infiniband;
  std::vector<GoodputClass> roce;
  std::vector<GoodputClass> slingshot;
  std::vector<GoodputClass> efa;
  std::vector<GoodputClass> efa_through_host;
  std::vector<GoodputClass> tcpx;
  std::vector<GoodputClass> tcpxo;
  std::vector<GoodputClass> rdma_through_host;
};

const GoodputTable& goodput_table() {
  static const GoodputTable all{
      .sockets =
          {
              {.to = Bandwidth{25e6},
               .shares = {.78, .94, .99},
               .source = "0.78 at 50 Mbit/s on EC2, where shares fall from 200 Mbit/s down; otherwise as at "
                         "1 Gbit/s"},
              {.from = Bandwidth{25e6},
               .to = 1_Gbps,
               .shares = {.9, .94, .99},
               .source = "0.987 at 1 Gbit/s on EC2; headers leave 0.949 at an MTU of 1500 B, 0.99 at 9000 B"},
              {.from = 5_Gbps,
               .to = 10_Gbps,
               .shares = {.5, .9, .95},
               .node_cap = 10_Gbps,
               .source = "0.946 at 5 Gbit/s on EC2; 5 of 10 Gbit/s on EC2 g4dn"},
              {.from = 20_Gbps,
               .to = 32_Gbps,
               .shares = {.5, .72, .95},
               .node_cap = 24_Gbps,
               .source =
                   "14.3 to 15.8 of 20 Gbit/s on EC2 g6e; 13.6 of 25, NVIDIA/nccl-tests #83; 14.5 to 31.4 of "
                   "32, NVIDIA/nccl #209"},
              {.from = 40_Gbps,
               .to = 50_Gbps,
               .shares = {.066, .4, .7},
               .node_cap = 20_Gbps,
               .source = "3.3 to 4.2 of 50 Gbit/s on EC2 g4dn"},
              {.from = 100_Gbps,
               .shares = {.1, .35, .5},
               .node_cap = 40_Gbps,
               .source = "10.7 to 48 of 100 Gbit/s, NVIDIA/nccl #209, #398, #450; 43 of 4 x 200, "
                         "eth-cscs/cscs-docs"},
          },
      .infiniband =
          {
              {.from = 200_Gbps,
               .one_worker = true,
               .shares = {.638, .75, .92},
               .source =
                   "one GPU with one 400 Gbit/s interface: 31.9 of 50 GB/s all-reduce, 36.7 all-gather, "
                   "google/dranet"},
              {.shares = {.8, .9, .96},
               .source = "12 GB/s of 100 Gbit/s and 24 of 200, NVIDIA/nccl #307, NVIDIA/nccl-tests #119"},
          },
      .roce =
          {
              {.from = 200_Gbps,
               .one_worker = true,
               .shares = {.638, .75, .92},
               .source =
                   "one GPU with one 400 Gbit/s interface: 31.9 of 50 GB/s all-reduce, 36.7 all-gather, "
                   "google/dranet"},
              {.shares = {.8, .9, .96},
               .source = "329 of 400 GB/s, GoogleCloudPlatform/cluster-toolkit; 24 GB/s of 200 Gbit/s, "
                         "NVIDIA/nccl-tests #119"},
          },
      .slingshot =
          {
              {.from = 200_Gbps,
               .to = 200_Gbps,
               .shares = {.85, .9, .92},
               .source = "22.9 of 25 GB/s, eth-cscs/cscs-docs"},
          },
      .efa =
          {
              {.from = 100_Gbps,
               .shares = {.59, .8, .85},
               .source = "p4de, 4 x 100 Gbit/s: 41.8 of 50 GB/s on 2 nodes, "
                         "aws-samples/awsome-distributed-training; "
                         "in 2020 29.6 to 31.8 on p4d, NVIDIA/nccl #527"},
          },
      .efa_through_host =
          {
              {.from = 100_Gbps,
               .shares = {.5, .65, .85},
               .source = "50 to 80 of 100 Gbit/s on p3dn, NVIDIA/nccl #235"},
          },
      .tcpx =
          {
              {.from = 200_Gbps,
               .to = 200_Gbps,
               .shares = {.65, .71, .8},
               .source = "all-gather at 71 of 100 GB/s, GoogleCloudPlatform/cluster-toolkit"},
          },
      .tcpxo =
          {
              {.from = 200_Gbps,
               .to = 200_Gbps,
               .shares = {.85, .92, .95},
               .source = "all-gather at 189 of 200 GB/s, GoogleCloudPlatform/cluster-toolkit"},
          },
      .rdma_through_host =
          {
              {.shares = {.4, .63, .7392},
               .source =
                   "0.5, 0.7 and 0.77 of the share with GPUDirect; 85 to 65 Gbit/s in openucx/ucx #11121"},
          },
  };
  return all;
}

}  // namespace

std::span<const GoodputClass> goodput_classes(NetworkKind kind, bool gpu_direct) {
  switch (kind) {
    case NetworkKind::infiniband:
      return gpu_direct ? goodput_table().infiniband : goodput_table().rdma_through_host;
    case NetworkKind::roce: return gpu_direct ? goodput_table().roce : goodput_table().rdma_through_host;
    case NetworkKind::slingshot: return goodput_table().slingshot;
    case NetworkKind::efa: return gpu_direct ? goodput_table().efa : goodput_table().efa_through_host;
    case NetworkKind::socket: return goodput_table().sockets;
    case NetworkKind::tcpx: return goodput_table().tcpx;
    case NetworkKind::tcpxo: return goodput_table().tcpxo;
  }
  return {};
}

Goodput node_goodput(const Network& network, int gpus_per_node) {
  const Bandwidth all = network.rate * network.nics_per_node;
  if (network.measured_rate) {
    const Bandwidth measured = *network.measured_rate * network.nics_per_node;
    return {measured, measured, measured};
  }
  const std::span<const GoodputClass> of_kind = goodput_classes(network.kind, network.gpu_direct);
  const GoodputClass& known = nearest_class(of_kind, network.rate, gpus_per_node);
  return goodput(known.shares, all, {.flows = {}, .node = known.node_cap});
}

Bandwidth interface_goodput(const Network& network, int gpus_per_node) {
  return node_goodput(network, gpus_per_node).mid * (1.0 / network.nics_per_node);
}

}  // namespace netmodels::nccl
