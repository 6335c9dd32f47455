// Batch normalisation on matrices of one row per channel.
#include <algorithm>
#include <array>
#include <cmath>

#include "learning/models/layers.hpp"

namespace learning::models {
namespace {

constexpr float epsilon = 1e-5F;
constexpr float momentum = 0.1F;  // share of the batch in the running statistics

/// Channels whose sums are kept together, in double precision.
constexpr std::size_t block = 16;
using Sums = std::array<double, block>;

/// For the channels first .. first + width - 1: the sum over all columns of term(position in the matrix,
/// channel).
template <class Term>
Sums sum_over_columns(std::size_t size, std::size_t channels, std::size_t first, std::size_t width,
                      const Term& term) {
  Sums sums{};
  for (std::size_t column = 0; column < size; column += channels) {
    for (std::size_t i = 0; i < width; ++i) sums[i] += term(column + first + i, first + i);
  }
  return sums;
}

/// The values that forward leaves in the cache, one per channel each.
struct Statistics {
  std::span<float> means;
  std::span<float> variances;  // biased
  std::span<float> scales;     // 1 / sqrt(variance + epsilon)
};

Statistics statistics_in(std::span<float> cache, std::size_t channels) {
  return {cache.first(channels), cache.subspan(channels, channels), cache.subspan(2 * channels, channels)};
}

void measure(std::span<const float> input, std::size_t channels, const Statistics& statistics) {
  const std::size_t count = input.size() / channels;
  const auto columns = static_cast<double>(count);
  for (std::size_t first = 0; first < channels; first += block) {
    const std::size_t width = std::min(block, channels - first);
    Sums sums = sum_over_columns(input.size(), channels, first, width,
                                 [&](std::size_t at, std::size_t) { return static_cast<double>(input[at]); });
    for (std::size_t i = 0; i < width; ++i)
      statistics.means[first + i] = static_cast<float>(sums[i] / columns);
    sums = sum_over_columns(input.size(), channels, first, width, [&](std::size_t at, std::size_t channel) {
      const double distance = static_cast<double>(input[at]) - static_cast<double>(statistics.means[channel]);
      return distance * distance;
    });
    for (std::size_t i = 0; i < width; ++i)
      statistics.variances[first + i] = static_cast<float>(sums[i] / columns);
  }
}

}  // namespace

Extent BatchNorm::extent() const {
  return {.inputs = channels_ * positions_,
          .outputs = channels_ * positions_,
          .parameters = 2 * channels_,
          .state = 2 * channels_};
}

std::size_t BatchNorm::cache_size(std::size_t /*count*/) const { return 3 * channels_; }

void BatchNorm::initialise(const kernels::RandomStream& /*random*/, std::span<float> parameters,
                           std::span<float> state) const {
  std::ranges::fill(parameters.first(channels_), first_gain_);
  std::ranges::fill(parameters.last(channels_), 0.0F);
  std::ranges::fill(state.first(channels_), 0.0F);
  std::ranges::fill(state.last(channels_), 1.0F);
}

void BatchNorm::forward(const Pass& pass) const {
  const Statistics statistics = statistics_in(pass.cache, channels_);
  if (pass.phase == Phase::training) {
    measure(pass.input, channels_, statistics);
  } else {
    std::ranges::copy(pass.state.first(channels_), statistics.means.begin());
    std::ranges::copy(pass.state.last(channels_), statistics.variances.begin());
  }
  for (std::size_t c = 0; c < channels_; ++c) {
    statistics.scales[c] = 1.0F / std::sqrt(statistics.variances[c] + epsilon);
  }
  const auto gains = pass.parameters.first(channels_);
  const auto shifts = pass.parameters.last(channels_);
  for (std::size_t column = 0; column < pass.input.size(); column += channels_) {
    for (std::size_t c = 0; c < channels_; ++c) {
      const float normal = (pass.input[column + c] - statistics.means[c]) * statistics.scales[c];
      pass.output[column + c] = gains[c] * normal + shifts[c];
    }
  }
}

void BatchNorm::backward(const Pass& pass, const BackwardPass& gradients) const {
  const Statistics statistics = statistics_in(pass.cache, channels_);
  const auto normal = [&](std::size_t at, std::size_t c) {
    return (pass.input[at] - statistics.means[c]) * statistics.scales[c];
  };
  const auto of_gains = gradients.of_parameters.first(channels_);
  const auto of_shifts = gradients.of_parameters.last(channels_);
  const std::span<const float> of_output = gradients.of_output;
  for (std::size_t first = 0; first < channels_; first += block) {
    const std::size_t width = std::min(block, channels_ - first);
    const Sums shifts =
        sum_over_columns(of_output.size(), channels_, first, width,
                         [&](std::size_t at, std::size_t) { return static_cast<double>(of_output[at]); });
    const Sums gains =
        sum_over_columns(of_output.size(), channels_, first, width, [&](std::size_t at, std::size_t c) {
          return static_cast<double>(of_output[at]) * static_cast<double>(normal(at, c));
        });
    for (std::size_t i = 0; i < width; ++i) {
      of_shifts[first + i] = static_cast<float>(shifts[i]);
      of_gains[first + i] = static_cast<float>(gains[i]);
    }
  }
  const float share = 1.0F / static_cast<float>(pass.count * positions_);
  for (std::size_t column = 0; column < gradients.of_input.size(); column += channels_) {
    for (std::size_t c = 0; c < channels_; ++c) {
      const float centred =
          of_output[column + c] - share * (of_shifts[c] + normal(column + c, c) * of_gains[c]);
      gradients.of_input[column + c] = pass.parameters[c] * statistics.scales[c] * centred;
    }
  }
}

void BatchNorm::update_state(const Pass& pass, std::span<float> state) const {
  const Statistics statistics = statistics_in(pass.cache, channels_);
  const auto columns = static_cast<float>(pass.count * positions_);
  for (std::size_t c = 0; c < channels_; ++c) {
    float& mean = state[c];
    mean += momentum * (statistics.means[c] - mean);
    if (columns == 1) continue;
    float& variance = state[channels_ + c];
    variance += momentum * (statistics.variances[c] * columns / (columns - 1) - variance);
  }
}

}  // namespace learning::models
