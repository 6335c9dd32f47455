// Setting the period anew after each exchange.
#include "policies/adacomm.hpp"

#include <algorithm>
#include <cmath>

namespace policies {

void AdaComm::begin_period(std::int64_t step) {
  if (losses_ > 0) {
    constexpr double longest = 1e12;
    const double ratio = sum_of_losses_ / static_cast<double>(losses_) / *first_loss_;
    const double period = std::ceil(std::sqrt(ratio) * static_cast<double>(first_));
    if (period <= longest)
      period_ = std::max<std::int64_t>(1, static_cast<std::int64_t>(period));  // a number
  }
  begun_ = step;
  exchanged_at_.reset();
  sum_of_losses_ = 0;
  losses_ = 0;
}

Decision AdaComm::decide(const SynchronisationObservation& seen) {
  if (exchanged_at_ && seen.step > *exchanged_at_) begin_period(*exchanged_at_ + 1);
  if (seen.loss) {
    if (!first_loss_) first_loss_ = seen.loss;
    sum_of_losses_ += *seen.loss;
    ++losses_;
  }
  if (seen.step + 1 - begun_ < period_) return Synchronisation::stay_local;
  exchanged_at_ = seen.step;
  return exchange_;
}

void describe(settings::Fields& fields, AdaComm::Settings& settings) {
  describe_every(fields, settings.every,
                 "Initial number of steps between two exchanges (H_0); fewer as the loss falls.");
  describe_averaged(fields, settings.averaged);
}

}  // namespace policies
