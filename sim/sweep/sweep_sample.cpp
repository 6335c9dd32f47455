// Keeping the rows that matter, and some of the others.
#include <algorithm>
#include <cstdint>
#include <set>
#include <utility>
#include <vector>

#include "sim/sweep/sweep_objectives.hpp"
#include "sim/sweep/sweep_page.hpp"

namespace sim::sweep {
namespace {

constexpr std::size_t most_rows = 8000;       // rows of the even sample
constexpr std::size_t most_numbers = 250000;  // limit over all columns of the sample
constexpr std::size_t most_of_fronts = 4000;  // rows of all fronts together

/// Spread evenly over all rows, for any pattern (Weyl's sequence of the golden ratio).
bool in_sample(std::size_t row, double share) {
  const auto place = static_cast<std::uint32_t>(row * 2654435769U);
  return static_cast<double>(place) < share * 4294967296.0;
}

/// Inserts one front: all of its rows, or of one with more than `most` its ends and every n-th.
void insert_front(const SweepTable& table, const Objective& x, const Objective& y, std::size_t most,
                  std::set<std::size_t>& rows) {
  const std::vector<std::size_t> all =
      front(table.find(x.key)->values, table.find(y.key)->values, x.more_is_better, y.more_is_better);
  const std::size_t every = std::max<std::size_t>(1, (all.size() + most - 1) / most);
  for (std::size_t place = 0; place < all.size(); place += every) rows.insert(all[place]);
  if (!all.empty()) rows.insert(all.back());
}

/// Inserts the fronts of any two objectives, and those of time or cost and quality.
void insert_fronts(const SweepTable& table, std::set<std::size_t>& rows) {
  std::vector<std::pair<Objective, Objective>> pairs;
  const std::vector<Objective> known = objectives_of(table);
  for (std::size_t i = 0; i < known.size(); ++i)
    for (std::size_t j = i + 1; j < known.size(); ++j) pairs.emplace_back(known[i], known[j]);
  for (const Objective& spent : spent_of(table))
    for (const Objective& reached : reached_of(table)) pairs.emplace_back(spent, reached);
  for (const auto& [x, y] : pairs) insert_front(table, x, y, most_of_fronts / pairs.size(), rows);
}

}  // namespace

std::vector<std::size_t> sample_rows(const SweepTable& table, std::size_t columns) {
  const std::size_t most = std::min(most_rows, most_numbers / std::max<std::size_t>(1, columns));
  const double share =
      static_cast<double>(most) / static_cast<double>(std::max<std::size_t>(1, table.rows()));
  std::set<std::size_t> rows;
  for (std::size_t row = 0; row < table.rows(); ++row)
    if (share >= 1 || in_sample(row, share)) rows.insert(row);
  if (share >= 1) return {rows.begin(), rows.end()};
  insert_fronts(table, rows);
  for (const FigureColumn& column : table.figures) {
    for (const bool more : {false, true})
      if (const auto end = best_row(table, column, more, "")) rows.insert(*end);
  }
  return {rows.begin(), rows.end()};
}

}  // namespace sim::sweep
