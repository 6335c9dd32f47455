// Turns the name of a decoder-only transformer into its layers.
#include "learning/models/gpt.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <utility>

#include <fmt/format.h>

#include "learning/models/layers.hpp"
#include "learning/models/transformer.hpp"

namespace learning::models {
namespace {

using LayerList = std::vector<std::unique_ptr<const Layer>>;

constexpr std::size_t most_layers = 64;
constexpr std::size_t least_width = 8;
constexpr std::size_t most_width = 4096;

template <class... Parts>
LayerList layer_list(Parts&&... parts) {
  LayerList list;
  (list.push_back(std::make_unique<const Parts>(std::forward<Parts>(parts))), ...);
  return list;
}

}  // namespace

std::optional<GptSize> parse_gpt(std::string_view name) {
  constexpr std::string_view start = "gpt";
  constexpr std::string_view untied = "_untied";
  if (!name.starts_with(start)) return {};
  name.remove_prefix(start.size());
  GptSize size;
  size.tied = !name.ends_with(untied);
  if (!size.tied) name.remove_suffix(untied.size());
  for (std::size_t* const number : {&size.layers, &size.width, &size.heads}) {
    if (!name.starts_with('_')) return {};
    name.remove_prefix(1);
    const auto [rest, error] = std::from_chars(name.data(), name.data() + name.size(), *number);
    if (error == std::errc::invalid_argument) return {};
    if (error == std::errc::result_out_of_range) *number = most_width + 1;
    name.remove_prefix(static_cast<std::size_t>(rest - name.data()));
  }
  if (!name.empty()) return {};
  return size;
}

std::optional<std::string> problem_of(const GptSize& size) {
  if (size.layers < 1 || size.layers > most_layers)
    return fmt::format("has {} layers; accepted: 1 to {}", size.layers, most_layers);
  if (size.width < least_width || size.width > most_width)
    return fmt::format("has a width of {}; accepted: {} to {}", size.width, least_width, most_width);
  if (size.heads < 1 || size.width % size.heads != 0)
    return fmt::format("has {} heads for a width of {}; accepted: heads that divide it", size.heads,
                       size.width);
  return {};
}

LayerList gpt_layers(const GptSize& size, std::size_t alphabet, std::size_t positions) {
  const std::size_t width = size.width;
  const std::size_t hidden = 4 * width;
  const double added = 1 / std::sqrt(2.0 * static_cast<double>(size.layers));
  LayerList inner;
  for (std::size_t i = 0; i < size.layers; ++i) {
    inner.push_back(std::make_unique<const Residual>(
        layer_list(LayerNorm(width, positions), Dense(width, 3 * width, Next::other, positions),
                   CausalAttention({.positions = positions, .values = width, .heads = size.heads}),
                   Dense(width, width, Next::other, positions, added))));
    inner.push_back(std::make_unique<const Residual>(
        layer_list(LayerNorm(width, positions), Dense(width, hidden, Next::other, positions),
                   Gelu(hidden * positions), Dense(hidden, width, Next::other, positions, added))));
  }
  inner.push_back(std::make_unique<const LayerNorm>(width, positions));
  LayerList all;
  all.push_back(std::make_unique<const LanguageModel>(
      LanguageModel::Settings{alphabet, positions, width, size.tied}, std::move(inner)));
  return all;
}

}  // namespace learning::models
