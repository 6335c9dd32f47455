// `calibrate probe nccl`: exchanges of gradients over NCCL, on many GPUs or on one, as measurements.
#pragma once

#include <atomic>
#include <optional>
#include <ostream>
#include <string>
#include <vector>

namespace calibrate {

/// What was said on the command line.
struct ProbeNcclOptions {
  int ranks = 2;
  std::vector<std::string> operations{"all_reduce", "all_gather", "broadcast", "topk_all_gather_messages",
                                      "ar_topk_messages"};
  std::string sizes = "4KiB..64MiB";
  double ratio = 0.01;  ///< c of the sparse exchanges, kept / original
  int calls = 20;       ///< between two looks at the clock
  int repetitions = 10;
  std::string library = "libnccl.so.2";
  std::optional<std::string> algorithm{};  ///< NCCL_ALGO
  std::optional<std::string> protocol{};   ///< NCCL_PROTO
  std::optional<std::string> network{};
  std::string output{};  ///< a folder; made where it is missing
  bool quiet = false;
  std::string version{};                    ///< of the program, for the provenance
  const std::atomic<bool>* stop = nullptr;  ///< once raised, no further size is begun; may be null
};

/// Writes a measurements file per exchange, NAME.csv, and samples.csv with every repetition: of what was
/// measured until the probe was told to stop. Nothing is written where it refuses or fails.
/// @param log  refusals, warnings, and progress unless `quiet`
/// @returns the exit code; `exit_broken` where there is no device
int run_probe_nccl(const ProbeNcclOptions& options, std::ostream& log);

}  // namespace calibrate
