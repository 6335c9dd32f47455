// Rounding to few bits, node by node.
#include "learning/learners/sharded_exchange.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "kernels/statistics.hpp"

namespace learning::learners {
namespace {

/// Rounds to the nearest float of 4 bits of exponent and 3 of fraction, halves to even; |value| <= 448.
float nearest_e4m3(float value) {
  constexpr int min_exponent = -6;  // lowest exponent of normal numbers
  constexpr int fraction_bits = 3;
  if (value == 0) return value;
  const int exponent = std::max(std::ilogb(value), min_exponent);
  const float step = std::ldexp(1.0F, exponent - fraction_bits);
  return std::nearbyint(value / step) * step;
}

void round_block(const netmodels::QuantizedForm& form, std::span<float> values) {
  constexpr float largest_e4m3 = 448;
  float largest = 0;
  bool finite = true;
  for (const float value : values) {
    finite = finite && std::isfinite(value);
    largest = std::max(largest, std::abs(value));
  }
  if (!finite) std::ranges::fill(values, std::numeric_limits<float>::quiet_NaN());
  if (!finite || largest == 0) return;
  const float levels = form.integer ? std::ldexp(1.0F, static_cast<int>(form.bits) - 1) - 1 : largest_e4m3;
  for (float& value : values) {
    const float scaled = value / largest * levels;
    value = (form.integer ? std::nearbyint(scaled) : nearest_e4m3(scaled)) * (largest / levels);
  }
}

/// Share of the energy that was sent; 1 where there was none.
double kept(const kernels::Energy& energy) { return energy.given > 0 ? energy.sent / energy.given : 1; }

}  // namespace

void round_as_sent(const netmodels::QuantizedForm& form, std::span<float> values) {
  const std::size_t block = form.block > 0 ? static_cast<std::size_t>(form.block) : values.size();
  for (std::size_t first = 0; first < values.size(); first += block)
    round_block(form, values.subspan(first, std::min(block, values.size() - first)));
}

ShardedExchange::ShardedExchange(const netmodels::ShardSending& sending, std::uint32_t node,
                                 std::vector<std::size_t> tensors, const GradientExchange& between)
    : sending_(sending), node_(node), tensors_(std::move(tensors)), between_(between) {}

void ShardedExchange::round(const netmodels::QuantizedForm& form, std::span<float> values) const {
  if (form.block > 0) return round_as_sent(form, values);
  std::size_t first = 0;
  for (const std::size_t tensor : tensors_) {
    round_as_sent(form, values.subspan(first, tensor));
    first += tensor;
  }
}

std::span<const float> ShardedExchange::computed_with(std::span<const float> parameters) {
  if (!sending_.parameters) return parameters;
  if (computed_.empty() || !sending_.differences) {
    const bool first_differences = sending_.differences;  // workers begin with the same parameters
    computed_.assign(parameters.begin(), parameters.end());
    if (!first_differences) round(*sending_.parameters, computed_);
    return computed_;
  }
  std::vector<float> difference(parameters.size());
  for (std::size_t i = 0; i < difference.size(); ++i) difference[i] = parameters[i] - computed_[i];
  round(*sending_.parameters, difference);
  for (std::size_t i = 0; i < difference.size(); ++i) computed_[i] += difference[i];
  return computed_;
}

std::vector<std::vector<float>> ShardedExchange::node_sums(const Compression& compression,
                                                           std::span<const Contribution> contributions,
                                                           kernels::Energy& energy) {
  const bool rounds_within = sending_.gradients_within && node_ > 1;
  const bool feeds_back = sending_.error_bytes > 0 && compression.error_feedback;
  std::vector<std::vector<float>> sums;
  for (std::size_t i = 0; i < contributions.size(); ++i) {
    const Contribution& given = contributions[i];
    std::vector<float> message(given.gradient.begin(), given.gradient.end());
    for (float& value : message) value *= given.weight;
    if (feeds_back) {
      std::vector<float>& residual = residuals_[given.worker];
      residual.resize(message.size());
      const auto decay = static_cast<float>(compression.residual_decay);
      for (std::size_t k = 0; k < message.size(); ++k) residual[k] = message[k] += decay * residual[k];
      energy.given += kernels::energy(message);
      round(rounds_within ? *sending_.gradients_within : *sending_.gradients_between, message);
      energy.sent += kernels::energy(message);
      for (std::size_t k = 0; k < message.size(); ++k) residual[k] -= message[k];
    } else if (rounds_within) {
      energy.given += kernels::energy(message);
      round(*sending_.gradients_within, message);
      energy.sent += kernels::energy(message);
    }
    if (i % node_ == 0) {
      sums.push_back(std::move(message));
      continue;
    }
    for (std::size_t k = 0; k < message.size(); ++k) sums.back()[k] += message[k];
  }
  return sums;
}

MeanGradient ShardedExchange::mean(const Compression& compression, std::int64_t step,
                                   std::span<const Contribution> contributions, std::span<float> mean) {
  kernels::Energy within;
  std::vector<std::vector<float>> sums = node_sums(compression, contributions, within);
  if (sending_.replicas) {
    std::vector<Contribution> nodes;
    for (std::size_t node = 0; node < sums.size(); ++node) {
      for (float& value : sums[node]) value /= static_cast<float>(node_);
      nodes.push_back({static_cast<std::uint32_t>(node), sums[node], 1});
    }
    Compression coefficients = compression;
    coefficients.method = "dct_topk";
    coefficients.ratio = sending_.replicas->share;
    return between_.mean(coefficients, step, nodes, mean);
  }
  kernels::Energy between;
  std::ranges::fill(mean, 0.0F);
  for (std::vector<float>& sum : sums) {
    between.given += kernels::energy(sum);
    if (sending_.gradients_between && sums.size() > 1) round(*sending_.gradients_between, sum);
    between.sent += kernels::energy(sum);
    for (std::size_t k = 0; k < mean.size(); ++k) mean[k] += sum[k];
  }
  for (float& value : mean) value /= static_cast<float>(contributions.size());
  return {kept(within) * kept(between), kernels::energy(mean), between.sent};
}

}  // namespace learning::learners
