// `compression: {kernel_times: measure}`: compressors are measured on this machine before a run.
#pragma once

#include <filesystem>
#include <functional>
#include <optional>
#include <ostream>
#include <span>
#include <string>
#include <vector>

#include "calibrate/measurements/kernel_time.hpp"
#include "calibrate/probes/kernel_times.hpp"
#include "netmodels/result.hpp"
#include "sim/inputs/kernel_cost_keys.hpp"
#include "sim/scenario/study.hpp"

namespace sim::measure {

/// Processor that compressors run on, with what times them.
struct Machine {
  std::string name;  ///< name of the device, as results name it
  std::string id;    ///< differs between machines whose times differ: all that the cache knows of this one
  inputs::MeasuredOn on = inputs::MeasuredOn::cpu;
  bool (*has)(const kernels::Entry& compressor) = nullptr;
  /// The times of all cases, in their order. @throws std::runtime_error where one fails
  std::function<std::vector<calibrate::measurements::KernelTime>(
      std::span<const calibrate::probes::KernelCase> cases)>
      time;
};

/// The GPU of this machine; its processor, one thread of it, where there is no usable GPU.
Machine this_machine();

/// Cases that the arms of a study ask to be measured: the method of each at its ratio (at 10 %, 1 % and 0.1 %
/// where a policy chooses the ratio, and besides at those between where a warm-up comes down to it), at the
/// sizes of the gradient's buckets: at most `most_sizes` of them, spread from the smallest to the largest, at
/// least three (halves of the largest are added), none above `most_values`.
/// @returns nothing to measure where no arm asks; an Error for a policy that chooses the method itself, and a
///          method that has no implementation on the machine
netmodels::Result<std::vector<calibrate::probes::KernelCase>> kernel_cases(const scenario::Study& study,
                                                                           const Machine& machine);

inline constexpr std::size_t most_sizes = 6;
inline constexpr std::int64_t most_values = std::int64_t{1} << 27;  ///< 512 MiB, held four times

/// How what was measured is kept.
struct Keeping {
  std::string version;           ///< version of gradsim
  std::filesystem::path folder;  ///< empty: nothing is kept
};

/// Measurements that a study asks for as `compression.measured=...`, a setting of `scenario::read_study`:
/// measured, or as it was kept for the same machine, version and cases.
/// @param log  is called with what is measured, or where it was found
/// @returns nothing where no arm asks, or an Error as `kernel_cases`, and for a case that failed
netmodels::Result<std::optional<std::string>> measured_setting(const scenario::Study& study,
                                                               const Machine& machine, const Keeping& keeping,
                                                               const std::function<void(std::string)>& log);

}  // namespace sim::measure
