// The correction of NCCL's modelled times by measured sizes, its held-out errors, and what to measure next.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "netmodels/nccl/time.hpp"
#include "netmodels/result.hpp"

namespace sim::fit {

/// A measured size with its times by the model.
struct NcclFitPoint {
  netmodels::nccl::MeasuredPoint measured;
  netmodels::Seconds model = {};      ///< by the description alone
  netmodels::Seconds corrected = {};  ///< by all points
  std::optional<netmodels::Seconds> held_out =
      std::nullopt;        ///< by the other points; nothing for a single one
  bool is_judged = false;  ///< whether the other points are enough, and near enough, for `held_out` to count

  /// Relative to the measured time.
  [[nodiscard]] double error(netmodels::Seconds time) const { return time / measured.time - 1; }
  /// Of the time by the other points, where that counts.
  [[nodiscard]] std::optional<double> held_out_error() const {
    return held_out && is_judged ? std::optional(error(*held_out)) : std::nullopt;
  }
};

/// A way to predict a size that was not measured, judged on sizes that were held out.
struct NcclCandidate {
  std::string_view key;  ///< model, correction or table
  std::string_view name;
  double held_out = 0;  ///< median of the absolute errors, relative; of the model alone nothing is fitted
};

struct NcclFit {
  std::string cluster;                 ///< the file or name of the description
  netmodels::nccl::Measured measured;  ///< with `ranks` and `nodes`
  std::vector<NcclFitPoint> points;    ///< sizes rising
  std::vector<netmodels::Bytes> next;  ///< sizes to measure next, two at most
  netmodels::nccl::ErrorClass error_class = {};
  std::vector<NcclCandidate> candidates = {};  ///< best first; none below four sizes
  std::vector<std::string> warnings = {};  ///< of times that the hardware can hardly have, a sentence each
};

/// Corrects the model of described hardware (an offset and a factor; from three sizes on the interpolated
/// ratio, see netmodels/nccl/correction.cpp), and leaves out each size in turn. What is left out is judged
/// where two others or more remain, and it is at most 64 times above or below one of them: a correction
/// by others that are farther says nothing about it.
///
/// The next sizes: of fewer than two points, 8 B and 1 GiB. Else the error of a size between two measured
/// ones is estimated by the held-out errors of these two, each in proportion to the gap (in log size) that it
/// was interpolated over; a gap counts as many times as it has powers of two. The power of two in the middle
/// of the gap that counts most is the first; the second is chosen in the same way from the parts.
///
/// Candidates: the model alone; the model with its correction; and the table that `calibrate fit` makes of
/// the same sizes (calibrate/fits/held_out.hpp) without a model. All are judged on the same sizes: each by
/// the others, from 16 sizes on every second one by the rest.
///
/// Warnings: of times below what the line rates allow, and of those that the description alone misses by more
/// than a factor of 8; each names the size that is farthest off.
///
/// @param hardware  without measured points
/// @returns the fit, or the Error of `Model::make`
/// Leaves out: sizes below the smallest and above the largest measured one.
netmodels::Result<NcclFit> fit_nccl(const netmodels::nccl::Hardware& hardware,
                                    const netmodels::nccl::Measured& measured, const std::string& cluster);

}  // namespace sim::fit
