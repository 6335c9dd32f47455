// Walks a JSON text along a path of keys.
#include "files/json_place.hpp"

#include <cstddef>

#include "files/text_file.hpp"

namespace files {
namespace {

/// A JSON text, read from one value to the next.
class JsonWalk {
 public:
  explicit JsonWalk(std::string_view text) : text_(text) {}

  /// Index of the key; of one that is missing, that of the last one on the way to it.
  std::size_t find(std::string_view path) {
    std::size_t found = 0;
    while (!path.empty() && enter()) {
      const std::size_t dot = path.find('.');
      const std::size_t key = find_member(path.substr(0, dot));
      if (key == std::string_view::npos) break;
      found = key;
      path = dot == std::string_view::npos ? std::string_view{} : path.substr(dot + 1);
    }
    return found;
  }

 private:
  void skip_blanks() {
    while (at_ < text_.size() && std::string_view(" \t\r\n,:").find(text_[at_]) != std::string_view::npos)
      ++at_;
  }

  /// Steps behind the brace of an object.
  bool enter() {
    skip_blanks();
    return at_ < text_.size() && text_[at_++] == '{';
  }

  /// Index of the opening quote of the member's key, with the walk before its value.
  std::size_t find_member(std::string_view name) {
    for (skip_blanks(); at_ < text_.size() && text_[at_] == '"'; skip_blanks()) {
      const std::size_t begin = at_;
      skip_text();
      if (text_.substr(begin + 1, at_ - begin - 2) == name) return begin;
      skip_value();
    }
    return std::string_view::npos;
  }

  /// Steps behind the closing quote.
  void skip_text() {
    for (++at_; at_ < text_.size() && text_[at_] != '"'; ++at_)
      if (text_[at_] == '\\') ++at_;
    ++at_;
  }

  void skip_value() {
    std::size_t depth = 0;
    skip_blanks();
    do {
      const char byte = at_ < text_.size() ? text_[at_] : '}';
      if (byte == '"') {
        skip_text();
      } else {
        if (byte == '{' || byte == '[') ++depth;
        const bool closes = byte == '}' || byte == ']';
        if (closes && depth-- == 0) return;
        ++at_;
      }
    } while (at_ < text_.size() && (depth > 0 || !ends_value()));
  }

  /// Whether a value outside of quotes and brackets is over here.
  [[nodiscard]] bool ends_value() const {
    return std::string_view(",}] \t\r\n").find(text_[at_]) != std::string_view::npos;
  }

  std::string_view text_;
  std::size_t at_ = 0;
};

}  // namespace

std::string place_of_key(std::string_view source, std::string_view json, std::string_view path) {
  return place_of_byte(source, json, JsonWalk(json).find(path) + 1);
}

}  // namespace files
