// `calibrate probe kernels`: times of the gradient compressors on this machine.
#pragma once

#include <ostream>
#include <string>
#include <vector>

namespace calibrate {

/// What was said on the command line.
struct ProbeKernelsOptions {
  std::vector<std::string> compressors{};  ///< none: all
  std::vector<std::int64_t> elements{1'000'000, 2'000'000, 4'000'000, 10'000'000, 25'000'000};
  std::vector<double> ratios{0.1, 0.01, 0.001};
  double seconds = 0.5;  ///< of each case
  bool heavy_tailed = false;
  std::string output = "-";
  bool quiet = false;
  std::string version{};  ///< of the program, for the provenance
};

/// Measures the processor's twins of the compressors and writes a file of kernel times (CSV).
/// @param out  standard output, for `-o -`
/// @param log  refusals, and progress unless `quiet`
/// @returns the exit code
/// Leaves out: GPUs, until the kernels have CUDA twins.
int run_probe_kernels(const ProbeKernelsOptions& options, std::ostream& out, std::ostream& log);

}  // namespace calibrate
