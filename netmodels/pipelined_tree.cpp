// Trees, and the chunks that follow each other on them.
#include "netmodels/pipelined_tree.hpp"

#include <algorithm>
#include <utility>

namespace netmodels {

namespace {

/// Hangs the positions [first, last] (first is odd) below an even one, so that exactly the odd ones are
/// leaves. Position p is rank p - 1 + shift: with shifts 0 and 1, a rank is a leaf in one tree where it is
/// inner in the other.
/// @returns the rank of the subtree's root
std::uint32_t in_order_subtree(std::uint32_t first, std::uint32_t last, std::uint32_t shift, Tree& tree) {
  const auto ranks = static_cast<std::uint32_t>(tree.children.size());
  const auto rank_of = [&](std::uint32_t position) { return (position - 1 + shift) % ranks; };
  if (first == last) return rank_of(first);
  const std::uint32_t centre = (first + last) / 2;
  const std::uint32_t middle =
      centre % 2 == 0 ? centre : centre + 1;  // even, and at most `last` since first < last
  std::vector<std::uint32_t>& children = tree.children[rank_of(middle)];
  children.push_back(in_order_subtree(first, middle - 1, shift, tree));
  if (middle < last) children.push_back(in_order_subtree(middle + 1, last, shift, tree));
  return rank_of(middle);
}

}  // namespace

Tree chain(std::uint32_t ranks) {
  Tree tree{0, std::vector<std::vector<std::uint32_t>>(ranks)};
  for (std::uint32_t rank = 0; rank + 1 < ranks; ++rank) tree.children[rank].push_back(rank + 1);
  return tree;
}

Tree complete_binary_tree(std::uint32_t ranks) {
  Tree tree{0, std::vector<std::vector<std::uint32_t>>(ranks)};
  for (std::uint32_t child = 1; child < ranks; ++child) tree.children[(child - 1) / 2].push_back(child);
  return tree;
}

std::vector<Tree> two_binary_trees(std::uint32_t ranks) {
  std::vector<Tree> trees;
  for (const std::uint32_t shift : {0U, 1U}) {
    Tree tree{0, std::vector<std::vector<std::uint32_t>>(ranks)};
    tree.root = in_order_subtree(1, ranks, shift, tree);
    trees.push_back(std::move(tree));
  }
  return trees;
}

namespace {

/// The ranks of a tree by their distance from the root.
std::vector<std::vector<std::uint32_t>> levels_of(const Tree& tree) {
  std::vector<std::vector<std::uint32_t>> levels{{tree.root}};
  while (true) {
    std::vector<std::uint32_t> next;
    for (const std::uint32_t rank : levels.back())
      next.insert(next.end(), tree.children[rank].begin(), tree.children[rank].end());
    if (next.empty()) return levels;
    levels.push_back(std::move(next));
  }
}

}  // namespace

std::uint32_t depth_of(const Tree& tree) { return static_cast<std::uint32_t>(levels_of(tree).size() - 1); }

// Chunks down one or more trees: a chunk passes one level of all trees in a round, and repetitions follow it.

namespace {

/// Trees that broadcast a share of the message each, at the same time.
struct Broadcast {
  std::vector<Tree> trees;
  std::uint32_t ranks;
  std::uint32_t chunks;
  Bytes chunk;

  Broadcast(std::vector<Tree> all, const Operation& operation, std::uint32_t pieces)
      : trees(std::move(all)),
        ranks(operation.ranks),
        chunks(pieces),
        chunk(operation.size / (1.0 * pieces * static_cast<double>(trees.size()))) {}

  /// Whether a rank sends two streams, or receives two.
  [[nodiscard]] bool halves_links() const {
    const auto branches = [](const Tree& tree) {
      return std::ranges::any_of(tree.children, [](const auto& children) { return children.size() > 1; });
    };
    return std::ranges::any_of(trees, branches);
  }

  [[nodiscard]] Seconds time(const LinkState& link) const {
    if (ranks == 1) return {};
    const std::uint32_t depth = depth_of(*std::ranges::max_element(trees, {}, depth_of));
    const Seconds step = chunk / (link.bandwidth * (halves_links() ? .5 : 1));
    return 1.0 * depth * link.latency + 1.0 * (depth - 1 + chunks) * step;
  }

  [[nodiscard]] Schedule schedule() const {
    Schedule schedule{ranks, {}, static_cast<std::uint32_t>(trees.size())};
    if (ranks == 1) return schedule;
    Phase phase{{}, chunks};
    for (std::uint32_t stream = 0; stream < trees.size(); ++stream) add_levels(stream, phase.rounds);
    schedule.phases.push_back(std::move(phase));
    return schedule;
  }

 private:
  void add_levels(std::uint32_t stream, std::vector<Round>& rounds) const {
    const Tree& tree = trees[stream];
    const bool half_rate = halves_links();
    const std::uint32_t first = stream * ranks;
    const auto levels = levels_of(tree);
    rounds.resize(std::max(rounds.size(), levels.size() - 1));
    for (std::size_t level = 0; level + 1 < levels.size(); ++level) {
      for (const std::uint32_t parent : levels[level]) {
        for (const std::uint32_t child : tree.children[parent])
          rounds[level].push_back({first + parent, first + child, chunk, {}, true, half_rate});
      }
    }
  }
};

Schedule all_reduce_on(const Broadcast& broadcast) {
  const Schedule down = broadcast.schedule();
  return then(mirrored(down), down);
}

Seconds all_reduce_time_on(const Broadcast& broadcast, const LinkState& link) {
  return 2 * broadcast.time(link);
}

Broadcast down_chain(const Operation& operation) {
  return {{chain(operation.ranks)}, operation, operation.chunks};
}

Broadcast down_binary_tree(const Operation& operation, std::uint32_t chunks) {
  return {{complete_binary_tree(operation.ranks)}, operation, chunks};
}

Broadcast down_two_trees(const Operation& operation) {
  return {two_binary_trees(operation.ranks), operation, operation.chunks};
}

}  // namespace

Seconds pipelined_broadcast_time(const Operation& operation, const LinkState& link) {
  return down_chain(operation).time(link);
}

Schedule pipelined_broadcast(const Operation& operation) { return down_chain(operation).schedule(); }

Seconds binary_tree_allreduce_time(const Operation& operation, const LinkState& link) {
  return all_reduce_time_on(down_binary_tree(operation, 1), link);
}

Schedule binary_tree_allreduce(const Operation& operation) {
  return all_reduce_on(down_binary_tree(operation, 1));
}

Seconds pipelined_binary_tree_allreduce_time(const Operation& operation, const LinkState& link) {
  return all_reduce_time_on(down_binary_tree(operation, operation.chunks), link);
}

Schedule pipelined_binary_tree_allreduce(const Operation& operation) {
  return all_reduce_on(down_binary_tree(operation, operation.chunks));
}

Seconds double_binary_tree_allreduce_time(const Operation& operation, const LinkState& link) {
  return all_reduce_time_on(down_two_trees(operation), link);
}

Schedule double_binary_tree_allreduce(const Operation& operation) {
  return all_reduce_on(down_two_trees(operation));
}

}  // namespace netmodels
