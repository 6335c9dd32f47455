// Machine cost by the hour, and the effect of spot interruptions on a training.
#pragma once

#include <optional>

#include "netmodels/quantity.hpp"

namespace policies {

using Frequency = netmodels::Quantity<-1, 0>;  ///< events per second

/// Machines of one kind at one price.
struct Rental {
  netmodels::DollarRate price = {};          ///< p, of one machine
  Frequency interruptions = {};              ///< lambda, of one machine; 0 on demand
  netmodels::Seconds checkpoint_every = {};  ///< c, of training; above 0 where there are interruptions
  netmodels::Seconds restore = {};           ///< r, until training resumes after an interruption
  netmodels::Seconds write = {};             ///< w, while training waits for a checkpoint to be written

  /// Time that so much undisturbed training takes. One interruption among K machines sends all of them back
  /// to the last checkpoint. With memoryless interruptions a piece of length c takes, on average,
  ///
  ///   (1 / (K lambda) + r) (exp(K lambda (c + w)) - 1)
  ///
  /// and the training is work / c such pieces; without interruptions each takes c + w.
  /// @param work     at least 0
  /// @param workers  K, at least 1
  /// @returns infinity where pieces are so long that none is ever finished
  /// Leaves out: machines that are not to be had for a while; the last, shorter
  ///         piece, which counts by its share.
  /// Source: J. T. Daly, "A higher order estimate of the optimum checkpoint interval for restart dumps",
  ///         Future Generation Computer Systems 22, 2006, section 3.
  [[nodiscard]] netmodels::Seconds expected_time(netmodels::Seconds work, int workers) const;

  /// Young's interval of checkpoints, sqrt(2 w M), M = 1 / (K lambda).
  /// @returns nothing where there are no interruptions, or writing takes no time
  /// Source: J. W. Young, "A first order approximation to the optimum checkpoint interval", CACM 17(9), 1974.
  [[nodiscard]] std::optional<netmodels::Seconds> young_interval(int workers) const;

  /// Daly's interval, for w < 2 M
  ///   sqrt(2 w M) (1 + sqrt(w / (2 M)) / 3 + w / (2 M) / 9) - w
  /// and M otherwise.
  /// @returns nothing where there are no interruptions, or writing takes no time
  /// Source: Daly 2006, equation 37.
  [[nodiscard]] std::optional<netmodels::Seconds> daly_interval(int workers) const;

  /// T K p. Machines are paid by the second, the parameter server is not counted.
  [[nodiscard]] netmodels::Dollars cost(netmodels::Seconds time, int workers) const {
    return static_cast<double>(workers) * (time * price);
  }
};

}  // namespace policies
