// A link fitted to messages or to a collective on several numbers of ranks, with its held-out error.
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "calibrate/measurements/measurement.hpp"
#include "calibrate/measurements/statistics.hpp"
#include "netmodels/collective.hpp"
#include "netmodels/result.hpp"

namespace calibrate::fits {

/// The link that a cluster's measurements show.
struct LinkFit {
  netmodels::LinkState link;
  netmodels::Seconds start;               ///< what every call costs besides; 0 for single messages
  measurements::RelativeErrors held_out;  ///< of fits without the sizes or ranks they are judged by
  std::string_view by;                    ///< what was held out: one size, or one number of ranks at a time
  int ranks = 0;                          ///< the most that were measured
};

/// One table of point_to_point: fits/point_to_point.hpp, each size but the smallest held out in turn, those
/// only that leave what shows the link. Several tables of one ring collective: fits/across_ranks.hpp, each
/// number of ranks held out in turn.
/// @param tables  at least one
/// @returns an Error with an empty `where` where either law refuses them, for several tables of messages, and
/// for
///          fewer than three numbers of ranks
netmodels::Result<LinkFit> fit_link(std::span<const measurements::Measurements> tables);

/// A cluster file for `sim`: workers and link, behind the provenance, the held-out error and what a call
/// costs besides.
/// @param version  of the program
std::string print_cluster(const LinkFit& fit, std::span<const measurements::Measurements> tables,
                          std::string_view version);

}  // namespace calibrate::fits
