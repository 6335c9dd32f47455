// The registry of output formats, and printing by one of them.
#include "command_line/output_format.hpp"

#include <algorithm>
#include <array>
#include <cassert>
#include <memory>
#include <ostream>
#include <utility>

#include <CLI/CLI.hpp>
#include <nlohmann/json.hpp>

#include "command_line/csv.hpp"
#include "command_line/known_words.hpp"
#include "command_line/table_json.hpp"
#include "command_line/text_table.hpp"
#include "command_line/wrapped_table.hpp"

namespace command_line {
namespace {

using nlohmann::ordered_json;

std::string print_text(const Document& document, bool first) { return (first ? "" : "\n") + document.text(); }

std::string print_csv(const Document& document, bool first) {
  const Table rows = document.rows();
  return (first ? csv_header(rows) : "") + csv_rows(rows);
}

std::string print_page(const Document& document, bool) { return document.page(); }

/// JSON is one object, and is printed when all documents are there.
std::string print_later(const Document&, bool) { return ""; }

std::string end_nothing(std::span<const Document>) { return ""; }

/// Names that are not UTF-8 were rejected when they were read.
std::string end_json(std::span<const Document> documents) {
  ordered_json object{{"schema_version", json_schema_version}};
  if (documents.size() == 1) {
    documents.front().put_json(object);
  } else {
    ordered_json& list = object["studies"] = ordered_json::array();
    for (const Document& document : documents) document.put_json(list.emplace_back(ordered_json::object()));
  }
  return object.dump(2) + "\n";
}

/// Every form that the document has.
ordered_json all_forms_of(const Document& document) {
  ordered_json object = ordered_json::object();
  if (document.text) object["text"] = document.text();
  if (document.rows) {
    const Table table = document.rows();
    object["columns"] = columns_json(table);
    object["rows"] = rows_json(table);
  }
  ordered_json& data = object["data"] = ordered_json::object();
  if (document.put_json) document.put_json(data);
  return object;
}

/// One line, as programs read it.
std::string end_all(std::span<const Document> documents) {
  ordered_json object{{"schema_version", json_schema_version}, {"documents", ordered_json::array()}};
  for (const Document& document : documents) object["documents"].push_back(all_forms_of(document));
  return object.dump() + "\n";
}

constexpr std::array formats{
    OutputFormat{"table", Form::text, print_text, end_nothing},
    OutputFormat{"csv", Form::rows, print_csv, end_nothing},
    OutputFormat{"json", Form::json, print_later, end_json},
    OutputFormat{"all", Form::all, print_later, end_all},
    OutputFormat{"markdown", Form::page, print_page, end_nothing},
};

}  // namespace

std::span<const OutputFormat> output_formats() { return formats; }

const OutputFormat& output_format(std::string_view name) {
  const auto found = std::ranges::find(formats, name, &OutputFormat::name);
  assert(found != formats.end());
  return *found;
}

std::vector<std::string> format_names(std::span<const Form> forms) {
  std::vector<std::string> names;
  for (const OutputFormat& format : formats) {
    if (std::ranges::find(forms, format.form) != forms.end()) names.emplace_back(format.name);
  }
  return names;
}

std::string one_of(std::span<const std::string> names) {
  std::string text;
  for (std::size_t i = 0; i < names.size(); ++i) {
    if (i > 0) text += i + 1 == names.size() ? " or " : ", ";
    text += names[i];
  }
  return text;
}

void add_format(CLI::App& command, std::string& format, std::span<const Form> forms) {
  const std::vector<std::string> names = format_names(forms);
  format = names.front();
  command.add_option("--format", format, one_of(names))
      ->type_name("NAME")
      ->capture_default_str()
      ->check(known_words(names));
}

void Printer::add(Document document) {
  out_ << format_.print(document, documents_.empty()) << std::flush;
  documents_.push_back(std::move(document));
}

void Printer::finish() {
  if (!documents_.empty()) out_ << format_.end(documents_) << std::flush;
}

std::string print(std::string_view format, const Document& document) {
  const OutputFormat& row = output_format(format);
  return row.print(document, true) + row.end({&document, 1});
}

Document table_document(Table table, std::string name, std::size_t width) {
  const auto shared = std::make_shared<const Table>(std::move(table));
  return {.text = [shared, width] { return shared->rows.empty() ? "none\n" : wrapped_table(*shared, width); },
          .rows = [shared] { return *shared; },
          .put_json = [shared,
                       name = std::move(name)](ordered_json& object) { object[name] = rows_json(*shared); },
          .page = [shared] { return markdown_table(*shared); }};
}

Document row_document(Table table) {
  const auto shared = std::make_shared<const Table>(std::move(table));
  return {.text = [shared] { return text_list(*shared); },
          .rows = [shared] { return *shared; },
          .put_json = [shared](ordered_json& object) { put_row(object, *shared, 0); }};
}

}  // namespace command_line
