// Finding the row that fits.
#include "netmodels/measured_collective.hpp"

#include <algorithm>

namespace netmodels {

const MeasuredCollective* find_measured(std::span<const MeasuredCollective> rows, CollectiveKind kind,
                                        std::uint32_t ranks, std::uint32_t nodes) {
  const auto fits = [&](const MeasuredCollective& row) {
    return row.kind == kind && row.ranks == ranks && row.nodes.value_or(nodes) == nodes;
  };
  const auto found = std::ranges::find_if(rows, fits);
  return found == rows.end() ? nullptr : &*found;
}

}  // namespace netmodels
