// The wire format of protobuf, as far as Chakra's messages need it.
#include <algorithm>

#include "calibrate/imports/chakra.hpp"

namespace calibrate::imports {
namespace {

using netmodels::refuse;
using netmodels::Result;

constexpr int most_varint_bytes = 10;
constexpr std::uint64_t most_message_bytes = std::uint64_t{16} << 20U;
constexpr std::size_t piece_bytes = std::size_t{1}
                                    << 20U;  // no more is allocated than the stream really holds

}  // namespace

std::optional<std::uint64_t> WireReader::varint() {
  std::uint64_t value = 0;
  for (int i = 0; i < most_varint_bytes && !rest_.empty(); ++i) {
    const auto byte = static_cast<unsigned char>(rest_.front());
    rest_.remove_prefix(1);
    value |= static_cast<std::uint64_t>(byte & 0x7FU) << static_cast<unsigned>(7 * i);
    if (byte < 0x80) return value;
  }
  return std::nullopt;
}

std::optional<std::uint64_t> WireReader::fixed(std::size_t bytes) {
  if (rest_.size() < bytes) return std::nullopt;
  std::uint64_t value = 0;
  for (std::size_t i = bytes; i-- > 0;) value = value << 8U | static_cast<unsigned char>(rest_[i]);
  rest_.remove_prefix(bytes);
  return value;
}

std::optional<WireField> WireReader::field() {
  const auto tag = varint();
  if (!tag || *tag >> 3U == 0 || *tag >> 3U > 0x1FFFFFFF) return std::nullopt;
  WireField field{static_cast<std::uint32_t>(*tag >> 3U), static_cast<WireKind>(*tag & 7U), 0, {}};
  std::optional<std::uint64_t> value;
  switch (field.kind) {
    case WireKind::varint: value = varint(); break;
    case WireKind::fixed64: value = fixed(8); break;
    case WireKind::fixed32: value = fixed(4); break;
    case WireKind::bytes:
      value = varint();
      if (!value || *value > rest_.size()) return std::nullopt;
      field.bytes = rest_.substr(0, *value);
      rest_.remove_prefix(*value);
      break;
    default: return std::nullopt;
  }
  if (!value) return std::nullopt;
  field.value = *value;
  return field;
}

Result<bool> read_message(std::istream& stream, std::string& message) {
  std::string length;
  for (int byte = stream.get(); byte != std::istream::traits_type::eof(); byte = stream.get()) {
    length += static_cast<char>(byte);
    if (byte < 0x80 || length.size() == most_varint_bytes) break;
  }
  if (length.empty()) return false;
  const auto size = WireReader(length).varint();
  if (!size) return refuse("", "the length of a message is invalid or truncated", "use the complete file");
  if (*size > most_message_bytes) {
    return refuse("", "a message of " + std::to_string(*size) + " bytes",
                  "accepted: at most 16777216; is this a Chakra trace?");
  }
  message.clear();
  while (message.size() < *size) {
    const std::size_t old = message.size();
    message.resize(std::min<std::size_t>(old + piece_bytes, *size));
    stream.read(message.data() + old, static_cast<std::streamsize>(message.size() - old));
    if (static_cast<std::size_t>(stream.gcount()) != message.size() - old)
      return refuse("", "the message is truncated", "use the complete file");
  }
  return true;
}

std::int64_t from_zigzag(std::uint64_t value) {
  return static_cast<std::int64_t>(value >> 1U) ^ -static_cast<std::int64_t>(value & 1U);
}

}  // namespace calibrate::imports
