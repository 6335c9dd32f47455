// Passes through layers that are parts of one layer.
#include "learning/models/sequence.hpp"

#include <algorithm>
#include <cassert>
#include <utility>

namespace learning::models {
namespace {

/// More than a sequence has layers, so that no two layers of a model share a stream.
constexpr std::uint64_t streams_below = 4096;

void append(std::vector<kernels::Shape>& all, const std::vector<kernels::Shape>& more) {
  all.insert(all.end(), more.begin(), more.end());
}

void add_values(std::span<const float> values, std::span<float> sum) {
  const float* const from = values.data();
  float* const to = sum.data();
  for (std::size_t i = 0; i < sum.size(); ++i) to[i] += from[i];
}

}  // namespace

Sequence::Sequence(std::vector<std::unique_ptr<const Layer>> layers) {
  assert(!layers.empty() && layers.size() < streams_below / 2);
  for (std::unique_ptr<const Layer>& layer : layers) {
    const Extent extent = layer->extent();
    assert(parts_.empty() || parts_.back().extent.outputs == extent.inputs);
    if (!parts_.empty()) widest_ = std::max(widest_, extent.inputs);
    parts_.push_back({std::move(layer), extent, extent_.parameters, extent_.state});
    extent_.parameters += extent.parameters;
    extent_.state += extent.state;
  }
  extent_.inputs = parts_.front().extent.inputs;
  extent_.outputs = parts_.back().extent.outputs;
}

std::size_t Sequence::cache_size(std::size_t count) const {
  std::size_t size = 2 * count * widest_;
  for (const Part& part : parts_) size += part.layer->cache_size(count) + count * part.extent.outputs;
  return size - count * extent_.outputs;
}

std::vector<kernels::Shape> Sequence::matrices() const {
  std::vector<kernels::Shape> all;
  for (const Part& part : parts_) {
    if (part.extent.parameters > 0) append(all, part.layer->matrices());
  }
  return all;
}

void Sequence::list(std::size_t offset, std::vector<LayerRange>& ranges) const {
  for (const Part& part : parts_) part.layer->list(offset + part.parameters, ranges);
}

void Sequence::initialise(const kernels::RandomStream& random, std::span<float> parameters,
                          std::span<float> state) const {
  for (std::size_t i = 0; i < parts_.size(); ++i) {
    const Part& part = parts_[i];
    part.layer->initialise({random.seed, (random.step + 1) * streams_below + i},
                           parameters.subspan(part.parameters, part.extent.parameters),
                           state.subspan(part.state, part.extent.state));
  }
}

Pass Sequence::pass(std::size_t number, const Pass& whole) const {
  std::span<const float> input = whole.input;
  std::size_t at = 0;
  for (std::size_t i = 0; i < number; ++i) {
    at += parts_[i].layer->cache_size(whole.count);
    const std::size_t outputs = whole.count * parts_[i].extent.outputs;
    input = whole.cache.subspan(at, outputs);
    at += outputs;
  }
  const Part& part = parts_[number];
  const std::size_t own = part.layer->cache_size(whole.count);
  const bool last = number + 1 == parts_.size();
  return {.count = whole.count,
          .phase = whole.phase,
          .parameters = whole.parameters.subspan(part.parameters, part.extent.parameters),
          .state = whole.state.subspan(part.state, part.extent.state),
          .input = input,
          .output = last ? whole.output : whole.cache.subspan(at + own, whole.count * part.extent.outputs),
          .cache = whole.cache.subspan(at, own)};
}

std::span<float> Sequence::gradient(std::size_t number, const Pass& whole) const {
  const std::size_t room = whole.count * widest_;
  return whole.cache.last(number % 2 == 0 ? room : 2 * room)
      .first(whole.count * parts_[number].extent.outputs);
}

void Sequence::forward(const Pass& pass) const {
  for (std::size_t i = 0; i < parts_.size(); ++i) parts_[i].layer->forward(this->pass(i, pass));
}

void Sequence::backward(const Pass& pass, const BackwardPass& gradients) const {
  for (std::size_t i = parts_.size(); i-- > 0;) {
    const Part& part = parts_[i];
    const bool last = i + 1 == parts_.size();
    part.layer->backward(
        this->pass(i, pass),
        {.of_output = last ? gradients.of_output : std::span<const float>(gradient(i, pass)),
         .of_parameters = gradients.of_parameters.subspan(part.parameters, part.extent.parameters),
         .of_input = i == 0 ? gradients.of_input : gradient(i - 1, pass)});
  }
}

void Sequence::update_state(const Pass& pass, std::span<float> state) const {
  for (std::size_t i = 0; i < parts_.size(); ++i) {
    const Part& part = parts_[i];
    part.layer->update_state(this->pass(i, pass), state.subspan(part.state, part.extent.state));
  }
}

Residual::Residual(std::vector<std::unique_ptr<const Layer>> main,
                   std::vector<std::unique_ptr<const Layer>> shortcut)
    : main_(std::move(main)) {
  if (!shortcut.empty()) shortcut_.emplace(std::move(shortcut));
  assert(extent().outputs == (shortcut_ ? shortcut_->extent().outputs : extent().inputs));
}

Extent Residual::extent() const {
  Extent extent = main_.extent();
  if (!shortcut_) return extent;
  extent.parameters += shortcut_->extent().parameters;
  extent.state += shortcut_->extent().state;
  return extent;
}

std::size_t Residual::cache_size(std::size_t count) const {
  const std::size_t main = main_.cache_size(count);
  if (!shortcut_) return main;
  const Extent sizes = main_.extent();
  return main + shortcut_->cache_size(count) + count * std::max(sizes.inputs, sizes.outputs);
}

std::vector<kernels::Shape> Residual::matrices() const {
  std::vector<kernels::Shape> all = main_.matrices();
  if (shortcut_) append(all, shortcut_->matrices());
  return all;
}

void Residual::list(std::size_t offset, std::vector<LayerRange>& ranges) const {
  main_.list(offset, ranges);
  if (shortcut_) shortcut_->list(offset + main_.extent().parameters, ranges);
}

void Residual::initialise(const kernels::RandomStream& random, std::span<float> parameters,
                          std::span<float> state) const {
  const Extent main = main_.extent();
  main_.initialise(random, parameters.first(main.parameters), state.first(main.state));
  if (!shortcut_) return;
  shortcut_->initialise({random.seed, (random.step + 1) * streams_below + streams_below / 2},
                        parameters.subspan(main.parameters), state.subspan(main.state));
}

Pass Residual::main_pass(const Pass& whole) const {
  const Extent main = main_.extent();
  Pass pass = whole;
  pass.parameters = whole.parameters.first(main.parameters);
  pass.state = whole.state.first(main.state);
  pass.cache = whole.cache.first(main_.cache_size(whole.count));
  return pass;
}

Pass Residual::shortcut_pass(const Pass& whole) const {
  const Extent main = main_.extent();
  Pass pass = whole;
  pass.parameters = whole.parameters.subspan(main.parameters);
  pass.state = whole.state.subspan(main.state);
  pass.cache = whole.cache.subspan(main_.cache_size(whole.count), shortcut_->cache_size(whole.count));
  pass.output = whole.cache.last(whole.count * main.outputs);
  return pass;
}

void Residual::forward(const Pass& pass) const {
  main_.forward(main_pass(pass));
  if (!shortcut_) {
    add_values(pass.input, pass.output);
    return;
  }
  const Pass other = shortcut_pass(pass);
  shortcut_->forward(other);
  add_values(other.output, pass.output);
}

void Residual::backward(const Pass& pass, const BackwardPass& gradients) const {
  const std::size_t own = main_.extent().parameters;
  main_.backward(main_pass(pass), {.of_output = gradients.of_output,
                                   .of_parameters = gradients.of_parameters.first(own),
                                   .of_input = gradients.of_input});
  if (!shortcut_) {
    if (!gradients.of_input.empty()) add_values(gradients.of_output, gradients.of_input);
    return;
  }
  const std::span<float> other =
      gradients.of_input.empty() ? gradients.of_input : pass.cache.last(gradients.of_input.size());
  shortcut_->backward(shortcut_pass(pass), {.of_output = gradients.of_output,
                                            .of_parameters = gradients.of_parameters.subspan(own),
                                            .of_input = other});
  if (!gradients.of_input.empty()) add_values(other, gradients.of_input);
}

void Residual::update_state(const Pass& pass, std::span<float> state) const {
  const std::size_t own = main_.extent().state;
  main_.update_state(main_pass(pass), state.first(own));
  if (shortcut_) shortcut_->update_state(shortcut_pass(pass), state.subspan(own));
}

}  // namespace learning::models
