// A model made of layers, and the loss at its end.
#include "learning/models/stack.hpp"

#include <algorithm>
#include <array>
#include <cassert>
#include <utility>

#include "learning/models/elementary.hpp"

namespace learning::models {

// Softmax and cross-entropy of a batch.

namespace {

/// share * softmax(outputs).
/// @returns the sum of e^(output - largest)
float softmax(std::span<const float> outputs, float largest, float share, std::span<float> to) {
  for (std::size_t c = 0; c < to.size(); ++c) to[c] = exponential(outputs[c] - largest);
  float sum = 0;
  for (const float power : to) sum += power;
  for (float& power : to) power = share * (power / sum);
  return sum;
}

}  // namespace

Score cross_entropy(std::size_t classes, std::span<const float> outputs,
                    std::span<const std::uint16_t> labels, std::span<float> gradient) {
  Score score{.count = labels.size()};
  const float share = 1.0F / static_cast<float>(labels.size());
  for (std::size_t sample = 0; sample < labels.size(); ++sample) {
    const std::span<const float> own = outputs.subspan(sample * classes, classes);
    const std::size_t label = labels[sample];
    assert(label < classes);
    const auto largest = std::ranges::max_element(own);
    float sum = 0;
    if (gradient.empty()) {
      for (const float output : own) sum += exponential(output - *largest);
    } else {
      sum = softmax(own, *largest, share, gradient.subspan(sample * classes, classes));
      gradient[sample * classes + label] -= share;
    }
    score.loss_sum += logarithm(static_cast<double>(sum)) + static_cast<double>(*largest - own[label]);
    if (static_cast<std::size_t>(largest - own.begin()) == label) ++score.correct;
  }
  return score;
}

// A model made of layers: where their values lie, and the way of a batch through them.

namespace {

/// Predictions that evaluation takes through the layers together, so that its buffers stay small.
constexpr std::size_t evaluated_together = 256;

}  // namespace

/// The output and cache of every storey, and two alternating gradients between storeys.
class Stack::Buffers : public Workspace {
 public:
  explicit Buffers(const std::vector<Storey>& storeys)
      : storeys_(storeys), outputs_(storeys.size()), caches_(storeys.size()) {}

  void make_room(std::size_t count) {
    if (count <= room_) return;
    std::size_t widest = 0;
    for (std::size_t i = 0; i < storeys_.size(); ++i) {
      const Extent& extent = storeys_[i].extent;
      widest = std::max({widest, extent.inputs, extent.outputs});
      outputs_[i].resize(count * extent.outputs);
      caches_[i].resize(storeys_[i].layer->cache_size(count));
    }
    for (std::vector<float>& gradient : gradients_) gradient.resize(count * widest);
    room_ = count;  // only now: without memory, what was resized is less than that
  }

  std::span<float> output(std::size_t number, std::size_t count) {
    return std::span(outputs_[number]).first(count * storeys_[number].extent.outputs);
  }
  std::span<float> cache(std::size_t number, std::size_t count) {
    return std::span(caches_[number]).first(storeys_[number].layer->cache_size(count));
  }
  /// The gradient of the output of storey `number`; that of its input is the one of `number` - 1.
  std::span<float> gradient(std::size_t number, std::size_t count) {
    return std::span(gradients_[number % 2]).first(count * storeys_[number].extent.outputs);
  }

 private:
  const std::vector<Storey>& storeys_;
  std::size_t room_ = 0;
  std::vector<std::vector<float>> outputs_;
  std::vector<std::vector<float>> caches_;
  std::array<std::vector<float>, 2> gradients_;

