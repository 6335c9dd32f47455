// Needs, offers and exclusions of settings: from these declarations follows what can be combined.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <span>
#include <string_view>
#include <vector>

namespace settings {

/// A property of a run that some settings need, and others offer or rule out.
enum class Capability : std::uint8_t {
  // How workers step, and what they exchange.
  common_step,
  gradients_every_step,
  gradient_exchange,
  model_exchange,
  collectives,
  common_model,
  mean_model,
  weighted_mean,
  worker_model,
  second_round,
  common_selection,
  steps_to_leave_after,
  same_workers,
  no_failures,
  no_lost_workers,
  // The network.
  still_network,
  measured_links,
  whole_collectives,
  worker_links,
  shared_hosts,
  one_switch,
  one_worker_per_host,
  server_links,
  even_links,
  nccl_hardware,
  // Batches.
  speeds_by_cores,
  uniform_batch,
  known_batch_effect,
  streams,
  whole_batches,
  collective_choice,
  open_collectives,
  // Compression.
  dense_gradients,
  compressed,
  recoded_sum,
  sparse,
  stated_ratio,
  stated_method,
  one_compression,
  stated_warm_up,
  dense_warm_up,
  residual,
  whole_residual,
  plain_gradients,
  // Learning.
  gradients,
  losses,
  learning_rate,
  live_models,
  trained_effects,
  rounding_effects,
  momentum_steps,
  momentum_optimizer,
  // Sharding, replicas and traces.
  whole_states,
  gradient_buckets,
  free_collective,
  free_sending,
  kept_parameters,
  gathered_parameters,
  second_gathers,
  sums_among_all,
  node_copies,
  one_gpu_workers,
  one_level,
  composed_step,
  all_reduced_gradients,
  // Of keys that nothing else reads.
  some_collectives,
  bucketed_gradients,
  gradient_shards,
  tensor_groups,
  shared_states,
  stated_cores,
  measured_tables,
  stated_failures,
  recoveries,
  priced_machines,
  unequal_batches,
  counted_epochs,
  compressing,
  selected_worker,
  coefficient_tiles,
  low_rank,
  warm_up_length,
  unsent_values,
  direct_exchange,
  // The same, which a run has by its resolved values.
  root_unit,
  counted_states,
  model_buffers,
  flow_cap,
  placement_cap,
  overlapping,
  library_choice,
  carried_choice,
  collective_choices,
  open_rules,
  chunked,
  count
};

/// A set of capabilities.
class Capabilities {
 public:
  constexpr Capabilities() = default;
  constexpr Capabilities(std::initializer_list<Capability> members) {
    for (const Capability member : members) words_[index(member)] |= mask(member);
  }

  [[nodiscard]] constexpr bool contains(Capability one) const {
    return (words_[index(one)] & mask(one)) != 0;
  }
  [[nodiscard]] constexpr bool empty() const { return *this == Capabilities{}; }
  constexpr Capabilities& operator|=(const Capabilities& other) {
    for (std::size_t i = 0; i < words_.size(); ++i) words_[i] |= other.words_[i];
    return *this;
  }
  bool operator==(const Capabilities&) const = default;

 private:
  static constexpr unsigned word_bits = 64;
  static constexpr std::size_t index(Capability one) { return static_cast<unsigned>(one) / word_bits; }
  static constexpr std::uint64_t mask(Capability one) {
    return std::uint64_t{1} << (static_cast<unsigned>(one) % word_bits);
  }

  std::array<std::uint64_t, 2> words_{};
};

static_assert(static_cast<unsigned>(Capability::count) <= 128);

/// The declaration of a key, of a row of a catalogue, or of a word.
struct Demands {
  Capabilities needs = {};   ///< capabilities without which it is refused
  Capabilities uses = {};    ///< capabilities without which nothing would read it
  Capabilities denies = {};  ///< capabilities that a run which states it does not have
  Capabilities offers = {};  ///< capabilities that a run has because it states it

  [[nodiscard]] constexpr bool empty() const { return *this == Demands{}; }
  constexpr Demands& operator|=(const Demands& other) {
    needs |= other.needs;
    uses |= other.uses;
    denies |= other.denies;
    offers |= other.offers;
    return *this;
  }
  bool operator==(const Demands&) const = default;
};

/// A word of a table that a text key names: a compressor, an execution model.
struct TableWord {
  std::string_view name;
  std::string_view example = {};  ///< as a scenario writes it, where the name does not suffice
  Demands demands = {};
};

/// The names of a table's rows, which declare nothing.
template <class Rows>
std::vector<TableWord> names_in(const Rows& rows) {
  std::vector<TableWord> words;
  for (const auto& row : rows) words.push_back({row.name});
  return words;
}

/// A declaration that holds for some values of a struct only.
struct Condition {
  std::string_view key;   ///< key of the struct, at which it is refused; empty: the whole struct
  std::string_view when;  ///< as messages name it after the key: "without `rate`"; empty: the key says it
  bool (*holds)(const void* target) = nullptr;
  Demands demands = {};
  std::string_view example = {};  ///< value of the key with which it holds, for hints
  bool is_required = false;       ///< the key cannot be left out
};

/// A condition on a struct of type `T`.
template <class T, bool (*holds)(const T&)>
constexpr Condition condition(std::string_view key, std::string_view when, Demands demands,
                              std::string_view example = {}, bool is_required = false) {
  return {key,     when,    [](const void* target) { return holds(*static_cast<const T*>(target)); },
          demands, example, is_required};
}

/// Facts about a capability.
struct CapabilityRow {
  Capability capability;
  std::string_view name;
  std::string_view needed;    ///< after "needs": "a network that stays as it is"
  std::string_view lacking;   ///< after the name of what rules it out: "changes it"
  bool only_offered = false;  ///< a run has it where something offers it; false: unless something denies it
};

/// Every capability, in the order of the enumeration.
std::span<const CapabilityRow> capabilities();
const CapabilityRow& facts_of(Capability capability);

}  // namespace settings
