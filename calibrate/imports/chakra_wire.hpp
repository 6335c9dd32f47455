// The wire format of protobuf, as far as Chakra's messages need it.
#pragma once

#include <cstdint>
#include <istream>
#include <optional>
#include <string>
#include <string_view>

#include "netmodels/result.hpp"

namespace calibrate::imports {

/// How a field is laid out in its message.
enum class WireKind { varint = 0, fixed64 = 1, bytes = 2, fixed32 = 5 };

/// One field of a message.
struct WireField {
  std::uint32_t number = 0;
  WireKind kind = WireKind::varint;
  std::uint64_t value = 0;  ///< of the three kinds that are numbers
  std::string_view bytes;   ///< within the message; text, a message, or packed numbers
};

/// Walks the fields of one message, or the varints of a packed field.
class WireReader {
 public:
  explicit WireReader(std::string_view bytes) : rest_(bytes) {}

  [[nodiscard]] bool done() const { return rest_.empty(); }

  /// @returns nothing where the bytes are no field: cut short, a varint of more than 10 bytes, a group
  std::optional<WireField> field();

  /// @returns nothing where the bytes are cut short or the varint has more than 10 bytes
  std::optional<std::uint64_t> varint();

 private:
  std::optional<std::uint64_t> fixed(std::size_t bytes);

  std::string_view rest_;
};

/// Reads one message behind its length.
/// @returns false at the end of the stream; or an Error where the message is cut short, its length is no
/// varint, or above 64 MiB Source: Protocol Buffers, "Encoding".
netmodels::Result<bool> read_message(std::istream& stream, std::string& message);

/// Protobuf's sint32 and sint64: 0, -1, 1, -2, ... of 0, 1, 2, 3, ...
std::int64_t from_zigzag(std::uint64_t value);

}  // namespace calibrate::imports
