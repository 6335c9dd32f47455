// `calibrate probe kernels`: times of the gradient compressors on this machine.
#pragma once

#include <atomic>
#include <cstdint>
#include <ostream>
#include <string>
#include <vector>

namespace calibrate {

/// What was said on the command line.
struct ProbeKernelsOptions {
  std::string device = "cpu";              ///< cpu or cuda
  std::vector<std::string> compressors{};  ///< none: all that the device has
  std::vector<std::int64_t> elements{1'000'000, 2'000'000, 4'000'000, 10'000'000, 25'000'000, 50'000'000};
  std::vector<double> ratios{0.1, 0.01, 0.001};
  double seconds = 0.5;  ///< of each case
  bool heavy_tailed = false;
  std::string output = "-";
  std::string samples{};  ///< file of every repetition; empty: none
  bool quiet = false;
  const std::atomic<bool>* stop = nullptr;  ///< once raised, what was measured is written; may be null
  std::string version{};                    ///< of the program, for the provenance
};

/// Measures the twins of the compressors on the processor, or on the first CUDA device, and writes a file of
/// kernel times (CSV), and where asked one of every repetition; one that was stopped says so and holds the
/// cases before. Refuses `cuda` where there is no device, or where the program was built without CUDA.
/// @param out  standard output, for `-o -`
/// @param log  refusals, that it was stopped, and progress unless `quiet`
/// @returns the exit code
/// @throws std::runtime_error where the device breaks down, or a compressor loses a value
int run_probe_kernels(const ProbeKernelsOptions& options, std::ostream& out, std::ostream& log);

}  // namespace calibrate
