// Partitions training samples among workers.
#include "learning/datasets/partitions.hpp"

#include <algorithm>
#include <array>
#include <cassert>
#include <cmath>
#include <cstdint>
#include <limits>
#include <map>
#include <numeric>
#include <utility>

#include <boost/random/gamma_distribution.hpp>
#include <fmt/format.h>

#include "learning/datasets/sampler.hpp"
#include "learning/datasets/streams.hpp"
#include "settings/type.hpp"

namespace learning::datasets {

// Dirichlet draws from Boost's gamma distribution, whose results are the same with every standard library.

namespace {

/// The words of a stream one after the other, as Boost's distributions take them.
class Words {
 public:
  using result_type = std::uint32_t;

  explicit Words(const kernels::RandomStream& stream) : stream_(stream) {}

  static constexpr result_type min() { return 0; }
  static constexpr result_type max() { return std::numeric_limits<result_type>::max(); }
  result_type operator()() { return stream_.word(next_++); }

 private:
  kernels::RandomStream stream_;
  std::uint64_t next_ = 0;
};

}  // namespace

std::vector<double> draw_dirichlet(std::size_t count, double concentration,
                                   const kernels::RandomStream& stream) {
  assert(count >= 1 && concentration > 0);
  Words words(stream);
  boost::random::gamma_distribution<double> gamma(concentration + 1);
  std::vector<double> shares(count);
  for (double& share : shares) {
    const double uniform = (static_cast<double>(words()) + 0.5) * 0x1p-32;
    share = std::log(gamma(words)) + std::log(uniform) / concentration;
  }
  const double largest = std::ranges::max(shares);
  double sum = 0;
  for (double& share : shares) sum += share = std::exp(share - largest);
  for (double& share : shares) share /= sum;
  return shares;
}

// The rules by which samples are partitioned.

namespace {

using netmodels::refuse;
using netmodels::Result;
using Chunk = std::vector<std::uint32_t>;
using Chunks = std::vector<Chunk>;

/// All sample numbers in a random order.
Chunk shuffled(std::size_t count, std::uint64_t seed) {
  Chunk samples(count);
  std::iota(samples.begin(), samples.end(), 0U);
  shuffle(samples, stream_for(Purpose::partition, seed));
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

Result<Chunks> label_skewed(const Samples& train, const LabelSkew& settings, const PartitionJob& job) {
  const auto labels = by_label(train, shuffled(train.count(), job.seed));
  if (settings.labels_per_worker < 1 || std::cmp_greater(settings.labels_per_worker, labels.size())) {
    return refuse("", fmt::format("{} labels per worker", settings.labels_per_worker),
                  fmt::format("accepted: 1 to {}, the labels of the training samples", labels.size()));
  }
  const auto per_worker = static_cast<std::size_t>(settings.labels_per_worker);
  const std::size_t slots = job.workers * per_worker;
  if (slots < labels.size()) {
    return refuse("",
                  fmt::format("{} workers with {} label(s) each cannot hold all {} labels", job.workers,
                              per_worker, labels.size()),
                  fmt::format("give each at least {} labels, or take at least {} workers",
                              (labels.size() + job.workers - 1) / job.workers,
                              (labels.size() + per_worker - 1) / per_worker));
  }
  Chunks chunks(job.workers);
  std::size_t first_slot = 0;
  for (const auto& [label, of_label] : labels) {
    const std::size_t holders = (slots - first_slot + labels.size() - 1) / labels.size();
    for (std::size_t holder = 0; holder < holders; ++holder) {
      const std::size_t slot = first_slot + holder * labels.size();
      add_part(chunks[slot / per_worker], of_label, holder, holders);
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

Result<Chunks> drawn(const Samples& train, const DirichletShares& settings, const PartitionJob& job) {
  if (!(settings.concentration > 0) || !std::isfinite(settings.concentration)) {
    return refuse("", fmt::format("a Dirichlet concentration (alpha) of {}", settings.concentration),
                  "accepted: above 0, such as 0.5");
  }
  Chunks chunks(job.workers);
  for (const auto& [label, of_label] : by_label(train, shuffled(train.count(), job.seed))) {
    const std::vector<double> shares = draw_dirichlet(job.workers, settings.concentration,
                                                      stream_for(Purpose::proportions, job.seed, 0, label));
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

Result<Chunks> evenly_cut(const Samples& train, const settings::None&, const PartitionJob& job) {
  return even_chunks(shuffled(train.count(), job.seed), job.workers);
}

Result<Chunks> cut_in_order(const Samples& train, const settings::None&, const PartitionJob& job) {
  Chunk all(train.count());
  std::iota(all.begin(), all.end(), 0U);
  return even_chunks(all, job.workers);
}

std::string variant_text(const settings::None&) { return ""; }
std::string variant_text(const LabelSkew& settings) {
  return fmt::format(" {} per worker", settings.labels_per_worker);
}
std::string variant_text(const DirichletShares& settings) {
  return fmt::format(" {:g}", settings.concentration);
}

template <class S, Result<Chunks> (*chunks)(const Samples&, const S&, const PartitionJob&)>
consteval PartitionRow partition_row(const settings::Row& facts, const PartitionTraits& traits = {}) {
  PartitionRow made{facts, traits};
  made.settings = &settings::owned<S>;
  made.text = [](std::string_view name, const void* settings) {
    return std::string(name) + variant_text(*static_cast<const S*>(settings));
  };
  made.partition = [](const void* settings, const Samples& train, const PartitionJob& job) {
    return chunks(train, *static_cast<const S*>(settings), job);
  };
  return made;
}

constexpr std::array partition_table{
    partition_row<settings::None, evenly_cut>(
        {"contiguous", "a random order of all samples, cut into one chunk per worker: IID",
         "Tyagi & Swany, SelSync, IEEE CLUSTER 2023: DefDP"}),
    partition_row<settings::None, evenly_cut>(
        {"circular", "the same chunks; every worker goes through all, starting with its own",
         "Tyagi & Swany, SelSync, IEEE CLUSTER 2023: SelDP"},
        {.circular = true}),
    partition_row<LabelSkew, label_skewed>({"label_skew", "each worker holds samples of k labels only",
                                            "Tyagi & Swany, SelSync, IEEE CLUSTER 2023: non-IID data"},
                                           {.skewed = true}),
    partition_row<DirichletShares, drawn>(
        {"dirichlet", "of each class, workers get shares drawn from a Dirichlet distribution",
         "Yurochkin et al., ICML 2019"},
        {.skewed = true}),
    partition_row<settings::None, cut_in_order>(
        {"position",
         "one stretch of the file per worker, in its order: of a text, other chapters or speakers",
         "after McMahan et al., AISTATS 2017, where each client holds the lines of one speaker"},
        {.skewed = true}),
};

}  // namespace

std::span<const PartitionRow> partition_rules() { return partition_table; }

const PartitionRow* find_partition_rule(std::string_view name) {
  return settings::find_row(partition_rules(), name);
}

void describe(settings::Fields& fields, PartitionChoice& choice) {
  choice.describe_choice(fields,
                         {.name = "rule",
                          .doc = "How training samples are partitioned among workers.",
                          .fallback = "contiguous"},
                         partition_rules(), settings::Layout::beside);
}

void describe(settings::Fields& fields, LabelSkew& settings) {
  fields.field({.name = "labels_per_worker",
                .doc = "Number of labels of each worker.",
                .bounds = ::settings::between(1, 65535),
                .example = "1"},
               settings.labels_per_worker);
}

void describe(settings::Fields& fields, DirichletShares& settings) {
  fields.field({.name = "concentration",
                .doc = "Alpha of the Dirichlet distribution; the smaller, the more the workers differ.",
                .bounds = ::settings::above_up_to(0, 1e6),
                .example = "0.5"},
               settings.concentration);
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

Result<Shards> partition(const Samples& train, const PartitionChoice& rule, const PartitionJob& job) {
  if (job.workers < 1 || job.workers > most_workers) {
    return refuse("", fmt::format("{} workers", job.workers), fmt::format("accepted: 1 to {}", most_workers));
  }
  if (job.workers > train.count()) {
    return refuse("", fmt::format("{} workers share {} training samples", job.workers, train.count()),
                  "take fewer workers, or a larger data set");
  }
  GRADSIM_TRY(chunks, rule->partition(rule.settings(), train, job));
  const auto empty = std::ranges::find_if(*chunks, &Chunk::empty);
  if (empty != chunks->end()) {
    return refuse("", fmt::format("worker {} would get no sample", empty - chunks->begin()),
                  "take fewer workers, or more labels for each");
  }
  return Shards(*chunks, rule->traits.circular);
}

}  // namespace learning::datasets
