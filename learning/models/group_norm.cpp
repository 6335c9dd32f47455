// Group normalisation of images that lie position after position.
#include "learning/models/group_norm.hpp"

#include <algorithm>
#include <cmath>

namespace learning::models {
namespace {

constexpr float group_epsilon = 1e-5F;

/// Channels whose sums are kept together, in double precision.
constexpr std::size_t channels_together = 16;
using GroupSums = std::array<double, channels_together>;

/// The values that forward leaves in the cache, one per group of each sample.
struct GroupStatistics {
  std::span<float> means;
  std::span<float> scales;  // 1 / sqrt(variance + 1e-5)
};

GroupStatistics group_statistics(std::span<float> cache) {
  return {cache.first(cache.size() / 2), cache.last(cache.size() / 2)};
}

}  // namespace

std::string GroupNorm::name() const {
  return "group_norm " + std::to_string(settings_.channels) + "/" + std::to_string(settings_.groups);
}

Extent GroupNorm::extent() const {
  const std::size_t values = settings_.channels * settings_.positions;
  return {.inputs = values, .outputs = values, .parameters = 2 * settings_.channels};
}

std::size_t GroupNorm::cache_size(std::size_t count) const { return 2 * count * settings_.groups; }

void GroupNorm::initialise(const kernels::RandomStream& /*random*/, std::span<float> parameters,
                           std::span<float> /*state*/) const {
  std::ranges::fill(parameters.first(settings_.channels), settings_.first_gain);
  std::ranges::fill(parameters.last(settings_.channels), 0.0F);
}

template <class Use>
void GroupNorm::for_each_group(std::size_t count, const Use& use) const {
  for (std::size_t sample = 0; sample < count; ++sample) {
    for (std::size_t group = 0; group < settings_.groups; ++group) {
      const std::size_t channel = group * width();
      use(Group{sample * settings_.channels * settings_.positions + channel,
                sample * settings_.groups + group, channel});
    }
  }
}

/// use(index of the value, its channel) for all values of the group.
template <class Use>
void GroupNorm::for_each_value(const Group& group, const Use& use) const {
  const std::size_t size = width();
  for (std::size_t position = 0; position < settings_.positions; ++position) {
    const std::size_t at = group.start + position * settings_.channels;
    for (std::size_t i = 0; i < size; ++i) use(at + i, group.channel + i);
  }
}

/// The sum of term(index, channel) over the group: by channel first, then over its channels.
template <class Term>
double GroupNorm::sum(const Group& group, const Term& term) const {
  double total = 0;
  for (std::size_t first = 0; first < width(); first += channels_together) {
    const std::size_t together = std::min(channels_together, width() - first);
    GroupSums sums{};
    for (std::size_t position = 0; position < settings_.positions; ++position) {
      const std::size_t at = group.start + position * settings_.channels + first;
      for (std::size_t i = 0; i < together; ++i) sums[i] += term(at + i, group.channel + first + i);
    }
    for (std::size_t i = 0; i < together; ++i) total += sums[i];
  }
  return total;
}

void GroupNorm::forward(const Pass& pass) const {
  const GroupStatistics statistics = group_statistics(pass.cache);
  const auto gains = pass.parameters.first(settings_.channels);
  const auto shifts = pass.parameters.last(settings_.channels);
  const auto values = static_cast<double>(width() * settings_.positions);
  for_each_group(pass.count, [&](const Group& group) {
    const auto mean = static_cast<float>(
        sum(group, [&](std::size_t at, std::size_t) { return static_cast<double>(pass.input[at]); }) /
        values);
    const double squares = sum(group, [&](std::size_t at, std::size_t) {
      const double distance = static_cast<double>(pass.input[at]) - static_cast<double>(mean);
      return distance * distance;
    });
    const float scale = 1.0F / std::sqrt(static_cast<float>(squares / values) + group_epsilon);
    statistics.means[group.number] = mean;
    statistics.scales[group.number] = scale;
    for_each_value(group, [&](std::size_t at, std::size_t channel) {
      pass.output[at] = gains[channel] * ((pass.input[at] - mean) * scale) + shifts[channel];
    });
  });
}

void GroupNorm::parameter_gradients(const Pass& pass, const BackwardPass& gradients) const {
  const GroupStatistics statistics = group_statistics(pass.cache);
  const std::size_t channels = settings_.channels;
  for (std::size_t first = 0; first < channels; first += channels_together) {
    const std::size_t together = std::min(channels_together, channels - first);
    GroupSums gains{}, shifts{};
    for (std::size_t sample = 0; sample < pass.count; ++sample) {
      std::array<float, channels_together> means{}, scales{};
      for (std::size_t i = 0; i < together; ++i) {
        const std::size_t group = sample * settings_.groups + (first + i) / width();
        means[i] = statistics.means[group];
        scales[i] = statistics.scales[group];
      }
      const std::size_t begin = sample * channels * settings_.positions + first;
      for (std::size_t at = begin; at < begin + channels * settings_.positions; at += channels) {
        for (std::size_t i = 0; i < together; ++i) {
          const auto slope = static_cast<double>(gradients.of_output[at + i]);
          shifts[i] += slope;
          gains[i] += slope * static_cast<double>((pass.input[at + i] - means[i]) * scales[i]);
        }
      }
    }
    for (std::size_t i = 0; i < together; ++i) {
      gradients.of_parameters[first + i] = static_cast<float>(gains[i]);
      gradients.of_parameters[channels + first + i] = static_cast<float>(shifts[i]);
    }
  }
}

void GroupNorm::backward(const Pass& pass, const BackwardPass& gradients) const {
  parameter_gradients(pass, gradients);
  if (gradients.of_input.empty()) return;
  const GroupStatistics statistics = group_statistics(pass.cache);
  const auto gains = pass.parameters.first(settings_.channels);
  const auto values = static_cast<double>(width() * settings_.positions);
  for_each_group(pass.count, [&](const Group& group) {
    const float mean = statistics.means[group.number];
    const float scale = statistics.scales[group.number];
    const auto slope = [&](std::size_t at, std::size_t channel) {
      return gains[channel] * gradients.of_output[at];
    };
    const auto normal = [&](std::size_t at) { return (pass.input[at] - mean) * scale; };
    const auto common = static_cast<float>(
        sum(group, [&](std::size_t at, std::size_t c) { return static_cast<double>(slope(at, c)); }) /
        values);
    const auto along =
        static_cast<float>(sum(group,
                               [&](std::size_t at, std::size_t c) {
                                 return static_cast<double>(slope(at, c)) * static_cast<double>(normal(at));
                               }) /
                           values);
    for_each_value(group, [&](std::size_t at, std::size_t channel) {
      gradients.of_input[at] = scale * (slope(at, channel) - common - normal(at) * along);
    });
  });
}

}  // namespace learning::models
