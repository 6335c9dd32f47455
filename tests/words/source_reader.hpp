// Reads C++ sources for the tests of their words: string literals, comments and identifiers.
#pragma once

#include <algorithm>
#include <array>
#include <cctype>
#include <cstddef>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "tests/source_tree.hpp"

namespace words {

/// A string literal; neighbouring ones, which the compiler joins, are one.
struct Literal {
  int line = 1;
  std::string text;
};

/// A comment by `//`; lines of one marker that follow each other are one.
struct Comment {
  int line = 1;        ///< line of its beginning, from 1
  std::string marker;  ///< `//`, `///` or `///<`
  bool is_behind_code = false;
  std::string text;  ///< without markers, the lines joined by blanks
};

/// Reads a source of C++ or CUDA. Leaves out characters, includes and comments by `/*`.
class SourceReader {
 public:
  explicit SourceReader(std::string_view code) : code_(code) { read(); }

  [[nodiscard]] const std::vector<Literal>& literals() const { return literals_; }
  [[nodiscard]] const std::vector<Comment>& comments() const { return comments_; }
  /// Names in the code, each once, with the line where each comes first.
  [[nodiscard]] const std::vector<Literal>& names() const { return names_; }

 private:
  void read() {
    bool joins = false;
    while (at_ < code_.size()) {
      const char c = code_[at_];
      if (starts_with("//")) {
        comment();
      } else if (starts_with("/*")) {
        skip_to("*/");
      } else if (starts_with("#include")) {
        skip_to("\n");
        joins = false;
      } else if (starts_with("R\"")) {
        add(raw(), joins);
        joins = true;
      } else if (c == '"') {
        add(quoted('"'), joins);
        joins = true;
      } else if (c == '\'' && (at_ == 0 || !is_of_name(code_[at_ - 1]))) {
        quoted('\'');
        joins = false;
      } else if (is_of_name(c)) {
        name();
        joins = false;
      } else {
        joins = joins && std::isspace(static_cast<unsigned char>(c)) != 0;
        step();
      }
    }
  }

  static bool is_of_name(char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_'; }
  [[nodiscard]] bool starts_with(std::string_view word) const { return code_.substr(at_).starts_with(word); }

  void step() {
    if (code_[at_] == '\n') {
      ++line_;
      has_code_ = false;
    } else if (std::isspace(static_cast<unsigned char>(code_[at_])) == 0) {
      has_code_ = true;
    }
    ++at_;
  }

  void skip_to(std::string_view end) {
    while (at_ < code_.size() && !starts_with(end)) step();
    for (std::size_t i = 0; i < end.size() && at_ < code_.size(); ++i) step();
  }

  void comment() {
    const bool is_behind_code = has_code_;
    std::string marker = "//";
    if (starts_with("///")) marker += "/";
    if (starts_with("///<")) marker += "<";
    const std::size_t end = std::min(code_.find('\n', at_), code_.size());
    std::string text(code_.substr(at_ + marker.size(), end - at_ - marker.size()));
    text.erase(0, text.find_first_not_of(' '));
    const bool goes_on = !comments_.empty() && last_comment_line_ + 1 == line_ && !is_behind_code &&
                         comments_.back().marker == marker &&
                         (marker == "///<" || !comments_.back().is_behind_code);
    if (goes_on) {
      comments_.back().text += " " + text;
    } else {
      comments_.push_back({line_, std::move(marker), is_behind_code, std::move(text)});
    }
    last_comment_line_ = line_;
    at_ = end;
  }

  void name() {
    const std::size_t begin = at_;
    while (at_ < code_.size() && (is_of_name(code_[at_]) || code_[at_] == '\'')) step();
    const std::string_view word = code_.substr(begin, at_ - begin);
    if (known_.insert(word).second) names_.push_back({line_, std::string(word)});
  }

  std::string quoted(char quote) {
    std::string text;
    for (step(); at_ < code_.size() && code_[at_] != quote; step()) {
      if (code_[at_] != '\\') {
        text += code_[at_];
        continue;
      }
      step();
      text += code_[at_] == 'n' || code_[at_] == 't' ? ' ' : code_[at_];
    }
    step();
    return text;
  }

  std::string raw() {
    const std::size_t bracket = code_.find('(', at_);
    const std::string end = ")" + std::string(code_.substr(at_ + 2, bracket - at_ - 2)) + "\"";
    const std::size_t last = code_.find(end, bracket);
    std::string text(code_.substr(bracket + 1, last - bracket - 1));
    skip_to(end);
    return text;
  }

  void add(std::string text, bool joins) {
    if (joins) {
      literals_.back().text += text;
    } else {
      literals_.push_back({line_, std::move(text)});
    }
  }

  std::string_view code_;
  std::size_t at_ = 0;
  int line_ = 1;
  bool has_code_ = false;  ///< whether code is on this line before here
  int last_comment_line_ = -1;
  std::vector<Literal> literals_;
  std::vector<Comment> comments_;
  std::vector<Literal> names_;
  std::set<std::string_view> known_;  ///< texts of `names_`
};

inline std::string content(const std::filesystem::path& file) {
  std::ifstream stream(file);
  return {std::istreambuf_iterator<char>(stream), {}};
}

inline constexpr std::array product_folders{"calibrate", "command_line", "files",    "kernels", "learning",
                                            "netmodels", "policies",     "settings", "sim"};

/// Sources of the product, sorted by path.
inline std::vector<std::filesystem::path> product_sources() {
  std::vector<std::filesystem::path> found;
  for (const char* folder : product_folders) {
    for (const auto& entry :
         std::filesystem::recursive_directory_iterator(std::filesystem::path(tests::source_dir()) / folder)) {
      const std::string ending = entry.path().extension().string();
      if (ending == ".cpp" || ending == ".hpp" || ending == ".cu" || ending == ".cuh") {
        found.push_back(entry.path());
      }
    }
  }
  std::ranges::sort(found);
  return found;
}

}  // namespace words
