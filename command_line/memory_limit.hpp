// How much memory the program may use.
#pragma once

#include <cstddef>
#include <string>

#include <CLI/CLI.hpp>

#include "netmodels/quantity.hpp"

namespace command_line {

/// Adds `--memory SIZE`. Beyond it an allocation fails, which ends the program with a message instead of the
/// machine with it. Without the option it is 80 % of what the machine, or its control group (cgroup v2), has.
///
/// Counted is what a process may write and shares with none (RLIMIT_DATA): not files that are mapped, not
/// what MPI shares between ranks, not a GPU's memory. Where addresses are sanitized there is no limit.
void add_memory_limit(CLI::App& program);

/// Keeps a child process to its share of the limit, which `processes` processes have together.
void share_memory(std::size_t processes);

/// The limit in force, for the message of a failed allocation: "more memory is needed than the limit of 1 GB;
/// raise it by --memory".
/// @param processes  that share the limit, of which this is one
std::string memory_message(std::size_t processes = 1);

/// 80 % of the lesser of the machine's memory and its control group's.
/// @param meminfo  the text of /proc/meminfo
/// @param group    the text of the group's memory.max; `max` or nothing where it has no limit
netmodels::Bytes default_memory(const std::string& meminfo, const std::string& group);

}  // namespace command_line
