// Every key of described hardware: name, meaning, accepted values.
#include "settings/nccl_hardware.hpp"

#include "settings/type.hpp"

namespace settings {

namespace nccl = netmodels::nccl;

void describe(Fields& fields, nccl::Gpu& gpu) {
  fields.field({.name = "compute_capability",
                .doc = "10 x major + minor: 80 for an A100, 90 for an H100.",
                .bounds = at_least(0),
                .example = "80",
                .hint = "write that of an NVIDIA GPU without its point, such as `80` for 8.0; GPUs of AMD "
                        "(gfx90a, ...) run RCCL, for which "
                        "NCCL's constants do not hold: leave out `nccl` and give a measured table by "
                        "`collective_times`"},
               gpu.compute_capability);
  fields.field({.name = "per_node", .doc = "GPUs of a node.", .bounds = at_least(1), .example = "8"},
               gpu.per_node);
  fields.field({.name = "per_process",
                .doc = "GPUs that one thread drives, as `nccl-tests -g` sets it.",
                .fallback = "1",
                .bounds = at_least(1)},
               gpu.per_process);
  fields.field(
      {.name = "ranks_per_gpu",
       .doc = "Ranks that share a GPU, each a node of its own to NCCL; 2.1 ms for each dependent step where "
              "they are several.",
       .fallback = "1",
       .bounds = at_least(1)},
      gpu.ranks_per_gpu);
}

void describe(Fields& fields, nccl::NvLink& nvlink) {
  fields.field({.name = "links",
                .doc = "NVLinks of a GPU into the switches, or to its partner.",
                .fallback = "0",
                .bounds = at_least(0)},
               nvlink.links);
  fields.field({.name = "link_rate",
                .doc = "Rate of one NVLink in one direction; without it, that of the compute capability.",
                .example = "25 GB/s"},
               nvlink.link_rate);
  fields.field({.name = "fabric", .doc = "How NVLink joins the GPUs of a node.", .fallback = "none"},
               nvlink.fabric);
  fields.field({.name = "multicast",
                .doc = "Whether the switches reduce and broadcast (NVLink SHARP), so that NVLS may run.",
                .fallback = "false"},
               nvlink.multicast);
  fields.field({.name = "mesh",
                .doc = "With `fabric: mesh`, each joined pair: GPU, GPU, number of links.",
                .example = "[[0, 1, 1], [0, 3, 2]]"},
               nvlink.mesh);
}

void describe(Fields& fields, nccl::Pcie& pcie) {
  fields.field({.name = "generation", .doc = "PCIe generation of the GPUs.", .fallback = "3"},
               pcie.generation);
  fields.field({.name = "lanes", .doc = "PCIe lanes of a GPU.", .fallback = "16"}, pcie.lanes);
  fields.field({.name = "peer_to_peer",
                .doc = "Whether GPUs reach each other over PCIe; else through the memory of the host.",
                .fallback = "true"},
               pcie.peer_to_peer);
  fields.field({.name = "gpus_per_uplink",
                .doc = "GPUs that share one link to the processor.",
                .fallback = "1",
                .bounds = at_least(1)},
               pcie.gpus_per_uplink);
}

void describe(Fields& fields, nccl::Network& network) {
  fields.field({.name = "kind",
                .doc = "Network between nodes, as NCCL uses it.",
                .example = "roce",
                .hint = "over Ethernet write `socket` (TCP) or `roce` (RDMA)"},
               network.kind);
  fields.field({.name = "nics_per_node",
                .doc = "Network interfaces of a node that NCCL uses.",
                .fallback = "1",
                .bounds = at_least(1)},
               network.nics_per_node);
  fields.field(
      {.name = "rate", .doc = "Line rate of one interface in one direction.", .example = "400 Gbit/s"},
      network.rate);
  fields.field(
      {.name = "measured_rate",
       .doc = "Goodput of one interface, as ib_write_bw or iperf show it; without it, the usual share "
              "of `rate`, by kind and the nearest rate that is known, as `sim list transports` shows it.",
       .example = "46 GB/s"},
      network.measured_rate);
  fields.field({.name = "gpu_direct",
                .doc = "Whether interfaces read and write GPU memory themselves.",
                .fallback = "true"},
               network.gpu_direct);
  fields.field({.name = "path",
                .doc = "What lies between a GPU and its interface, as `nvidia-smi topo -m` shows it.",
                .fallback = "PIX"},
               network.path);
  fields.field(
      {.name = "plugin_latency",
       .doc = "Latency that the network plugin states for itself (aws-ofi-nccl: 75 us): it counts in "
              "NCCL's choice, not in the time.",
       .fallback = "0 s"},
      network.plugin_latency);
}

void describe(Fields& fields, nccl::Environment& environment) {
  fields.field({.name = "protocols", .doc = "Those that NCCL_PROTO allows; without it, all."},
               environment.protocols);
  fields.field({.name = "algorithms", .doc = "Those that NCCL_ALGO allows; without it, all."},
               environment.algorithms);
  fields.field({.name = "tuner",
                .doc = "Who chooses; choices of a plugin are unknown, so that NCCL's are taken with a larger "
                       "error.",
                .fallback = "nccl"},
               environment.tuner);
}

void describe(Fields& fields, nccl::MeasuredPoint& point) {
  fields.field({.name = "size", .doc = "Size as nccl-tests counts it.", .example = "8 B"}, point.size);
  fields.field({.name = "time", .doc = "Measured time.", .example = "17.9 us"}, point.time);
}

void describe(Fields& fields, nccl::Measured& measured) {
  fields.field({.name = "operation", .doc = "What was measured.", .fallback = "all_reduce"},
               measured.operation);
  fields.field(
      {.name = "ranks", .doc = "Number of ranks that were measured; without it, those that are asked for."},
      measured.ranks);
  fields.field({.name = "nodes", .doc = "Number of their nodes; without it, one."}, measured.nodes);
  fields.field(
      {.name = "points",
       .doc = "Sizes with their times: the smallest sets an offset, the largest a factor on "
              "the time that grows with size; between three and more, their ratio to the computed times is "
              "interpolated.",
       .example = "[{size: 8 B, time: 17.9 us}, {size: 128 MiB, time: 1916 us}]"},
      measured.points);
}

void describe(Fields& fields, nccl::Hardware& hardware) {
  fields.field({.name = "version", .doc = "NCCL's version, 2.18 to 2.29.", .fallback = "2.26"},
               hardware.version);
  fields.field(
      {.name = "library",
       .doc = "The library whose choices and times are computed. Default: nccl.",
       .example = "nccl",
       .hint = "accepted: nccl; its constants do not hold for RCCL and other libraries: leave out `nccl` and "
               "give a measured table by `collective_times`"},
      hardware.library);
  fields.field({.name = "gpu", .doc = "The GPUs of a node.", .need = Need::required}, hardware.gpu);
  fields.field({.name = "nvlink", .doc = "NVLink between them.", .need = Need::optional}, hardware.nvlink);
  fields.field({.name = "pcie", .doc = "PCIe of the GPUs.", .need = Need::optional}, hardware.pcie);
  fields.field({.name = "cpu", .doc = "Vendor of the processors.", .fallback = "intel"}, hardware.cpu);
  fields.field({.name = "network", .doc = "The network between nodes."}, hardware.network);
  fields.field({.name = "environment", .doc = "What the environment allows NCCL.", .need = Need::optional},
               hardware.environment);
  fields.field({.name = "measured", .doc = "Measured times of this hardware."}, hardware.measured);
}

}  // namespace settings
