// The model of step times by placement, fitted by a simplex search.
#include "calibrate/fits/placement_law.hpp"

#include <algorithm>
#include <cmath>
#include <vector>

namespace calibrate::fits {

// The minimum of a function of several variables, without derivatives.

namespace {

using Variables = std::vector<double>;
using Function = std::function<double(const Variables&)>;

struct Corner {
  Variables at;
  double value = 0;
};

class Simplex {
 public:
  Simplex(const Function& value, const Variables& start, double step) : value_(value) {
    corners_.push_back({start, value(start)});
    for (std::size_t i = 0; i < start.size(); ++i) {
      Variables beside = start;
      beside[i] += step;
      corners_.push_back({beside, value(beside)});
    }
    sort();
  }

  [[nodiscard]] const Corner& best() const { return corners_.front(); }
  [[nodiscard]] bool is_flat() const { return corners_.back().value - corners_.front().value < 1e-12; }

  void step() {
    const Corner reflected = from_worst(2);
    if (reflected.value < corners_.front().value) {
      const Corner expanded = from_worst(3);
      corners_.back() = expanded.value < reflected.value ? expanded : reflected;
    } else if (reflected.value < corners_[corners_.size() - 2].value) {
      corners_.back() = reflected;
    } else if (const Corner contracted = from_worst(0.5); contracted.value < corners_.back().value) {
      corners_.back() = contracted;
    } else {
      shrink();
    }
    sort();
  }

 private:
  void sort() { std::ranges::stable_sort(corners_, {}, &Corner::value); }

  /// The point `share` of the way from the worst corner to the middle of the others (1 is that middle).
  [[nodiscard]] Corner from_worst(double share) const {
    Variables at = corners_.back().at;
    for (std::size_t i = 0; i < at.size(); ++i) {
      double middle = 0;
      for (std::size_t corner = 0; corner + 1 < corners_.size(); ++corner) middle += corners_[corner].at[i];
      middle /= static_cast<double>(corners_.size() - 1);
      at[i] += share * (middle - at[i]);
    }
    return {at, value_(at)};
  }

  void shrink() {
    for (std::size_t corner = 1; corner < corners_.size(); ++corner) {
      Variables& at = corners_[corner].at;
      for (std::size_t i = 0; i < at.size(); ++i) at[i] = (at[i] + corners_.front().at[i]) / 2;
      corners_[corner].value = value_(at);
    }
  }

  const Function& value_;
  std::vector<Corner> corners_;
};

}  // namespace

std::vector<double> minimise(const Function& value, std::vector<double> start, double step, int steps) {
  for (int search = 0; search < 2; ++search) {
    Simplex simplex(value, start, step);
    for (int i = 0; i < steps && !simplex.is_flat(); ++i) simplex.step();
    start = simplex.best().at;
  }
  return start;
}

// The time of a training step over local batch and placement.

namespace {

constexpr double placement_threshold = 0.1;  // threshold of |log(predicted / measured)|
constexpr double most_overlap = 10;
constexpr int search_steps = 1500;

/// All variables are free: times by their logarithm, the overlap by a logistic curve from 1 to 10.
PlacementLaw law_of(const std::vector<double>& v) {
  return {{std::exp(v[0])},
          {std::exp(v[1])},
          {std::exp(v[2])},
          {std::exp(v[3])},
          {std::exp(v[4])},
          {std::exp(v[5])},
          1 + (most_overlap - 1) / (1 + std::exp(-v[6]))};
}

double loss_of(const PlacementLaw& law, std::span<const PlacedStep> steps) {
  double loss = 0;
  for (const PlacedStep& step : steps) {
    const double size = std::abs(std::log(predict(law, step.placement) / step.time));
    loss +=
        size <= placement_threshold ? size * size : placement_threshold * (2 * size - placement_threshold);
  }
  return loss / static_cast<double>(steps.size());
}

bool has(std::span<const PlacedStep> steps, bool (*is)(const Placement&)) {
  return std::ranges::any_of(steps, is, &PlacedStep::placement);
}

}  // namespace

netmodels::Seconds predict(const PlacementLaw& law, const Placement& placement) {
  const netmodels::Seconds compute = law.compute_start + placement.local_batch * law.compute_per_sample;
  if (placement.replicas == 1) return compute;
  const int more = std::max(placement.replicas - 2, 0);
  const netmodels::Seconds sync = placement.nodes > 1 ? law.remote_start + more * law.remote_per_replica
                                                      : law.local_start + more * law.local_per_replica;
  return {
      std::pow(std::pow(compute.count, law.overlap) + std::pow(sync.count, law.overlap), 1 / law.overlap)};
}

netmodels::Result<PlacementLaw> fit_placements(std::span<const PlacedStep> steps) {
  if (!has(steps, [](const Placement& p) { return p.replicas == 1; }) ||
      !has(steps, [](const Placement& p) { return p.replicas > 1 && p.nodes == 1; }) ||
      !has(steps, [](const Placement& p) { return p.nodes > 1; })) {
    return netmodels::refuse("", "these placements do not determine the cost of synchronisation",
                             "give steps of one replica, of several on one node, and of several nodes");
  }
  const auto quickest = std::ranges::min_element(steps, {}, &PlacedStep::time);
  const double whole = quickest->time.count;
  std::vector<double> start;
  for (const double share : {0.5, 0.02, 1.0, 0.05, 0.1, 0.02}) start.push_back(std::log(share * whole));
  start.push_back(-1);
  const auto loss = [&](const std::vector<double>& v) { return loss_of(law_of(v), steps); };
  return law_of(minimise(loss, start, 0.7, search_steps));
}

}  // namespace calibrate::fits
