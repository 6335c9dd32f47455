// The smallest cost in NCCL's table, with the channels and threads that go with it.
#include "netmodels/nccl/tuner.hpp"

#include <algorithm>
#include <bit>
#include <cmath>

#include "netmodels/nccl/tuning_constants.hpp"

namespace netmodels::nccl {

double tree_correction(Protocol protocol, Bytes size) {
  constexpr double smallest = 64;
  const auto& factors = tree_correction_factors.at(static_cast<std::size_t>(protocol));
  if (size.count < smallest) return 1;
  const auto place = static_cast<std::size_t>(std::ilogb(size.count / smallest));
  return place < factors.size() ? factors[place] : 1;
}

double smooth_tree_correction(Protocol protocol, Bytes size) {
  const double octave = std::log2(size.count);
  const double place = octave - std::floor(octave);
  return std::lerp(tree_correction(protocol, size), tree_correction(protocol, size * 2), place);
}

std::optional<Seconds> CostTable::cost(Operation operation, Algorithm algorithm, Protocol protocol,
                                       Bytes size) const {
  constexpr double plateau_from = 64;  // bytes of a channel and rank
  const Entry& row = entry(operation, algorithm, protocol);
  if (row.bandwidth.count == 0) return std::nullopt;
  Seconds latency = row.latency;
  Bandwidth bandwidth = row.bandwidth;
  if (algorithm == Algorithm::tree) bandwidth *= tree_correction(protocol, size);
  if (algorithm == Algorithm::ring && protocol == Protocol::simple && operation == Operation::all_reduce &&
      size.count / (graphs_.channels * ranks_) >= plateau_from)
    latency *= plateau_;
  return latency + size / bandwidth;
}

std::optional<Choice> CostTable::choose(Operation operation, Bytes size) const {
  std::optional<Choice> best;
  for (std::size_t a = 0; a < algorithms; ++a) {
    for (std::size_t p = 0; p < protocols; ++p) {
      const auto algorithm = static_cast<Algorithm>(a);
      const auto protocol = static_cast<Protocol>(p);
      const auto here = cost(operation, algorithm, protocol, size);
      if (!here || (best && *here >= best->estimate)) continue;
      best = Choice{.algorithm = algorithm, .protocol = protocol, .estimate = *here};
    }
  }
  if (!best) return best;
  return complete(operation, *best, size);
}

namespace {

constexpr double kibibyte = 1024;
constexpr double mebibyte = 1048576;

/// init.cc, enqueue.cc, collectives.h: of a channel, at most.
Bytes chunk_of(Operation operation, Algorithm algorithm, Protocol protocol) {
  if (protocol == Protocol::LL) return {32 * kibibyte};  // an eighth of 512 KiB, half of it flags
  if (protocol == Protocol::LL128) return {4.6875 * mebibyte / 8 * 120 / 128};
  const bool whole_slots = algorithm == Algorithm::ring && !is_rooted(operation);
  return {whole_slots ? 2 * mebibyte : mebibyte / 2};
}

/// enqueue.cc: of a tree in Simple, halved until enough chunks follow each other to fill the tree.
/// @param part   bytes of a channel
/// @param depth  of the tree
Bytes tree_chunk_of(Bytes part, int depth) {
  struct Limit {
    double chunks;  ///< fewer of them for each level of the tree are too few
    Bytes chunk;    ///< halved down to this
  };
  constexpr Limit limits[]{{8, {128 * kibibyte}}, {4, {64 * kibibyte}}, {1, {32 * kibibyte}}};
  Bytes chunk = chunk_of(Operation::all_reduce, Algorithm::tree, Protocol::simple);
  for (const Limit& limit : limits) {
    while (chunk > limit.chunk && part / chunk < limit.chunks * depth) chunk *= .5;
  }
  return chunk;
}

}  // namespace

Choice CostTable::complete(Operation operation, Choice choice, Bytes size) const {
  const bool is_nvls = choice.algorithm == Algorithm::nvls || choice.algorithm == Algorithm::nvls_tree;
  choice.channels = is_nvls ? graphs_.nvls_channels : graphs_.channels;
  choice.threads = entry(operation, choice.algorithm, choice.protocol).threads;
  choice.chunk = chunk_of(operation, choice.algorithm, choice.protocol);
  if (is_nvls) return choice;
  // enqueue.cc: fewer channels, then fewer threads, while each would get too little.
  double least = choice.protocol == Protocol::simple ? 64 : 8;
  if (choice.algorithm == Algorithm::ring && choice.protocol == Protocol::LL) least *= ranks_;
  const double by_thread = size.count / least;
  const int wanted = static_cast<int>(std::min<double>(choice.channels, by_thread / choice.threads));
  choice.channels = std::max(1, wanted);
  while (by_thread < choice.channels * choice.threads && choice.threads % 128 == 0) choice.threads /= 2;
  if (choice.algorithm == Algorithm::tree && choice.protocol == Protocol::simple) {
    const auto levels = static_cast<int>(std::bit_width(static_cast<unsigned>(nodes_))) - 1;
    const int depth = ranks_ / nodes_ - 1 + levels;
    choice.chunk = tree_chunk_of(size / choice.channels, depth);
  }
  return choice;
}

}  // namespace netmodels::nccl
