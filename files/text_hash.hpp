// A short name of a text that hardly another text has.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include <fmt/format.h>

namespace files {

/// 16 hexadecimal digits, which distinguish texts but are not cryptographic. Source: FNV-1a with 64 bits,
/// Fowler, Noll & Vo, IETF draft "The FNV Non-Cryptographic Hash Algorithm".
inline std::string hash_of(std::string_view text) {
  std::uint64_t hash = 14695981039346656037ULL;
  for (const char letter : text) hash = (hash ^ static_cast<unsigned char>(letter)) * 1099511628211ULL;
  return fmt::format("{:016x}", hash);
}

}  // namespace files
