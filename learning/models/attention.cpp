// Attention of the last position, forward and back.
#include <algorithm>
#include <cmath>

#include "learning/models/columns.hpp"
#include "learning/models/elementary.hpp"
#include "learning/models/layers.hpp"
#include "learning/models/product.hpp"
#include "learning/models/random_parameters.hpp"

namespace learning::models {
namespace {

float dot(const float* left, const float* right, std::size_t count) {
  float sum = 0;
  for (std::size_t i = 0; i < count; ++i) sum += left[i] * right[i];
  return sum;
}

/// Adds: to += factor * from
void add(float factor, const float* from, std::size_t count, float* to) {
  for (std::size_t i = 0; i < count; ++i) to[i] += factor * from[i];
}

void softmax(std::span<float> values) {
  const float largest = *std::ranges::max_element(values);
  float sum = 0;
  for (float& value : values) sum += value = exponential(value - largest);
  for (float& value : values) value /= sum;
}

}  // namespace

/// The parts of the cache; a sample's positions lie one after the other. Gradients take the places of what
/// they are the gradients of, once that has been read.
struct Attention::Memory {
  float* x;        // `values` per sample and position
  float* keys;     // likewise
  float* carried;  // likewise: V x
  float* shares;   // a, one per sample and position
  float* queries;  // `values` per sample
};

Extent Attention::extent() const {
  return {.inputs = length_ * values_, .outputs = values_, .parameters = values_ * (3 * values_ + length_)};
}

std::vector<kernels::Shape> Attention::matrices() const {
  const auto values = static_cast<std::int64_t>(values_), length = static_cast<std::int64_t>(length_);
  return {{values, values}, {values, values}, {values, values}, {length, values}};
}

std::size_t Attention::cache_size(std::size_t count) const {
  return count * (3 * length_ * values_ + length_ + values_);
}

Attention::Memory Attention::memory(const Pass& pass) const {
  const std::size_t sequence = pass.count * length_ * values_;
  float* const start = pass.cache.data();
  return {start, start + sequence, start + 2 * sequence, start + 3 * sequence,
          start + 3 * sequence + pass.count * length_};
}

void Attention::initialise(const kernels::RandomStream& random, std::span<float> parameters,
                           std::span<float> /*state*/) const {
  const std::size_t weights = 3 * values_ * values_;
  draw_uniform(random, 0, glorot_bound(values_, values_), parameters.first(weights));
  std::ranges::fill(parameters.subspan(weights), 0.0F);
}

void Attention::attend(const Memory& memory, std::size_t sample, float* output) const {
  const std::size_t first = sample * length_ * values_;
  const float* const query = memory.queries + sample * values_;
  const std::span<float> shares(memory.shares + sample * length_, length_);
  const float scale = 1.0F / std::sqrt(static_cast<float>(values_));
  for (std::size_t t = 0; t < length_; ++t) {
    shares[t] = scale * dot(query, memory.keys + first + t * values_, values_);
  }
  softmax(shares);
  std::copy_n(memory.x + first + (length_ - 1) * values_, values_, output);
  for (std::size_t t = 0; t < length_; ++t)
    add(shares[t], memory.carried + first + t * values_, values_, output);
}

void Attention::forward(const Pass& pass) const {
  const Memory memory = this->memory(pass);
  const std::size_t weights = values_ * values_;
  const std::size_t sequence = length_ * values_;
  const float* const positions = pass.parameters.data() + 3 * weights;
  std::ranges::copy(pass.input, memory.x);
  for (std::size_t sample = 0; sample < pass.count; ++sample) {
    add(1, positions, sequence, memory.x + sample * sequence);
  }
  Product product{.rows = values_,
                  .columns = pass.count,
                  .depth = values_,
                  .left = {pass.parameters.data(), 1, values_},
                  .right = {memory.x + (length_ - 1) * values_, 1, sequence},
                  .result = memory.queries,
                  .stride = values_};
  multiply(product);
  product.columns = pass.count * length_;
  product.right = {memory.x, 1, values_};
  for (float* const result : {memory.keys, memory.carried}) {
    product.left.data += weights;
    product.result = result;
    multiply(product);
  }
  for (std::size_t sample = 0; sample < pass.count; ++sample) {
    attend(memory, sample, pass.output.data() + sample * values_);
  }
}

void Attention::attend_back(const Memory& memory, std::size_t sample, const float* of_output) const {
  float* const keys = memory.keys + sample * length_ * values_;
  float* const carried = memory.carried + sample * length_ * values_;
  float* const query = memory.queries + sample * values_;
  float* const shares = memory.shares + sample * length_;
  const float scale = 1.0F / std::sqrt(static_cast<float>(values_));
  float mean = 0;
  for (std::size_t t = 0; t < length_; ++t)
    mean += shares[t] * dot(of_output, carried + t * values_, values_);
  for (std::size_t t = 0; t < length_; ++t) {
    float* const value = carried + t * values_;
    const float slope = scale * shares[t] * (dot(of_output, value, values_) - mean);
    for (std::size_t i = 0; i < values_; ++i) value[i] = shares[t] * of_output[i];
    shares[t] = slope;
  }
  // The query's gradient needs the keys, and the keys' the query: column by column.
  for (std::size_t i = 0; i < values_; ++i) {
    float of_query = 0;
    for (std::size_t t = 0; t < length_; ++t) {
      of_query += shares[t] * keys[t * values_ + i];
      keys[t * values_ + i] = shares[t] * query[i];
    }
    query[i] = of_query;
  }
}

void Attention::parameter_gradients(const Pass& pass, const Memory& memory,
                                    std::span<float> gradients) const {
  const std::size_t sequence = length_ * values_;
  Product product{.rows = values_,
                  .columns = values_,
                  .depth = pass.count,
                  .left = {memory.queries, 1, values_},
                  .right = {memory.x + (length_ - 1) * values_, sequence, 1},
                  .result = gradients.data(),
                  .stride = values_};
  multiply(product);
  product.depth = pass.count * length_;
  product.right = {memory.x, values_, 1};
  for (const float* const of_result : {memory.keys, memory.carried}) {
    product.left.data = of_result;
    product.result += values_ * values_;
    multiply(product);
  }
}

/// Writes gradients in place of x, which is no longer read.
void Attention::input_gradients(const Pass& pass, const Memory& memory,
                                std::span<const float> of_output) const {
  const std::size_t weights = values_ * values_;
  const std::size_t sequence = length_ * values_;
  Product product{.rows = values_,
                  .columns = pass.count * length_,
                  .depth = values_,
                  .left = {pass.parameters.data() + weights, values_, 1},
                  .right = {memory.keys, 1, values_},
                  .result = memory.x,
                  .stride = values_};
  multiply(product);
  product.adds_to_result = true;
  product.left.data += weights;
  product.right.data = memory.carried;
  multiply(product);
  float* const last = memory.x + (length_ - 1) * values_;
  multiply({.rows = values_,
            .columns = pass.count,
            .depth = values_,
            .left = {pass.parameters.data(), values_, 1},
            .right = {memory.queries, 1, values_},
            .result = last,
            .stride = sequence,
            .adds_to_result = true});
  for (std::size_t sample = 0; sample < pass.count; ++sample) {
    add(1, of_output.data() + sample * values_, values_, last + sample * sequence);
  }
}

void Attention::backward(const Pass& pass, const BackwardPass& gradients) const {
  const Memory memory = this->memory(pass);
  for (std::size_t sample = 0; sample < pass.count; ++sample) {
    attend_back(memory, sample, gradients.of_output.data() + sample * values_);
  }
  parameter_gradients(pass, memory, gradients.of_parameters);
  input_gradients(pass, memory, gradients.of_output);
  const std::span<const float> of_input = pass.cache.first(pass.count * length_ * values_);
  sum_columns(of_input, gradients.of_parameters.last(length_ * values_));
  if (!gradients.of_input.empty()) std::ranges::copy(of_input, gradients.of_input.begin());
}

}  // namespace learning::models
