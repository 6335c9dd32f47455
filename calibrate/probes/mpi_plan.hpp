// Plan of `calibrate probe mpi`: the table of exchanges, their sizes, and how often each is repeated.
#pragma once

#include <cstddef>
#include <span>
#include <string_view>
#include <vector>

#include "netmodels/quantity.hpp"
#include "netmodels/result.hpp"

namespace calibrate::probes {

/// One exchange that the probe can run. The name is that of its row in `measurements::operations()`.
struct MpiRow {
  std::string_view name;
  std::string_view summary;  ///< one sentence
  bool compresses;           ///< the ratio counts
};

/// Every exchange, in a stable order. The all-reduce is also the dense exchange of gradients.
std::span<const MpiRow> mpi_rows();

/// Measurements in their order: each exchange at each size.
struct MpiPlan {
  std::vector<const MpiRow*> exchanges;
  std::vector<netmodels::Bytes> sizes;  ///< rising; each a multiple of 4 bytes
  int repetitions = 20;                 ///< timed, at most; 3 to 10000
  double ratio = 0.01;                  ///< c, kept / original, in (0, 1]
  netmodels::Seconds most_time{120};    ///< limit of the whole probe, above 0
};

/// Runs before the timed ones, of each exchange at each size; the first of them is verified.
inline constexpr int mpi_warm_ups = 3;
/// Timed runs that a median needs at least.
inline constexpr int fewest_repetitions = 3;

/// Comma-separated names; `all` selects every row.
/// @returns an Error that names the nearest known one, or one named twice
netmodels::Result<std::vector<const MpiRow*>> read_exchanges(std::string_view names);

/// @returns an Error with the option's name as its place: repetitions, ratio or time out of range
netmodels::Result<void> check(const MpiPlan& plan);

/// Shares the time that is left out among the measurements that are left.
class RepetitionBudget {
 public:
  /// @param cells  measurements in all, exchanges times sizes
  RepetitionBudget(netmodels::Seconds most_time, std::size_t cells, int repetitions)
      : most_time_(most_time), cells_left_(cells), repetitions_(repetitions) {}

  /// How often the next measurement is repeated: as often as its even share of the time left allows, but
  /// `fewest_repetitions` at least and the wanted number at most; 0 once the time is over.
  /// @param elapsed  since the probe began
  /// @param once     one run of this measurement, above 0
  int grant(netmodels::Seconds elapsed, netmodels::Seconds once);

 private:
  netmodels::Seconds most_time_;
  std::size_t cells_left_;
  int repetitions_;
};

}  // namespace calibrate::probes
