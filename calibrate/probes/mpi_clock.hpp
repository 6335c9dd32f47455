// How one repetition on all ranks is started together and timed.
#pragma once

#include <functional>
#include <optional>
#include <string_view>

#include "calibrate/probes/mpi_exchange.hpp"
#include "netmodels/quantity.hpp"

namespace calibrate::probes {

/// Times what all ranks do together. Every call is collective. MPI must have been initialised.
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
    bool missed;  ///< it had passed when this rank heard of it
  };
  Start start_together();

  static constexpr netmodels::Seconds shortest_lead_{2e-3};
  static constexpr netmodels::Seconds longest_lead_{0.2};

  MpiPlace place_;
  bool shared_;
  netmodels::Seconds lead_ = shortest_lead_;  // from the choice of T0 to T0; longer where messages come late
};

/// CLOCK_MONOTONIC, now.
netmodels::Seconds monotonic_now();

}  // namespace calibrate::probes
