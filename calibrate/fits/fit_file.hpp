// Files of fits: written, and read again.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "calibrate/fits/held_out.hpp"
#include "calibrate/measurements/measurement.hpp"
#include "netmodels/result.hpp"

namespace calibrate::fits {

// The YAML file of fits: written for people, for `sim` and for `calibrate validate`.

/// One fit with its source and range.
struct FitRecord {
  const measurements::Operation* operation = nullptr;
  int ranks = 0;
  std::optional<int> nodes;
  measurements::Facts facts;  ///< as of the measurements, without notes
  std::string measurements;   ///< name of the file it was fitted to, without its folder
  std::size_t sizes = 0;      ///< how many were measured
  netmodels::Bytes smallest;  ///< measured size
  netmodels::Bytes largest;
  Fit fit;
};

/// @param file  name of the measurements file
FitRecord record_of(const measurements::Measurements& measured, const std::string& file, const Fit& fit);

/// The YAML text: provenance, held-out errors (in %) and segments with units, six digits. Time of a message:
/// latency + size / 10^6 bytes * time_per_megabyte. Where straight lines between neighbouring sizes were
/// chosen, `interpolation` names them and `points` lists the sizes.
/// @param version  of the program
std::string print_fits(std::span<const FitRecord> records, std::string_view version);

/// Reads what `print_fits` writes, with the keys of a fit in any order; not general YAML.
/// @param source  named in errors, as `source:line:column`
/// @returns at least one fit, or an Error for an unknown key, an invalid value, a fit without collective,
/// ranks or
///          segments, ends of segments or sizes of points that do not rise, and points without the
///          `interpolation` that uses them, or the other way round
netmodels::Result<std::vector<FitRecord>> parse_fits(std::string_view text, std::string_view source);

// The keys of one fit in a file of fits: how each is printed and read.

/// One `key: value` line.
struct FitKey {
  std::string_view name;
  /// The value as written to the file; empty where it is not known and the line is left out.
  std::string (*print)(const FitRecord& record);
  /// @returns an Error with an empty `where` for an invalid value
  netmodels::Result<void> (*read)(FitRecord& record, std::string_view value);
};

/// Every key, in the order in which they are written.
std::span<const FitKey> fit_keys();

/// `{up_to: 16 KiB, latency: 98 us, time_per_megabyte: 531 us}`; the last segment has no `up_to`.
std::string print_segment(const Segment& segment, bool is_last);

/// @param has_end  set to whether the segment has `up_to`
/// @returns an Error with an empty `where`
netmodels::Result<Segment> read_segment(std::string_view text, bool& has_end);

/// `{size: 16 KiB, time: 98 us}`
std::string print_point(const netmodels::MeasuredTime& point);

/// @returns an Error with an empty `where`, also for a size or time of 0
netmodels::Result<netmodels::MeasuredTime> read_point(std::string_view text);

}  // namespace calibrate::fits
