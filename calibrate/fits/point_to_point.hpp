// Latency and bandwidth of a link from the times of single messages over it.
#pragma once

#include <span>

#include "calibrate/measurements/measurement.hpp"
#include "netmodels/collective.hpp"
#include "netmodels/result.hpp"

namespace calibrate::fits {

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
