// Limits of JSON that others wrote, checked on its bytes before, or while, a parser holds what they mean.
#pragma once

#include <cstddef>
#include <istream>
#include <memory>
#include <optional>
#include <streambuf>
#include <string>
#include <string_view>

#include "netmodels/result.hpp"

namespace files {

/// Limits of a JSON text. A parser that keeps everything takes about 60 bytes for a value, so that the
/// default is some 500 MB.
struct JsonLimits {
  std::size_t most_depth = 100;         ///< depth of arrays and objects inside each other
  std::size_t most_text = 1'000'000;    ///< bytes between two quotes, as they are written
  std::size_t most_values = 8'000'000;  ///< keys, texts, numbers, arrays and objects, all counted
};

/// Bytes of a text up to some place, and the line and column of the last of them.
struct JsonPosition {
  std::size_t bytes = 0;
  int line = 1;
  int column = 0;

  void pass(char byte);
};

/// Reads JSON byte by byte. What is not JSON is left to the parser.
class JsonMeter {
 public:
  explicit JsonMeter(const JsonLimits& limits) : limits_(limits) {}

  /// @param bytes  that follow those of earlier calls
  /// @returns false from the byte on that is beyond a limit
  bool read(std::string_view bytes);

  /// The limit that the text is beyond, with line and column; nothing where it keeps to them.
  /// @param source  named in the error
  [[nodiscard]] std::optional<netmodels::Error> error(std::string_view source) const;

  [[nodiscard]] const JsonPosition& position() const { return position_; }

 private:
  bool read_byte(char byte);
  bool read_text(char byte);
  bool open();
  bool count();
  bool refuse(std::string what, std::string hint);

  JsonLimits limits_;
  JsonPosition position_;
  std::size_t depth_ = 0;
  std::size_t values_ = 0;
  std::size_t text_ = 0;  ///< bytes of the text under way
  bool in_text_ = false;
  bool escaped_ = false;   ///< the byte before is a backslash
  bool in_plain_ = false;  ///< whether the byte before is part of a number, `true`, `false` or `null`
  std::string what_;       ///< empty: within the limits
  std::string hint_;
};

/// Whether a text keeps to the limits.
/// @param source  named in the error
netmodels::Result<void> check_json(std::string_view text, std::string_view source,
                                   const JsonLimits& limits = {});

/// The bytes of another stream, which end where a limit is passed: for parsers that read piece by piece.
class MeteredJson : public std::streambuf {
 public:
  /// @param source  outlives this
  MeteredJson(std::istream& source, const JsonLimits& limits);
  ~MeteredJson() override;

  [[nodiscard]] const JsonMeter& meter() const { return meter_; }

  /// `source:line:column` of a byte of the last block that was read, counted from 1; beyond it, of its end.
  [[nodiscard]] std::string place_of(std::string_view source, std::size_t byte) const;

 protected:
  int_type underflow() override;

 private:
  std::streambuf& source_;
  JsonMeter meter_;
  std::unique_ptr<char[]> block_;
  JsonPosition before_block_;
};

}  // namespace files
