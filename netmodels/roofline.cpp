// The two bounds of each layer's forward and backward pass.
#include "netmodels/roofline.hpp"

#include <cassert>

namespace netmodels {
namespace {

constexpr double bytes_per_parameter = 4;  // fp32

/// What one pass of one layer does.
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
  const bool looks_up = layer.kind == "embedding";
  const Bytes input = looks_up ? layer.activation : (layer.kind == "add" ? 2.0 * layer.activation : above);
  const Bytes read_weights = looks_up ? Bytes{} : table;
  const Bytes input_gradient = looks_up ? Bytes{} : input;  // nobody asks for the gradient of a word's number
  const Bytes saved_input =
      looks_up || layer.kind == "add" ? Bytes{} : input;  // a sum passes its gradient on unseen
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
