// Every key of a file of fits, as `calibrate fit` writes it.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

#include "netmodels/quantity.hpp"
#include "settings/fields.hpp"

namespace sim::scenario {

/// One piece of time over size.
struct SegmentKeys {
  std::optional<netmodels::Bytes> up_to;  ///< nothing: without end
  netmodels::Seconds latency;
  netmodels::Seconds time_per_megabyte;  ///< of 10^6 bytes
};

/// One fit.
struct FitKeys {
  std::string collective;
  int ranks = 0;
  std::optional<int> nodes;
  std::string size;
  std::optional<std::string> machine, network, tool, algorithm, protocol, source, licence;
  std::string measurements;
  int measured_sizes = 0;
  netmodels::Bytes smallest_size, largest_size;
  std::string held_out;
  double mean_error = 0, median_error = 0, p90_error = 0, worst_error = 0, bias = 0;
  std::vector<SegmentKeys> segments;
};

/// The file.
struct FitsKeys {
  std::vector<FitKeys> fits;
};

void describe(settings::Fields& fields, SegmentKeys& value);

void describe(settings::Fields& fields, FitKeys& value);

void describe(settings::Fields& fields, FitsKeys& value);

}  // namespace sim::scenario
