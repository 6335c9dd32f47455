// How all ranks of a job get one text of rank 0: by a file or by TCP.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "calibrate/probes/job_rank.hpp"
#include "netmodels/quantity.hpp"
#include "netmodels/result.hpp"

namespace calibrate::probes {

/// Place in which rank 0 leaves a text that the others need: a file that all see, or `HOST:PORT` of rank 0.
struct MeetingPlace {
  std::string file;  ///< empty: by TCP
  std::string host;  ///< a name, an IPv4 address, or an IPv6 address without brackets
  int port = 0;

  bool operator==(const MeetingPlace&) const = default;
};

/// @param text  `HOST:PORT`, `[ADDRESS]:PORT` for an IPv6 address, else the path of a file
/// @returns an Error for a port outside 1 to 65535, an IPv6 address without brackets, and for nothing
netmodels::Result<MeetingPlace> read_meeting_place(std::string_view text);

/// Limit of a shared text: an id of NCCL has 128.
constexpr std::size_t most_shared_bytes = 1 << 16;

/// Gives every rank the text of rank 0. Texts of several rounds and, as far as the launcher names them, of
/// several jobs do not mix: a rank waits for that of its own. What an earlier job left in a file is never
/// taken: each rank writes a question of its own beside it, and takes only an answer to that. Rank 0 has done
/// its part once every other rank has said that it has the text; connections of others delay no rank.
/// @param round  counted up by all ranks alike
/// @param text   of rank 0, at most `most_shared_bytes`; unused on the others
/// @throws std::runtime_error where they do not all come within the limit, or the place cannot be used
std::string share_text(const MeetingPlace& place, const JobRank& rank, std::uint64_t round,
                       const std::string& text, netmodels::Seconds limit);

// What the two ways have in common; for `share_text` alone.

/// One call of `share_text`.
struct SharedRound {
  const MeetingPlace& place;
  const JobRank& rank;
  std::uint64_t round;
  std::chrono::steady_clock::time_point until;
};

/// Gives the text, on rank 0, or takes it, on each other one.
void give_by_tcp(const SharedRound& shared, const std::string& text);
std::string take_by_tcp(const SharedRound& shared);

}  // namespace calibrate::probes
