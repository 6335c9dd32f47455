// Software stacks of scenarios/stacks: which share of a device's peak training with them reaches.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "netmodels/result.hpp"
#include "netmodels/utilisation.hpp"
#include "netmodels/utilisation_range.hpp"
#include "settings/fields.hpp"
#include "sim/inputs/device_file.hpp"
#include "sim/language/value.hpp"

namespace sim::inputs {

/// The utilisation of models of one size.
struct SizeKeys {
  double parameters = 1;
  double share = 1;
};

/// The runs that were published.
struct PublishedRunsKeys {
  std::int64_t min_sequence = 1;
  std::int64_t max_sequence = 1;
  std::int64_t max_devices = 1;
  bool experts = false;
};

/// The utilisation on one device in one precision.
struct StackDeviceKeys {
  std::string device;
  std::vector<std::string> taken_for;  ///< other devices
  Precision precision = Precision::bf16;
  std::optional<double> efficiency;
  std::vector<SizeKeys> sizes;
  double hidden_half = 0;
  double tokens_half = 0;
  double attention_weight = 1;
  double lost_per_doubling = 0;
  double within = 0;
  std::optional<PublishedRunsKeys> runs;
};

/// The contents of a file of scenarios/stacks.
struct StackKeys {
  std::string name;
  std::string provenance;
  std::vector<StackDeviceKeys> devices;
  std::optional<double> gradient_bytes;
};

void describe(settings::Fields& fields, SizeKeys& value);

void describe(settings::Fields& fields, PublishedRunsKeys& value);
/// Refuses ends that do not rise.
std::optional<settings::Problem> problem_of(const PublishedRunsKeys& value);

void describe(settings::Fields& fields, StackDeviceKeys& value);
/// Refuses both or neither of `efficiency` and `sizes`, and sizes that do not rise.
std::optional<settings::Problem> problem_of(const StackDeviceKeys& value);

void describe(settings::Fields& fields, StackKeys& value);

/// @param value  the name of a file in `data_dir`/stacks, or a path
/// @returns what the file states, or an Error with its place
netmodels::Result<StackKeys> read_stack(const language::Value& value, const std::filesystem::path& data_dir);

/// Utilisation of a stack on a device.
struct StackUtilisation {
  std::string stack;
  netmodels::UtilisationRule rule;
  std::string measured_on;  ///< a device file; another than asked for where its figures are taken
  Precision measured_in = Precision::bf16;    ///< another than asked for where its figures are taken
  netmodels::UtilisationRange range;          ///< range with device and precision; of no model yet
  std::optional<double> gradient_bytes = {};  ///< bytes that its sharded steps send of a gradient
};

/// @param value      the name of a file in `data_dir`/stacks, or a path
/// @param device     the name of a device file
/// @param peak       of the device in `precision`
/// @returns the rule of this device, or of one whose figures are taken for it. Where the stack was not
/// measured
///          on it in this precision: with a wider range, the rule of the device in another precision, else of
///          the device whose peak in this precision is nearest, else of that with the nearest peak
netmodels::Result<StackUtilisation> load_stack(const language::Value& value,
                                               const std::filesystem::path& data_dir,
                                               const std::string& device, Precision precision,
                                               netmodels::FlopRate peak);

}  // namespace sim::inputs
