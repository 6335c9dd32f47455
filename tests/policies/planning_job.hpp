// A published job for planners: the profile of each configuration, and the search through
// them.
#pragma once

#include <cmath>
#include <cstddef>
#include <optional>
#include <vector>

#include "policies/planning_policy.hpp"

namespace policies {

/// A grid with the profile of each of its configurations, as a planner may come to see them.
struct PlanningJob {
  std::vector<Configuration> grid;
  std::vector<Profile> all;  ///< profiles in the order of the grid
  double samples = 50000;
  Rental rental{.price = {0.13402 / 3600}};

  [[nodiscard]] PlanningObservation seen(const std::vector<Profile>& profiled) const {
    return {grid, profiled, samples, rental};
  }

  /// Profiles that the policy asked for, in order. Fails to end where the policy does.
  [[nodiscard]] std::vector<Profile> search(PlanningPolicy& policy) const {
    std::vector<Profile> profiled;
    while (profiled.size() <= grid.size()) {
      const auto next = policy.explore(seen(profiled));
      if (!next) break;
      profiled.push_back(all[*next]);
    }
    return profiled;
  }

  [[nodiscard]] Prediction truth(std::size_t index) const {
    return predict_training(seen(all), grid[index], all[index].epochs, all[index].step);
  }
};

/// ResNet18 on CIFAR-10, E2-standard-4 (Tyagi & Sharma, Scavenger, CCGrid 2023): epochs of Fig. 8, noise of
/// Fig. 9, steps that with those epochs give the times of Fig. 10. K 8, 12, 16 with B 384, 512, 768, 1024.
inline PlanningJob resnet18_job() {
  constexpr int sizes[] = {8, 12, 16};
  constexpr int batches[] = {384, 512, 768, 1024};
  constexpr double epochs[3][4] = {
      {230.4, 197.3, 187.7, 178.2}, {228.9, 205.6, 179.4, 171.7}, {233.5, 203.4, 185.6, 166.9}};
  constexpr double noise[3][4] = {
      {.787, .762, .737, .709}, {.774, .744, .713, .677}, {.769, .747, .704, .667}};
  constexpr double hours[3][4] = {
      {12.40, 10.51, 9.55, 8.68}, {9.17, 7.69, 6.51, 5.92}, {7.34, 6.60, 5.18, 4.61}};
  PlanningJob job;
  for (std::size_t k = 0; k < 3; ++k) {
    for (std::size_t b = 0; b < 4; ++b) {
      const double step = hours[k][b] * 3600 * batches[b] / (epochs[k][b] * job.samples);
      job.all.push_back({job.grid.size(), {step}, std::nullopt, noise[k][b], epochs[k][b]});
      job.grid.push_back({sizes[k], batches[b]});
    }
  }
  return job;
}

/// A job that follows a model exactly: tau = 0.3 s + 10 ms b + 20 ms K + 0.2 ms B, of which sync is
/// 0.1 s + 20 ms K + 0.2 ms B; e = 10 + 40 n with noise n = 0.5 + 4 / sqrt(B).
inline PlanningJob lawful_job(const std::vector<int>& sizes, const std::vector<int>& batches) {
  PlanningJob job;
  for (const int workers : sizes) {
    for (const int batch : batches) {
      const Configuration at{workers, batch};
      const double sync = 0.1 + 0.02 * workers + 0.0002 * batch;
      const double noise = 0.5 + 4 / std::sqrt(batch);
      job.all.push_back({job.grid.size(),
                         {0.2 + 0.01 * at.share() + sync},
                         netmodels::Seconds{sync},
                         noise,
                         10 + 40 * noise});
      job.grid.push_back(at);
    }
  }
  return job;
}

}  // namespace policies
