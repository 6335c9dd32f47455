// Packing of edge-disjoint Hamiltonian rings and chains by bounded search.
#include "netmodels/nccl/mesh.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace netmodels::nccl {

Mesh::Mesh(const std::vector<std::vector<int>>& links, const std::vector<int>& gpus)
    : size_(static_cast<int>(gpus.size())), counts_(gpus.size() * gpus.size(), 0) {
  const auto number = [&](int gpu) { return static_cast<int>(std::ranges::find(gpus, gpu) - gpus.begin()); };
  for (const auto& link : links) {
    const int a = number(link[0]);
    const int b = number(link[1]);
    if (a == size_ || b == size_) continue;
    change(a, b, link[2]);
    change(b, a, link[2]);
  }
}

Mesh Mesh::scaled(double channels_per_link) const {
  constexpr double rounding = 1e-6;
  Mesh mesh = *this;
  for (int& count : mesh.counts_) count = static_cast<int>(std::floor(count * channels_per_link + rounding));
  return mesh;
}

int Mesh::links_of(int gpu) const {
  int sum = 0;
  for (int other = 0; other < size_; ++other) sum += links(gpu, other);
  return sum;
}

namespace {

/// Depth-first search; walks are found in rising order, so that no set of them is tried twice.
class Packing {
 public:
  Packing(Mesh mesh, Walk walk, int most) : free_(std::move(mesh)), walk_(walk), bound_(most) {
    if (walk != Walk::chains) {
      for (int gpu = 0; gpu < free_.size(); ++gpu) bound_ = std::min(bound_, free_.links_of(gpu));
    }
  }

  int best() {
    if (bound_ > 0) add_walk(0, {});
    return best_;
  }

 private:
  using Path = std::vector<int>;
  static constexpr int most_steps = 20'000;

  [[nodiscard]] bool finished() const { return best_ >= bound_ || steps_ > most_steps; }

  /// The GPU through which two exchange that no link joins: that with the most links to both; -1: none.
  [[nodiscard]] int neighbour(int from, int to) const {
    int found = -1;
    int links = 0;
    for (int by = 0; by < free_.size(); ++by) {
      const int here = std::min(free_.links(from, by), free_.links(by, to));
      if (here > links) {
        links = here;
        found = by;
      }
    }
    return found;
  }

  /// Takes a channel between two GPUs. @returns by which GPU, `to` itself for a link; -1: there is none
  int take(int from, int to) {
    int by = to;
    if (free_.links(from, to) == 0) {
      if (walk_ != Walk::rings_by_neighbour) return -1;
      by = neighbour(from, to);
      if (by < 0) return -1;
    }
    free_.change(from, by, -1);
    if (by != to) free_.change(by, to, -1);
    return by;
  }

  void give_back(int from, int to, int by) {
    free_.change(from, by, 1);
    if (by != to) free_.change(by, to, 1);
  }

  void add_walk(int count, const Path& last) {
    best_ = std::max(best_, count);
    if (finished()) return;
    const int starts = walk_ == Walk::chains ? free_.size() : 1;
    for (int start = last.empty() ? 0 : last[0]; start < starts && !finished(); ++start) {
      Path path{start};
      extend(path, 1U << static_cast<unsigned>(start), count, last);
    }
  }

  void extend(Path& path, unsigned used, int count, const Path& last) {
    if (finished()) return;
    ++steps_;
    if (static_cast<int>(path.size()) == free_.size()) {
      close(path, count, last);
      return;
    }
    for (int next = 0; next < free_.size() && !finished(); ++next) {
      if ((used >> static_cast<unsigned>(next) & 1U) != 0) continue;
      const int from = path.back();
      const int by = take(from, next);
      if (by < 0) continue;
      path.push_back(next);
      extend(path, used | 1U << static_cast<unsigned>(next), count, last);
      path.pop_back();
      give_back(from, next, by);
    }
  }

  void close(const Path& path, int count, const Path& last) {
    if (path < last) return;
    if (walk_ == Walk::chains) {
      add_walk(count + 1, path);
      return;
    }
    const int by = take(path.back(), path.front());
    if (by < 0) return;
    add_walk(count + 1, path);
    give_back(path.back(), path.front(), by);
  }

  Mesh free_;
  Walk walk_;
  int bound_;
  int best_ = 0;
  int steps_ = 0;
};

}  // namespace

int pack(const Mesh& mesh, Walk walk, int most) {
  if (mesh.size() < 2) return 0;
  if (mesh.size() == 2) return std::min(most, mesh.links(0, 1) * (walk == Walk::chains ? 2 : 1));
  return Packing(mesh, walk, most).best();
}

std::optional<double> busiest_link(const Mesh& mesh, std::span<const double> sent, double forwarded) {
  const auto at = [size = static_cast<std::size_t>(mesh.size())](int from, int to) {
    return static_cast<std::size_t>(from) * size + static_cast<std::size_t>(to);
  };
  std::vector<double> carried(sent.size());
  for (int from = 0; from < mesh.size(); ++from) {
    for (int to = 0; to < mesh.size(); ++to) {
      const double part = sent[at(from, to)];
      if (part == 0 || from == to) continue;
      if (mesh.links(from, to) > 0) {
        carried[at(from, to)] += part;
        continue;
      }
      int between = -1;
      int widest = 0;
      for (int gpu = 0; gpu < mesh.size(); ++gpu) {
        const int width = std::min(mesh.links(from, gpu), mesh.links(gpu, to));
        if (width <= widest) continue;
        widest = width;
        between = gpu;
      }
      if (between < 0) return std::nullopt;
      carried[at(from, between)] += part * forwarded;
      carried[at(between, to)] += part * forwarded;
    }
  }
  double most = 0;
  for (int from = 0; from < mesh.size(); ++from)
    for (int to = 0; to < mesh.size(); ++to)
      if (mesh.links(from, to) > 0) most = std::max(most, carried[at(from, to)] / mesh.links(from, to));
  return most;
}

std::optional<int> first_unreached(const std::vector<std::vector<int>>& links, int gpus) {
  std::vector<int> numbers(static_cast<std::size_t>(gpus));
  std::iota(numbers.begin(), numbers.end(), 0);
  const Mesh mesh(links, numbers);
  std::vector<bool> reached(numbers.size(), false);
  std::vector<int> open{0};
  reached[0] = true;
  while (!open.empty()) {
    const int from = open.back();
    open.pop_back();
    for (const int to : numbers) {
      if (reached[static_cast<std::size_t>(to)] || mesh.links(from, to) == 0) continue;
      reached[static_cast<std::size_t>(to)] = true;
      open.push_back(to);
    }
  }
  const auto found = std::ranges::find(reached, false);
  if (found == reached.end()) return std::nullopt;
  return static_cast<int>(found - reached.begin());
}

}  // namespace netmodels::nccl
