// Names that PyTorch, DeepSpeed, Megatron, Hugging Face, SLURM and NCCL use: the key or value of a scenario
// that means the same, or why it is not modelled.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "sim/language/value.hpp"

namespace sim::scenario {

/// The value of our key.
/// @param value  as the other program writes it
/// @param root   the scenario
/// @returns nothing where it does not follow from the value
using ConvertValue = std::optional<std::string> (*)(const language::Value& value,
                                                    const language::Value& root);

/// A key of another program.
struct KeyOfOthers {
  std::string_view name;           ///< lower case, `_` between words
  std::string_view of;             ///< the programs that use it
  std::string_view key;            ///< ours, as a path; empty: not modelled
  std::string_view text;           ///< how the two are related, or why it is not modelled; may be empty
  ConvertValue convert = nullptr;  ///< null: the value follows from more than this one
  std::string_view in = {};        ///< path of the map in which it means this; empty: any
};

/// A value of another program.
struct ValueOfOthers {
  std::string_view key;    ///< ours
  std::string_view name;   ///< lower case, `_` between words
  std::string_view value;  ///< ours
};

std::span<const KeyOfOthers> keys_of_others();
std::span<const ValueOfOthers> values_of_others();

/// Whether two words are one, however their parts are separated: `batch_size`, `batchSize`, `BATCH-SIZE`.
/// Short words are other ones without their separator: `topk` is a method, `top_k` a number of values.
bool is_same_word(std::string_view one, std::string_view other);

}  // namespace sim::scenario
