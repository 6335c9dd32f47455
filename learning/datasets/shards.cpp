// The rules by which samples are dealt.
#include "learning/datasets/shards.hpp"

#include <algorithm>
#include <array>
#include <cassert>
#include <cmath>
#include <map>
#include <numeric>

#include <fmt/format.h>

#include "learning/datasets/dirichlet.hpp"
#include "learning/datasets/shuffle.hpp"
#include "learning/datasets/streams.hpp"
#include "netmodels/nearest.hpp"

namespace learning::datasets {
namespace {

using netmodels::refuse;
using netmodels::Result;
using Chunk = std::vector<std::uint32_t>;
using Chunks = std::vector<Chunk>;

constexpr std::array rules{
    DealingRow{"contiguous", "a random order of all samples, cut into one chunk per worker",
               "Tyagi & Swany, SelSync, IEEE CLUSTER 2023: DefDP", DealingRule::contiguous},
    DealingRow{"circular", "the same chunks; every worker goes through all, beginning with its own",
               "Tyagi & Swany, SelSync, IEEE CLUSTER 2023: SelDP", DealingRule::circular},
    DealingRow{"label_skew", "each worker holds samples of k labels only",
               "Tyagi & Swany, SelSync, IEEE CLUSTER 2023: non-IID data", DealingRule::label_skew},
    DealingRow{"dirichlet", "of each class, workers get shares drawn from a Dirichlet distribution",
               "Yurochkin et al., ICML 2019", DealingRule::dirichlet},
};

/// All sample numbers in a random order.
Chunk shuffled(std::size_t count, std::uint64_t seed) {
  Chunk samples(count);
  std::iota(samples.begin(), samples.end(), 0U);
  shuffle(samples, stream_for(Purpose::dealing, seed));
  return samples;
}

/// The samples of each label that occurs, labels in ascending order, samples in the order given.
std::map<std::uint16_t, Chunk> by_label(const Samples& train, const Chunk& samples) {
  std::map<std::uint16_t, Chunk> found;
  for (const std::uint32_t sample : samples) found[train.label(sample)].push_back(sample);
  return found;
}

void add(Chunk& chunk, const Chunk& samples, std::size_t begin, std::size_t end) {
  chunk.insert(chunk.end(), samples.begin() + static_cast<std::ptrdiff_t>(begin),
               samples.begin() + static_cast<std::ptrdiff_t>(end));
}

/// Part `number` of `parts` gets the places from parts' even cuts; sizes differ by at most one.
void add_part(Chunk& chunk, const Chunk& samples, std::size_t number, std::size_t parts) {
  add(chunk, samples, number * samples.size() / parts, (number + 1) * samples.size() / parts);
}

Chunks even_chunks(const Chunk& samples, std::size_t workers) {
  Chunks chunks(workers);
  for (std::size_t worker = 0; worker < workers; ++worker) {
    add_part(chunks[worker], samples, worker, workers);
  }
  return chunks;
}

Result<Chunks> label_skewed(const Samples& train, const Chunk& samples, const Dealing& dealing) {
  const auto labels = by_label(train, samples);
  const std::size_t slots = dealing.workers * dealing.labels_per_worker;
  if (dealing.labels_per_worker < 1 || dealing.labels_per_worker > labels.size()) {
    return refuse("", fmt::format("{} labels per worker", dealing.labels_per_worker),
                  fmt::format("accepted: 1 to {}, the labels of the training samples", labels.size()));
  }
  if (slots < labels.size()) {
    return refuse("",
                  fmt::format("{} workers with {} label(s) each cannot hold all {} labels", dealing.workers,
                              dealing.labels_per_worker, labels.size()),
                  fmt::format("give each at least {} labels, or take at least {} workers",
                              (labels.size() + dealing.workers - 1) / dealing.workers,
                              (labels.size() + dealing.labels_per_worker - 1) / dealing.labels_per_worker));
  }
  Chunks chunks(dealing.workers);
  std::size_t first_slot = 0;
  for (const auto& [label, of_label] : labels) {
    const std::size_t holders = (slots - first_slot + labels.size() - 1) / labels.size();
    for (std::size_t holder = 0; holder < holders; ++holder) {
      const std::size_t slot = first_slot + holder * labels.size();
      add_part(chunks[slot / dealing.labels_per_worker], of_label, holder, holders);
    }
    ++first_slot;
  }
  return chunks;
}

/// Gives each worker without a sample one of the largest chunk.
void fill_empty(Chunks& chunks) {
  for (Chunk& chunk : chunks) {
    if (!chunk.empty()) continue;
    Chunk& largest = *std::ranges::max_element(chunks, {}, &Chunk::size);
    chunk.push_back(largest.back());
    largest.pop_back();
  }
}

Result<Chunks> drawn(const Samples& train, const Chunk& samples, const Dealing& dealing) {
  if (!(dealing.concentration > 0) || !std::isfinite(dealing.concentration)) {
    return refuse("", fmt::format("a Dirichlet concentration (alpha) of {}", dealing.concentration),
                  "accepted: above 0, such as 0.5");
  }
  Chunks chunks(dealing.workers);
  for (const auto& [label, of_label] : by_label(train, samples)) {
    const std::vector<double> shares = draw_dirichlet(
        dealing.workers, dealing.concentration, stream_for(Purpose::proportions, dealing.seed, 0, label));
    double sum = 0;
    std::size_t begin = 0;
    for (std::size_t worker = 0; worker < chunks.size(); ++worker) {
      sum += shares[worker];
      const auto cut = static_cast<std::size_t>(std::llround(sum * static_cast<double>(of_label.size())));
      const bool last = worker + 1 == chunks.size();
      const std::size_t end = last ? of_label.size() : std::min(cut, of_label.size());
      add(chunks[worker], of_label, begin, end);
      begin = end;
    }
  }
  fill_empty(chunks);
  return chunks;
}

Result<Chunks> chunks_of(const Samples& train, const Dealing& dealing) {
  const Chunk samples = shuffled(train.count(), dealing.seed);
  switch (dealing.rule) {
    case DealingRule::label_skew: return label_skewed(train, samples, dealing);
    case DealingRule::dirichlet: return drawn(train, samples, dealing);
    case DealingRule::contiguous:
    case DealingRule::circular: break;
  }
  return even_chunks(samples, dealing.workers);
}

}  // namespace

std::span<const DealingRow> dealing_rules() { return rules; }

Result<DealingRule> find_dealing_rule(std::string_view name) {
  const auto row = std::ranges::find(rules, name, &DealingRow::name);
  if (row != rules.end()) return row->rule;
  std::array<std::string_view, rules.size()> known;
  std::ranges::transform(rules, known.begin(), &DealingRow::name);
  return refuse("", fmt::format("no rule of dealing samples is named `{}`", name),
                netmodels::accepted_names(name, known));
}

Shards::Shards(const std::vector<std::vector<std::uint32_t>>& chunks, bool circular)
    : begins_{0}, circular_(circular) {
  assert(!chunks.empty());
  for (const Chunk& chunk : chunks) {
    assert(!chunk.empty());
    samples_.insert(samples_.end(), chunk.begin(), chunk.end());
    begins_.push_back(samples_.size());
  }
}

std::span<const std::uint32_t> Shards::chunk(std::uint32_t number) const {
  assert(number < workers());
  return std::span(samples_).subspan(begins_[number], begins_[number + 1] - begins_[number]);
}

Result<Shards> deal(const Samples& train, const Dealing& dealing) {
  if (dealing.workers < 1 || dealing.workers > most_workers) {
    return refuse("", fmt::format("{} workers", dealing.workers),
                  fmt::format("accepted: 1 to {}", most_workers));
  }
  if (dealing.workers > train.count()) {
    return refuse("", fmt::format("{} workers share {} training samples", dealing.workers, train.count()),
                  "take fewer workers, or a larger data set");
  }
  const auto chunks = chunks_of(train, dealing);
  if (!chunks) return tl::unexpected(chunks.error());
  const auto empty = std::ranges::find_if(*chunks, &Chunk::empty);
  if (empty != chunks->end()) {
    return refuse("", fmt::format("worker {} would get no sample", empty - chunks->begin()),
                  "take fewer workers, or more labels for each");
  }
  return Shards(*chunks, dealing.rule == DealingRule::circular);
}

}  // namespace learning::datasets
