// Devices of scenarios/devices, and their keys.
#pragma once

#include <array>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

#include "netmodels/quantity.hpp"
#include "netmodels/result.hpp"
#include "netmodels/roofline.hpp"
#include "settings/fields.hpp"
#include "sim/language/value.hpp"

namespace sim::inputs {

/// The device of a workload that states none.
inline constexpr std::string_view unstated_device = "not stated";

// Every key of a device file.

/// A share of a peak, and its source.
struct EfficiencyKeys {
  double share = 1;
  std::string source;
};

/// How much longer computing takes while a collective runs, and its source.
struct OverlapSlowdownKeys {
  double share = 0;
  std::string source;
};

/// Arithmetic of matrix multiplications.
enum class Precision { fp32, tf32, bf16, fp16, fp8 };

constexpr auto names_of(Precision) {
  return std::to_array<settings::Named<Precision>>({{"fp32", Precision::fp32},
                                                    {"tf32", Precision::tf32},
                                                    {"bf16", Precision::bf16},
                                                    {"fp16", Precision::fp16},
                                                    {"fp8", Precision::fp8}});
}

/// The peak of a device in another precision than its first.
struct PeakKeys {
  Precision precision = Precision::fp32;
  netmodels::FlopRate peak;
  std::optional<EfficiencyKeys> efficiency;
};

/// The contents of a device file.
struct DeviceKeys {
  std::string name;
  std::string provenance;
  std::vector<std::string> aliases;  ///< names that profilers and clouds give it
  Precision precision = Precision::fp32;
  netmodels::FlopRate peak;
  netmodels::Bandwidth memory_bandwidth;
  std::optional<netmodels::Bytes> memory;
  std::optional<int> compute_capability;
  std::optional<int> multiprocessors;
  std::optional<netmodels::Bandwidth> nvlink;
  std::vector<PeakKeys> peaks;
  std::optional<EfficiencyKeys> compute_efficiency;
  std::optional<EfficiencyKeys> memory_efficiency;
  netmodels::Seconds launch;
  std::optional<OverlapSlowdownKeys> overlap_slowdown;
};

void describe(settings::Fields& fields, EfficiencyKeys& value);

void describe(settings::Fields& fields, OverlapSlowdownKeys& value);

void describe(settings::Fields& fields, PeakKeys& value);

void describe(settings::Fields& fields, DeviceKeys& value);
/// Refuses a precision with two peaks.
std::optional<settings::Problem> problem_of(const DeviceKeys& value);

// Devices of scenarios/devices.

/// @param value      the name of a file in `data_dir`/devices, a path, or the map itself: name, provenance,
///                   precision, peak, memory_bandwidth, and if known aliases, peaks in other precisions,
///                   compute_efficiency and memory_efficiency (each share and source) and launch
/// @param data_dir   the folder `scenarios`
/// @param precision  of the peak; nothing: the device's first
/// @returns the device, or an Error with the place, the key and what is accepted
netmodels::Result<netmodels::Device> load_device(const language::Value& value,
                                                 const std::filesystem::path& data_dir,
                                                 std::optional<Precision> precision = std::nullopt);

/// The same with every peak.
netmodels::Result<DeviceKeys> load_device_keys(const language::Value& value,
                                               const std::filesystem::path& data_dir);

/// The file of a device by its path, its name, or a name that its driver gives it.
/// @returns an Error that names the devices of the same model, where there are any
netmodels::Result<std::filesystem::path> find_device_file(const language::Value& value,
                                                          const std::filesystem::path& data_dir);

/// Names that `load_device` accepts, sorted.
std::vector<std::string> list_devices(const std::filesystem::path& data_dir);

/// The file whose name is `text`, else one with that alias, apart from case, spaces and punctuation.
/// @param text  as a profiler prints it, such as `Tesla V100-SXM2-32GB`
/// @returns its name; nothing where no file matches; an Error for a file that cannot be read
netmodels::Result<std::optional<std::string>> match_device(std::string_view text,
                                                           const std::filesystem::path& data_dir);

/// Whether two names are the same apart from case, spaces and punctuation; an empty one is like no other.
bool is_same_name(std::string_view one, std::string_view other);

/// Whether a file has both texts among its name and aliases.
/// @returns an Error for a file that cannot be read
netmodels::Result<bool> is_same_device(std::string_view one, std::string_view other,
                                       const std::filesystem::path& data_dir);

/// Whether a text names this model of accelerator: `V100` is a word of `Tesla V100-SXM2-32GB`.
bool names_model(std::string_view text, std::string_view model);

/// Names of the files that share a model with `text`, such as the A100s, and of these the ones with most of
/// its other words; none where none does.
std::vector<std::string> near_devices(std::string_view text, const std::filesystem::path& data_dir);

}  // namespace sim::inputs
