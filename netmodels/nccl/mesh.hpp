// Rings and chains through a mesh of links: how many fit beside each other.
#pragma once

#include <optional>
#include <span>
#include <vector>

namespace netmodels::nccl {

/// Directed links between the GPUs that take part, counted in whole channels.
class Mesh {
 public:
  /// @param links  of each joined pair: GPU, GPU, number of links, as `NvLink::mesh`
  /// @param gpus   that take part, each once; GPU gpus[i] is number i here
  Mesh(const std::vector<std::vector<int>>& links, const std::vector<int>& gpus);

  /// The mesh in which each direction of a pair with k links has floor(k * channels_per_link) channels.
  [[nodiscard]] Mesh scaled(double channels_per_link) const;

  [[nodiscard]] int size() const { return size_; }
  [[nodiscard]] int links(int from, int to) const { return counts_[index(from, to)]; }
  void change(int from, int to, int by) { counts_[index(from, to)] += by; }
  [[nodiscard]] int links_of(int gpu) const;  ///< number of links of one GPU to all others

 private:
  [[nodiscard]] std::size_t index(int from, int to) const {
    return static_cast<std::size_t>(from) * static_cast<std::size_t>(size_) + static_cast<std::size_t>(to);
  }

  int size_;
  std::vector<int> counts_;
};

/// Walks that are packed.
enum class Walk {
  rings,               ///< walks through all GPUs and back to the first
  rings_by_neighbour,  ///< likewise; GPUs that no link joins exchange through one that both have links to
  chains,              ///< walks through all GPUs
};

/// The largest number of walks, up to `most`, that use each channel of each direction once at most: a search
/// with a bounded number of steps, exact on the meshes of up to 8 GPUs that machines have.
int pack(const Mesh& mesh, Walk walk, int most);

/// Load of the busiest direction of a link where each GPU sends to others at once, in the unit of
/// `sent`. A pair without a link exchanges through one GPU that both have links to: that whose narrower link
/// has most links, the first of equals.
/// @param sent       by GPU `from` to GPU `to`, at [from * mesh.size() + to]; at least 0
/// @param forwarded  what a unit loads the links of a GPU that only forwards with, at least 1
/// @returns nothing where a pair that exchanges has no way of at most two links
std::optional<double> busiest_link(const Mesh& mesh, std::span<const double> sent, double forwarded);

/// The first GPU that no links reach from GPU 0, directly or through others.
std::optional<int> first_unreached(const std::vector<std::vector<int>>& links, int gpus);

}  // namespace netmodels::nccl
