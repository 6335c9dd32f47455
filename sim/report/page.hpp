// A report as plain values, and as one HTML file that needs nothing else.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "command_line/table.hpp"

namespace sim::report {

// A report as plain values: its texts, its tables, and the data of its charts.

enum class ChartKind {
  lines,  ///< y over x, a line for each value of `by`; columns KEY_least and KEY_most make a band around KEY
  bars,   ///< lying bars, one for each value of `by`, stacked of all columns of `y`; where there is one, its
          ///< columns KEY_least and KEY_most are the ends of a whisker
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
  bool wide_x = false;  ///< lines: x is logarithmic where it spans more than a factor of 50
  std::vector<std::pair<double, double>> stripes{};  ///< lines: ranges of x that are shaded, base units
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
  std::vector<std::string> warnings{};
  std::optional<Section> picture{};  ///< a chart that answers, below the answer and the warnings
  std::vector<Section> sections{};
  std::vector<std::pair<std::string, command_line::Table>> data{};  ///< the data of charts, by name
};

// What the charts of a page draw, as JSON inside of HTML.

/// One object: `data` with each table column by column, and `charts`, numbered as in the page's sections.
/// Numbers have six
/// digits, or all digits where a front compares them. Texts are stored once, and their
/// rows name them by number. No `<` is in it, so that nothing ends the element around it.
std::string page_data(const Page& page);

// The style and the script of report pages, from sim/report/page.

extern const std::string_view page_style;   ///< report.css
extern const std::string_view page_script;  ///< axes.js, then report.js

// A page as one HTML file that needs nothing else.

/// A text as HTML shows it: & < > and quotes are written out.
std::string html_text(std::string_view text);

/// The whole file: style, script, chart library and data are inside, and a policy in its head forbids to load
/// anything. Charts follow the reader's light or dark scheme; numbers of charts have six digits, those of
/// fronts all.
/// @param chart_library  the text of Chart.js; nothing: no chart is drawn, and one line says which package
///                       draws them
std::string page_html(const Page& page, const std::optional<std::string>& chart_library);

}  // namespace sim::report
