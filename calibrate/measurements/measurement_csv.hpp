// Measurements in our own CSV form: a header of `# key=value` lines, then one row per size.
#pragma once

#include <string>
#include <string_view>

#include "calibrate/measurements/measurement.hpp"
#include "netmodels/result.hpp"

namespace calibrate::measurements {

/// The text of a measurements file. The first line holds `collective=`, `nranks=` and, where known, `nodes=`;
/// a line each follows for what is known of `gpus`, `network`, `tool`, `algorithm`, `protocol`, `source`,
/// `licence` and each `note`; then the columns size_bytes, time_us, algbw_GBs (size / time, 10^9 bytes per
/// second) and busbw_GBs.
std::string print_csv(const Measurements& measured);

/// Reads what `print_csv` writes: the same values bit by bit. The first line may hold further keys after `;
/// `. The columns may be in any order and the two bandwidths may be missing; where present, they must
/// belong to size and time as far as their digits go (0.6 % and half of the second decimal). Comments without
/// a key are passed over.
/// @param source  named in errors, as `source:line:column`
netmodels::Result<Measurements> parse_csv(std::string_view text, std::string_view source);

/// Whether a bandwidth printed with few digits (two decimals, four digits) can be the rounded exact one.
/// Both in GB/s.
bool agrees(double printed, double exact);

}  // namespace calibrate::measurements
