// Reads the files of arms, each once.
#include "sim/scenario/arm_files.hpp"

#include <utility>

#include <fmt/format.h>

#include "sim/inputs/device_file.hpp"
#include "sim/inputs/input_files.hpp"
#include "sim/inputs/workload_file.hpp"
#include "sim/language/text_file.hpp"

namespace sim::scenario {

using netmodels::Result;

Result<netmodels::Workload> ArmFiles::load_workload(const language::Value& value,
                                                    const language::Value* cluster_device, int workers) {
  const std::string key =
      fmt::format("{} {} {}", workers, value.is_scalar() ? value.text() : value.origin().text(),
                  cluster_device != nullptr ? cluster_device->text() : "");
  auto known = workloads_.find(key);
  if (known == workloads_.end() || !value.is_scalar()) {
    GRADSIM_TRY(loaded, inputs::load_workload(value, data_dir_, {cluster_device, workers}));
    known = workloads_.insert_or_assign(key, std::move(*loaded)).first;
  }
  return known->second;
}

Result<std::optional<netmodels::Device>> ArmFiles::find_device(const netmodels::Workload& workload) {
  const std::string& text = device_text(workload);
  if (const auto known = devices_.find(text); known != devices_.end()) return known->second;
  const bool is_file = !workload.device_file.empty();
  GRADSIM_TRY(name,
              is_file ? Result<std::optional<std::string>>(text) : inputs::match_device(text, data_dir_));
  std::optional<netmodels::Device>& device = devices_[text];
  if (*name) {
    GRADSIM_TRY(loaded, inputs::load_device(language::Value::scalar(**name, language::Origin("workload")),
                                            data_dir_));
    device = std::move(*loaded);
  }
  return device;
}

Result<std::filesystem::path> ArmFiles::find_stack(const language::Value& name) {
  const auto known = stack_files_.find(name.text());
  if (known != stack_files_.end()) return known->second;
  GRADSIM_TRY(file,
              language::find_named(name, data_dir_ / "kernel_times", "stack of published compression times"));
  return stack_files_[name.text()] = std::move(*file);
}

Result<const netmodels::KernelCosts*> ArmFiles::stack_costs(const std::string& file) {
  if (!stacks_.contains(file)) {
    GRADSIM_TRY(costs, inputs::read_kernel_costs(file));
    stacks_[file] = std::move(*costs);
  }
  return &stacks_[file];
}

Result<const std::vector<MeasuredStack>*> ArmFiles::measured_stacks(const netmodels::Workload& workload) {
  const std::string& device = device_text(workload);
  if (!measured_.contains(device)) {
    GRADSIM_TRY(found, find_measured_stacks(workload, data_dir_));
    measured_[device] = std::move(*found);
  }
  return &measured_[device];
}

Result<const OverlapDefault*> ArmFiles::measured_overlap(const netmodels::Workload& workload) {
  const std::string& device = device_text(workload);
  if (!overlaps_.contains(device)) {
    GRADSIM_TRY(found, find_measured_overlap(workload, data_dir_));
    overlaps_[device] = std::move(*found);
  }
  return &overlaps_[device];
}

}  // namespace sim::scenario
