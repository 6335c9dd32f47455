// Compares the devices of a cluster with those of the compute times, and with the links between them.
#include <string>
#include <vector>

#include <fmt/format.h>

#include "settings/type.hpp"
#include "sim/inputs/workload_file.hpp"
#include "sim/language/place.hpp"
#include "sim/scenario/checks.hpp"
#include "sim/scenario/device_mismatch.hpp"
#include "sim/scenario/fabric.hpp"
#include "sim/scenario/scenario.hpp"

namespace sim::scenario {
namespace {

using netmodels::Device;

/// Whether one computes as the other: two forms of one GPU do, such as those with more memory.
bool computes_alike(const Device& one, const inputs::DeviceKeys& other) {
  if (one.name == other.name) return true;
  const bool same_kind = one.compute_capability && one.compute_capability == other.compute_capability;
  return same_kind && one.precision == settings::name_of(other.precision) && one.peak == other.peak;
}

using ClusterDevice = std::optional<inputs::DeviceKeys>;  ///< that `cluster.device` names

/// Where the workload says nothing of its device, and the cluster does.
std::string unknown_device(const ClusterDevice& own, const netmodels::Workload& workload,
                           const language::Value& tree) {
  if (!own || workload.device != inputs::unstated_device) return "";
  return fmt::format(
      "{}: compute times of `{}` do not say which device they belong to, and are taken for {} as they are; "
      "state it as `workload.device`",
      place_of(tree, "cluster.device"), workload.name, own->name);
}

/// Of the device that the cluster names, or else of the compute capability that its NCCL description states.
std::string other_device(const Device& timed, const ClusterDevice& own, const Cluster& cluster,
                         const language::Value& tree) {
  if (const auto mismatch = device_mismatch(timed, own))
    return fmt::format(
        "{}: compute times are of {}, and the cluster has {}; name the workload for the cluster's device",
        place_of(tree, "workload"), mismatch->timed, mismatch->cluster);
  const auto& described = cluster.nccl;
  if (own || !described || !timed.compute_capability) return "";
  const int stated = described->gpu.compute_capability;
  if (stated == *timed.compute_capability) return "";
  return fmt::format(
      "{}: compute times are of {} (compute capability {}), and the cluster has GPUs of "
      "compute capability {}; name the workload for the cluster's device",
      place_of(tree, "workload"), timed.name, *timed.compute_capability, stated);
}

std::string too_much_nvlink(const std::optional<Fabric>& inner, const ClusterDevice& device,
                            const language::Value& tree) {
  constexpr double rounding = 1.01;
  if (!inner || inner->kind != inputs::FabricKind::nvlink || !device || !device->nvlink) return "";
  if (inner->rate.count <= device->nvlink->count * rounding) return "";
  const std::string has = device->nvlink->count == 0
                              ? fmt::format("{} has no NVLink", device->name)
                              : fmt::format("the NVLinks of {} carry {} in one direction", device->name,
                                            rate_text(inputs::FabricKind::nvlink, *device->nvlink));
  return fmt::format("{}: `cluster.inner_fabric.rate` is {}, and {}",
                     place_of(tree, "cluster.inner_fabric.rate"), rate_text(inner->kind, inner->rate), has);
}

/// Where times follow from a utilisation that was published for other runs.
std::string outside_of_published(const netmodels::Workload& workload, const language::Value& tree) {
  const auto& range = workload.utilisation_range;
  const std::string outside = range ? describe_outside(*range) : std::string();
  return outside.empty() ? "" : fmt::format("{}: {}", place_of(tree, "workload"), outside);
}

}  // namespace

std::optional<DeviceMismatch> device_mismatch(const std::optional<Device>& timed, const ClusterDevice& own) {
  if (!timed || !own || computes_alike(*timed, *own)) return std::nullopt;
  return DeviceMismatch{timed->name, own->name};
}

std::vector<std::string> cluster_device_warnings(const std::optional<Device>& timed, const ClusterDevice& own,
                                                 const netmodels::Workload& workload, const Cluster& cluster,
                                                 const language::Value& tree) {
  std::vector<std::string> found;
  for (std::string& warning :
       std::vector{timed ? other_device(*timed, own, cluster, tree) : unknown_device(own, workload, tree),
                   outside_of_published(workload, tree), too_much_nvlink(cluster.inner_fabric, own, tree)})
    if (!warning.empty()) found.push_back(std::move(warning));
  return found;
}

}  // namespace sim::scenario
