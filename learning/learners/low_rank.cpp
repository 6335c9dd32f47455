// One step of power iteration per matrix, from the factors of the step before.
#include "learning/learners/low_rank.hpp"

#include <algorithm>
#include <cassert>
#include <cmath>

#include "kernels/power_sgd.hpp"
#include "kernels/statistics.hpp"

namespace learning::learners {
namespace {

bool is_vector(const kernels::Shape& shape) { return shape.rows <= 1 || shape.columns <= 1; }

}  // namespace

std::vector<kernels::Shape> LowRankMean::square_of(std::int64_t values) {
  const auto rows = static_cast<std::int64_t>(std::sqrt(static_cast<double>(values)));
  if (rows < 2) return {{1, values}};
  const std::int64_t columns = values / rows;
  std::vector<kernels::Shape> shapes{{rows, columns}};
  if (values > rows * columns) shapes.push_back({1, values - rows * columns});
  return shapes;
}

int LowRankMean::rank(double ratio) const {
  double values = 0;
  double per_rank = 0;
  for (const kernels::Shape& shape : matrices_) {
    if (is_vector(shape)) continue;
    values += static_cast<double>(shape.rows) * static_cast<double>(shape.columns);
    per_rank += static_cast<double>(shape.rows + shape.columns);
  }
  return per_rank > 0 ? std::max(1, static_cast<int>(ratio * values / per_rank)) : 1;
}

kernels::Energy LowRankMean::approximate(double ratio, std::int64_t step, std::span<float> mean) {
  if (ratio != ratio_) factors_.assign(matrices_.size(), {});
  ratio_ = ratio;
  const int rank = this->rank(ratio);
  kernels::Energy energy{};
  std::size_t first = 0;
  for (std::size_t i = 0; i < matrices_.size(); ++i) {
    const kernels::Shape& shape = matrices_[i];
    const std::span<float> values = mean.subspan(first, static_cast<std::size_t>(shape.rows * shape.columns));
    first += values.size();
    if (is_vector(shape)) {
      const double whole = kernels::energy(values);
      energy.sent += whole;
      energy.given += whole;
      continue;
    }
    kernels::PowerSgd compressor({.rank = rank, .shape = shape, .seed = seed_ + i});
    compressor.set_step(static_cast<std::uint64_t>(step));
    std::vector<float>& q = factors_[i];
    if (!q.empty()) compressor.begin_at(q, shape.rows * shape.columns);
    const kernels::Message message = compressor.compress(values);
    energy.sent += message.energy.sent;
    energy.given += message.energy.given;
    const auto columns = static_cast<std::size_t>(shape.columns);
    const std::size_t kept = message.values.size() / static_cast<std::size_t>(shape.rows + shape.columns);
    const std::span<const float> last = message.values.last(kept * columns);
    q.assign(last.begin(), last.end());
    compressor.restore(message, values);
  }
  assert(first == mean.size());
  return energy;
}

}  // namespace learning::learners
