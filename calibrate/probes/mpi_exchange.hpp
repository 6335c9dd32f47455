// The exchanges of the MPI probe, each ready to be run again and again on this rank.
#pragma once

#include <functional>

#include "calibrate/probes/mpi_plan.hpp"
#include "netmodels/quantity.hpp"
#include "netmodels/result.hpp"

namespace calibrate::probes {

/// Where this process stands among all.
struct MpiPlace {
  int rank = 0;
  int ranks = 1;  ///< N
};

/// One exchange at one size with its buffers. Collective: every rank calls `run` equally often.
struct MpiExchange {
  netmodels::Bytes size;      ///< as the operation counts it; may differ from what was asked by rounding
  double runs_per_time = 1;   ///< what the elapsed time is divided by: 2 for a round trip
  std::function<void()> run;  ///< from the gradient to what every rank must hold
  std::function<netmodels::Result<void>()> verify;  ///< of what the last run left on this rank
};

/// MPI must have been initialised and its default error handler stays: an MPI call that fails ends all ranks.
/// @param size   of the row's operation, see `measurements::SizeMeaning`; a gradient's dense bytes where it
///               compresses
/// @param ratio  c, kept / original, in (0, 1]
MpiExchange make_mpi_exchange(const MpiRow& row, netmodels::Bytes size, double ratio, MpiPlace place);

}  // namespace calibrate::probes
