// Classes of hardware by the error of their times.
#include <array>

#include "netmodels/nccl/time.hpp"

namespace netmodels::nccl {
namespace {

constexpr std::array classes{
    ErrorClass{"nvlink", "NVLink node", "two measured sizes", {.051, .209}, {.020, .091}},
    ErrorClass{"pcie", "PCIe node", "two measured sizes", {.053, .243}, {.054, .193}},
    ErrorClass{
        "rdma", "RDMA network", "`network.measured_rate`, or two measured sizes", {.125, .385}, {.069, .373}},
    ErrorClass{"socket",
               "cloud network without RDMA",
               "one rate: `network.measured_rate`",
               {.218, .377},
               {.025, .198}},
    ErrorClass{"plugin",
               "choices by a tuner plugin",
               "measure a table: `collective_times`",
               {.079, .703},
               {.078, .297}}};

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
  constexpr Bytes least_alone = {1048576};
  if (group.ranks < 2 || hardware.gpu.ranks_per_gpu > 1) return {};
  const ErrorClass& known = error_class(hardware, group);
  if (hardware.measured && hardware.measured->points.size() > 1) return known.measured;
  if (size < least_alone) return {};
  return known.alone;
}

}  // namespace netmodels::nccl
