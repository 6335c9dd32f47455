// Errors in the shape of a transformer.
#include <array>

#include <fmt/core.h>

#include "netmodels/transformer.hpp"

namespace netmodels {
namespace {

/// A count with the key by which it is stated.
struct Count {
  std::string_view key;
  std::int64_t value;
  std::int64_t min = 1;
  std::int64_t max = 1'000'000'000;
};

Result<void> check_counts(const Transformer& model) {
  constexpr std::int64_t most_blocks = 10'000;
  const std::array counts{Count{"layers", model.layers, 1, most_blocks},
                          Count{"hidden", model.hidden},
                          Count{"heads", model.heads},
                          Count{"sequence", model.sequence},
                          Count{"vocabulary", model.vocabulary},
                          Count{"kv_heads", model.key_value_heads()},
                          Count{"head_size", model.head_size.value_or(1)},
                          Count{"ffn", model.ffn.value_or(1)},
                          Count{"position_rows", model.position_rows.value_or(1)},
                          Count{"norms_per_layer", model.norms_per_layer},
                          Count{"window", model.window.value_or(1)},
                          Count{"token_types", model.token_types, 0},
                          Count{"experts", model.experts},
                          Count{"active_experts", model.active_experts}};
  for (const Count& count : counts) {
    if (count.value >= count.min && count.value <= count.max) continue;
    return refuse({}, fmt::format("`{}` is {}", count.key, count.value),
                  fmt::format("accepted: {} to {}", count.min, count.max));
  }
  return {};
}

/// Refuses blocks that attend to all tokens where there are none such.
Result<void> check_full_attention(const Transformer& model) {
  if (model.full_attention_blocks.empty()) return {};
  if (!model.window)
    return refuse({}, "`full_attention_blocks` without `window`: every block attends to all tokens",
                  "state `window`, or leave it out");
  std::int64_t last = 0;
  for (const std::int64_t block : model.full_attention_blocks) {
    if (block <= last || block > model.layers)
      return refuse({}, fmt::format("`full_attention_blocks` has {} after {}", block, last),
                    fmt::format("accepted: rising numbers from 1 to {}", model.layers));
    last = block;
  }
  return {};
}

/// Refuses two kinds of norms of queries and keys.
Result<void> check_norms(const Transformer& model) {
  if (!model.qk_norm || !model.qk_norm_of_heads) return {};
  return refuse({}, "both `qk_norm` and `qk_norm_of_heads` are stated", "write one of them");
}

/// Refuses models whose values could not be counted.
Result<void> check_size(const Transformer& model) {
  constexpr double most = 1e15;
  const auto number = [](std::int64_t count) { return static_cast<double>(count); };
  const double width =
      model.head_size ? number(model.heads) * number(*model.head_size) : number(model.hidden);
  const double block = number(model.hidden) * (4 * width + number(model.experts) +
                                               3 * number(model.experts) * number(model.inner_width()));
  const double outside = number(model.hidden) *
                         (2 * number(model.vocabulary) + number(model.token_types) + number(model.sequence) +
                          number(model.position_rows.value_or(0)) + number(model.hidden));
  const double values = number(model.layers) * block + outside;
  if (values <= most) return {};
  return refuse({}, fmt::format("a model of up to {:.1e} parameters", values),
                fmt::format("accepted: up to {:.0e}", most));
}

}  // namespace

Result<Transformer> check(const Transformer& model) {
  if (auto checked = check_counts(model); !checked) return tl::unexpected(checked.error());
  if (auto checked = check_size(model); !checked) return tl::unexpected(checked.error());
  if (auto checked = check_full_attention(model); !checked) return tl::unexpected(checked.error());
  if (auto checked = check_norms(model); !checked) return tl::unexpected(checked.error());
  if (!model.head_size && model.hidden % model.heads != 0) {
    return refuse({}, fmt::format("`hidden` is {}, which {} heads do not divide", model.hidden, model.heads),
                  "write a multiple of `heads`, or state `head_size`");
  }
  const std::int64_t kv_heads = model.key_value_heads();
  if (kv_heads > model.heads || model.heads % kv_heads != 0) {
    return refuse(
        {}, fmt::format("`heads` is {}, which {} key and value heads do not divide", model.heads, kv_heads),
        "write for `kv_heads` a divisor of `heads`");
  }
  if (model.active_experts > model.experts) {
    return refuse({},
                  fmt::format("`active_experts` is {} of {} experts", model.active_experts, model.experts),
                  fmt::format("accepted: 1 to {}", model.experts));
  }
  if (model.positions == PositionEncoding::learned &&
      model.position_rows.value_or(model.sequence) < model.sequence) {
    return refuse({},
                  fmt::format("`sequence` is {}, and there are {} learned positions", model.sequence,
                              *model.position_rows),
                  fmt::format("accepted: 1 to {}", *model.position_rows));
  }
  return model;
}

}  // namespace netmodels
