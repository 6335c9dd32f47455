// How far times by a published utilisation may be off: inside of what was published, and outside of it.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace netmodels {

/// The runs that a utilisation was published for.
struct PublishedRuns {
  std::int64_t min_sequence = 1;  ///< tokens of a sample, at least 1
  std::int64_t max_sequence = 1;
  std::uint32_t max_devices = 1;  ///< GPUs of the largest run, at least 1
  bool experts = false;           ///< mixtures of experts are among the models
};

/// A property outside of the published runs, and how much farther off the time may be for it.
struct Widening {
  std::string reason;    ///< "sequence 131072, at most 8192 was measured"
  double slower = 1;     ///< the time may be this many times longer, at least 1
  double faster = 1;     ///< or the time divided by this, at least 1
  std::string source{};  ///< source of the factors
};

/// The range of times that follow from a published utilisation: nine of ten runs lie between
/// predicted / `faster()` and predicted * `slower()`. Reasons are taken as independent, so that the
/// logarithms of their factors add up as squares:
///   ln slower = sqrt(ln^2 (1 + within) + sum of ln^2 slower_i), likewise faster.
struct UtilisationRange {
  std::string of;                       ///< "stack megatron-te-2025 in bf16"
  double within = 0;                    ///< relative error of the published runs, at least 0
  std::optional<PublishedRuns> runs{};  ///< nothing: not stated
  std::vector<Widening> outside{};      ///< excess by model, device and precision
  std::optional<Widening> devices{};    ///< excess by the number of GPUs

  /// All that lies outside; empty inside of what was published.
  [[nodiscard]] std::vector<Widening> all_outside() const;
  [[nodiscard]] double slower() const;
  [[nodiscard]] double faster() const;
};

/// Mixtures of experts by the utilisation of dense models: 8 published bf16 runs on H100 of Qwen3-235B-A22B,
/// Mixtral 8x7B and 8x22B and Qwen2-57B-A14B at 4096 tokens reach 17 to 49 % of the peak where the dense rule
/// says 68 %: down to a quarter of it, and never more.
/// Source: yanring/Megatron-MoE-ModelZoo @e8650517, best_practice/qwen3/readme.md; arXiv 2504.14960;
///         NVIDIA/Megatron-LM @022bcb5a, megatron/core/transformer/moe/README.md.
std::optional<Widening> outside_kind(const PublishedRuns& runs, bool experts);

/// 8 % for each doubling of the sequence beyond the measured ones, either way: nine of ten of 190 predictions
/// for longer sequences by rules that were fitted to the shorter ones of 209 runs of llm-foundry @8c8dd48f.
std::optional<Widening> outside_sequence(const PublishedRuns& runs, std::int64_t sequence);

/// 5 % for each doubling of the GPUs beyond the measured ones: the largest loss of a series of llm-foundry
/// @8c8dd48f (MPT-1b, ZeRO-2, 128 to 512 H100). Fewer GPUs than measured wait for each other less.
std::optional<Widening> outside_devices(const PublishedRuns& runs, std::uint32_t devices);

/// A factor of 2.1 either way: the rule of one device of pytorch-fsdp-2023 for the runs of another is off by
/// at most that in nine of ten (A100 40 GB, A100 80 GB, H100; 209 runs of llm-foundry @8c8dd48f).
Widening other_device(const std::string& device, const std::string& measured);

/// A factor of 1.53 either way: the largest ratio of the shares of the peak that megatron-te-2025 reaches in
/// bf16 and in fp8 at one size of model (8B: 65.7 and 42.9 %).
Widening other_precision(const std::string& precision, const std::string& measured);

/// Frozen weights: at worst they save nothing.
/// @param whole_over_frozen  time of training all weights over that of the share, at least 1
Widening frozen_weights(double whole_over_frozen);

/// "outside of what was published: sequence 131072, at most 8192 was measured; range widened to 73 to 136 %
/// of the predicted time"; empty inside of it.
std::string describe_outside(const UtilisationRange& range);

}  // namespace netmodels
