// A sample's threshold, lowered until enough pass.
#include "kernels/dgc.hpp"

#include <algorithm>
#include <cassert>
#include <cmath>

#include "kernels/magnitude.hpp"
#include "kernels/philox.hpp"

namespace kernels {

Dgc::Dgc(const Settings& settings) : Sparsifier(settings.index_bytes), settings_(settings) {
  assert(settings.ratio > 0 && settings.ratio <= 1);
  assert(settings.sample_ratio > 0 && settings.sample_ratio <= 1);
  assert(settings.lower > 0 && settings.lower < 1 && settings.upper >= 1 && settings.rounds >= 0);
}

std::int64_t Dgc::sampled(const Settings& settings, std::int64_t elements) {
  const double all = static_cast<double>(elements);
  const double wanted = std::ceil(std::max(settings.sample_ratio * all, 2 / settings.ratio));
  return static_cast<std::int64_t>(std::min(wanted, all));
}

DgcSearch Dgc::search(const Settings& settings, std::int64_t k) {
  DgcSearch search;
  search.k = k;
  search.fewest = settings.lower * static_cast<double>(k);
  search.most = settings.upper * static_cast<double>(k);
  search.factor = settings.lower;
  search.rounds_left = settings.rounds;
  return search;
}

Magnitude Dgc::sampled_threshold(std::span<const float> vector) {
  const RandomStream stream{settings_.seed, next_step()};
  const std::int64_t count = sampled(settings_, static_cast<std::int64_t>(vector.size()));
  const bool all = count == static_cast<std::int64_t>(vector.size());
  Magnitude* sample = sample_.reserve(count);
  for (std::size_t i = 0; i < static_cast<std::size_t>(count); ++i) {
    sample[i] = magnitude(vector[all ? i : stream.below(vector.size(), i)]);
  }
  return kth_largest(sample_.first(count), kept(settings_.ratio, count));
}

Message Dgc::compress(std::span<const float> vector) {
  if (vector.empty()) {
    next_step();
    return gathered(vector, {}, 0);
  }
  const auto k = kept(settings_.ratio, static_cast<std::int64_t>(vector.size()));
  DgcSearch search = Dgc::search(settings_, k);
  search.limit = sampled_threshold(vector);
  double given = 0;
  while (!search.done()) {
    given = candidates_.collect(vector, search.requested());
    search.hear(candidates_.count());
  }
  if (search.cut().largest > 0) candidates_.keep_largest(k);
  return gathered(vector, candidates_.indices(), given);
}

}  // namespace kernels
