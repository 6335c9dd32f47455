// Small scenarios for tests, and the results of reading them.
#pragma once

#include <array>
#include <filesystem>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "sim/scenario/study.hpp"
#include "tests/scratch_folder.hpp"
#include "tests/source_tree.hpp"

namespace sim::scenario {

/// The shipped scenarios, workloads, devices and tables.
inline const std::filesystem::path data_dir = tests::source_dir() + "/scenarios";

/// The least that a scenario must say, with room for more.
inline const std::string least =
    "# Does it pay?\n"
    "workload: {name: tiny, parameters: 1000000, compute: 30 ms, batch: 32}\n"
    "cluster: {workers: 4, link: {latency: 1 ms, bandwidth: 10 Gbit/s}}\n"
    "training: {batch: 32, epochs: 2, samples: 12800}\n";

/// The same with more keys in the cluster, which are on line 3 from column 11 on.
inline std::string with_cluster(const std::string& more) {
  return "# Does it pay?\n"
         "workload: {name: tiny, parameters: 1000000, compute: 30 ms, batch: 32}\n"
         "cluster: {" +
         more +
         "}\n"
         "training: {batch: 32, epochs: 2, samples: 12800}\n";
}

inline const std::string good_link = "link: {latency: 1 ms, bandwidth: 10 Gbit/s}";

/// Metrics of each kind that `expect` may name.
inline constexpr std::array some_metrics{
    language::ExpectableMetric{"step_time", language::MetricUnit::time},
    language::ExpectableMetric{"exchange_time", language::MetricUnit::time},
    language::ExpectableMetric{"sent_bytes", language::MetricUnit::size},
    language::ExpectableMetric{"throughput", language::MetricUnit::number},
    language::ExpectableMetric{"scaling_efficiency", language::MetricUnit::number},
    language::ExpectableMetric{"collective_share", language::MetricUnit::number,
                               language::ShareOf::collective},
    language::ExpectableMetric{"method_share", language::MetricUnit::number, language::ShareOf::method},
    language::ExpectableMetric{"ratio_share", language::MetricUnit::number, language::ShareOf::ratios},
};

/// Reads a text as the file s.yaml.
inline netmodels::Result<Reading> read(const tests::ScratchFolder& scratch, const std::string& text,
                                       const std::vector<std::string>& settings = {}) {
  return read_study(scratch.write("s.yaml", text), settings, data_dir, some_metrics);
}

/// The error's text without the folder, or "accepted".
inline std::string refusal(const std::string& text, const std::vector<std::string>& settings = {}) {
  const tests::ScratchFolder scratch;
  const auto reading = read(scratch, text, settings);
  if (reading) return "accepted";
  std::string error = reading.error().text();
  const std::string folder = scratch.path().string() + "/";
  for (std::size_t at = error.find(folder); at != std::string::npos; at = error.find(folder))
    error.erase(at, folder.size());
  return error;
}

/// The study, which must be readable.
inline Study study(const std::string& text, const std::vector<std::string>& settings = {}) {
  const tests::ScratchFolder scratch;
  const auto reading = read(scratch, text, settings);
  EXPECT_TRUE(reading) << (reading ? "" : reading.error().text());
  return reading ? reading->study : Study{};
}

/// The first arm of a study, which must be readable.
inline Scenario first_arm(const std::string& text) { return study(text).arms.at(0); }

/// The error's text where a cluster of four workers has more keys.
inline std::string cluster_error(const std::string& more) {
  return refusal(with_cluster("workers: 4, " + good_link + ", " + more));
}

}  // namespace sim::scenario