 public:
  std::vector<std::uint16_t> labels;  ///< labels of every prediction, where there are several per sample
};

Stack::Stack(std::string name, std::vector<std::unique_ptr<const Layer>> layers, std::size_t predictions)
    : name_(std::move(name)), predictions_(predictions) {
  for (std::unique_ptr<const Layer>& layer : layers) {
    const Extent extent = layer->extent();
    assert(storeys_.empty() || storeys_.back().extent.outputs == extent.inputs);
    if (extent.parameters > 0) {
      if (ranges_.empty()) first_trained_ = storeys_.size();
      layer->list(parameter_count_, ranges_);
    }
    storeys_.push_back({std::move(layer), extent, parameter_count_, state_count_});
    parameter_count_ += extent.parameters;
    state_count_ += extent.state;
  }
  assert(!ranges_.empty());
}

std::span<const std::uint16_t> Stack::labels(std::span<const float> inputs,
                                             std::span<const std::uint16_t> labels, Buffers& buffers) const {
  if (predictions_ == 1) return labels;
  std::vector<std::uint16_t>& next = buffers.labels;
  next.resize(labels.size() * predictions_);
  for (std::size_t i = 0; i + 1 < inputs.size(); ++i) next[i] = static_cast<std::uint16_t>(inputs[i + 1]);
  for (std::size_t sample = 0; sample < labels.size(); ++sample)
    next[(sample + 1) * predictions_ - 1] = labels[sample];
  return next;
}

std::unique_ptr<Workspace> Stack::workspace() const { return std::make_unique<Buffers>(storeys_); }

void Stack::initialise(std::uint64_t seed, std::span<float> parameters, std::span<float> state) const {
  for (std::size_t i = 0; i < storeys_.size(); ++i) {
    const Storey& storey = storeys_[i];
    storey.layer->initialise({.seed = seed, .step = i},
                             parameters.subspan(storey.parameters, storey.extent.parameters),
                             state.subspan(storey.state, storey.extent.state));
  }
}

Pass Stack::pass(std::size_t number, Phase phase, std::span<const float> parameters,
                 std::span<const float> state, std::span<const float> inputs, std::size_t count,
                 Buffers& buffers) const {
  const Storey& storey = storeys_[number];
  return {.count = count,
          .phase = phase,
          .parameters = parameters.subspan(storey.parameters, storey.extent.parameters),
          .state = state.subspan(storey.state, storey.extent.state),
          .input = number == 0 ? inputs : buffers.output(number - 1, count),
          .output = buffers.output(number, count),
          .cache = buffers.cache(number, count)};
}

Score Stack::gradient(std::span<const float> parameters, std::span<float> state, const datasets::Batch& batch,
                      Workspace& workspace, std::span<float> gradient) const {
  auto& buffers = static_cast<Buffers&>(workspace);
  const std::size_t count = batch.count();
  assert(count > 0 && batch.inputs.size() == count * storeys_.front().extent.inputs);
  buffers.make_room(count);
  for (std::size_t i = 0; i < storeys_.size(); ++i) {
    const Storey& storey = storeys_[i];
    const Pass forward = pass(i, Phase::training, parameters, state, batch.inputs, count, buffers);
    storey.layer->forward(forward);
    storey.layer->update_state(forward, state.subspan(storey.state, storey.extent.state));
  }
  const std::size_t last = storeys_.size() - 1;
  const Score score =
      cross_entropy(storeys_[last].extent.outputs / predictions_, buffers.output(last, count),
                    labels(batch.inputs, batch.labels, buffers), buffers.gradient(last, count));
  for (std::size_t i = last + 1; i-- > first_trained_;) {
    const Storey& storey = storeys_[i];
    storey.layer->backward(
        pass(i, Phase::training, parameters, state, batch.inputs, count, buffers),
        {.of_output = buffers.gradient(i, count),
         .of_parameters = gradient.subspan(storey.parameters, storey.extent.parameters),
         .of_input = i > first_trained_ ? buffers.gradient(i - 1, count) : std::span<float>()});
  }
  return score;
}

Score Stack::evaluate(std::span<const float> parameters, std::span<const float> state,
                      const datasets::Batch& batch, Workspace& workspace) const {
  auto& buffers = static_cast<Buffers&>(workspace);
  const std::size_t width = storeys_.front().extent.inputs;
  const std::size_t last = storeys_.size() - 1;
  const std::size_t together = std::max<std::size_t>(1, evaluated_together / predictions_);
  buffers.make_room(std::min(batch.count(), together));
  Score score;
  for (std::size_t first = 0; first < batch.count(); first += together) {
    const std::size_t count = std::min(together, batch.count() - first);
    const auto inputs = std::span(batch.inputs).subspan(first * width, count * width);
    for (std::size_t i = 0; i < storeys_.size(); ++i) {
      storeys_[i].layer->forward(pass(i, Phase::evaluation, parameters, state, inputs, count, buffers));
    }
    score += cross_entropy(storeys_[last].extent.outputs / predictions_, buffers.output(last, count),
                           labels(inputs, std::span(batch.labels).subspan(first, count), buffers), {});
  }
  return score;
}

}  // namespace learning::models
