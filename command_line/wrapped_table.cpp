// Breaks the cells of a table so that its lines fit a terminal.
#include "command_line/wrapped_table.hpp"

#include <algorithm>
#include <cstddef>
#include <string_view>
#include <vector>

#include "command_line/text_table.hpp"

namespace command_line {
namespace {

constexpr std::size_t gap_between = 2;

bool begins_letter(char byte) { return (byte & 0xC0) != 0x80; }

/// Characters, not bytes of UTF-8.
std::size_t letters_of(std::string_view text) {
  return static_cast<std::size_t>(std::ranges::count_if(text, begins_letter));
}

/// The first characters of a text, at most as many.
std::string_view first_letters(std::string_view text, std::size_t most) {
  std::size_t end = 0;
  for (std::size_t letters = 0; end < text.size(); ++end)
    if (begins_letter(text[end]) && letters++ == most) break;
  return text.substr(0, end);
}

/// Cuts off the next word, or as much of it as a line holds.
std::string_view take_word(std::string_view& rest, std::size_t width) {
  const std::string_view word = first_letters(rest.substr(0, rest.find(' ')), width);
  rest.remove_prefix(word.size());
  if (rest.starts_with(' ')) rest.remove_prefix(1);
  return word;
}

std::vector<std::string> lines_of_cell(std::string_view text, std::size_t width) {
  std::vector<std::string> lines(1);
  while (!text.empty()) {
    const std::string_view word = take_word(text, width);
    std::string& line = lines.back();
    if (line.empty())
      line = word;
    else if (letters_of(line) + 1 + letters_of(word) <= width)
      line.append(" ").append(word);
    else
      lines.emplace_back(word);
  }
  return lines;
}

/// Widths that a column may have.
struct ColumnWidth {
  std::size_t least = 0;
  std::size_t used = 0;
};

std::size_t longest_word(std::string_view text) {
  std::size_t longest = 0;
  while (!text.empty()) longest = std::max(longest, letters_of(take_word(text, text.size())));
  return longest;
}

/// A column as it is, and as narrow as its longest word; two of them fit beside each other in any case.
ColumnWidth width_of_column(const TextColumn& column, std::size_t width) {
  ColumnWidth found{longest_word(column.title), letters_of(column.title)};
  for (const std::string& cell : column.cells) {
    found.used = std::max(found.used, letters_of(cell));
    found.least = std::max(found.least, column.right ? letters_of(cell) : longest_word(cell));
  }
  found.least = std::min(found.least, (width - gap_between) / 2);
  return found;
}

/// Columns side by side.
using Block = std::vector<std::size_t>;

/// Blocks that each begin with the first column, as narrow as may be.
std::vector<Block> narrow_blocks(const std::vector<ColumnWidth>& widths, std::size_t width) {
  std::vector<Block> blocks{{}};
  std::size_t used = 0;
  for (std::size_t column = 0; column < widths.size(); ++column) {
    if (blocks.back().size() > 1 && used + gap_between + widths[column].least > width) {
      blocks.push_back({0});
      used = widths[0].least;
    }
    used += (blocks.back().empty() ? 0 : gap_between) + widths[column].least;
    blocks.back().push_back(column);
  }
  return blocks;
}

/// Narrows the widest column again and again, until the block fits.
void fit(const Block& block, std::vector<ColumnWidth>& widths, std::size_t width) {
  std::size_t used = gap_between * (block.size() - 1);
  for (const std::size_t column : block) used += widths[column].used;
  while (used > width) {
    const auto room = [&](std::size_t column) {
      return widths[column].used > widths[column].least ? widths[column].used : 0;
    };
    const std::size_t widest = *std::ranges::max_element(block, {}, room);
    if (room(widest) == 0) return;
    --widths[widest].used;
    --used;
  }
}

/// Appends one row, whose cells may have several lines.
void append_row(const std::vector<std::vector<std::string>>& cells, const std::vector<std::size_t>& widths,
                const std::vector<bool>& right, std::string& text) {
  const std::size_t lines = std::ranges::max(cells, {}, &std::vector<std::string>::size).size();
  for (std::size_t i = 0; i < lines; ++i) {
    std::string line;
    for (std::size_t column = 0; column < cells.size(); ++column) {
      const std::string cell = i < cells[column].size() ? cells[column][i] : "";
      const std::string blanks(widths[column] - std::min(widths[column], letters_of(cell)), ' ');
      line += (column == 0 ? "" : "  ") + (right[column] ? blanks + cell : cell + blanks);
    }
    line.erase(line.find_last_not_of(' ') + 1);
    text += line + "\n";
  }
}

std::string wrapped_block(const std::vector<TextColumn>& columns, const Block& block,
                          std::vector<ColumnWidth> widths, std::size_t rows, std::size_t width) {
  fit(block, widths, width);
  std::vector<std::size_t> used;
  std::vector<bool> right;
  for (const std::size_t column : block) {
    used.push_back(widths[column].used);
    right.push_back(columns[column].right);
  }
  std::string text;
  for (std::size_t row = 0; row <= rows; ++row) {
    std::vector<std::vector<std::string>> cells;
    for (const std::size_t column : block)
      cells.push_back(lines_of_cell(row == 0 ? columns[column].title : columns[column].cells[row - 1],
                                    widths[column].used));
    append_row(cells, used, right, text);
  }
  return text;
}

}  // namespace

std::string wrapped_table(const Table& table, std::size_t width) {
  if (width == std::string::npos) return text_table(table);
  const std::vector<TextColumn> columns = text_columns(table);
  std::vector<ColumnWidth> widths;
  for (const TextColumn& column : columns) widths.push_back(width_of_column(column, width));
  std::string text;
  for (const Block& block : narrow_blocks(widths, width))
    text += (text.empty() ? "" : "\n") + wrapped_block(columns, block, widths, table.rows.size(), width);
  return text;
}

}  // namespace command_line
