// A traced workload as a time-independent trace that SimGrid's SMPI replays.
#pragma once

#include <string>

#include "calibrate/imports/traced_workload.hpp"

namespace calibrate::imports {

/// One step of every rank in one text, for `smpirun -replay` (whose argument is a file that names the trace):
/// `init`, computing until a bucket is complete, its all-reduce, and so on, the optimizer, `finalize`. A
/// second of computing is 1e9 flop, so hosts of 1 Gf compute as fast as the trace did; an all-reduce counts 4
/// bytes for each value.
/// @param ranks  at least 1
/// Leaves out: overlap, because the replay knows no all-reduce that does not block: its step is an upper
/// bound. Source: SimGrid 3.32, smpi_replay (actions `init`, `compute`, `allreduce`, `finalize`).
std::string print_smpi_trace(const TracedWorkload& workload, int ranks);

}  // namespace calibrate::imports
