// Laying a page out as HTML.
#include <algorithm>
#include <cctype>

#include <fmt/format.h>

#include "command_line/text_table.hpp"
#include "sim/report/page.hpp"

namespace sim::report {

using command_line::Table;
using command_line::TextColumn;

namespace {

/// A sentence; text between backquotes is a name.
std::string sentence_html(std::string_view sentence) {
  std::string html;
  bool inside = false;
  for (const char letter : html_text(sentence)) {
    if (letter != '`') {
      html += letter;
      continue;
    }
    html += inside ? "</code>" : "<code>";
    inside = !inside;
  }
  return html + (inside ? "</code>" : "");
}

/// Nothing in a script may look like its end, however it is written.
std::string inline_script(const std::string& text) {
  std::string small = text;
  for (char& letter : small) letter = static_cast<char>(std::tolower(static_cast<unsigned char>(letter)));
  std::string safe;
  std::size_t done = 0;
  for (std::size_t at = small.find("</script"); at != std::string::npos; at = small.find("</script", done)) {
    safe += text.substr(done, at + 1 - done) + "\\";
    done = at + 1;
  }
  return "<script>\n" + safe + text.substr(done) + "\n</script>\n";
}

/// Numbers are right-aligned; long texts may break.
std::string class_of(const TextColumn& column) {
  constexpr std::size_t most = 60;
  if (column.right) return " class=\"number\"";
  const bool is_long =
      std::ranges::any_of(column.cells, [](const std::string& cell) { return cell.size() > most; });
  return is_long ? " class=\"long\"" : "";
}

std::string table_html(const Table& table) {
  const std::vector<TextColumn> columns = text_columns(table);
  std::vector<std::string> classes;
  classes.reserve(columns.size());
  for (const TextColumn& column : columns) classes.push_back(class_of(column));
  const auto row_of = [&](const char* element, auto&& text) {
    std::string row = "<tr>";
    for (std::size_t i = 0; i < columns.size(); ++i)
      row += fmt::format("<{0}{1}>{2}</{0}>", element, classes[i], html_text(text(columns[i])));
    return row + "</tr>\n";
  };
  std::string html = "<div class=\"wide\"><table>\n<thead>" +
                     row_of("th", [](const TextColumn& c) -> const std::string& { return c.title; }) +
                     "</thead>\n<tbody>\n";
  for (std::size_t row = 0; row < table.rows.size(); ++row)
    html += row_of("td", [row](const TextColumn& c) -> const std::string& { return c.cells[row]; });
  return html + "</tbody></table></div>\n";
}

std::string chart_html(const std::string& title, std::size_t number) {
  return fmt::format(
      "<figure class=\"chart\" data-chart=\"{}\"><div class=\"choices\"></div>"
      "<div class=\"canvas\"><canvas role=\"img\" aria-label=\"{}\"></canvas></div>"
      "<figcaption></figcaption></figure>\n",
      number, html_text(title));
}

std::string section_html(const Section& section, bool draws, std::size_t& charts) {
  std::string html = std::string(section.folded.empty() ? "<section>" : "<section class=\"folded\">") +
                     "\n<h2>" + html_text(section.title) + "</h2>\n";
  for (const std::string& sentence : section.sentences) html += "<p>" + sentence_html(sentence) + "</p>\n";
  if (section.chart && draws) html += chart_html(section.title, charts++);
  if (section.table) html += table_html(*section.table);
  if (!section.folded.empty()) {
    html += "<details><summary>show</summary><div class=\"wide\"><pre>" + html_text(section.folded) +
            "</pre></div></details>\n";
  }
  return html + "</section>\n";
}

/// A section that is nothing but a chart is left out where none is drawn.
bool has_anything(const Section& section, bool draws) {
  return (section.chart && draws) || section.table || !section.folded.empty() ||
         (!section.chart && !section.sentences.empty());
}

std::string head_html(const Page& page) {
  return "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
         "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; script-src "
         "'unsafe-inline'; "
         "style-src 'unsafe-inline'; img-src data:\">\n"
         "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n"
         "<meta name=\"color-scheme\" content=\"light dark\">\n<title>" +
         html_text(page.title) + "</title>\n<style>\n" + std::string(page_style) + "</style>\n</head>\n";
}

/// Question, answer and warnings, the picture, and further answers.
std::string opening_html(const Page& page, bool draws, std::size_t& charts) {
  std::string html = "<header>\n<p class=\"source\">gradsim: " + html_text(page.title) + "</p>\n<h1>" +
                     html_text(page.question.empty() ? page.title : page.question) + "</h1>\n";
  if (!page.answers.empty()) html += "<p class=\"answer\">" + sentence_html(page.answers.front()) + "</p>\n";
  for (const std::string& warning : page.warnings)
    html += "<p class=\"warning\">Warning: " + sentence_html(warning) + "</p>\n";
  if (page.picture && has_anything(*page.picture, draws)) html += section_html(*page.picture, draws, charts);
  for (std::size_t i = 1; i < page.answers.size(); ++i)
    html += "<p>" + sentence_html(page.answers[i]) + "</p>\n";
  return html + "</header>\n";
}

constexpr std::string_view no_library =
    "<p class=\"remark\" id=\"no-charts\">Charts are left out: Chart.js was not found, or could not be read, "
    "when "
    "this page was written. It is in the Debian package libjs-chart.js; once it is installed, sim report "
    "writes the page "
    "with charts.</p>\n";

}  // namespace

std::string html_text(std::string_view text) {
  std::string html;
  html.reserve(text.size());
  for (const char letter : text) {
    switch (letter) {
      case '&': html += "&amp;"; break;
      case '<': html += "&lt;"; break;
      case '>': html += "&gt;"; break;
      case '"': html += "&quot;"; break;
      case '\'': html += "&#39;"; break;
      default: html += letter;
    }
  }
  return html;
}

std::string page_html(const Page& page, const std::optional<std::string>& chart_library) {
  const bool draws = chart_library.has_value();
  std::size_t charts = 0;
  std::string body = opening_html(page, draws, charts);
  for (const Section& section : page.sections)
    if (has_anything(section, draws)) body += section_html(section, draws, charts);
  std::string scripts;
  if (charts > 0) {
    body += "<noscript><p class=\"remark\">Charts need scripts, which are disabled here.</p></noscript>\n";
    scripts = "<script type=\"application/json\" id=\"report-data\">" + page_data(page) + "</script>\n" +
              inline_script(*chart_library) + inline_script(std::string(page_script));
  }
  const bool lacks = !draws && std::ranges::any_of(page.sections, [](const Section& section) {
    return section.chart.has_value();
  });
  return head_html(page) + "<body>\n<main>\n" + (lacks ? std::string(no_library) : "") + body + "</main>\n" +
         scripts + "</body>\n</html>\n";
}

}  // namespace sim::report
