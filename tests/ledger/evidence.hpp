// Measurements files as texts, for tests of the ledger's rules.
#pragma once

#include <string>
#include <vector>

#include "calibrate/ledger/prediction.hpp"
#include "calibrate/measurements/measurement_csv.hpp"

namespace calibrate::ledger {

/// A measurements file with times a + b * size at 1 kB, 2 kB, ... 32 MB.
inline SourceText line_table(const std::string& path, const std::string& operation, int ranks, double latency,
                             double per_byte) {
  measurements::Measurements measured;
  measured.operation = *measurements::find_operation(operation);
  measured.ranks = ranks;
  measured.facts.source = path;
  for (double size = 1e3; size < 4e7; size *= 2)
    measured.points.push_back({{size}, {latency + per_byte * size}});
  return {path, measurements::print_csv(measured)};
}

}  // namespace calibrate::ledger
