// A sample's threshold, lowered until enough pass.
#include "kernels/dgc.hpp"

#include <algorithm>
#include <cassert>
#include <cmath>
#include <limits>

#include "kernels/kept.hpp"
#include "kernels/philox.hpp"

namespace kernels {

Dgc::Dgc(const Settings& settings) : Sparsifier(settings.index_bytes), settings_(settings) {
  assert(settings.ratio > 0 && settings.ratio <= 1);
  assert(settings.sample_ratio > 0 && settings.sample_ratio <= 1);
  assert(settings.lower > 0 && settings.lower < 1 && settings.upper >= 1 && settings.rounds >= 0);
}

Magnitude Dgc::sampled_threshold(std::span<const float> vector) {
  const RandomStream stream{settings_.seed, next_step()};
  const double elements = static_cast<double>(vector.size());
  const double wanted = std::ceil(std::max(settings_.sample_ratio * elements, 2 / settings_.ratio));
  const auto sampled = static_cast<std::int64_t>(std::min(wanted, elements));
  Magnitude* sample = sample_.room(sampled);
  for (std::size_t i = 0; i < static_cast<std::size_t>(sampled); ++i) {
    sample[i] = magnitude(vector[wanted < elements ? stream.below(vector.size(), i) : i]);
  }
  return kth_largest(sample_.first(sampled), kept(settings_.ratio, sampled));
}

Message Dgc::compress(std::span<const float> vector) {
  if (vector.empty()) {
    next_step();
    return gathered(vector, {}, 0);
  }
  const auto k = kept(settings_.ratio, static_cast<std::int64_t>(vector.size()));
  const double most = settings_.upper * static_cast<double>(k);
  const double fewest = settings_.lower * static_cast<double>(k);
  Magnitude limit = sampled_threshold(vector);
  double given = candidates_.collect(vector, limit);
  for (int round = 0; static_cast<double>(candidates_.count()) < fewest; ++round) {
    const float highest =
        std::min(absolute(std::min(limit, infinite_magnitude)), std::numeric_limits<float>::max());
    limit = round < settings_.rounds ? at_least(settings_.lower * static_cast<double>(highest)) : 0;
    given = candidates_.collect(vector, limit);
  }
  if (static_cast<double>(candidates_.count()) > most) candidates_.keep_largest(k);
  return gathered(vector, candidates_.indices(), given);
}

}  // namespace kernels
