// A text of `# key: value` facts and comma-separated cells, line by line, with the place of each.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "netmodels/result.hpp"

namespace learning::learners {

/// Limit of the bytes of a record or a convergence model.
inline constexpr std::size_t most_record_bytes = 512'000'000;

/// One line of provenance: `# key: value`.
struct Fact {
  std::string key;  ///< key of small letters, digits and underscores
  std::string value;

  bool operator==(const Fact&) const = default;
};

/// Walks over the lines that hold cells. Lines that begin with `#` are facts, or remarks where they are not
/// of the form `# key: value`; blank lines are passed over. Blanks around a cell are dropped; there are no
/// quotes.
class RecordLines {
 public:
  /// @param text    outlives this; `\n` or `\r\n` ends a line
  /// @param source  named in errors
  RecordLines(std::string_view text, std::string source);

  /// Moves to the next line of cells; the facts above it are added to `facts`.
  /// @returns whether there is one
  bool next();

  /// The cells of this line; at least one, each within the text.
  [[nodiscard]] const std::vector<std::string_view>& cells() const { return cells_; }
  /// Every fact so far, in the order of the text.
  [[nodiscard]] const std::vector<Fact>& facts() const { return facts_; }
  [[nodiscard]] const std::string& source() const { return source_; }

  [[nodiscard]] std::string place() const;                  ///< `source:line`
  [[nodiscard]] std::string place(std::size_t cell) const;  ///< `source:line:column`

  /// @param name   of the cell's column, for the error
  /// @param least  the smallest normal double means "above 0"
  /// @returns nothing for an empty cell, or an Error for one that is no finite number from `least` to `most`
  [[nodiscard]] netmodels::Result<std::optional<double>> number(std::size_t cell, std::string_view name,
                                                                double least, double most) const;

 private:
  void remember(std::string_view comment);
  void split(std::string_view line);

  std::string_view rest_;
  std::string source_;
  int line_ = 0;
  const char* line_begin_ = nullptr;
  std::vector<std::string_view> cells_;
  std::vector<Fact> facts_;
};

/// The whole text as a finite number.
std::optional<double> read_finite(std::string_view text);

/// @returns the value of the first fact of this name, or an Error that says which line to add
netmodels::Result<std::string> required_fact(const std::vector<Fact>& facts, std::string_view key,
                                             const std::string& source);

/// As `required_fact`, as a whole number from 1 to 10^15.
netmodels::Result<long long> required_count(const std::vector<Fact>& facts, std::string_view key,
                                            const std::string& source);

}  // namespace learning::learners
