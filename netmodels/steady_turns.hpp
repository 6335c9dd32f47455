// Recognises turns of a periodic schedule that only shift its clocks.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "netmodels/quantity.hpp"

namespace netmodels {

/// Compares the clocks of a schedule after its turns: x_i(k+1) = x_i(k) + d for all clocks i that turns set.
///
/// On an unchanged network each clock that a turn sets is a largest sum of earlier clocks and constants: a
/// turn is linear in the max-plus algebra, x(k+1) = A x(k) + B c, where c are the clocks that it reads only.
/// Where two turns in a row shift all of x by the same d > 0, c decides nothing any more, so A x = x + d, and
/// all later turns shift x by d, too. One such turn does not suffice: c may still have decided it.
///
/// Turns are compared after the first, the 6th, the 16th ..., so that a schedule without a period costs
/// little more.
/// Leaves out: periods of more than one turn.
/// Source: Baccelli, Cohen, Olsder, Quadrat, "Synchronization and Linearity", Wiley 1992, chapter 3.
class SteadyTurns {
 public:
  /// The fewest turns after which `shift` returns one.
  static constexpr std::uint32_t fewest = 3;

  /// @param set     indices of the clocks that each turn sets; outlives this; where empty, no shift is found
  /// @param rounds  of a turn: the most messages that follow each other in it
  SteadyTurns(std::span<const std::uint32_t> set, std::size_t rounds);

  /// Reads the time on all clocks; must be called after every turn.
  /// @returns by how much each turn shifts the clocks that it sets, once two turns in a row have done so
  [[nodiscard]] std::optional<Seconds> shift(const std::vector<Seconds>& clocks);

  /// Forgets the turns so far, as after a change of the network.
  void restart();

 private:
  [[nodiscard]] std::optional<Seconds> common_shift(const std::vector<Seconds>& clocks) const;
  void remember(const std::vector<Seconds>& clocks);

  std::span<const std::uint32_t> set_;
  double rounding_;  ///< rounding of a shift, as a share of the clocks
  std::uint32_t turns_ = 0;
  std::uint32_t first_ = 1;       ///< turn that the next ones are compared with
  std::vector<Seconds> before_;   ///< clocks that `set_` names, after the turn before
  std::optional<Seconds> shift_;  ///< shift of the turn before
};

}  // namespace netmodels
