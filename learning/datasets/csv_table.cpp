// Reading of numbers in columns, line by line.
#include <algorithm>
#include <charconv>
#include <cmath>
#include <limits>
#include <optional>
#include <system_error>

#include <fmt/format.h>

#include "learning/datasets/readers.hpp"

namespace learning::datasets {
namespace {

using netmodels::refuse;
using netmodels::Result;

constexpr std::string_view blanks = " \t\r";

/// A piece of a line.
struct Field {
  std::string_view text;
  std::size_t column = 1;  ///< column of its first byte, from 1
};

std::string_view trimmed(std::string_view text) {
  const std::size_t first = text.find_first_not_of(blanks);
  return first == std::string_view::npos ? std::string_view{}
                                         : text.substr(first, text.find_last_not_of(blanks) - first + 1);
}

/// A sign in front, digits, exponent; `inf` and `nan` are none.
std::optional<double> finite_number(std::string_view text) {
  if (text.starts_with('+')) text.remove_prefix(1);
  double value = 0;
  const char* end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(text.data(), end, value);
  const bool whole = error == std::errc() && stop == end && !text.empty();
  return whole && std::abs(value) <= std::numeric_limits<float>::max() ? std::optional(value) : std::nullopt;
}

void split_by(char separator, std::string_view line, std::vector<Field>& fields) {
  for (std::size_t begin = 0;;) {
    const std::size_t end = std::min(line.find(separator, begin), line.size());
    const std::string_view raw = line.substr(begin, end - begin);
    const std::size_t lead = std::min(raw.find_first_not_of(blanks), raw.size());
    fields.push_back({trimmed(raw), begin + lead + 1});
    if (end == line.size()) return;
    begin = end + 1;
  }
}

void split_by_blanks(std::string_view line, std::vector<Field>& fields) {
  std::size_t begin = line.find_first_not_of(blanks);
  while (begin != std::string_view::npos) {
    const std::size_t end = std::min(line.find_first_of(blanks, begin), line.size());
    fields.push_back({line.substr(begin, end - begin), begin + 1});
    begin = line.find_first_not_of(blanks, end);
  }
}

/// The reading of one text: the layout from its first line, and the rows so far.
class Reading {
 public:
  Reading(std::string_view source, LabelColumn label) : source_(source), label_(label) {}

  Result<void> line(std::string_view text) {
    ++line_;
    if (trimmed(text).empty()) return {};
    const bool first = !started_;
    if (first) choose_separator(text);
    fields_.clear();
    separator_ == ' ' ? split_by_blanks(text, fields_) : split_by(separator_, text, fields_);
    return first && is_header() ? Result<void>{} : row();
  }

  Result<CsvTable> finish() {
    if (table_.rows() > 0) return std::move(table_);
    return refuse(std::string(source_), "the file has no rows of numbers", "write one sample per line");
  }

 private:
  void choose_separator(std::string_view text) {
    started_ = true;
    const auto holds = [text](char c) { return text.find(c) != std::string_view::npos; };
    separator_ = holds(',') ? ',' : holds(';') ? ';' : ' ';
  }

  [[nodiscard]] std::size_t label_place() const {
    return label_ == LabelColumn::first ? 0 : fields_.size() - 1;
  }

  [[nodiscard]] bool is_header() const {
    if (fields_.size() < 2) return false;
    for (std::size_t i = 0; i < fields_.size(); ++i) {
      if (i != label_place() && finite_number(fields_[i].text)) return false;
    }
    return true;
  }

  [[nodiscard]] std::string place(std::size_t column) const {
    return fmt::format("{}:{}:{}", source_, line_, column);
  }

  Result<void> row() {
    if (fields_.size() < 2) {
      return refuse(place(1), "the line has one column", "write at least one value and a label");
    }
    if (table_.rows() > 0 && fields_.size() != table_.features + 1) {
      return refuse(place(1),
                    fmt::format("the line has {} columns, but those before it have {}", fields_.size(),
                                table_.features + 1),
                    "give every line the same columns");
    }
    table_.features = fields_.size() - 1;
    for (std::size_t i = 0; i < fields_.size(); ++i) {
      if (i == label_place()) continue;
      const auto value = finite_number(fields_[i].text);
      if (!value) {
        return refuse(place(fields_[i].column), fmt::format("`{}` is not a finite number", fields_[i].text),
                      "write a number; the label may be the first or the last column");
      }
      table_.values.push_back(*value);
    }
    const Field& label = fields_[label_place()];
    if (label.text.empty()) return refuse(place(label.column), "the label is missing", "write one");
    table_.labels.emplace_back(label.text);
    return {};
  }

  std::string_view source_;
  LabelColumn label_;
  bool started_ = false;
  char separator_ = ',';
  std::size_t line_ = 0;
  std::vector<Field> fields_;
  CsvTable table_;
};

}  // namespace

Result<CsvTable> read_csv(std::string_view text, std::string_view source, LabelColumn label) {
  constexpr std::string_view mark = "\xEF\xBB\xBF";  // byte-order mark of UTF-8
  if (text.starts_with(mark)) text.remove_prefix(mark.size());
  Reading reading(source, label);
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    if (const auto read = reading.line(text.substr(0, end)); !read) return tl::unexpected(read.error());
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return reading.finish();
}

}  // namespace learning::datasets
