// Small sweeps, made by hand, for the tests of their reports.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "command_line/csv.hpp"
#include "sim/sweep/sweep_store.hpp"

namespace sim::sweep {

/// The points of a store as CSV.
inline std::string csv_of(const SweepStore& store) {
  const command_line::Table points = store.table();
  return csv_header(points) + csv_rows(points);
}

/// The results of an arm of a test at one point.
struct SweptArm {
  std::string arm;
  double step_time_s = 0.1;
  double sent_bytes = 1e6;
  std::string not_compared = {};
  double samples = 100;  ///< per step, of all workers
  std::int64_t steps = 10;
  command_line::Cell accuracy = {};
};

/// A sweep over bandwidth and collective, without points.
inline SweepIdentity swept_axes() {
  return {"s.yaml",
          "Does it pay?",
          "workers: 4\n",
          "1.0",
          "grid",
          {{"cluster.link.bandwidth", {"1 Gbit/s", "10 Gbit/s"}}, {"exchange.collective", {"ring", "tree"}}},
          false,
          4};
}

/// A point with these results.
inline SweptPoint swept(std::size_t number, std::vector<std::string> values,
                        const std::vector<SweptArm>& arms) {
  SweptPoint point;
  point.number = number;
  point.values = std::move(values);
  for (const char* key : {"arm", "steps", "step_time_s", "total_time_s", "throughput_samples_per_s",
                          "sent_bytes", "accuracy", "learner", "priced_closed", "not_compared"})
    point.rows.columns.push_back({key, "", {}});
  for (const SweptArm& arm : arms) {
    point.rows.rows.push_back({arm.arm, arm.steps, arm.step_time_s,
                               static_cast<double>(arm.steps) * arm.step_time_s,
                               arm.samples / arm.step_time_s, arm.sent_bytes, arm.accuracy,
                               std::string("none"), static_cast<std::int64_t>(number),
                               arm.not_compared.empty() ? command_line::Cell() : arm.not_compared});
  }
  return point;
}

/// A point that failed.
inline SweptPoint fallen(std::size_t number, std::vector<std::string> values, const std::string& message) {
  SweptPoint point;
  point.number = number;
  point.values = std::move(values);
  point.failure = message;
  return point;
}

}  // namespace sim::sweep
