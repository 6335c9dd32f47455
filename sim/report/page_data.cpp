// Tables by columns, charts by their keys.
#include <algorithm>
#include <cmath>
#include <iterator>
#include <map>
#include <set>

#include <fmt/compile.h>
#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "sim/report/page.hpp"

namespace sim::report {

using command_line::Cell;
using command_line::Column;
using command_line::Measure;
using command_line::Table;

namespace {

std::string_view to_text(ChartKind kind) {
  switch (kind) {
    case ChartKind::lines: return "lines";
    case ChartKind::bars: return "bars";
    case ChartKind::map: return "map";
    case ChartKind::scatter: return "scatter";
    case ChartKind::front: return "front";
  }
  return "";
}

std::string_view to_text(Measure measure) {
  switch (measure) {
    case Measure::none: return "none";
    case Measure::time: return "time";
    case Measure::size: return "size";
    case Measure::rate: return "rate";
    case Measure::share: return "share";
  }
  return "";
}

/// A JSON string without any `<`; invalid UTF-8 becomes U+FFFD.
std::string quoted(const std::string& text) {
  const std::string json =
      nlohmann::json(text).dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
  std::string safe;
  for (const char letter : json) letter == '<' ? safe += "\\u003c" : safe += letter;
  return safe;
}

std::string list_of(const std::vector<std::string>& texts) {
  std::string list;
  for (const std::string& text : texts) list += (list.empty() ? "" : ",") + quoted(text);
  return "[" + list + "]";
}

bool is_text(const Table& table, std::size_t column) {
  return std::ranges::any_of(table.rows, [column](const std::vector<Cell>& row) {
    return std::holds_alternative<std::string>(row[column]);
  });
}

/// Six digits are more than a chart can show; exact numbers read back to the same value. What is no number is
/// none.
void put_number(std::string& json, const Cell& cell, bool exact) {
  if (const auto* count = std::get_if<std::int64_t>(&cell)) {
    fmt::format_to(std::back_inserter(json), FMT_COMPILE("{}"), *count);
  } else if (const auto* value = std::get_if<double>(&cell); value != nullptr && std::isfinite(*value)) {
    if (exact) {
      fmt::format_to(std::back_inserter(json), FMT_COMPILE("{}"), *value);
    } else {
      fmt::format_to(std::back_inserter(json), FMT_COMPILE("{:.6g}"), *value);
    }
  } else {
    json += "null";
  }
}

std::string numbers(const Table& table, std::size_t column, bool exact) {
  std::string json = "\"values\":[";
  for (std::size_t row = 0; row < table.rows.size(); ++row) {
    if (row > 0) json += ',';
    put_number(json, table.rows[row][column], exact);
  }
  return json + "]";
}

std::string texts(const Table& table, std::size_t column) {
  std::map<std::string, std::size_t> places;
  std::vector<std::string> known;
  std::string codes;
  for (const std::vector<Cell>& row : table.rows) {
    const auto* text = std::get_if<std::string>(&row[column]);
    const auto [place, fresh] = places.emplace(text == nullptr ? "" : *text, known.size());
    if (fresh) known.push_back(place->first);
    fmt::format_to(std::back_inserter(codes), FMT_COMPILE("{}{}"), codes.empty() ? "" : ",", place->second);
  }
  return "\"texts\":" + list_of(known) + ",\"values\":[" + codes + "]";
}

/// Columns in which points of a front are compared: there every digit counts.
std::set<std::string> held_columns(const Page& page, const std::string& data) {
  std::set<std::string> keys;
  for (const Section& section : page.sections) {
    if (!section.chart || section.chart->kind != ChartKind::front || section.chart->data != data) continue;
    keys.insert(section.chart->x.begin(), section.chart->x.end());
    keys.insert(section.chart->y.begin(), section.chart->y.end());
  }
  return keys;
}

std::string table_data(const Table& table, const std::set<std::string>& exact) {
  std::string columns;
  for (std::size_t column = 0; column < table.columns.size(); ++column) {
    const Column& heading = table.columns[column];
    columns += fmt::format(
        "{}{}:{{\"title\":{},\"measure\":\"{}\",{}}}", columns.empty() ? "" : ",\n", quoted(heading.key),
        quoted(heading.title), to_text(heading.measure),
        is_text(table, column) ? texts(table, column) : numbers(table, column, exact.contains(heading.key)));
  }
  return fmt::format("{{\"rows\":{},\"columns\":{{{}}}}}", table.rows.size(), columns);
}

std::string stripes_of(const Chart& chart) {
  std::string list;
  for (const auto& [from, to] : chart.stripes)
    list += fmt::format("{}[{:.6g},{:.6g}]", list.empty() ? "" : ",", from, to);
  return list;
}

std::string chart_data(const Section& section) {
  const Chart& chart = *section.chart;
  return fmt::format(
      "{{\"title\":{},\"kind\":\"{}\",\"data\":{},\"x\":{},\"y\":{},\"by\":{},\"filters\":{},\"told\":{},"
      "\"greatest\":{},\"thinned\":{},\"wide\":{},\"stripes\":[{}]}}",
      quoted(section.title), to_text(chart.kind), quoted(chart.data), list_of(chart.x), list_of(chart.y),
      list_of(chart.by), list_of(chart.filters), list_of(chart.naming_columns), list_of(chart.greatest),
      chart.thinned, chart.wide_x, stripes_of(chart));
}

}  // namespace

std::string page_data(const Page& page) {
  std::string data;
  for (const auto& [name, table] : page.data)
    data += (data.empty() ? "" : ",\n") + quoted(name) + ":" + table_data(table, held_columns(page, name));
  std::string charts;
  if (page.picture && page.picture->chart) charts = chart_data(*page.picture);
  for (const Section& section : page.sections)
    if (section.chart) charts += (charts.empty() ? "" : ",\n") + chart_data(section);
  return "{\"data\":{" + data + "},\n\"charts\":[" + charts + "]}";
}

}  // namespace sim::report
