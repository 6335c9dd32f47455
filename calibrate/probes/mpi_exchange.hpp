// One exchange over MPI: its values, its calls, and its time by a clock that all ranks share.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "calibrate/probes/mpi_plan.hpp"
#include "netmodels/quantity.hpp"
#include "netmodels/result.hpp"

namespace calibrate::probes {

// The exchanges of the MPI probe, each ready to be run again and again on this rank.

/// The rank of this process and their number.
struct MpiPlace {
  int rank = 0;
  int ranks = 1;  ///< N
};

/// One exchange at one size with its buffers. Collective: every rank calls `run` equally often.
struct MpiExchange {
  netmodels::Bytes size;      ///< as the operation counts it; may differ from the requested size by rounding
  double runs_per_time = 1;   ///< divisor of the elapsed time: 2 for a round trip
  std::function<void()> run;  ///< exchanges the gradient, to the result on every rank
  std::function<netmodels::Result<void>()> verify;  ///< checks what the last run left on this rank
};

/// MPI must have been initialised and its default error handler stays: an MPI call that fails ends all ranks.
/// @param size   of the row's operation, see `measurements::SizeMeaning`; a gradient's dense bytes where it
///               compresses
/// @param ratio  c, kept / original, in (0, 1]
MpiExchange make_mpi_exchange(const MpiRow& row, netmodels::Bytes size, double ratio, MpiPlace place);

// The gradients that probes exchange over MPI and, compressed, over NCCL, and the expected results.

/// Element `element` of rank `rank`'s gradient: a whole number of -32767 to 32767, so that fp32 sums of up to
/// 512 ranks are exact in any order.
float gradient_value(int rank, std::size_t element);

/// The first `elements` values of the rank's gradient.
std::vector<float> gradient_of(int rank, std::size_t elements);

/// The sum over all ranks, element by element.
std::vector<float> dense_sum(int ranks, std::size_t elements);

/// The result of a top-k exchange: the sum of the messages of each rank's `kernels::TopK`.
std::vector<float> top_k_sum(int ranks, std::size_t elements, double ratio);

/// The result of AR-Topk: the sum over all ranks at the indices of rank 0's top-k, 0 elsewhere.
std::vector<float> ar_top_k_sum(int ranks, std::size_t elements, double ratio);

/// How many values each rank brings to the all-gatherv: rank i 0.5 + i/(N-1) of the mean, at least one.
/// @param elements  of all ranks together, before rounding
/// @param ranks     N, at least 2
std::vector<int> unequal_parts(int ranks, std::size_t elements);

/// The length of `kept` values and as many indices in words of 4 bytes, as MPI counts them: 2^29 at most for
/// the largest gradient of `read_sizes`, where their bytes pass the range of an int.
/// @param kept  at most 2^28
int pair_words(std::size_t kept);

/// @returns an Error that names the first element that differs, or two unequal lengths
netmodels::Result<void> compare(std::span<const float> wanted, std::span<const float> got);

// How one repetition on all ranks is started together and timed.

/// Times a joint operation of all ranks. Every call is collective. MPI must have been initialised.
///
/// Ranks of one machine share CLOCK_MONOTONIC: all start at one moment T0, and a repetition takes from T0 to
/// the end on the last rank. Across machines each rank takes its own time from the end of a barrier, and the
/// repetition takes the longest of them.
class MpiClock {
 public:
  /// @param shared  whether all ranks read the same clock
  MpiClock(MpiPlace place, bool shared) : place_(place), shared_(shared) {}

  /// One repetition; the same answer on every rank.
  /// @returns nothing where T0 could not be kept: again and again some rank heard of it too late
  std::optional<netmodels::Seconds> time(const std::function<void()>& run);

  /// How times were taken, in words, for provenance.
  [[nodiscard]] std::string_view method() const;

 private:
  struct Start {
    netmodels::Seconds moment;
    bool missed;  ///< whether it had passed when this rank heard of it
  };
  Start start_together();

  static constexpr netmodels::Seconds shortest_lead_{2e-3};
  static constexpr netmodels::Seconds longest_lead_{0.2};

  MpiPlace place_;
  bool shared_;
  netmodels::Seconds lead_ = shortest_lead_;  // time to T0 when it is chosen; longer where messages come late
};

/// CLOCK_MONOTONIC, now.
netmodels::Seconds monotonic_now();

}  // namespace calibrate::probes
