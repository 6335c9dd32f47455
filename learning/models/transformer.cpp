// Normalisation, GELU, causal attention, and tokens in and out, forward and back.
#include "learning/models/transformer.hpp"

#include <algorithm>
#include <array>
#include <cassert>
#include <cmath>
#include <utility>

#include "learning/models/elementary.hpp"
#include "learning/models/product.hpp"
#include "learning/models/random_parameters.hpp"

namespace learning::models {
namespace {

/// The sum of term(0) .. term(count - 1) in 16 interleaved sums, which become vector instructions.
template <class Term>
float lane_sum(std::size_t count, const Term& term) {
  constexpr std::size_t lanes = 16;
  std::array<float, lanes> sums{};
  std::size_t i = 0;
  for (; i + lanes <= count; i += lanes) {
    for (std::size_t lane = 0; lane < lanes; ++lane) sums[lane] += term(i + lane);
  }
  for (; i < count; ++i) sums[i % lanes] += term(i);
  float sum = 0;
  for (const float part : sums) sum += part;
  return sum;
}

}  // namespace

// Layer normalisation.

Extent LayerNorm::extent() const {
  return {.inputs = values_ * positions_, .outputs = values_ * positions_, .parameters = 2 * values_};
}

void LayerNorm::initialise(const kernels::RandomStream& /*random*/, std::span<float> parameters,
                           std::span<float> /*state*/) const {
  std::ranges::fill(parameters.first(values_), 1.0F);
  std::ranges::fill(parameters.last(values_), 0.0F);
}

void LayerNorm::forward(const Pass& pass) const {
  constexpr float epsilon = 1e-5F;
  const float* const gains = pass.parameters.data();
  const float* const shifts = gains + values_;
  const float share = 1.0F / static_cast<float>(values_);
  for (std::size_t position = 0; position < pass.count * positions_; ++position) {
    const float* const x = pass.input.data() + position * values_;
    float* const y = pass.output.data() + position * values_;
    const float mean = share * lane_sum(values_, [x](std::size_t i) { return x[i]; });
    const float variance =
        share * lane_sum(values_, [x, mean](std::size_t i) { return (x[i] - mean) * (x[i] - mean); });
    const float scale = 1.0F / std::sqrt(variance + epsilon);
    for (std::size_t i = 0; i < values_; ++i) y[i] = gains[i] * ((x[i] - mean) * scale) + shifts[i];
    pass.cache[2 * position] = mean;
    pass.cache[2 * position + 1] = scale;
  }
}

void LayerNorm::backward(const Pass& pass, const BackwardPass& gradients) const {
  const float* const gains = pass.parameters.data();
  float* const of_gains = gradients.of_parameters.data();
  float* const of_shifts = of_gains + values_;
  const float share = 1.0F / static_cast<float>(values_);
  std::ranges::fill(gradients.of_parameters, 0.0F);
  for (std::size_t position = 0; position < pass.count * positions_; ++position) {
    const float* const x = pass.input.data() + position * values_;
    const float* const slope = gradients.of_output.data() + position * values_;
    const float mean = pass.cache[2 * position];
    const float scale = pass.cache[2 * position + 1];
    for (std::size_t i = 0; i < values_; ++i) {
      of_gains[i] += slope[i] * ((x[i] - mean) * scale);
      of_shifts[i] += slope[i];
    }
    if (gradients.of_input.empty()) continue;
    const float of_mean = share * lane_sum(values_, [=](std::size_t i) { return gains[i] * slope[i]; });
    const float of_scale = share * lane_sum(values_, [=](std::size_t i) {
                             return gains[i] * slope[i] * ((x[i] - mean) * scale);
                           });
    float* const of_x = gradients.of_input.data() + position * values_;
    for (std::size_t i = 0; i < values_; ++i)
      of_x[i] = scale * (gains[i] * slope[i] - of_mean - (x[i] - mean) * scale * of_scale);
  }
}

// GELU; the cache keeps 1 / (1 + e^(-2 u)).

namespace {

constexpr float gelu_slope = 1.5957691216057308F;  // 2 sqrt(2 / pi)
constexpr float gelu_cubic = 0.044715F;

}  // namespace

/// Two loops: in one, g++ multiplies x by the share at every bound of the exponential, a subnormal number.
void Gelu::forward(const Pass& pass) const {
  const float* const from = pass.input.data();
  float* const shares = pass.cache.data();
  float* const to = pass.output.data();
  for (std::size_t i = 0; i < pass.output.size(); ++i) {
    const float u = gelu_slope * (from[i] + gelu_cubic * from[i] * from[i] * from[i]);
    shares[i] = sigmoid(u < -30.0F ? -30.0F : u);  // a lower bound that is no subnormal number
  }
  for (std::size_t i = 0; i < pass.output.size(); ++i) to[i] = from[i] * shares[i];
}

void Gelu::backward(const Pass& pass, const BackwardPass& gradients) const {
  if (gradients.of_input.empty()) return;
  const float* const from = pass.input.data();
  const float* const shares = pass.cache.data();
  const float* const of_output = gradients.of_output.data();
  float* const to = gradients.of_input.data();
  for (std::size_t i = 0; i < pass.output.size(); ++i) {
    const float x = from[i];
    const float share = shares[i];
    const float steepness = gelu_slope * (1 + 3 * gelu_cubic * x * x);
    to[i] = of_output[i] * (share + x * share * (1 - share) * steepness);
  }
}

// Causal attention, a few queries at a time: keys that come after all of them are left out.

namespace {

constexpr std::size_t queries_together = 16;

/// softmax(scale * scores) over the first `count` of `row`; zeros from there to `end`.
void causal_softmax(float* row, std::size_t count, std::size_t end, float scale) {
  float largest = row[0];
  for (std::size_t i = 1; i < count; ++i) largest = row[i] > largest ? row[i] : largest;
  for (std::size_t i = 0; i < count; ++i) row[i] = exponential(scale * (row[i] - largest));
  const float share = 1.0F / lane_sum(count, [row](std::size_t i) { return row[i]; });
  for (std::size_t i = 0; i < count; ++i) row[i] *= share;
  for (std::size_t i = count; i < end; ++i) row[i] = 0;
}

}  // namespace

/// One head of one sample.
struct CausalAttention::Head {
  const float* queries;  ///< position t at t * 3 values, likewise keys and carried
  const float* keys;
  const float* carried;  ///< the values that are summed
  float* shares;         ///< a_ts at t * positions + s
  float* of_shares;      ///< likewise; the same memory for all heads
  float* output;         ///< position t at t * values
};

Extent CausalAttention::extent() const {
  const std::size_t values = settings_.positions * settings_.values;
  return {.inputs = 3 * values, .outputs = values};
}

std::size_t CausalAttention::cache_size(std::size_t count) const {
  return (count * settings_.heads + 1) * settings_.positions * settings_.positions;
}

CausalAttention::Head CausalAttention::head(const Pass& pass, std::size_t number) const {
  const auto [positions, values, heads] = settings_;
  const std::size_t sample = number / heads;
  const std::size_t first = number % heads * (values / heads);
  const float* const input = pass.input.data() + sample * positions * 3 * values + first;
  const std::size_t square = positions * positions;
  return {input,
          input + values,
          input + 2 * values,
          pass.cache.data() + number * square,
          pass.cache.data() + pass.count * heads * square,
          pass.output.data() + sample * positions * values + first};
}

void CausalAttention::attend(const Head& head) const {
  const auto [positions, values, heads] = settings_;
  const std::size_t depth = values / heads;
  const float scale = 1.0F / std::sqrt(static_cast<float>(depth));
  for (std::size_t first = 0; first < positions; first += queries_together) {
    const std::size_t count = std::min(queries_together, positions - first);
    float* const shares = head.shares + first * positions;
    multiply({.rows = first + count,
              .columns = count,
              .depth = depth,
              .left = {head.keys, 3 * values, 1},
              .right = {head.queries + first * 3 * values, 1, 3 * values},
              .result = shares,
              .stride = positions});
    for (std::size_t i = 0; i < count; ++i)
      causal_softmax(shares + i * positions, first + i + 1, positions, scale);
    multiply({.rows = depth,
              .columns = count,
              .depth = first + count,
              .left = {head.carried, 1, 3 * values},
              .right = {shares, 1, positions},
              .result = head.output + first * values,
              .stride = values});
  }
}

void CausalAttention::forward(const Pass& pass) const {
  for (std::size_t number = 0; number < pass.count * settings_.heads; ++number) attend(head(pass, number));
}

/// @param of_input  of the head's queries; those of keys and values follow as in the input
void CausalAttention::attend_back(const Head& head, const float* of_output, float* of_input) const {
  const auto [positions, values, heads] = settings_;
  const std::size_t depth = values / heads;
  const float scale = 1.0F / std::sqrt(static_cast<float>(depth));
  for (std::size_t first = 0; first < positions; first += queries_together) {
    const std::size_t count = std::min(queries_together, positions - first);
    const std::size_t end = first + count;
    float* const slopes = head.of_shares + first * positions;
    multiply({.rows = end,
              .columns = count,
              .depth = depth,
              .left = {head.carried, 3 * values, 1},
              .right = {of_output + first * values, 1, values},
              .result = slopes,
              .stride = positions});
    for (std::size_t i = 0; i < count; ++i) {
      const float* const share = head.shares + (first + i) * positions;
      float* const slope = slopes + i * positions;
      const float mean = lane_sum(end, [=](std::size_t s) { return share[s] * slope[s]; });
      for (std::size_t s = 0; s < end; ++s) slope[s] = scale * share[s] * (slope[s] - mean);
      for (std::size_t s = end; s < positions; ++s) slope[s] = 0;
    }
    multiply({.rows = depth,
              .columns = count,
              .depth = end,
              .left = {head.keys, 1, 3 * values},
              .right = {slopes, 1, positions},
              .result = of_input + first * 3 * values,
              .stride = 3 * values});
  }
  for (std::size_t first = 0; first < positions; first += queries_together) {
    Product product{.rows = depth,
                    .columns = std::min(queries_together, positions - first),
                    .depth = positions - first,
                    .left = {head.queries + first * 3 * values, 1, 3 * values},
                    .right = {head.of_shares + first * positions + first, positions, 1},
                    .result = of_input + values + first * 3 * values,
                    .stride = 3 * values};
    multiply(product);
    product.left = {of_output + first * values, 1, values};
    product.right.data = head.shares + first * positions + first;
    product.result += values;
    multiply(product);
  }
}

void CausalAttention::backward(const Pass& pass, const BackwardPass& gradients) const {
  if (gradients.of_input.empty()) return;
  for (std::size_t number = 0; number < pass.count * settings_.heads; ++number) {
    const Head head = this->head(pass, number);
    attend_back(head, gradients.of_output.data() + (head.output - pass.output.data()),
                gradients.of_input.data() + (head.queries - pass.input.data()));
  }
}

// Tokens in, tokens out.

LanguageModel::LanguageModel(const Settings& settings, std::vector<std::unique_ptr<const Layer>> layers)
    : settings_(settings), layers_(std::move(layers)) {
  assert(layers_.extent().inputs == settings.positions * settings.values);
  assert(layers_.extent().outputs == layers_.extent().inputs && layers_.extent().state == 0);
}

std::size_t LanguageModel::embedded() const {
  return (settings_.alphabet + settings_.positions) * settings_.values;
}

std::size_t LanguageModel::output_weights() const {
  return settings_.tied ? 0 : embedded() + layers_.extent().parameters;
}

Extent LanguageModel::extent() const {
  const std::size_t separate = settings_.tied ? 0 : settings_.alphabet * settings_.values;
  return {.inputs = settings_.positions,
          .outputs = settings_.positions * settings_.alphabet,
          .parameters = embedded() + layers_.extent().parameters + separate};
}

std::size_t LanguageModel::cache_size(std::size_t count) const {
  return 4 * count * settings_.positions * settings_.values + layers_.cache_size(count);
}

std::vector<kernels::Shape> LanguageModel::matrices() const {
  std::vector<LayerRange> ranges;
  list(0, ranges);
  std::vector<kernels::Shape> all;
  for (const LayerRange& range : ranges) all.insert(all.end(), range.matrices.begin(), range.matrices.end());
  return all;
}

void LanguageModel::list(std::size_t offset, std::vector<LayerRange>& ranges) const {
  const auto add = [&](const std::string& what, std::size_t rows, std::size_t at) {
    ranges.push_back({what + " " + std::to_string(rows) + "x" + std::to_string(settings_.values),
                      offset + at,
                      rows * settings_.values,
                      {{static_cast<std::int64_t>(rows), static_cast<std::int64_t>(settings_.values)}}});
  };
  add("embedding", settings_.alphabet, 0);
  add("positions", settings_.positions, settings_.alphabet * settings_.values);
  layers_.list(offset + embedded(), ranges);
  if (!settings_.tied) add("outputs", settings_.alphabet, output_weights());
}

void LanguageModel::initialise(const kernels::RandomStream& random, std::span<float> parameters,
                               std::span<float> state) const {
  constexpr double deviation = 0.02;
  draw_uniform(random, 0, deviation * std::sqrt(3.0), parameters.first(embedded()));
  const std::size_t inner = layers_.extent().parameters;
  layers_.initialise(random, parameters.subspan(embedded(), inner), state);
  draw_uniform(random, embedded(), glorot_bound(settings_.values, settings_.alphabet),
               parameters.subspan(embedded() + inner));
}

Pass LanguageModel::inner(const Pass& pass) const {
  const std::size_t values = pass.count * settings_.positions * settings_.values;
  return {.count = pass.count,
          .phase = pass.phase,
          .parameters = pass.parameters.subspan(embedded(), layers_.extent().parameters),
          .state = pass.state,
          .input = pass.cache.first(values),
          .output = pass.cache.subspan(values, values),
          .cache = pass.cache.subspan(4 * values)};
}

void LanguageModel::forward(const Pass& pass) const {
  const auto [alphabet, positions, values, tied] = settings_;
  const float* const vectors = pass.parameters.data();
  for (std::size_t i = 0; i < pass.input.size(); ++i) {
    const auto token = static_cast<std::size_t>(pass.input[i]);
    assert(token < alphabet);
    const float* const of_token = vectors + token * values;
    const float* const of_position = vectors + (alphabet + i % positions) * values;
    float* const to = pass.cache.data() + i * values;
    for (std::size_t v = 0; v < values; ++v) to[v] = of_token[v] + of_position[v];
  }
  const Pass inner = this->inner(pass);
  layers_.forward(inner);
  multiply({.rows = alphabet,
            .columns = pass.count * positions,
            .depth = values,
            .left = {vectors + output_weights(), values, 1},
            .right = {inner.output.data(), 1, values},
            .result = pass.output.data(),
            .stride = alphabet});
}

void LanguageModel::backward(const Pass& pass, const BackwardPass& gradients) const {
  const auto [alphabet, positions, values, tied] = settings_;
  const Pass inner = this->inner(pass);
  const std::span<float> of_hidden = pass.cache.subspan(2 * inner.input.size(), inner.input.size());
  const std::span<float> of_vectors = pass.cache.subspan(3 * inner.input.size(), inner.input.size());
  multiply({.rows = values,
            .columns = pass.count * positions,
            .depth = alphabet,
            .left = {pass.parameters.data() + output_weights(), 1, values},
            .right = {gradients.of_output.data(), 1, alphabet},
            .result = of_hidden.data(),
            .stride = values});
  std::ranges::fill(gradients.of_parameters.first(embedded()), 0.0F);
  multiply({.rows = values,
            .columns = alphabet,
            .depth = pass.count * positions,
            .left = {inner.output.data(), 1, values},
            .right = {gradients.of_output.data(), alphabet, 1},
            .result = gradients.of_parameters.data() + output_weights(),
            .stride = values});
  layers_.backward(inner,
                   {.of_output = of_hidden,
                    .of_parameters = gradients.of_parameters.subspan(embedded(), inner.parameters.size()),
                    .of_input = of_vectors});
  for (std::size_t i = 0; i < pass.input.size(); ++i) {
    const auto token = static_cast<std::size_t>(pass.input[i]);
    float* const of_token = gradients.of_parameters.data() + token * values;
    float* const of_position = gradients.of_parameters.data() + (alphabet + i % positions) * values;
    const float* const from = of_vectors.data() + i * values;
    for (std::size_t v = 0; v < values; ++v) {
      of_token[v] += from[v];
      of_position[v] += from[v];
    }
  }
}

}  // namespace learning::models
