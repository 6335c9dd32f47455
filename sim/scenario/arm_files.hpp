// Files that arms name, and files that measured the devices of their workloads.
#pragma once

#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "netmodels/kernel_cost.hpp"
#include "netmodels/result.hpp"
#include "netmodels/roofline.hpp"
#include "netmodels/workload.hpp"
#include "sim/inputs/transport_file.hpp"
#include "sim/language/value.hpp"
#include "sim/scenario/measured_defaults.hpp"

namespace sim::scenario {

/// Workloads, devices, transports and compression times, which many arms share: each file is read once.
class ArmFiles {
 public:
  /// @param data_dir  the folder `scenarios`
  explicit ArmFiles(std::filesystem::path data_dir)
      : data_dir_(std::move(data_dir)), transports_(data_dir_) {}

  /// @param value           the workload's key: a name, a path, or a map, which is read each time
  /// @param cluster_device  key of the cluster's device; null: not stated
  /// @param workers         of the cluster
  netmodels::Result<netmodels::Workload> load_workload(const language::Value& value,
                                                       const language::Value* cluster_device, int workers);

  /// The device of a workload, which sets the floor of compression times; nothing where no file describes it.
  netmodels::Result<std::optional<netmodels::Device>> find_device(const netmodels::Workload& workload);

  /// File of the published compression times of a framework. @returns the errors of `language::find_named`
  netmodels::Result<std::filesystem::path> find_stack(const language::Value& name);

  /// Compression times of one file, which live as long as this.
  netmodels::Result<const netmodels::KernelCosts*> stack_costs(const std::string& file);

  /// The same as `find_measured_stacks`.
  netmodels::Result<const std::vector<MeasuredStack>*> measured_stacks(const netmodels::Workload& workload);

  /// The same as `find_measured_overlap`.
  netmodels::Result<const OverlapDefault*> measured_overlap(const netmodels::Workload& workload);

  [[nodiscard]] inputs::TransportFiles& transports() { return transports_; }
  [[nodiscard]] const std::filesystem::path& data_dir() const { return data_dir_; }

 private:
  std::filesystem::path data_dir_;
  inputs::TransportFiles transports_;
  std::map<std::string, netmodels::Workload> workloads_;
  std::map<std::string, std::optional<netmodels::Device>>
      devices_;  ///< by the workload's text; nothing where no file matches
  std::map<std::string, std::filesystem::path> stack_files_;    ///< by the text of their key
  std::map<std::string, netmodels::KernelCosts> stacks_;        ///< by file
  std::map<std::string, std::vector<MeasuredStack>> measured_;  ///< by the workload's device
  std::map<std::string, OverlapDefault> overlaps_;              ///< by the workload's device
};

}  // namespace sim::scenario
