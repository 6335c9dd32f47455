// `calibrate probe layers`: models trained under PyTorch's profiler become workloads.
#pragma once

#include <ostream>
#include <string>

namespace calibrate {

/// What was said on the command line.
struct ProbeLayersOptions {
  std::string python = "python3";  ///< one that has PyTorch
  std::string script{};            ///< pytorch_traces.py
  std::string models{};            ///< parted by commas; empty: all that the script knows
  std::string batches{};           ///< parted by commas; empty: two that suit each model
  std::string device = "cuda";     ///< cuda or cpu
  int steps = 5;
  bool tf32 = false;
  std::string output{};  ///< folder of traces and workloads
  bool quiet = false;
};

/// Runs the script, which writes NAME_bBATCH.json.gz, and imports each trace as NAME_bBATCH.yaml beside it.
/// Traces that cannot be imported are named and stay.
/// @param out  passed on to the import
/// @param log  refusals and progress
/// @returns the exit code; `exit_broken` where Python, PyTorch or a device is missing
int run_probe_layers(const ProbeLayersOptions& options, std::ostream& out, std::ostream& log);

}  // namespace calibrate
