// The probe of the exchanges over MPI, and the samples that it keeps.
#pragma once

#include <functional>
#include <span>
#include <stdexcept>
#include <string>
#include <vector>

#include "calibrate/measurements/measurement.hpp"
#include "calibrate/probes/host_facts.hpp"
#include "calibrate/probes/mpi_plan.hpp"
#include "netmodels/quantity.hpp"
#include "netmodels/result.hpp"

namespace calibrate::probes {

// The timed repetitions of an exchange, size by size, and their file.

/// All repetitions of one exchange at one size.
struct SampledSize {
  netmodels::Bytes size;
  std::vector<netmodels::Seconds> samples;  ///< in order of time, at least one
};

/// All sizes of one exchange.
struct SampledExchange {
  const measurements::Operation* operation = nullptr;  ///< a row of `measurements::operations()`
  std::vector<SampledSize> sizes;                      ///< rising
};

/// The median of each size, as a row that `calibrate fit` reads.
std::vector<measurements::MeasuredPoint> median_points(const SampledExchange& exchange);

/// CSV with the columns collective, ranks, size_bytes, repetitions, median_us, min_us, p95_us and samples_us:
/// all samples in order of time, parted by blanks.
/// @param ranks  N
std::string print_samples(std::span<const SampledExchange> exchanges, int ranks);

// `calibrate probe mpi`: verified and timed exchanges over the MPI that started this process.

/// MPI, initialised for as long as this lives. At most one per process.
class MpiSession {
 public:
  /// @returns an Error where gradsim was built without MPI
  static netmodels::Result<MpiSession> open();

  MpiSession(MpiSession&& other) noexcept;
  MpiSession(const MpiSession&) = delete;
  MpiSession& operator=(MpiSession&&) = delete;
  MpiSession& operator=(const MpiSession&) = delete;
  ~MpiSession();

  [[nodiscard]] int rank() const { return rank_; }
  [[nodiscard]] int ranks() const { return ranks_; }

  /// Ends the processes of all ranks, those that wait in a collective too. For a failure that is this rank's
  /// alone.
  [[noreturn]] void end_all_ranks(int exit_code) const;

 private:
  MpiSession() = default;

  int rank_ = 0;
  int ranks_ = 1;
  bool open_ = true;
};

/// A failure that all ranks know of: each of them throws it, and none waits for another.
class FailureOfAllRanks : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// Results of the probe, and the machine.
struct MpiMeasured {
  std::vector<SampledExchange> exchanges;
  std::vector<std::string> skipped;  ///< a sentence for each size that was not measured
  int ranks = 0;
  std::vector<std::string> hosts;  ///< distinct names, in order of their first rank
  std::string library;             ///< MPI's name and version
  std::string clock;               ///< how times were taken
  HostFacts host;                  ///< facts of rank 0
};

/// Runs the plan. Every rank calls it; only rank 0 gets the whole result.
///
/// Each exchange is run once and its result compared with a sum computed without a network, on every rank;
/// then it is warmed up further and timed.
/// @param say  called on rank 0 for each exchange that begins
/// @returns an Error where there is only one rank
/// @throws FailureOfAllRanks where a result is wrong, with rank, value and place
netmodels::Result<MpiMeasured> run_mpi_probe(const MpiSession& session, const MpiPlan& plan,
                                             const std::function<void(const std::string&)>& say);

}  // namespace calibrate::probes
