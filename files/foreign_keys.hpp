// The keys of other programs' files, as rows: what each is to a scenario.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

namespace files {

/// Treatment of a key.
enum class KeyUse : std::uint8_t {
  read,       ///< becomes a key of ours
  no_effect,  ///< no figure of a step depends on it
  changes,    ///< changes the answer and is not modelled: a warning at any value that is not harmless
  refused,    ///< as `changes`, by so much that the file is refused
};

/// "read as", "no effect", "not modelled", "refused".
constexpr std::string_view to_string(KeyUse use) {
  switch (use) {
    case KeyUse::read: return "read as";
    case KeyUse::no_effect: return "no effect";
    case KeyUse::changes: return "not modelled";
    case KeyUse::refused: return "refused";
  }
  return {};
}

/// One documented key.
struct ForeignKey {
  std::string_view key;            ///< path of the key: `zero_optimization.stage`
  KeyUse use = KeyUse::no_effect;  ///< use at values that are not harmless
  std::string_view text;           ///< read: what it becomes; otherwise why, a clause
  std::string_view harmless = {};  ///< values, separated by `|`, at which the answer is right all the same
  std::string_view values = {};    ///< documented ones as JSON, separated by `|`, for tests
};

// Rows by their use.

constexpr ForeignKey read_as(std::string_view key, std::string_view text, std::string_view harmless = {},
                             std::string_view values = {}) {
  return {key, KeyUse::read, text, harmless, values};
}
constexpr ForeignKey without_effect(std::string_view key, std::string_view why,
                                    std::string_view values = {}) {
  return {key, KeyUse::no_effect, why, {}, values};
}
constexpr ForeignKey not_modelled(std::string_view key, std::string_view why, std::string_view harmless,
                                  std::string_view values) {
  return {key, KeyUse::changes, why, harmless, values};
}
constexpr ForeignKey refused(std::string_view key, std::string_view why, std::string_view harmless,
                             std::string_view values) {
  return {key, KeyUse::refused, why, harmless, values};
}

/// The rows as a table in Markdown: key, use, what becomes of it, the harmless values.
std::string print_markdown(std::span<const ForeignKey> table);

/// Whether a value, as its file writes it, is one of `harmless`, which are separated by `|`; numbers are
/// compared as numbers.
bool is_harmless(std::string_view value, std::string_view harmless);

}  // namespace files
