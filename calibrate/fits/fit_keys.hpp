// The keys of one fit in a file of fits: how each is printed and read.
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "calibrate/fits/fit_file.hpp"
#include "netmodels/result.hpp"

namespace calibrate::fits {

/// One `key: value` line.
struct FitKey {
  std::string_view name;
  /// The value as it stands in the file; empty where it is not known and the line is left out.
  std::string (*print)(const FitRecord& record);
  /// @returns an Error with an empty `where` for a value that is none
  netmodels::Result<void> (*read)(FitRecord& record, std::string_view value);
};

/// Every key, in the order in which they are written.
std::span<const FitKey> fit_keys();

/// `{up_to: 16 KiB, latency: 98 us, time_per_megabyte: 531 us}`; the last segment has no `up_to`.
std::string print_segment(const Segment& segment, bool is_last);

/// @param has_end  set to whether the segment has `up_to`
/// @returns an Error with an empty `where`
netmodels::Result<Segment> read_segment(std::string_view text, bool& has_end);

}  // namespace calibrate::fits
