// The decoder-only transformers of the table: sizes as their names state them, and their layers.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "learning/models/layer.hpp"

namespace learning::models {

/// Sizes that `gpt_LAYERS_WIDTH_HEADS` and `gpt_LAYERS_WIDTH_HEADS_untied` state.
struct GptSize {
  std::size_t layers = 1;  ///< in [1, 64]
  std::size_t width = 8;   ///< values per position, in [8, 4096], a multiple of `heads`
  std::size_t heads = 1;   ///< at least 1
  bool tied = true;        ///< the output weights are the embedding
};

/// The free form, for messages.
inline constexpr std::string_view gpt_form = "gpt_LAYERS_WIDTH_HEADS";

/// @returns nothing where the name does not have the form; sizes may be out of range
std::optional<GptSize> parse_gpt(std::string_view name);

/// @returns what is wrong with the sizes, as a sentence part; nothing when they are fine
std::optional<std::string> problem_of(const GptSize& size);

/// Embedding of tokens and positions; per layer causal attention and 4 width values with GELU, each behind a
/// layer norm and added to what it was given; a last layer norm; the outputs.
///
/// The matrices that are added back start 1 / sqrt(2 layers) as large. Leaves out: dropout.
/// Source: Radford et al., "Language Models are Unsupervised Multitask Learners", 2019, section 2.3.
/// @param size       without a problem
/// @param alphabet   at least 1
/// @param positions  tokens of a sample, at least 1
std::vector<std::unique_ptr<const Layer>> gpt_layers(const GptSize& size, std::size_t alphabet,
                                                     std::size_t positions);

}  // namespace learning::models
