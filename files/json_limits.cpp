// Counts depth, values and lengths of texts.
#include "files/json_limits.hpp"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "files/text_file.hpp"

namespace files {
namespace {

constexpr std::size_t block_bytes = std::size_t{1} << 16U;

/// Whether a byte is part of a number, `true`, `false` or `null`.
bool is_plain(char byte) {
  return (byte >= '0' && byte <= '9') || (byte >= 'a' && byte <= 'z') || byte == '-' || byte == '+' ||
         byte == '.' || byte == 'E';
}

}  // namespace

void JsonPosition::pass(char byte) {
  ++bytes;
  ++column;
  if (byte != '\n') return;
  ++line;
  column = 0;
}

bool JsonMeter::refuse(std::string what, std::string hint) {
  what_ = std::move(what);
  hint_ = std::move(hint);
  return false;
}

bool JsonMeter::count() {
  if (++values_ <= limits_.most_values) return true;
  return refuse(fmt::format("the JSON holds more than {} values", limits_.most_values),
                "trace or measure less, or give another form of the file");
}

bool JsonMeter::open() {
  if (++depth_ <= limits_.most_depth) return count();
  return refuse(fmt::format("arrays and objects are nested more than {} deep", limits_.most_depth),
                "use the file as the tool wrote it");
}

bool JsonMeter::read_text(char byte) {
  if (!escaped_ && byte == '"') {
    in_text_ = false;
    return true;
  }
  escaped_ = !escaped_ && byte == '\\';
  if (++text_ <= limits_.most_text) return true;
  return refuse(fmt::format("a text has more than {} bytes", limits_.most_text),
                "use the file as the tool wrote it");
}

bool JsonMeter::read_byte(char byte) {
  if (in_text_) return read_text(byte);
  const bool begins_plain = is_plain(byte) && !in_plain_;
  in_plain_ = is_plain(byte);
  if (begins_plain) return count();
  switch (byte) {
    case '"':
      in_text_ = true;
      escaped_ = false;
      text_ = 0;
      return count();
    case '[':
    case '{': return open();
    case ']':
    case '}':
      if (depth_ > 0) --depth_;
      return true;
    default: return true;
  }
}

bool JsonMeter::read(std::string_view bytes) {
  if (!what_.empty()) return false;
  for (const char byte : bytes) {
    position_.pass(byte);
    if (!read_byte(byte)) return false;
  }
  return true;
}

std::optional<netmodels::Error> JsonMeter::error(std::string_view source) const {
  if (what_.empty()) return std::nullopt;
  return netmodels::Error{place(source, position_.line, position_.column), what_, hint_};
}

netmodels::Result<void> check_json(std::string_view text, std::string_view source, const JsonLimits& limits) {
  JsonMeter meter(limits);
  if (meter.read(text)) return {};
  return tl::unexpected(*meter.error(source));
}

MeteredJson::MeteredJson(std::istream& source, const JsonLimits& limits)
    : source_(*source.rdbuf()), meter_(limits), block_(std::make_unique<char[]>(block_bytes)) {}
MeteredJson::~MeteredJson() = default;

MeteredJson::int_type MeteredJson::underflow() {
  const std::streamsize got = source_.sgetn(block_.get(), static_cast<std::streamsize>(block_bytes));
  if (got <= 0) return traits_type::eof();
  before_block_ = meter_.position();
  if (!meter_.read({block_.get(), static_cast<std::size_t>(got)})) return traits_type::eof();
  setg(block_.get(), block_.get(), block_.get() + got);
  return traits_type::to_int_type(*gptr());
}

std::string MeteredJson::place_of(std::string_view source, std::size_t byte) const {
  JsonPosition position = before_block_;
  const std::size_t end = std::min(byte, meter_.position().bytes + 1);
  while (position.bytes + 1 < end) position.pass(block_[position.bytes - before_block_.bytes]);
  return place(source, position.line, position.column + 1);
}

}  // namespace files
