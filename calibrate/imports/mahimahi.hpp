// Traces of Mahimahi as changes of a link's bandwidth.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "netmodels/quantity.hpp"
#include "netmodels/result.hpp"

namespace calibrate::imports {

/// Bandwidth of a link from a time on.
struct LinkStep {
  netmodels::Seconds at;
  netmodels::Bandwidth bandwidth;
};

/// A trace in steps; it repeats after `period`.
struct LinkSteps {
  std::vector<LinkStep> steps;
  netmodels::Seconds period;
  int joined = 0;  ///< intervals without a packet, which are one step with the next that has some
};

/// Each line is the millisecond at which a packet of 1500 bytes may leave; the last one is the period. The
/// bandwidth of an interval is that of its packets; one without any is joined with the next that has some, so
/// that as many bytes leave as in the trace.
/// @param interval  above 0, at most the period
/// @returns an Error with its line for a text that is not a millisecond, or falls; for an empty trace
/// Source: Netravali et al., "Mahimahi", USENIX ATC 2015; mm-link(1).
netmodels::Result<LinkSteps> import_mahimahi(std::string_view text, const std::string& source,
                                             netmodels::Seconds interval);

/// A file for `cluster.traces`, whose period its first lines name.
std::string print_link_steps(const LinkSteps& link, const std::string& source);

}  // namespace calibrate::imports
