// `calibrate import`: other tools' logs become measurements files.
#pragma once

#include <cstdint>
#include <optional>
#include <ostream>
#include <string>
#include <vector>

namespace calibrate {

/// What was said on the command line.
struct ImportOptions {
  std::string tool{};  ///< nccl-tests or osu
  std::vector<std::string> files{};
  std::string output = "-";
  std::string collective{};             ///< empty: as the log says
  std::optional<std::int64_t> ranks{};  ///< nothing: as the log says
  std::optional<std::int64_t> nodes{};
  std::optional<std::string> network{};
  std::optional<std::string> source{};
  std::optional<std::string> licence{};
  bool quiet = false;
};

/// Imports, checks, joins and writes.
/// @param out  standard output, for `-o -`
/// @param log  refusals, and what was left out unless `quiet`
/// @returns the exit code
int run_import(const ImportOptions& options, std::ostream& out, std::ostream& log);

}  // namespace calibrate
