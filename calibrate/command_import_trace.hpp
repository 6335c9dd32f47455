// `calibrate import kineto` and `calibrate import chakra`: traces of trainings become workloads.
#pragma once

#include <cstdint>
#include <optional>
#include <ostream>
#include <string>
#include <vector>

namespace calibrate {

/// What was said on the command line.
struct ImportTraceOptions {
  std::string tool{};  ///< kineto or chakra
  std::vector<std::string> files{};
  std::string output{};
  std::string format = "workload";      ///< workload or smpi-ti
  std::optional<std::int64_t> batch{};  ///< nothing: as the trace says
  std::optional<std::int64_t> ranks{};  ///< of smpi-ti; nothing: as the trace says
  std::string source{};                 ///< empty: the name of the file
  std::string licence{};
  bool quiet = false;
};

/// Imports and writes: FILE.yaml with FILE_layers.csv and FILE_times.csv beside it, or one time-independent
/// trace.
/// @param out  standard output, for `-o -`
/// @param log  refusals, and what was found and left out unless `quiet`
/// @returns the exit code
int run_import_trace(const ImportTraceOptions& options, std::ostream& out, std::ostream& log);

}  // namespace calibrate
