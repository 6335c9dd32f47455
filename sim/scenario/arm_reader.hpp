// Reads the arms of a study: trees of values become checked scenarios.
#pragma once

#include <filesystem>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "netmodels/result.hpp"
#include "netmodels/roofline.hpp"
#include "netmodels/workload.hpp"
#include "sim/inputs/transport_file.hpp"
#include "sim/language/value.hpp"
#include "sim/scenario/features.hpp"
#include "sim/scenario/measured_defaults.hpp"
#include "sim/scenario/scenario.hpp"
#include "sim/scenario/uncertain_input.hpp"

namespace sim::scenario {

/// Reads arms one after the other; workloads, devices and transports, which many arms share, are
/// read once each.
class ArmReader {
 public:
  /// @param data_dir  the folder `scenarios`
  /// @param draws     of uncertain quantities
  explicit ArmReader(std::filesystem::path data_dir, Draws draws = {})
      : data_dir_(std::move(data_dir)), transports_(data_dir_), draws_(std::move(draws)) {}

  /// @param tree  of the arm with its overrides; becomes the tree as read
  /// @returns the checked scenario, or the first Error, with its place
  netmodels::Result<Scenario> read(const std::string& name, language::Value& tree);

  /// The uncertain quantities so far, each once with all arms that state it.
  [[nodiscard]] const std::vector<UncertainInput>& uncertain() const { return uncertain_; }

  /// Of each arm that was read, what its settings declare.
  [[nodiscard]] const std::vector<std::vector<Feature>>& features() const { return features_; }

  /// The warnings so far, each once.
  [[nodiscard]] std::vector<std::string> take_warnings() const {
    return {warnings_.begin(), warnings_.end()};
  }

 private:
  netmodels::Result<void> settle(const std::string& name, language::Value& tree);
  netmodels::Result<void> fill(Scenario& scenario, const language::Value& tree);
  netmodels::Result<void> load(const language::Value& value, const language::Value* cluster_device,
                               netmodels::Workload& workload);
  netmodels::Result<void> settle_network(Scenario& scenario, const language::Value& tree);
  netmodels::Result<void> find_device(Scenario& scenario);
  netmodels::Result<void> find_cluster_device(Scenario& scenario, const language::Value& tree) const;
  [[nodiscard]] std::vector<std::string> device_warnings(const Scenario& scenario,
                                                         const language::Value& tree) const;
  netmodels::Result<void> find_stack(Scenario& scenario, const language::Value& tree);
  netmodels::Result<void> take_measured_stack(Scenario& scenario, const language::Value& tree);
  netmodels::Result<const netmodels::KernelCosts*> stack_costs(const std::string& file);
  netmodels::Result<void> take_overlap_slowdown(Scenario& scenario, const language::Value& tree);

  std::filesystem::path data_dir_;
  inputs::TransportFiles transports_;
  std::map<std::string, netmodels::Workload> workloads_;
  std::map<std::string, std::optional<netmodels::Device>>
      devices_;  ///< by the workload's text; nothing where no file matches
  std::map<std::string, netmodels::KernelCosts> stacks_;        ///< by file
  std::map<std::string, std::vector<MeasuredStack>> measured_;  ///< by the workload's device
  std::map<std::string, OverlapDefault> overlaps_;              ///< by the workload's device
  std::set<std::string> warnings_;
  std::vector<std::vector<Feature>> features_;  ///< by arm
  Draws draws_;
  std::vector<UncertainInput> uncertain_;
};

}  // namespace sim::scenario
