// Tables of MPI collectives that were measured over shaped links.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "netmodels/quantity.hpp"
#include "netmodels/result.hpp"

namespace calibrate::imports {

/// Conditions under which a row was measured.
struct LiveSetting {
  std::string stack;          ///< MPI library and how it was set up, as ompi_eager
  int ranks = 0;              ///< each on its own link
  netmodels::Bandwidth line;  ///< rate of each link, Ethernet headers included
  netmodels::Seconds delay;   ///< added to each way

  bool operator==(const LiveSetting&) const = default;
};

/// One row.
struct LiveRow {
  LiveSetting setting;
  std::string collective;   ///< pingpong, allreduce, allgather, allgatherv, bcast, ...
  std::string algorithm;    ///< as it was pinned: ring, recdbl, rabenseifner, binomial, ...;
                            ///< openmpi: its default
  netmodels::Bytes size;    ///< size of the buffer; of one rank's contribution (allgather, gather) or share
                            ///< (scatter), of the mean one (allgatherv), of the message (pingpong)
  netmodels::Seconds time;  ///< median over the repetitions; half of a round trip for pingpong
};

/// Reads the columns stack, collective, algorithm, ranks, bandwidth_mbit, latency_us, bytes and median_us, in
/// any order; other columns are ignored.
/// @param source  named in errors
/// @returns at least one row, or an Error with its place
netmodels::Result<std::vector<LiveRow>> read_live_mpi(std::string_view text, std::string_view source);

}  // namespace calibrate::imports
