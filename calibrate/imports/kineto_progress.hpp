// How far a profiled run had come at a moment, on the host and on the device.
#pragma once

#include <vector>

#include "calibrate/imports/kineto_trace.hpp"

namespace calibrate::imports {

/// The later of two clocks: the host's, and the device's for all that the host had launched by then. A layer
/// takes from the moment at which its predecessors are done on both to the moment at which it is, so that
/// times add up to the step whether the host or the device is the slower one, and the host's gaps are kept.
///
/// Waiting for a gradient all-reduce is taken out of the device's clock, because a simulator adds its own:
/// the time in which the device had work queued and ran nothing but all-reduces. That shift lasts until the
/// device again waits for the host.
///
/// Leaves out: a host that blocks until an exchange is done (its waiting stays in the step); that streams of
/// the device share it.
class KinetoProgress {
 public:
  explicit KinetoProgress(const std::vector<KinetoWork>& work);

  /// When all that was launched before `moment` is done, at least `moment`.
  [[nodiscard]] netmodels::Seconds at(netmodels::Seconds moment) const;

 private:
  struct Point {
    netmodels::Seconds launched;
    netmodels::Seconds done;  ///< of this and all launched before it
  };

  std::vector<Point> points_;
};

}  // namespace calibrate::imports
