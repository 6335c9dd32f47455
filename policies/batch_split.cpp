// Filling up to the bounds, then rounding by largest remainder.
#include "policies/batch_split.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <utility>

namespace policies {
namespace {

/// One worker's part while it is not yet known whether a bound holds it.
struct Part {
  double least;
  double most;
  double share = 0;
  bool held = false;  ///< fixed at a bound
};

/// One round: the shares of those not held, and how far all of them together break either kind of bound.
struct Broken {
  double above = 0;
  double below = 0;
};

Broken share_out(double total, std::span<const double> weights, std::vector<Part>& parts) {
  double weight = 0;
  for (std::size_t i = 0; i < parts.size(); ++i) {
    if (parts[i].held)
      total -= parts[i].share;
    else
      weight += weights[i];
  }
  Broken broken;
  for (std::size_t i = 0; i < parts.size(); ++i) {
    Part& part = parts[i];
    if (part.held) continue;
    part.share = total * weights[i] / weight;
    broken.above += std::max(0.0, part.share - part.most);
    broken.below += std::max(0.0, part.least - part.share);
  }
  return broken;
}

/// Fixes the shares beyond those bounds that are exceeded by more.
void hold(std::vector<Part>& parts, const Broken& broken) {
  const bool above = broken.above >= broken.below;
  for (Part& part : parts) {
    if (part.held || !(above ? part.share > part.most : part.share < part.least)) continue;
    part.share = above ? part.most : part.least;
    part.held = true;
  }
}

/// Each share rounded down, then one more sample for the shares that lost most by it.
std::vector<int> round_shares(std::int64_t total, const std::vector<Part>& parts) {
  std::vector<int> samples;
  std::vector<std::size_t> order(parts.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  for (const Part& part : parts) {
    samples.push_back(static_cast<int>(std::floor(part.share)));
    total -= samples.back();
  }
  const auto lost = [&](std::size_t i) { return parts[i].share - samples[i]; };
  std::ranges::stable_sort(order, std::ranges::greater(), lost);
  for (const std::size_t i : order) {
    if (total <= 0) break;
    if (parts[i].held || samples[i] + 1 > parts[i].most) continue;
    ++samples[i];
    --total;
  }
  return samples;
}

}  // namespace

std::vector<int> split_batch(std::int64_t total, std::span<const double> weights,
                             std::span<const WorkerObservation> workers, const BatchBounds& bounds) {
  std::vector<Part> parts;
  for (const WorkerObservation& one : workers) {
    const auto most = bounds.most_for(one.worker);
    parts.push_back({static_cast<double>(std::min(bounds.least, most.value_or(bounds.least))),
                     static_cast<double>(most.value_or(std::numeric_limits<int>::max()))});
  }
  while (std::ranges::any_of(parts, [](const Part& part) { return !part.held; })) {
    const Broken broken = share_out(static_cast<double>(total), weights, parts);
    if (broken.above == 0 && broken.below == 0) break;
    hold(parts, broken);
  }
  return round_shares(total, parts);
}

int bounded_batch(double samples, std::uint32_t worker, const BatchBounds& bounds) {
  const double most = bounds.most_for(worker).value_or(std::numeric_limits<int>::max());
  const double least = std::min(static_cast<double>(bounds.least), most);
  return static_cast<int>(std::lround(std::clamp(samples, least, most)));
}

std::int64_t global_batch(std::span<const WorkerObservation> workers) {
  std::int64_t sum = 0;
  for (const WorkerObservation& one : workers) sum += one.samples;
  return sum;
}

std::optional<std::vector<int>> if_changed(std::vector<int> samples,
                                           std::span<const WorkerObservation> workers) {
  if (std::ranges::equal(samples, workers, {}, {}, &WorkerObservation::samples)) return std::nullopt;
  return samples;
}

}  // namespace policies
