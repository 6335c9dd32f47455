// Devices, and layers on their roofline.
#include "netmodels/roofline.hpp"

#include <cassert>
#include <cmath>

#include "netmodels/layer_kind.hpp"

namespace netmodels {

// Validates a device description.

namespace {

bool is_positive(double value) { return std::isfinite(value) && value > 0; }

bool is_share(double value) { return value > 0 && value <= 1; }

}  // namespace

Result<Device> check(const Device& device) {
  if (!is_positive(device.peak.count)) return refuse({}, "peak of 0 FLOP per second", "a peak above 0");
  if (!is_positive(device.memory_bandwidth.count)) {
    return refuse({}, "memory bandwidth of 0 bytes per second", "a memory bandwidth above 0");
  }
  if (!is_share(device.compute.share)) {
    return refuse({}, "compute efficiency " + std::to_string(device.compute.share),
                  "a share of the peak in (0, 1]");
  }
  if (!is_share(device.memory.share)) {
    return refuse({}, "memory efficiency " + std::to_string(device.memory.share),
                  "a share of the peak in (0, 1]");
  }
  if (!(std::isfinite(device.launch.count) && device.launch >= Seconds{})) {
    return refuse({}, "launch time " + std::to_string(device.launch.count) + " s", "0 or more");
  }
  return device;
}

// The two bounds of each layer's forward and backward pass.

namespace {

constexpr double bytes_per_parameter = 4;  // fp32

/// The work of one pass of one layer.
struct Work {
  Flops flops;        ///< per sample
  Bytes activations;  ///< moved per sample
  Bytes weights;      ///< moved once per step
};

LinearTime time_of(const Work& work, const Device& device, int batch) {
  const LinearTime compute{device.launch, work.flops / device.sustained_compute()};
  const LinearTime memory{device.launch + work.weights / device.sustained_memory(),
                          work.activations / device.sustained_memory()};
  return compute.at(batch) >= memory.at(batch) ? compute : memory;
}

PassTimes times_of(const Layer& layer, Bytes above, const Device& device, int batch) {
  const Bytes table{bytes_per_parameter * static_cast<double>(layer.parameters)};
  const LayerKind& kind = find_layer_kind(layer.kind);
  const Bytes input = kind.looks_up ? layer.activation : (kind.adds ? 2.0 * layer.activation : above);
  const Bytes read_weights = kind.looks_up ? Bytes{} : table;
  const Bytes input_gradient = kind.looks_up ? Bytes{} : input;
  const Bytes saved_input = kind.looks_up || kind.adds ? Bytes{} : input;
  const Work forward{layer.forward_flops, input + layer.activation, read_weights};
  const Work backward{layer.backward_flops, layer.activation + saved_input + input_gradient,
                      read_weights + table};
  return {time_of(forward, device, batch), time_of(backward, device, batch)};
}

}  // namespace

std::vector<PassTimes> roofline(std::span<const Layer> layers, const Device& device, int batch) {
  assert(batch >= 1);
  std::vector<PassTimes> times;
  times.reserve(layers.size());
  Bytes above = layers.empty() ? Bytes{} : layers.front().activation;
  for (const Layer& layer : layers) {
    times.push_back(times_of(layer, above, device, batch));
    above = layer.activation;
  }
  return times;
}

std::vector<PassTimes> spread(std::span<const Layer> layers, Seconds total, const Device& device, int batch,
                              double fixed_share) {
  const std::vector<PassTimes> shape = roofline(layers, device, batch);
  Seconds sum;
  for (const PassTimes& layer : shape) sum += layer.forward.at(batch) + layer.backward.at(batch);
  const double equal = 1.0 / (2.0 * static_cast<double>(layers.size()));
  const auto portion = [&](const LinearTime& time) {
    const double share = sum > Seconds{} ? time.at(batch) / sum : equal;
    return split(total * share, batch, fixed_share);
  };
  std::vector<PassTimes> times;
  times.reserve(shape.size());
  for (const PassTimes& layer : shape) times.push_back({portion(layer.forward), portion(layer.backward)});
  return times;
}

}  // namespace netmodels
