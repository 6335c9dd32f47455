// A link fitted to messages, or to a collective on several numbers of ranks.
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "calibrate/measurements/measurement.hpp"
#include "calibrate/measurements/statistics.hpp"
#include "netmodels/collective.hpp"
#include "netmodels/result.hpp"

namespace calibrate::fits {

// A link fitted to messages or to a collective on several numbers of ranks, with its held-out error.

/// The link that a cluster's measurements show.
struct LinkFit {
  netmodels::LinkState link;
  netmodels::Seconds start;               ///< further cost of every call; 0 for single messages
  measurements::RelativeErrors held_out;  ///< errors of fits without the sizes or ranks they are judged by
  std::string_view by;                    ///< held out: one size, or one number of ranks at a time
  int ranks = 0;                          ///< the most that were measured
};

/// One table of point_to_point: fits/point_to_point.hpp, each size but the smallest held out in turn, those
/// only that leave the rows that show the link. Several tables of one ring collective: fits/across_ranks.hpp,
/// each number of ranks held out in turn.
/// @param tables  at least one
/// @returns an Error with an empty `where` where either model refuses them, for several tables of messages,
/// and for
///          fewer than three numbers of ranks
netmodels::Result<LinkFit> fit_link(std::span<const measurements::Measurements> tables);

/// A cluster file for `sim`: workers and link, after the provenance, the held-out error and the cost that a
/// call costs besides.
/// @param version  of the program
std::string print_cluster(const LinkFit& fit, std::span<const measurements::Measurements> tables,
                          std::string_view version);

// Latency and bandwidth of a link from the times of single messages over it.

/// Half of a round trip of M bytes as t = latency + M / bandwidth. The latency is the time of the smallest
/// message, overhead of sending and receiving included; the bandwidth minimises the relative residuals of the
/// messages of 256 KiB and more under that latency:
///
///   1/bandwidth = sum (M/t) (1 - latency/t) / sum (M/t)^2
///
/// @param points  sizes rising; the smallest at most 64 bytes, and one of at least 256 KiB
/// @returns an Error with an empty `where` for points that lack either, or whose large messages take no
/// longer Leaves out: slow start, receive windows below bandwidth * round trip, and the burst that a shaper
/// lets pass
///             at once, which makes messages of some kilobytes quicker than this.
netmodels::Result<netmodels::LinkState> fit_point_to_point(
    std::span<const measurements::MeasuredPoint> points);

/// The share of a link that is left for payload where TCP streams run both ways over it: each acknowledgement
/// of 66 bytes (Ethernet 14, IP 20, TCP 32 with time stamps) goes against two segments of 1514 bytes.
///
///   1 - 66 / (2 * 1514) = 0.978
///
/// Source: RFC 1122, section 4.2.3.2 (an acknowledgement for at least every second segment); RFC 7323 (time
///         stamps).
double both_ways_share();

}  // namespace calibrate::fits
