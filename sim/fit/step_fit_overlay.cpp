// Writes a scenario that takes the values found about a step over.
#include <algorithm>
#include <cmath>
#include <string_view>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "sim/fit/step_fit_text.hpp"
#include "sim/language/print.hpp"
#include "sim/scenario/arms.hpp"
#include "sim/scenario/nccl_keys.hpp"

namespace sim::fit {
namespace {

using netmodels::Result;
using scenario::StepUnknown;

/// "4.6 to 4.9 Gbit/s in 95 % of cases, from measured[0]".
std::string range_comment(const StepFit& fit, const FittedUnknown& unknown) {
  return fmt::format("# {}: {} to {} (95 %), from {}", unknown.name(), unknown.row->print(unknown.low()),
                     unknown.row->print(unknown.high()), fmt::join(fit.rests_on(unknown), ", "));
}

/// The latency stays that of the assumed link, which a fabric may have yielded. Beside the rate of NCCL's
/// interfaces, the link is what these reach.
std::string link_text(const StepFit& fit, const FittedUnknown& unknown) {
  const auto at_link = std::ranges::find_if(fit.figures, [&](const ExplainedFigure& each) {
    return !each.measured.figure.alone && unknown.row->applies(each.measured.scenario);
  });
  const scenario::Scenario& arm = at_link->measured.scenario;
  const double value = unknown.found.value;
  const auto* nccl = scenario::nccl_of(arm.work, arm.cluster, arm.exchange, arm.simulation.evaluator);
  const double of_node = nccl != nullptr ? value * nccl->network->nics_per_node : value;
  return fmt::format(
      "cluster: {{link: {{latency: {}, bandwidth: {}}}{}}}", netmodels::print(arm.cluster.link.latency),
      unknown.row->print(of_node),
      nccl != nullptr ? fmt::format(", nccl: {{network: {{measured_rate: {}}}}}", unknown.row->print(value))
                      : "");
}

std::string shared_text(const StepFit& fit, const FittedUnknown& unknown) {
  switch (unknown.row->kind) {
    case StepUnknown::goodput: return link_text(fit, unknown);
    case StepUnknown::host_overhead:
      return fmt::format("compute: {{host_overhead: {}}}", unknown.row->print(unknown.found.value));
    case StepUnknown::overlap_slowdown:
      return fmt::format("exchange: {{overlap_slowdown: {}}}", unknown.row->print(unknown.found.value));
    case StepUnknown::compression: break;
  }
  return fmt::format("compression: {{time: {}}}", unknown.row->print(unknown.found.value));
}

/// A host overhead far above what was assumed may be that of a slow network, which only a step of one worker
/// rules out.
Result<void> check_host(const StepFit& fit) {
  const auto find = [&](StepUnknown kind) {
    return std::ranges::find_if(fit.unknowns,
                                [&](const FittedUnknown& each) { return each.row->kind == kind; });
  };
  const auto host = find(StepUnknown::host_overhead), goodput = find(StepUnknown::goodput);
  if (host == fit.unknowns.end() || goodput == fit.unknowns.end()) return {};
  if (!host->found.identified || goodput->found.identified) return {};
  if (host->found.value <= host->prior.expected * host->prior.factor) return {};
  if (std::ranges::any_of(fit.figures, [](const ExplainedFigure& each) {
        return each.measured.figure.alone || each.measured.scenario.cluster.workers == 1;
      }))
    return {};
  return netmodels::refuse(
      "--out",
      fmt::format(
          "host_overhead {} is more than {:g} times what was assumed, {}, and may as well be the time of "
          "the network: {} is not identified",
          host->row->print(host->found.value), host->prior.factor, host->row->print(host->prior.expected),
          goodput->name()),
      fmt::format(
          "measure a step of one worker alone (`alone`), or state `{}` where it is known and write `fit: "
          "[host_overhead]`",
          goodput->row->key));
}

/// The lines of a `compare` with the time that each arm takes to compress.
std::string arms_text(const StepFit& fit) {
  std::string text;
  for (const FittedUnknown& unknown : fit.unknowns) {
    if (!unknown.found.identified || unknown.arm.empty() || unknown.arm == scenario::only_arm) continue;
    text += fmt::format("  {}: {{{}}}  {}\n", language::yaml_scalar(unknown.arm, false),
                        shared_text(fit, unknown), range_comment(fit, unknown));
  }
  return text.empty() ? "" : "compare:\n" + text;
}

}  // namespace

Result<std::string> fit_overlay(const StepFit& fit, const scenario::Study& study, const std::string& file) {
  if (auto checked = check_host(fit); !checked) return tl::unexpected(checked.error());
  std::string text = fmt::format("# {} (with figures fitted to {})\n",
                                 study.question.empty() ? "How long does a step take?" : study.question,
                                 std::filesystem::path(file).filename().string());
  const std::string base = std::filesystem::absolute(fit.scenario).lexically_normal().string();
  text += fmt::format("use: {}\n", language::yaml_scalar(base, false));
  for (const FittedUnknown& unknown : fit.unknowns) {
    if (!unknown.found.identified) continue;
    const bool in_arm = !unknown.arm.empty() && unknown.arm != scenario::only_arm;
    if (in_arm && !study.axes.empty()) {
      return netmodels::refuse("--out",
                               "the arm `" + unknown.arm +
                                   "` is a product of `axes`, which cannot "
                                   "state its own `compression.time`",
                               "write the arms under `compare`, or leave `compression` out of `fit`");
    }
    if (!in_arm) text += fmt::format("{}  {}\n", shared_text(fit, unknown), range_comment(fit, unknown));
  }
  return text + arms_text(fit);
}

std::vector<std::string> overridden(const StepFit& fit, const scenario::Study& fitted) {
  constexpr double printing = 1e-3;  // values are written with four digits
  std::vector<std::string> warnings;
  for (const FittedUnknown& unknown : fit.unknowns) {
    if (!unknown.found.identified) continue;
    for (const scenario::Scenario& arm : fitted.arms) {
      const bool is_measured = std::ranges::any_of(
          fit.figures, [&](const ExplainedFigure& each) { return each.measured.arm == arm.name; });
      const bool is_own = unknown.arm.empty() ? is_measured : arm.name == unknown.arm;
      const auto stated = unknown.row->stated(arm);
      const double value = unknown.found.value;
      if (!is_own || (stated && std::abs(*stated / value - 1) <= printing)) continue;
      warnings.push_back(fmt::format("the arm `{}` states its own `{}`, which wins over the fitted {}",
                                     arm.name, unknown.row->key, unknown.row->print(value)));
    }
  }
  return warnings;
}

}  // namespace sim::fit
