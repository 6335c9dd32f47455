// Files that the tests of data sets write: a temporary folder, gzip, numbers in both byte orders.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>

#include "tests/data_folder.hpp"
#include "tests/scratch_folder.hpp"

namespace learning::datasets {

/// A folder whose path can be taken out of texts.
class Folder : public tests::ScratchFolder {
 public:
  /// The text with `FOLDER` for this folder's path.
  [[nodiscard]] std::string without_path(std::string text) const {
    const std::string own = path().string();
    for (std::size_t at = text.find(own); at != std::string::npos; at = text.find(own))
      text.replace(at, own.size(), "FOLDER");
    return text;
  }
};

/// The bytes of a 32-bit number, high byte first.
inline std::string big_endian(std::uint32_t number) {
  std::string bytes;
  for (int shift = 24; shift >= 0; shift -= 8) bytes += static_cast<char>(number >> shift & 0xff);
  return bytes;
}

/// The bytes of a 32-bit number, low byte first.
inline std::string little_endian(std::uint32_t number) {
  const std::string high_first = big_endian(number);
  return {high_first.rbegin(), high_first.rend()};
}

/// CRC-32 as gzip ends with it.
inline std::uint32_t checksum(std::string_view bytes) {
  std::uint32_t sum = 0xffffffffU;
  for (const char byte : bytes) {
    sum ^= static_cast<unsigned char>(byte);
    for (int bit = 0; bit < 8; ++bit) sum = sum >> 1 ^ ((sum & 1) != 0 ? 0xedb88320U : 0U);
  }
  return ~sum;
}

/// A gzip file of at most 65,535 bytes, stored without compression (RFC 1951, section 3.2.4; RFC 1952).
inline std::string gzip(std::string_view bytes) {
  const auto size = static_cast<std::uint32_t>(bytes.size());
  const std::string length = little_endian(size).substr(0, 2);
  const std::string inverse = little_endian(~size).substr(0, 2);
  return std::string("\x1f\x8b\x08\0\0\0\0\0\0\x03", 10) + '\x01' + length + inverse + std::string(bytes) +
         little_endian(checksum(bytes)) + little_endian(size);
}

/// Whether this build unpacks gzip.
inline constexpr bool has_gzip = GRADSIM_HAS_GZIP != 0;

/// Gzip where this build unpacks it, or else the bytes as they are.
inline std::string packed_if_possible(std::string_view bytes) {
  return has_gzip ? gzip(bytes) : std::string(bytes);
}

/// Public data sets that may be next to the checkout.
inline std::filesystem::path public_sets() { return tests::shared_path("sets"); }

}  // namespace learning::datasets
