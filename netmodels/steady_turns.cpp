// Compares two turns of a schedule with the one before them, again after twice as many turns.
#include "netmodels/steady_turns.hpp"

#include <cmath>
#include <limits>

namespace netmodels {

// A clock is a sum of two terms a round, each rounded by at most epsilon / 2 of it; a shift is the difference
// of two clocks, of which the earlier one carries the rounding of its turn, too.
SteadyTurns::SteadyTurns(std::span<const std::uint32_t> set, std::size_t rounds)
    : set_(set), rounding_(static_cast<double>(rounds + 1) * std::numeric_limits<double>::epsilon()) {}

std::optional<Seconds> SteadyTurns::shift(const std::vector<Seconds>& clocks) {
  if (set_.empty() || ++turns_ < first_) return std::nullopt;
  if (turns_ == first_) {
    remember(clocks);
    return std::nullopt;
  }
  const std::optional<Seconds> now = common_shift(clocks);
  const double tolerance = 2 * rounding_ * clocks[set_.front()].count;
  if (!now || (shift_ && std::abs((*now - *shift_).count) > tolerance)) {
    first_ = 2 * turns_ + 2;
    shift_.reset();
    return std::nullopt;
  }
  const bool is_second = shift_.has_value();
  shift_ = now;
  remember(clocks);
  return is_second ? now : std::nullopt;
}

void SteadyTurns::restart() {
  turns_ = 0;
  first_ = 1;
  shift_.reset();
}

std::optional<Seconds> SteadyTurns::common_shift(const std::vector<Seconds>& clocks) const {
  const Seconds reference = clocks[set_.front()];
  const Seconds by = reference - before_.front();
  if (!(by > Seconds{})) return std::nullopt;
  for (std::size_t i = 0; i < set_.size(); ++i) {
    const Seconds clock = clocks[set_[i]];
    // Written so that infinite clocks, whose difference is no number, are not equal.
    if (!(std::abs((clock - before_[i] - by).count) <= rounding_ * (clock + reference).count))
      return std::nullopt;
  }
  return by;
}

void SteadyTurns::remember(const std::vector<Seconds>& clocks) {
  before_.resize(set_.size());
  for (std::size_t i = 0; i < set_.size(); ++i) before_[i] = clocks[set_[i]];
}

}  // namespace netmodels
