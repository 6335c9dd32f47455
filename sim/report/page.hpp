// A report as plain values: what it says, its tables, and what its charts draw.
#pragma once

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "command_line/table.hpp"

namespace sim::report {

enum class ChartKind {
  lines,  ///< y over x, a line for each value of `by`; columns KEY_least and KEY_most make a band around KEY
  bars,   ///< lying bars, one for each value of `by`, stacked of all columns of `y`
  map,    ///< a scatter whose other axes, the `filters`, are held at one value each
  scatter,  ///< a point for each row, coloured by one of the columns of `by`
  front,    ///< a scatter whose points that no other one beats in both x and y are joined; the section's
            ///< table is that of the first x and the first y
};

/// What is drawn of a table. Where several columns are named, the reader chooses; the first is shown first.
struct Chart {
  ChartKind kind = ChartKind::lines;
  std::string data{};            ///< name of the page's data
  std::vector<std::string> x{};  ///< keys of columns of numbers; bars have none
  std::vector<std::string> y{};  ///< keys of columns of numbers, or of texts for `lines`
  std::vector<std::string> by{};
  std::vector<std::string> filters{};         ///< columns of texts of which one value is shown at a time
  std::vector<std::string> naming_columns{};  ///< of a scatter: columns of texts that name a point
  std::vector<std::string> greatest{};        ///< of a front: the columns where more is better
  bool thinned = false;                       ///< the data holds only some of the rows that there are
};

/// One part of a page, from top to bottom: sentences, chart, table, folded text.
struct Section {
  std::string title{};
  std::vector<std::string> sentences{};
  std::optional<Chart> chart{};
  std::optional<command_line::Table> table{};
  std::string folded{};  ///< a long text, shown when asked for
};

/// A report on one run or one sweep.
struct Page {
  std::string title{};                 ///< where it comes from: the file's name
  std::string question{};              ///< may be empty
  std::vector<std::string> answers{};  ///< the first one is the answer, the others say more
  std::vector<Section> sections{};
  std::vector<std::pair<std::string, command_line::Table>> data{};  ///< what charts draw, by name
};

}  // namespace sim::report
