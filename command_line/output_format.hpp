// The output formats of all commands, and the documents that they print.
#pragma once

#include <functional>
#include <iosfwd>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <nlohmann/json_fwd.hpp>

#include "command_line/table.hpp"

namespace CLI {
class App;
}

namespace command_line {

/// Counted up when a key of JSON is removed or changes its meaning; new keys do not count.
constexpr int json_schema_version = 1;

/// The form of a document that a format prints.
enum class Form {
  text,  ///< for people at a terminal
  rows,  ///< one table of all rows, numbers in base units
  json,  ///< one object with everything
  all,   ///< one object with the three above, for programs
  page,  ///< Markdown, which few commands have
};

/// A result of a command. Each form is made when a format asks for it; a form that the command does not offer
/// may be empty.
struct Document {
  std::function<std::string()> text{};
  std::function<Table()> rows{};
  std::function<void(nlohmann::ordered_json& object)> put_json{};  ///< adds members to an object
  std::function<std::string()> page{};
};

/// One output format: a row of the registry in output_format.cpp. A format of `Form::rows` is offered
/// wherever rows are.
struct OutputFormat {
  std::string_view name;
  Form form;
  /// Printed as soon as a document is complete; headers come before the first one.
  std::string (*print)(const Document& document, bool first);
  /// Text after all documents of a command, at least one.
  std::string (*end)(std::span<const Document> documents);
};

/// Every format; the first is the default.
std::span<const OutputFormat> output_formats();

/// @param name  of a format, as the parser of options has checked
const OutputFormat& output_format(std::string_view name);

/// The names of the formats that print one of these forms.
std::vector<std::string> format_names(std::span<const Form> forms);

/// The formats of most commands.
inline constexpr Form common_forms[]{Form::text, Form::rows, Form::json, Form::all};
/// All forms, with Markdown, for what the documentation shows.
inline constexpr Form all_forms[]{Form::text, Form::rows, Form::json, Form::all, Form::page};

/// Adds `--format`, with all formats of these forms.
/// @param format  becomes the name of the default format, then what the user names
void add_format(CLI::App& command, std::string& format, std::span<const Form> forms = common_forms);

/// "a, b or c".
std::string one_of(std::span<const std::string> names);

/// Prints the documents of a command in one format, each as soon as the format allows.
class Printer {
 public:
  Printer(const OutputFormat& format, std::ostream& out) : format_(format), out_(out) {}

  void add(Document document);
  void finish();  ///< once, after the last document

 private:
  const OutputFormat& format_;
  std::ostream& out_;
  std::vector<Document> documents_;
};

/// A single document, whole.
/// @param format  its name, as the parser of options has checked
std::string print(std::string_view format, const Document& document);

/// The text is an aligned table, or "none" without rows; the JSON has the rows as a list under `name`; the
/// page is a Markdown table.
/// @param width  of lines of the text, in characters; `npos`: as long as they are
Document table_document(Table table, std::string name, std::size_t width = std::string::npos);

/// Document of a table of one row: the text has a line for each column, the JSON the cells as its members.
Document row_document(Table table);

}  // namespace command_line
