// Measured times of gradient compressors on one device, and the file that holds them.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "netmodels/quantity.hpp"
#include "netmodels/result.hpp"

namespace calibrate::measurements {

/// One compressor on one size.
struct KernelTime {
  std::string compressor;     ///< as in scenarios: topk, qsgd, ...
  std::int64_t elements = 0;  ///< n, fp32 values, at least 1
  double ratio = 1;           ///< c, kept / original, in (0, 1]; 1 where the compressor has none
  int repetitions = 0;
  netmodels::Seconds median;  ///< time of one step: compression, with error feedback where it is meant to be,
                              ///< and adding the message to a sum
  netmodels::Seconds least;
  netmodels::Seconds p95;
  netmodels::Seconds copy;  ///< copy of the same n values in the same memory, in turn with the steps
  netmodels::Bytes wire;    ///< bytes of one message
  std::optional<netmodels::Seconds> restore = {};  ///< median, of only adding the message to the sum

  bool operator==(const KernelTime&) const = default;
};

/// The measurements and the device.
struct KernelTimes {
  std::string device;              ///< "Intel Xeon ..., 1 thread"
  std::vector<std::string> notes;  ///< machine, program, kind of values: one line each
  std::vector<KernelTime> times;

  bool operator==(const KernelTimes&) const = default;
};

/// CSV: `# device=` and a line for each note, then one header line and a row for each time, seconds in
/// microseconds to four decimals. The column `restore_us` is there where all times have it.
std::string print_kernel_times(const KernelTimes& measured);

/// Reads what `print_kernel_times` writes, with the column `restore_us` or without.
/// @param source  named in errors, as `source:line:column`
/// @returns at least one time, or an Error for a missing device, another header, a row with too few cells,
///          invalid numbers or ones out of range, and a duplicate compressor at one size and ratio
netmodels::Result<KernelTimes> parse_kernel_times(std::string_view text, std::string_view source);

}  // namespace calibrate::measurements
