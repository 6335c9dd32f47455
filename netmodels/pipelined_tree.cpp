// Pipelined broadcast trees, and the slots in which their chunks move.
#include "netmodels/pipelined_tree.hpp"

#include <algorithm>
#include <cassert>
#include <functional>
#include <optional>

namespace netmodels {

// Trees, the two-colouring of their edges, and the timetable that follows from it.

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

struct Edge {
  std::uint32_t from;
  std::uint32_t to;
  std::optional<std::size_t> parent;  ///< the edge that brings the chunk to `from`; nothing at a root
  std::optional<std::uint32_t> colour;
};

/// All edges, parents before children.
std::vector<Edge> edges_of(const std::vector<Tree>& trees) {
  std::vector<Edge> edges;
  for (const Tree& tree : trees) {
    const auto add_children = [&](std::uint32_t rank, std::optional<std::size_t> parent) {
      for (const std::uint32_t child : tree.children[rank]) {
        edges.push_back({rank, child, parent, std::nullopt});
      }
    };
    std::size_t next = edges.size();
    add_children(tree.root, std::nullopt);
    for (; next < edges.size(); ++next) add_children(edges[next].to, next);
  }
  return edges;
}

/// For each edge the at most two others that share its sender or its receiver.
std::vector<std::vector<std::size_t>> conflicts_of(const std::vector<Edge>& edges, std::size_t ranks) {
  std::vector<std::vector<std::size_t>> sent(ranks);
  std::vector<std::vector<std::size_t>> received(ranks);
  for (std::size_t edge = 0; edge < edges.size(); ++edge) {
    sent[edges[edge].from].push_back(edge);
    received[edges[edge].to].push_back(edge);
  }
  std::vector<std::vector<std::size_t>> conflicts(edges.size());
  for (const auto& shared : {std::cref(sent), std::cref(received)}) {
    for (const std::vector<std::size_t>& together : shared.get()) {
      assert(together.size() <= 2);
      if (together.size() < 2) continue;
      conflicts[together[0]].push_back(together[1]);
      conflicts[together[1]].push_back(together[0]);
    }
  }
  return conflicts;
}

/// Conflicting edges form paths and even cycles, since senders and receivers alternate: two colours suffice.
void colour_from(std::size_t start, std::vector<Edge>& edges,
                 const std::vector<std::vector<std::size_t>>& conflicts) {
  std::vector<std::size_t> open{start};
  edges[start].colour = 0;
  while (!open.empty()) {
    const std::size_t edge = open.back();
    open.pop_back();
    for (const std::size_t other : conflicts[edge]) {
      if (edges[other].colour.has_value()) continue;
      edges[other].colour = 1 - *edges[edge].colour;
      open.push_back(other);
    }
  }
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

std::uint32_t Timetable::slots(std::uint32_t chunks) const {
  if (edges.empty()) return 0;
  const std::uint32_t last = std::ranges::max_element(edges, {}, &EdgeSlot::first)->first;
  return last + 1 + period * (chunks - 1);
}

Timetable broadcast_timetable(const std::vector<Tree>& trees) {
  std::vector<Edge> edges = edges_of(trees);
  const auto conflicts = conflicts_of(edges, trees.front().children.size());
  for (std::size_t edge = 0; edge < edges.size(); ++edge) {  // paths from an end first, cycles from anywhere
    if (!edges[edge].colour.has_value() && conflicts[edge].size() < 2) colour_from(edge, edges, conflicts);
  }
  for (std::size_t edge = 0; edge < edges.size(); ++edge) {
    if (!edges[edge].colour.has_value()) colour_from(edge, edges, conflicts);
  }
  Timetable timetable;
  timetable.period =
      std::ranges::any_of(conflicts, [](const auto& others) { return !others.empty(); }) ? 2 : 1;
  for (std::size_t edge = 0; edge < edges.size(); ++edge) {
    const std::optional<std::size_t> parent = edges[edge].parent;
    std::uint32_t slot = parent.has_value() ? timetable.edges[*parent].first + 1 : 0;
    if (!conflicts[edge].empty() && slot % 2 != *edges[edge].colour) ++slot;
    timetable.edges.push_back({edges[edge].from, edges[edge].to, slot});
  }
  return timetable;
}

// Pipelined chains and trees: slots turned into rounds, and slots counted.

namespace {

/// One round per slot.
Schedule broadcast_on(const std::vector<Tree>& trees, std::uint32_t ranks, std::uint32_t chunks,
                      Bytes chunk) {
  const Timetable timetable = broadcast_timetable(trees);
  std::vector<Round> rounds(timetable.slots(chunks));
  for (const EdgeSlot& edge : timetable.edges) {
    for (std::uint32_t k = 0; k < chunks; ++k) {
      rounds[edge.first + k * timetable.period].push_back({edge.from, edge.to, chunk});
    }
  }
  Schedule schedule{ranks, {}};
  for (Round& round : rounds) schedule.phases.push_back({{std::move(round)}, 1});
  return schedule;
}

Schedule all_reduce_on(const std::vector<Tree>& trees, std::uint32_t ranks, std::uint32_t chunks,
                       Bytes chunk) {
  const Schedule broadcast = broadcast_on(trees, ranks, chunks, chunk);
  return then(mirrored(broadcast), broadcast);
}

Seconds all_reduce_time(const std::vector<Tree>& trees, std::uint32_t ranks, std::uint32_t chunks,
                        Seconds slot) {
  return ranks == 1 ? Seconds{} : 2.0 * broadcast_timetable(trees).slots(chunks) * slot;
}

}  // namespace

Seconds pipelined_broadcast_time(const Operation& operation, const LinkState& link) {
  if (operation.ranks == 1) return {};
  return 1.0 * (operation.ranks - 2 + operation.chunks) * link.time(operation.size / operation.chunks);
}

Schedule pipelined_broadcast(const Operation& operation) {
  return broadcast_on({chain(operation.ranks)}, operation.ranks, operation.chunks,
                      operation.size / operation.chunks);
}

Seconds binary_tree_allreduce_time(const Operation& operation, const LinkState& link) {
  return all_reduce_time({complete_binary_tree(operation.ranks)}, operation.ranks, 1,
                         link.time(operation.size));
}

Schedule binary_tree_allreduce(const Operation& operation) {
  return all_reduce_on({complete_binary_tree(operation.ranks)}, operation.ranks, 1, operation.size);
}

Seconds pipelined_binary_tree_allreduce_time(const Operation& operation, const LinkState& link) {
  return all_reduce_time({complete_binary_tree(operation.ranks)}, operation.ranks, operation.chunks,
                         link.time(operation.size / operation.chunks));
}

Schedule pipelined_binary_tree_allreduce(const Operation& operation) {
  return all_reduce_on({complete_binary_tree(operation.ranks)}, operation.ranks, operation.chunks,
                       operation.size / operation.chunks);
}

Seconds double_binary_tree_allreduce_time(const Operation& operation, const LinkState& link) {
  return all_reduce_time(two_binary_trees(operation.ranks), operation.ranks, operation.chunks,
                         link.time(operation.size / (2.0 * operation.chunks)));
}

Schedule double_binary_tree_allreduce(const Operation& operation) {
  return all_reduce_on(two_binary_trees(operation.ranks), operation.ranks, operation.chunks,
                       operation.size / (2.0 * operation.chunks));
}

}  // namespace netmodels
