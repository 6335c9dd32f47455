// Means of changes, or of their lengths and directions, and outer steps with them.
#include "learning/learners/merged_model.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include "learning/learners/outer_state.hpp"

namespace learning::learners {
namespace {

/// A change and its share of all weights.
struct Part {
  std::span<const float> change;
  double weight;
};

double length(std::span<const float> values) {
  double squares = 0;
  for (const float value : values) squares += static_cast<double>(value) * value;
  return std::sqrt(squares);
}

void add(std::span<const float> values, double factor, std::span<float> sum) {
  const auto scale = static_cast<float>(factor);
  for (std::size_t place = 0; place < sum.size(); ++place) sum[place] += scale * values[place];
}

void average(const std::vector<Part>& parts, std::span<float> merged) {
  for (const Part& part : parts) add(part.change, part.weight, merged);
}

/// One tensor's lengths and directions.
void average_directions(const std::vector<Part>& parts, std::span<float> merged) {
  constexpr double none = 1e-12;  // directions that cancel, but for rounding
  double mean_length = 0;
  for (const Part& part : parts) {
    const double own = length(part.change);
    if (own == 0) continue;
    mean_length += part.weight * own;
    add(part.change, part.weight / own, merged);
  }
  const double of_directions = length(merged);
  if (of_directions < none) {
    std::ranges::fill(merged, 0.0F);
    return average(parts, merged);
  }
  const auto scale = static_cast<float>(mean_length / of_directions);
  for (float& value : merged) value *= scale;
}

}  // namespace

MergedModel::MergedModel(std::span<const float> parameters, std::vector<std::size_t> tensors,
                         const GradientExchange& changes)
    : centre_(parameters.begin(), parameters.end()),
      velocity_(parameters.size()),
      squares_(parameters.size()),
      tensors_(std::move(tensors)),
      changes_(changes) {}

MergedModel::Range MergedModel::range(const Fragment& fragment) const {
  const auto values = static_cast<std::int64_t>(centre_.size());
  return {static_cast<std::size_t>(values * fragment.number / fragment.of),
          static_cast<std::size_t>(values * (fragment.number + 1) / fragment.of)};
}

GradientExchange& MergedModel::exchange(const Fragment& fragment) {
  const auto known = fragments_.find(fragment.number);
  if (known != fragments_.end()) return known->second;
  const auto [first, end] = range(fragment);
  return fragments_.try_emplace(fragment.number, changes_.of_part(first, end)).first->second;
}

void MergedModel::offer(const Fragment& fragment, std::uint32_t worker, const Compression& compression,
                        std::int64_t number, const Replicas& replicas) {
  const auto [first, end] = range(fragment);
  const std::span<const float> own = replicas.parameters(worker);
  std::vector<float> change(end - first);
  for (std::size_t place = first; place < end; ++place) change[place - first] = own[place] - centre_[place];
  Message message{std::vector<float>(change.size()), {}};
  const MeanGradient sent = exchange(fragment).send(compression, number, {worker, change}, message.change);
  if (compression.compresses()) message.gain = sent.gain;
  messages_.insert_or_assign({fragment.number, worker}, std::move(message));
}

std::optional<double> MergedModel::merge(const Merge& merge) {
  double weights = 0;
  for (const Offered& offered : merge.offers) weights += offered.weight;
  const auto [first, end] = range(merge.fragment);
  std::vector<const Message*> messages;
  for (const Offered& offered : merge.offers)
    messages.push_back(&messages_.at({merge.fragment.number, offered.worker}));
  const auto parts_of = [&](std::size_t from, std::size_t to) {  // parts of the fragment's values
    std::vector<Part> parts;
    for (std::size_t i = 0; i < messages.size(); ++i)
      parts.push_back(
          {std::span(messages[i]->change).subspan(from, to - from), merge.offers[i].weight / weights});
    return parts;
  };
  std::vector<float> change(end - first);
  if (merge.merging == policies::Merging::mean) {
    average(parts_of(0, change.size()), change);
  } else {
    std::size_t tensor = 0;
    for (const std::size_t values : tensors_) {
      const std::size_t from = std::max(tensor, first);
      const std::size_t to = std::min(tensor + values, end);
      tensor += values;
      if (from >= to) continue;
      average_directions(parts_of(from - first, to - first),
                         std::span(change).subspan(from - first, to - from));
    }
  }
  double gains = 0;
  for (const Message* message : messages) gains += message->gain.value_or(0);
  const bool compressed = messages.front()->gain.has_value();
  const double gain = gains / static_cast<double>(messages.size());
  std::erase_if(messages_, [&](const auto& entry) { return entry.first.first == merge.fragment.number; });
  move_outside(merge.rule, change,
               {std::span(centre_).subspan(first, change.size()), std::span(velocity_).subspan(first),
                std::span(squares_).subspan(first)});
  return compressed ? std::optional(gain) : std::nullopt;
}

void MergedModel::answer(const Fragment& fragment, std::uint32_t worker) {
  const auto [first, end] = range(fragment);
  const std::span<const float> values = std::span(centre_).subspan(first, end - first);
  answers_[{fragment.number, worker}].assign(values.begin(), values.end());
}

void MergedModel::receive(const Fragment& fragment, std::uint32_t worker, double mixing, Replicas& replicas) {
  const std::vector<float> sent = std::move(answers_.at({fragment.number, worker}));
  answers_.erase({fragment.number, worker});
  const std::size_t first = range(fragment).first;
  const std::span<const float> own = replicas.parameters(worker);
  std::vector<float> taken(own.begin(), own.end());
  const auto kept = static_cast<float>(mixing);
  for (std::size_t i = 0; i < sent.size(); ++i)
    taken[first + i] = kept * taken[first + i] + (1 - kept) * sent[i];
  replicas.set(worker, taken);
}

void MergedModel::forget(std::uint32_t worker) {
  for (auto& [number, exchange] : fragments_) exchange.forget(worker);
}

}  // namespace learning::learners
