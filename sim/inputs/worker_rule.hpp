// Sizes that depend on the number of workers.
#pragma once

#include <optional>
#include <string_view>

namespace sim::inputs {

/// A size that does not depend on the number N of workers, one that they share, and one that each adds to.
struct WorkerRule {
  double constant = 0;  ///< at least 0
  double shared = 0;    ///< `S/N`; at least -`constant`: `S-S/N` is the part (N-1)/N of S
  double each = 0;      ///< `S*N`: such as what all ranks contribute; at least 0

  [[nodiscard]] double at(int workers) const { return constant + shared / workers + each * workers; }
};

/// Whether a text is meant as a rule: it has an `N`.
bool is_worker_rule(std::string_view text);

/// A sum such as `C+S/N`, `C-S/N` or `C + S/N + G*N`; nothing for another text.
std::optional<WorkerRule> parse_worker_rule(std::string_view text);

}  // namespace sim::inputs
