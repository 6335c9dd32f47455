// Totals of a workload: parameters, pass times and the time of one step.
#include "netmodels/workload.hpp"

#include <cassert>

#include "netmodels/layer_kind.hpp"

namespace netmodels {

std::string_view to_string(TimeOrigin origin) {
  switch (origin) {
    case TimeOrigin::measured: return "measured";
    case TimeOrigin::total: return "total spread over layers";
    case TimeOrigin::roofline: return "roofline";
    case TimeOrigin::utilisation: return "utilisation of the peak";
  }
  assert(false && "every origin has a name");
  return {};
}

Bytes known_buffers(std::span<const Layer> layers) {
  constexpr double per_channel = 2 * 4;
  constexpr double counter = 8;
  Bytes sum;
  for (const Layer& layer : layers) {
    if (!find_layer_kind(layer.kind).keeps_statistics || layer.parameters == 0) continue;
    sum += Bytes{per_channel * static_cast<double>(layer.parameters) / 2 + counter};
  }
  return sum;
}

std::int64_t Workload::parameters() const {
  std::int64_t sum = 0;
  for (const Layer& layer : layers) sum += layer.parameters;
  return sum;
}

std::int64_t Workload::frozen() const {
  std::int64_t sum = 0;
  for (const Layer& layer : layers) sum += layer.frozen;
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

void Workload::accumulate(std::uint32_t count) {
  assert(count >= 1 && micro_batches == 1);
  micro_batches = count;
  host_overhead.fixed *= count;
  for (Layer& layer : layers) {
    layer.forward.fixed *= count;
    layer.backward.fixed *= count;
  }
}

Seconds Workload::compute(double batch) const {
  return host_overhead.at(batch) + forward(batch) + backward(batch) + optimizer;
}

}  // namespace netmodels
