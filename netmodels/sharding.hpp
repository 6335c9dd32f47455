// Kinds of sharded data-parallel training: the states of a model that each worker holds only a share of.
#pragma once

#include <array>
#include <optional>
#include <span>
#include <string_view>

namespace netmodels {

/// The states that workers hold in equal shares; a state that is not shared is whole on each worker.
struct Sharding {
  bool optimizer = false;
  bool gradients = false;
  bool parameters = false;
  bool within_node = false;  ///< the workers of a node hold one copy together; false: all workers do

  /// Whether any state is shared.
  [[nodiscard]] constexpr bool any() const { return optimizer || gradients || parameters; }
  bool operator==(const Sharding&) const = default;
};

/// A kind of data parallelism, as frameworks name it.
struct ShardingKind {
  std::string_view name;
  std::string_view summary;
  std::string_view source = {};
  Sharding shares = {};
  /// Bytes of a gradient that the framework sends by default; nothing: as many as it holds.
  std::optional<double> gradient_bytes = {};
  std::string_view sending = {};  ///< row of `shard_sendings` that is part of the kind; empty: none
  /// Rows of `shard_sendings` that advice tries beside the plain kind.
  std::span<const std::string_view> advised_sendings = {};
  std::string_view other_name = {};  ///< another accepted name; empty: none
};

inline constexpr std::array<std::string_view, 1> zero2_sendings{"sdp4bit"};
inline constexpr std::array<std::string_view, 2> fsdp_sendings{"hpz", "qgz"};
inline constexpr std::array<std::string_view, 1> hsdp_sendings{"qwz"};

/// Rows in the order in which they are listed; the first one shares nothing.
inline constexpr std::array sharding_kinds{
    ShardingKind{.name = "none", .summary = "Each worker holds all states."},
    ShardingKind{.name = "zero1",
                 .summary = "Each worker holds a share of the optimizer states.",
                 .source = "Rajbhandari et al., \"ZeRO: Memory Optimizations Toward Training Trillion "
                           "Parameter Models\", SC 2020",
                 .shares = {.optimizer = true}},
    ShardingKind{.name = "zero2",
                 .summary = "Each worker holds a share of the gradients, too.",
                 .source = "Rajbhandari et al., SC 2020",
                 .shares = {.optimizer = true, .gradients = true},
                 .advised_sendings = zero2_sendings},
    ShardingKind{.name = "fsdp",
                 .summary = "Each worker holds a share of the parameters, too, and gathers them before use.",
                 .source = "Zhao et al., \"PyTorch FSDP: Experiences on Scaling Fully Sharded Data "
                           "Parallel\", PVLDB 16(12), 2023",
                 .shares = {.optimizer = true, .gradients = true, .parameters = true},
                 .gradient_bytes = 4,  // FSDP2 reduces in fp32 by default
                 .advised_sendings = fsdp_sendings,
                 .other_name = "zero3"},
    ShardingKind{
        .name = "hsdp",
        .summary = "As fsdp within each node; nodes hold copies, and sum the shares of their gradients.",
        .source = "Zhao et al., PVLDB 16(12), 2023",
        .shares = {.optimizer = true, .gradients = true, .parameters = true, .within_node = true},
        .gradient_bytes = 4,
        .advised_sendings = hsdp_sendings},
    ShardingKind{.name = "zero++",
                 .summary = "As fsdp, with quantised messages and second copies of the parameters in nodes.",
                 .source = "Wang et al., \"ZeRO++: Extremely Efficient Collective Communication for Giant "
                           "Model Training\", arXiv:2306.10209, 2023",
                 .shares = {.optimizer = true, .gradients = true, .parameters = true},
                 .sending = "zero++"},
};

/// The row of a name, or null.
constexpr const ShardingKind* find_sharding(std::string_view name) {
  for (const ShardingKind& kind : sharding_kinds) {
    if (kind.name == name) return &kind;
  }
  return nullptr;
}

/// The first row that shares these states; null where none does.
constexpr const ShardingKind* find_sharding(const Sharding& shares) {
  for (const ShardingKind& kind : sharding_kinds) {
    if (kind.shares == shares) return &kind;
  }
  return nullptr;
}

/// The row of most shares: all states, among all workers.
constexpr const ShardingKind& fully_sharded() {
  return *find_sharding({.optimizer = true, .gradients = true, .parameters = true});
}

}  // namespace netmodels
