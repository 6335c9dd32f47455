// Utilisation by size, width and tokens, and the times that follow from it.
#include "netmodels/utilisation.hpp"

#include <cassert>
#include <cmath>
#include <iterator>

#include <fmt/core.h>

namespace netmodels {
namespace {

/// e(N).
Result<double> size_utilisation(const UtilisationRule& rule, double parameters) {
  const std::vector<SizeUtilisation>& sizes = rule.sizes;
  assert(!sizes.empty());
  if (sizes.size() == 1) return sizes.front().share;
  const double least = sizes.front().parameters / UtilisationRule::beyond;
  const double most = sizes.back().parameters * UtilisationRule::beyond;
  if (parameters < least || parameters > most) {
    return refuse(
        {},
        fmt::format("a model of {:.3g} parameters; the utilisation was measured for {:.3g} to {:.3g}",
                    parameters, sizes.front().parameters, sizes.back().parameters),
        "state the model's own utilisation as `mfu`");
  }
  if (parameters <= sizes.front().parameters) return sizes.front().share;
  for (std::size_t upper = 1; upper < sizes.size(); ++upper) {
    const SizeUtilisation& above = sizes[upper];
    const SizeUtilisation& below = sizes[upper - 1];
    if (parameters > above.parameters) continue;
    const double way =
        std::log(parameters / below.parameters) / std::log(above.parameters / below.parameters);
    return below.share + way * (above.share - below.share);
  }
  return sizes.back().share;
}

/// HFU of endless micro-batches.
Result<double> wide_utilisation(const UtilisationRule& rule, const Transformer& model) {
  GRADSIM_TRY(share, size_utilisation(rule, static_cast<double>(active_parameters(model))));
  const double hidden = static_cast<double>(model.hidden);
  return *share * hidden / (hidden + rule.hidden_half);
}

}  // namespace

Result<double> utilisation_of_size(const UtilisationRule& rule, double parameters) {
  if (rule.hidden_half > 0 || rule.tokens_half > 0) {
    return refuse({}, "its utilisation depends on the width and the tokens of the model",
                  "name a stack whose utilisation depends on parameters alone");
  }
  return size_utilisation(rule, parameters);
}

double hardware_factor(const Transformer& model, Recomputation recomputation, double attention_weight) {
  constexpr double passes = 3;  // forward once, backward twice as much
  return (passes + repeated_forward(model, recomputation, attention_weight)) / passes;
}

Result<double> model_utilisation(const UtilisationRule& rule, const Transformer& model,
                                 Recomputation recomputation, double batch) {
  GRADSIM_TRY(wide, wide_utilisation(rule, model));
  const double tokens = batch * static_cast<double>(model.sequence);
  const double work = training_flops(model, rule.attention_weight) / training_flops(model) *
                      hardware_factor(model, recomputation, rule.attention_weight);
  return *wide * tokens / (tokens + rule.tokens_half) / work;
}

Result<LinearTime> pass_time(const UtilisationRule& rule, const Transformer& model,
                             Recomputation recomputation, FlopRate peak) {
  GRADSIM_TRY(wide, wide_utilisation(rule, model));
  const double repeating = hardware_factor(model, recomputation, rule.attention_weight);
  const Seconds per_sample = training_flops(model, rule.attention_weight) / peak * (repeating / *wide);
  return LinearTime{per_sample * (rule.tokens_half / static_cast<double>(model.sequence)), per_sample};
}

double waiting_factor(double lost_per_doubling, std::uint32_t devices) {
  if (devices <= min_waiting) return 1;
  return std::pow(1 - lost_per_doubling, -std::log2(static_cast<double>(devices) / min_waiting));
}

void share_out(const LinearTime& passes, double repeated, std::span<Layer> layers, double attention_weight) {
  Flops forward;
  for (const Layer& layer : layers) forward += weighted_flops(layer, attention_weight);
  assert(forward > Flops{});
  const double forward_share = 1 / (3 + repeated);
  const auto portion = [&](double share) {
    return LinearTime{passes.fixed * share, passes.per_sample * share};
  };
  for (Layer& layer : layers) {
    const double share = weighted_flops(layer, attention_weight) / forward;
    layer.forward = portion(share * forward_share);
    layer.backward = portion(share * (1 - forward_share));
  }
}

}  // namespace netmodels
