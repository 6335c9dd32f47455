// Classes of hardware by the error of their times.
#include <array>

#include "netmodels/nccl/time.hpp"

namespace netmodels::nccl {
namespace {

constexpr std::array classes{ErrorClass{.key = "nvlink",
                                        .name = "NVLink node",
                                        .advice = "two measured sizes",
                                        .alone = {.047, .201},
                                        .small = {.050, .354},
                                        .measured = {.020, .091}},
                             ErrorClass{.key = "pcie",
                                        .name = "PCIe node",
                                        .advice = "two measured sizes",
                                        .alone = {.053, .243},
                                        .small = {.260, .476},
                                        .measured = {.054, .193}},
                             ErrorClass{.key = "rdma",
                                        .name = "RDMA network",
                                        .advice = "`network.measured_rate`, or two measured sizes",
                                        .alone = {.125, .385},
                                        .small = {.367, .682},
                                        .measured = {.069, .373}},
                             ErrorClass{.key = "socket",
                                        .name = "cloud network without RDMA",
                                        .advice = "one rate: `network.measured_rate`",
                                        .alone = {.227, .444},
                                        .small = {.384, 1.081},
                                        .measured = {.025, .198}},
                             ErrorClass{.key = "plugin",
                                        .name = "choices by a tuner plugin",
                                        .advice = "measure a table: `collective_times`",
                                        .alone = {.079, .703},
                                        .small = {.181, .315},
                                        .measured = {.078, .297}}};

}  // namespace

std::span<const ErrorClass> error_classes() { return classes; }

const ErrorClass& error_class(const Hardware& hardware, const Group& group) {
  enum : std::size_t { nvlink, pcie, rdma, socket, plugin };
  if (group.nodes == 1) return classes[hardware.nvlink.fabric == Fabric::none ? pcie : nvlink];
  if (hardware.environment.tuner == TunerKind::plugin) return classes[plugin];
  switch (hardware.network->kind) {
    case NetworkKind::infiniband:
    case NetworkKind::roce:
    case NetworkKind::slingshot: return classes[rdma];
    case NetworkKind::efa:
    case NetworkKind::socket: break;
    case NetworkKind::tcpx:
    case NetworkKind::tcpxo: return classes[plugin];
  }
  return classes[socket];
}

std::optional<Spread> usual_error(const Hardware& hardware, const Group& group, Bytes size) {
  if (group.ranks < 2 || hardware.gpu.ranks_per_gpu > 1) return {};
  const ErrorClass& known = error_class(hardware, group);
  if (hardware.measured && hardware.measured->points.size() > 1) return known.measured;
  return size < large_size ? known.small : known.alone;
}

}  // namespace netmodels::nccl
