// Long short-term memory, forward and back through time.
#include <algorithm>

#include "learning/models/columns.hpp"
#include "learning/models/elementary.hpp"
#include "learning/models/layers.hpp"
#include "learning/models/product.hpp"
#include "learning/models/random_parameters.hpp"

namespace learning::models {

/// The parts of the cache; a sample's times lie one after the other.
struct Lstm::Memory {
  float* gates;             // 4 hidden values per sample and time; on the way back, their gradients
  float* cells;             // hidden values per sample and time
  float* hidden;            // likewise
  float* hidden_gradients;  // hidden values per sample, of the time that is worked on
  float* cell_gradients;    // likewise
};

std::string Lstm::name() const { return "lstm " + std::to_string(inputs_) + "x" + std::to_string(hidden_); }

Extent Lstm::extent() const {
  return {
      .inputs = length_ * inputs_, .outputs = hidden_, .parameters = 4 * hidden_ * (inputs_ + hidden_ + 1)};
}

std::vector<kernels::Shape> Lstm::matrices() const {
  const auto inputs = static_cast<std::int64_t>(inputs_), hidden = static_cast<std::int64_t>(hidden_);
  return {{inputs, 4 * hidden}, {hidden, 4 * hidden}, {1, 4 * hidden}};
}

std::size_t Lstm::cache_size(std::size_t count) const { return count * hidden_ * (6 * length_ + 2); }

Lstm::Memory Lstm::memory(const Pass& pass) const {
  const std::size_t sequence = pass.count * length_ * hidden_;
  float* const start = pass.cache.data();
  return {start, start + 4 * sequence, start + 5 * sequence, start + 6 * sequence,
          start + 6 * sequence + pass.count * hidden_};
}

void Lstm::initialise(const kernels::RandomStream& random, std::span<float> parameters,
                      std::span<float> /*state*/) const {
  const std::size_t input_weights = 4 * hidden_ * inputs_;
  const std::size_t hidden_weights = 4 * hidden_ * hidden_;
  draw_uniform(random, 0, glorot_bound(inputs_, hidden_), parameters.first(input_weights));
  draw_uniform(random, input_weights, glorot_bound(hidden_, hidden_),
               parameters.subspan(input_weights, hidden_weights));
  const std::span<float> biases = parameters.last(4 * hidden_);
  std::ranges::fill(biases, 0.0F);
  std::ranges::fill(biases.subspan(hidden_, hidden_), 1.0F);
}

/// Turns the gates' sums at one time into the gates, the cells and the hidden values.
void Lstm::step(const Memory& memory, std::size_t count, std::size_t time) const {
  for (std::size_t sample = 0; sample < count; ++sample) {
    const std::size_t at = (sample * length_ + time) * hidden_;
    float* const gates = memory.gates + 4 * at;
    float* const cells = memory.cells + at;
    float* const hidden = memory.hidden + at;
    for (std::size_t j = 0; j < 2 * hidden_; ++j) gates[j] = sigmoid(gates[j]);
    for (std::size_t j = 2 * hidden_; j < 3 * hidden_; ++j) gates[j] = hyperbolic_tangent(gates[j]);
    for (std::size_t j = 3 * hidden_; j < 4 * hidden_; ++j) gates[j] = sigmoid(gates[j]);
    for (std::size_t j = 0; j < hidden_; ++j) cells[j] = gates[j] * gates[2 * hidden_ + j];
    if (time > 0) {
      const float* const before = cells - hidden_;
      for (std::size_t j = 0; j < hidden_; ++j) cells[j] += gates[hidden_ + j] * before[j];
    }
    for (std::size_t j = 0; j < hidden_; ++j)
      hidden[j] = gates[3 * hidden_ + j] * hyperbolic_tangent(cells[j]);
  }
}

void Lstm::forward(const Pass& pass) const {
  const Memory memory = this->memory(pass);
  const std::size_t rows = 4 * hidden_;
  const float* const hidden_weights = pass.parameters.data() + rows * inputs_;
  fill_columns(pass.parameters.last(rows), pass.cache.first(pass.count * length_ * rows));
  multiply({.rows = rows,
            .columns = pass.count * length_,
            .depth = inputs_,
            .left = {pass.parameters.data(), 1, rows},
            .right = {pass.input.data(), 1, inputs_},
            .result = memory.gates,
            .stride = rows,
            .adds_to_result = true});
  for (std::size_t time = 0; time < length_; ++time) {
    if (time > 0) {
      multiply({.rows = rows,
                .columns = pass.count,
                .depth = hidden_,
                .left = {hidden_weights, 1, rows},
                .right = {memory.hidden + (time - 1) * hidden_, 1, length_ * hidden_},
                .result = memory.gates + time * rows,
                .stride = length_ * rows,
                .adds_to_result = true});
    }
    step(memory, pass.count, time);
  }
  for (std::size_t sample = 0; sample < pass.count; ++sample) {
    const float* const last = memory.hidden + ((sample + 1) * length_ - 1) * hidden_;
    std::copy_n(last, hidden_, pass.output.data() + sample * hidden_);
  }
}

/// Turns the gradients of hidden values and cells at one time into those of the gates' sums, in place of the
/// gates, and of the cells before.
void Lstm::step_back(const Memory& memory, std::size_t count, std::size_t time) const {
  for (std::size_t sample = 0; sample < count; ++sample) {
    const std::size_t at = (sample * length_ + time) * hidden_;
    const float* const cells = memory.cells + at;
    float* const input_gates = memory.gates + 4 * at;
    float* const forget_gates = input_gates + hidden_;
    float* const candidates = forget_gates + hidden_;
    float* const output_gates = candidates + hidden_;
    const float* const of_hidden = memory.hidden_gradients + sample * hidden_;
    float* const of_cells = memory.cell_gradients + sample * hidden_;
    for (std::size_t j = 0; j < hidden_; ++j) {
      const float i = input_gates[j], g = candidates[j], o = output_gates[j];
      const float squashed = hyperbolic_tangent(cells[j]);
      of_cells[j] += of_hidden[j] * o * (1 - squashed * squashed);
      input_gates[j] = of_cells[j] * g * i * (1 - i);
      candidates[j] = of_cells[j] * i * (1 - g * g);
      output_gates[j] = of_hidden[j] * squashed * o * (1 - o);
    }
    if (time == 0) {
      std::fill_n(forget_gates, hidden_, 0.0F);  // there was nothing to forget
      continue;
    }
    for (std::size_t j = 0; j < hidden_; ++j) {
      const float f = forget_gates[j], before = *(cells - hidden_ + j);
      forget_gates[j] = of_cells[j] * before * f * (1 - f);
      of_cells[j] *= f;
    }
  }
}

void Lstm::parameter_gradients(const Pass& pass, const Memory& memory, std::span<float> gradients) const {
  const std::size_t rows = 4 * hidden_;
  multiply({.rows = rows,
            .columns = inputs_,
            .depth = pass.count * length_,
            .left = {memory.gates, 1, rows},
            .right = {pass.input.data(), inputs_, 1},
            .result = gradients.data(),
            .stride = rows});
  for (std::size_t sample = 0; sample < pass.count; ++sample) {
    const std::size_t start = sample * length_;
    multiply({.rows = rows,
              .columns = hidden_,
              .depth = length_ - 1,
              .left = {memory.gates + (start + 1) * rows, 1, rows},
              .right = {memory.hidden + start * hidden_, hidden_, 1},
              .result = gradients.data() + rows * inputs_,
              .stride = rows,
              .adds_to_result = sample > 0});
  }
  sum_columns(pass.cache.first(pass.count * length_ * rows), gradients.last(rows));
}

void Lstm::backward(const Pass& pass, const BackwardPass& gradients) const {
  const Memory memory = this->memory(pass);
  const std::size_t rows = 4 * hidden_;
  const float* const hidden_weights = pass.parameters.data() + rows * inputs_;
  std::ranges::copy(gradients.of_output, memory.hidden_gradients);
  std::fill_n(memory.cell_gradients, pass.count * hidden_, 0.0F);
  for (std::size_t time = length_; time-- > 0;) {
    step_back(memory, pass.count, time);
    if (time == 0) break;
    multiply({.rows = hidden_,
              .columns = pass.count,
              .depth = rows,
              .left = {hidden_weights, rows, 1},
              .right = {memory.gates + time * rows, 1, length_ * rows},
              .result = memory.hidden_gradients,
              .stride = hidden_});
  }
  parameter_gradients(pass, memory, gradients.of_parameters);
  if (gradients.of_input.empty()) return;
  multiply({.rows = inputs_,
            .columns = pass.count * length_,
            .depth = rows,
            .left = {pass.parameters.data(), rows, 1},
            .right = {memory.gates, 1, rows},
            .result = gradients.of_input.data(),
            .stride = inputs_});
}

}  // namespace learning::models
