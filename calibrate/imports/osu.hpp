// Import of what the OSU Micro-Benchmarks measured.
#pragma once

#include <string>
#include <string_view>

#include "calibrate/imports/imported.hpp"
#include "netmodels/result.hpp"

namespace calibrate::imports {

/// Reads the text of osu_allreduce, osu_allgather, osu_reduce_scatter, osu_bcast, osu_reduce, osu_alltoall,
/// osu_gather, osu_scatter and osu_latency, on CPUs and on GPUs, with -f or without: the second column is
/// taken (mean latency over the ranks, microseconds). OSU prints one rank's part for all-gather, all-to-all,
/// gather and scatter; we count the total, N times as much. Rows of size 0, rows that failed their validation
/// and a last row without its line break, whose number may be cut, are left out and counted.
///
/// @param source  named in errors; the file's name is kept as the source
/// @param hints   `ranks` is needed for all but osu_latency (2): OSU does not print them
/// @returns an Error for: no headline, another test (bandwidth, non-blocking, multi-pair), 0 rows, a row cut
/// short,
///          sizes that do not rise, times that are not finite and above 0
/// Leaves out: minimum, maximum and percentiles of -f; bandwidth tests, which keep a window of messages in
/// flight. Source: OSU Micro-Benchmarks 5 to 7, c/mpi.
netmodels::Result<Imported> import_osu(std::string_view text, const std::string& source,
                                       const LogHints& hints);

}  // namespace calibrate::imports
