// Small scenarios for tests, and what reading them comes to.
#pragma once

#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "sim/scenario/study.hpp"
#include "tests/scratch_folder.hpp"

namespace sim::scenario {

/// The least that a scenario must say, with room for more.
inline const std::string least =
    "# Does it pay?\n"
    "workload: {name: tiny, parameters: 1000000, compute: 30 ms, batch: 32}\n"
    "cluster: {workers: 4, link: {latency: 1 ms, bandwidth: 10 Gbit/s}}\n"
    "training: {batch: 32, epochs: 2, samples: 12800}\n";

/// The same with more keys in the cluster, which stand on line 3 from column 11 on.
inline std::string with_cluster(const std::string& more) {
  return "# Does it pay?\n"
         "workload: {name: tiny, parameters: 1000000, compute: 30 ms, batch: 32}\n"
         "cluster: {" +
         more +
         "}\n"
         "training: {batch: 32, epochs: 2, samples: 12800}\n";
}

inline const std::string good_link = "link: {latency: 1 ms, bandwidth: 10 Gbit/s}";

/// Reads a text as the file s.yaml.
inline netmodels::Result<Reading> read(const tests::ScratchFolder& scratch, const std::string& text,
                                       const std::vector<std::string>& settings = {}) {
  return read_study(scratch.write("s.yaml", text), settings, GRADSIM_SOURCE_DIR "/scenarios");
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

}  // namespace sim::scenario
