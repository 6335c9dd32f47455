// Adds residuals, compresses, and sums the messages.
#include "learning/learners/gradient_exchange.hpp"

#include <algorithm>
#include <array>
#include <cassert>
#include <limits>
#include <numeric>
#include <string>

#include "kernels/ar_topk.hpp"
#include "kernels/catalogue.hpp"
#include "kernels/statistics.hpp"
#include "netmodels/nearest.hpp"

namespace learning::learners {
namespace {

using netmodels::refuse;

/// The compressor of sums, beside those of workers.
constexpr std::uint32_t owners = std::numeric_limits<std::uint32_t>::max();

/// Methods that need something that a learner does not know.
constexpr std::array<std::pair<std::string_view, std::string_view>, 1> not_in_the_loop{{
    {"threshold", "needs the threshold in advance"},
}};

void add(std::span<const float> values, std::span<float> sum) {
  for (std::size_t i = 0; i < sum.size(); ++i) sum[i] += values[i];
}

/// Most workers' sign; no votes at all count as +, as in kernels::SignSgd.
void decide_by_majority(std::span<float> votes) {
  for (float& vote : votes) vote = vote < 0 ? -1.0F : 1.0F;
}

std::vector<std::int64_t> sizes_of(std::span<const kernels::Shape> matrices) {
  std::vector<std::int64_t> sizes;
  for (const kernels::Shape& matrix : matrices) sizes.push_back(matrix.rows * matrix.columns);
  return sizes;
}

/// Sizes of the parts of consecutive stretches that lie in [first, end).
std::vector<std::int64_t> sizes_within(std::span<const std::int64_t> sizes, std::size_t first,
                                       std::size_t end) {
  std::vector<std::int64_t> within;
  auto begin = std::int64_t{0};
  for (const std::int64_t size : sizes) {
    const std::int64_t from = std::max(begin, static_cast<std::int64_t>(first));
    const std::int64_t to = std::min(begin + size, static_cast<std::int64_t>(end));
    if (to > from) within.push_back(to - from);
    begin += size;
  }
  return within;
}

kernels::Energy& operator+=(kernels::Energy& sum, const kernels::Energy& part) {
  sum.sent += part.sent;
  sum.given += part.given;
  return sum;
}

}  // namespace

GradientExchange::GradientExchange(std::vector<std::int64_t> layer_sizes, std::uint64_t seed,
                                   std::vector<kernels::Shape> matrices)
    : layer_sizes_(std::move(layer_sizes)),
      tensor_sizes_(matrices.empty() ? layer_sizes_ : sizes_of(matrices)),
      matrices_(std::move(matrices)),
      parameters_(static_cast<std::size_t>(
          std::accumulate(layer_sizes_.begin(), layer_sizes_.end(), std::int64_t{0}))),
      low_rank_(
          matrices_.empty() ? LowRankMean::square_of(static_cast<std::int64_t>(parameters_)) : matrices_,
          seed),
      seed_(seed) {}

GradientExchange::GradientExchange(const GradientExchange& other)
    : layer_sizes_(other.layer_sizes_),
      tensor_sizes_(other.tensor_sizes_),
      matrices_(other.matrices_),
      parameters_(other.parameters_),
      low_rank_(other.low_rank_),
      seed_(other.seed_),
      residuals_(other.residuals_),
      owners_(other.owners_) {}

GradientExchange GradientExchange::without_memory() const {
  GradientExchange same(layer_sizes_, seed_, matrices_);
  same.tensor_sizes_ = tensor_sizes_;
  return same;
}

GradientExchange GradientExchange::of_part(std::size_t first, std::size_t end) const {
  GradientExchange part(sizes_within(layer_sizes_, first, end), seed_);
  part.tensor_sizes_ = sizes_within(tensor_sizes_, first, end);
  return part;
}

netmodels::Result<void> GradientExchange::check(const Compression& compression) {
  for (const auto& [name, reason] : not_in_the_loop) {
    if (compression.method == name)
      return refuse("", "`" + std::string(name) + "` " + std::string(reason), "choose topk");
  }
  return {};
}

std::vector<Contribution> GradientExchange::weighted(std::span<const Contribution> contributions) {
  std::vector<Contribution> result(contributions.begin(), contributions.end());
  scaled_.resize(std::max(scaled_.size(), result.size()));
  for (std::size_t i = 0; i < result.size(); ++i) {
    if (result[i].weight == 1) continue;
    scaled_[i].resize(parameters_);
    for (std::size_t place = 0; place < parameters_; ++place)
      scaled_[i][place] = result[i].weight * result[i].gradient[place];
    result[i] = {result[i].worker, scaled_[i]};
  }
  return result;
}

GradientExchange::Memory GradientExchange::memory(const Compression& compression,
                                                  std::uint32_t worker) const {
  if (compression.error_feedback && compression.method->error_feedback) return Memory::fed;
  return residuals_.contains(worker) ? Memory::flushed : Memory::raw;
}

std::span<float> GradientExchange::residual(std::uint32_t worker) {
  std::vector<float>& kept = residuals_[worker];
  kept.resize(parameters_);
  return kept;
}

kernels::Compressor& GradientExchange::compressor(const Compression& compression, std::uint32_t worker,
                                                  std::int64_t step) {
  if (made_for_ != compression) compressors_.clear();
  made_for_ = compression;
  std::unique_ptr<kernels::Compressor>& made = compressors_[worker];
  if (!made) {
    kernels::Settings settings;
    settings.ratio = compression.ratio;
    settings.first_ratio = std::max(settings.first_ratio, compression.ratio);
    settings.layer_sizes = layer_sizes_;
    settings.tensor_sizes = tensor_sizes_;
    settings.matrices = matrices_;
    settings.proportional_tiles = compression.proportional_tiles;
    settings.seed = compression.method == "randomk" ? seed_ : seed_ + 1 + worker;  // all draw the same places
    made = compression.method->make(settings);
  }
  made->set_step(static_cast<std::uint64_t>(step));
  return *made;
}

kernels::Message GradientExchange::compress(const Compression& compression, std::int64_t step,
                                            const Contribution& contribution) {
  kernels::Compressor& compressor = this->compressor(compression, contribution.worker, step);
  const Memory memory = this->memory(compression, contribution.worker);
  if (memory == Memory::raw) return compressor.compress(contribution.gradient);
  const std::span<float> kept = residual(contribution.worker);
  const kernels::Message message = compressor.compress_fed(contribution.gradient, kept);
  if (memory == Memory::flushed) residuals_.erase(contribution.worker);
  return message;
}

void GradientExchange::decay(const Compression& compression, std::span<const Contribution> contributions) {
  if (compression.residual_decay == 1) return;
  const auto factor = static_cast<float>(compression.residual_decay);
  for (const Contribution& contribution : contributions) {
    const auto kept = residuals_.find(contribution.worker);
    if (kept == residuals_.end()) continue;
    for (float& value : kept->second) value *= factor;
  }
  if (contributions.size() == 1) return;
  for (float& value : owners_) value *= factor;
}

kernels::Energy GradientExchange::gather(const Compression& compression, std::int64_t step,
                                         std::span<const Contribution> contributions, std::span<float> sum,
                                         std::span<std::vector<float>> sent) {
  kernels::Energy energy;
  for (std::size_t i = 0; i < contributions.size(); ++i) {
    const Contribution& contribution = contributions[i];
    if (!compression.compresses() && memory(compression, contribution.worker) == Memory::raw) {
      add(contribution.gradient, sum);  // all of it is sent, which needs no pass to find out
      if (!sent.empty()) sent[i].assign(contribution.gradient.begin(), contribution.gradient.end());
      continue;
    }
    const kernels::Message message = compress(compression, step, contribution);
    const kernels::Compressor& restoring = compressor(compression, contribution.worker, step);
    restoring.accumulate(message, sum);
    energy += message.energy;
    if (sent.empty()) continue;
    sent[i].resize(sum.size());
    restoring.restore(message, sent[i]);
  }
  return energy;
}

std::size_t GradientExchange::broadcaster(const Compression& compression, std::int64_t step,
                                          std::span<const std::span<const float>> vectors) {
  if (!compression.variance_selection) return static_cast<std::size_t>(step) % vectors.size();
  kernels::ArTopK select({compression.ratio, 4});
  std::size_t loudest = 0;
  double most = -1;
  for (std::size_t rank = 0; rank < vectors.size(); ++rank) {
    const double sent = select.compress(vectors[rank]).energy.sent;
    if (sent <= most) continue;
    most = sent;
    loudest = rank;
  }
  return loudest;
}

kernels::Energy GradientExchange::share_places(const Compression& compression, std::int64_t step,
                                               std::span<const Contribution> contributions,
                                               std::span<float> sum) {
  std::vector<std::span<const float>> vectors;
  for (const Contribution& contribution : contributions) {
    if (memory(compression, contribution.worker) != Memory::raw) {
      const std::span<float> kept = residual(contribution.worker);
      add(contribution.gradient, kept);
      vectors.emplace_back(kept);
    } else {
      vectors.push_back(contribution.gradient);
    }
  }
  kernels::ArTopK chooser({compression.ratio, 4});
  kernels::ArTopK follower({compression.ratio, 4});
  const kernels::Message chosen = chooser.compress(vectors[broadcaster(compression, step, vectors)]);
  kernels::Energy energy;
  for (std::size_t rank = 0; rank < vectors.size(); ++rank) {
    const kernels::Message message = follower.compress_at(vectors[rank], chosen.indices);
    follower.accumulate(message, sum);
    energy += message.energy;
  }
  for (const Contribution& contribution : contributions) {
    if (!compression.error_feedback) {
      residuals_.erase(contribution.worker);
      continue;
    }
    const std::span<float> kept = residual(contribution.worker);
    for (const kernels::Index place : chosen.indices) kept[place] = 0;
  }
  return energy;
}

kernels::Energy GradientExchange::share_factors(const Compression& compression, std::int64_t step,
                                                std::span<const Contribution> contributions,
                                                std::span<float> mean) {
  for (const Contribution& contribution : contributions) {
    add(contribution.gradient, mean);
    if (memory(compression, contribution.worker) == Memory::raw) continue;
    const std::span<float> kept = residual(contribution.worker);
    add(kept, mean);
    add(contribution.gradient, kept);
  }
  const float share = 1.0F / static_cast<float>(contributions.size());
  for (float& value : mean) value *= share;
  const kernels::Energy energy = low_rank_.approximate(compression.ratio, step, mean);
  for (const Contribution& contribution : contributions) {
    if (!compression.error_feedback) {
      residuals_.erase(contribution.worker);
      continue;
    }
    const std::span<float> kept = residual(contribution.worker);
    for (std::size_t place = 0; place < kept.size(); ++place) kept[place] -= mean[place];
  }
  return energy;
}

void GradientExchange::recode(const Compression& compression, std::int64_t step, std::span<float> mean) {
  if (!compression.method->recoded) {
    if (!owners_.empty()) add(owners_, mean);
    owners_.clear();
    return;
  }
  kernels::Compressor& compressor = this->compressor(compression, owners, step);
  if (memory(compression, owners) == Memory::fed) owners_.resize(parameters_);
  const kernels::Message message =
      owners_.empty() ? compressor.compress(mean) : compressor.compress_fed(mean, owners_);
  compressor.restore(message, mean);
  if (!compression.error_feedback) owners_.clear();
}

MeanGradient GradientExchange::mean(const Compression& compression, std::int64_t step,
                                    std::span<const Contribution> contributions, std::span<float> mean,
                                    std::span<std::vector<float>> sent) {
  assert(sent.empty() || !compression.method->two_rounds());
  std::ranges::fill(mean, 0.0F);
  decay(compression, contributions);
  const std::vector<Contribution> given = weighted(contributions);
  if (compression.method->low_rank) {
    const kernels::Energy energy = share_factors(compression, step, given, mean);
    if (!owners_.empty()) recode(compression, step, mean);
    return {energy.gain(), kernels::energy(mean), energy.sent};
  }
  const kernels::Energy energy = compression.method == "ar_topk"
                                     ? share_places(compression, step, given, mean)
                                     : gather(compression, step, given, mean, sent);
  if (compression.method == "signsgd") {
    decide_by_majority(mean);
  } else {
    const float share = 1.0F / static_cast<float>(contributions.size());
    for (float& value : mean) value *= share;
  }
  if (contributions.size() > 1) recode(compression, step, mean);
  return {energy.gain(), kernels::energy(mean), energy.sent};
}

MeanGradient GradientExchange::mean_of_whole(std::span<const Contribution> contributions,
                                             std::span<float> mean) {
  std::ranges::fill(mean, 0.0F);
  for (const Contribution& contribution : weighted(contributions)) add(contribution.gradient, mean);
  const float share = 1.0F / static_cast<float>(contributions.size());
  for (float& value : mean) value *= share;
  return {1, kernels::energy(mean), 0};
}

MeanGradient GradientExchange::send(const Compression& compression, std::int64_t step,
                                    const Contribution& contribution, std::span<float> restored) {
  return mean(compression, step, std::span(&contribution, 1), restored);
}

double GradientExchange::gain(const Compression& compression, std::int64_t step,
                              std::span<const Contribution> contributions) const {
  GradientExchange trial(*this);
  std::vector<float> unused(parameters_);
  return trial.mean(compression, step, contributions, unused).gain;
}

}  // namespace learning::learners
