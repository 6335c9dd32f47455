// The same study with other values of its uncertain inputs, each sample in its own process.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "netmodels/result.hpp"
#include "sim/report/simulated_study.hpp"
#include "sim/scenario/scenario.hpp"

namespace sim::sweep {

/// Shares of distributions: for each input its value in every sample. Each input's samples are one in each of
/// as many equally likely parts, at a random place of it, in an order of their own.
/// @returns `inputs` lists of `samples` numbers in (0, 1)
/// Source: M. D. McKay, R. J. Beckman & W. J. Conover, "A Comparison of Three Methods for Selecting Values of
/// Input Variables in the Analysis of Output from a Computer Code", Technometrics 21(2), 1979.
std::vector<std::vector<double>> hypercube_shares(std::size_t inputs, std::size_t samples,
                                                  std::uint64_t seed);

/// Request for draws of one scenario.
struct SampleRequest {
  std::string file;                   ///< the scenario
  std::vector<std::string> settings;  ///< `KEY=VALUE`, applied to it in every sample
  std::filesystem::path data_dir;     ///< the folder `scenarios`
  scenario::Uncertainty asked;
  std::size_t seeds = 1;  ///< taken in turn by the samples, counted up from that of the study
  std::size_t jobs = 1;   ///< processes at a time
  const std::atomic<bool>* stop = nullptr;  ///< ends the runs when true; may be null
};

/// Draws the inputs that are stated with a range and, where they are asked for, those whose range was
/// published or measured with them; runs all arms with each draw. This process must run no other thread and
/// hold no cluster.
/// @param study  with its stated values
/// @returns the samples that were run: fewer where it was stopped, none where nothing has a range; or the
/// Error of the first sample that failed, with its values
netmodels::Result<report::UncertainSamples> simulate_samples(const SampleRequest& request,
                                                             const scenario::Study& study);

}  // namespace sim::sweep
