// Softmax and cross-entropy of a batch.
#include <algorithm>
#include <cassert>

#include "learning/models/elementary.hpp"
#include "learning/models/stack.hpp"

namespace learning::models {
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

}  // namespace learning::models
