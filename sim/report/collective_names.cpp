// Takes NCCL's choices from the explained step of the part.
#include "sim/report/collective_names.hpp"

#include <algorithm>
#include <string_view>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>

namespace sim::report {
namespace {

/// Collective of the phase; of a whole run the first one.
const engine::ExplainedStep* explained_step(const RunPart& part) {
  const auto& steps = part.arm->explained;
  if (steps.empty()) return nullptr;
  if (part.whole) return &steps.front();
  const auto found = std::ranges::find(steps, part.phase->label, &engine::ExplainedStep::phase);
  return found == steps.end() ? nullptr : &*found;
}

/// Each algorithm once, in the order of the collectives.
std::string chosen_by_nccl(const engine::ExplainedStep& step) {
  std::vector<std::string_view> names;
  for (const engine::ExplainedExchange& exchange : step.exchanges) {
    if (!exchange.nccl || !exchange.nccl->choice) continue;
    const std::string_view name = to_string(exchange.nccl->choice->algorithm);
    if (std::ranges::find(names, name) == names.end()) names.push_back(name);
  }
  return names.empty() ? "" : fmt::format("NCCL {}", fmt::join(names, ", "));
}

}  // namespace

std::string names_with_shares(std::map<std::string, std::int64_t> uses) {
  uses.erase("");
  std::int64_t all = 0;
  for (const auto& [name, steps] : uses) all += steps;
  std::string names;
  for (const auto& [name, steps] : uses) {
    names += (names.empty() ? "" : " ") + name;
    const double share = 100 * static_cast<double>(steps) / static_cast<double>(all);
    if (uses.size() > 1) names += fmt::format(" {:.1f} %", share);
  }
  return names;
}

std::string collective_names(const RunPart& part) {
  const engine::ExplainedStep* step = explained_step(part);
  const std::string chosen = step == nullptr ? "" : chosen_by_nccl(*step);
  return chosen.empty() ? names_with_shares(part.phase->collectives) : chosen;
}

}  // namespace sim::report
