// Totals of a workload: parameters, pass times and the time of one step.
#include "netmodels/workload.hpp"

#include <algorithm>
#include <array>
#include <cassert>

namespace netmodels {

std::string_view to_string(TimeOrigin origin) {
  switch (origin) {
    case TimeOrigin::measured: return "measured";
    case TimeOrigin::total: return "total spread over layers";
    case TimeOrigin::roofline: return "roofline";
  }
  assert(false && "every origin has a name");
  return {};
}

std::int64_t parameter_tensors(const Layer& layer) {
  constexpr std::array<std::string_view, 4> with_bias{"linear", "batchnorm", "batch_norm", "layernorm"};
  if (layer.parameters == 0) return 0;
  return std::ranges::find(with_bias, layer.kind) == with_bias.end() ? 1 : 2;
}

std::int64_t Workload::parameters() const {
  std::int64_t sum = 0;
  for (const Layer& layer : layers) sum += layer.parameters;
  return sum;
}

Seconds Workload::forward(double batch) const {
  Seconds sum;
  for (const Layer& layer : layers) sum += layer.forward.at(batch);
  return sum;
}

Seconds Workload::backward(double batch) const {
  Seconds sum;
  for (const Layer& layer : layers) sum += layer.backward.at(batch);
  return sum;
}

Seconds Workload::compute(double batch) const {
  return host_overhead.at(batch) + forward(batch) + backward(batch) + optimizer;
}

}  // namespace netmodels
