// Rows of a CSV file of published figures, by column; fields in quotes may hold commas.
#pragma once

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "tests/data_folder.hpp"

namespace netmodels::tests {

inline const std::filesystem::path llm_data = ::tests::data_path("llm");

using PublishedRow = std::map<std::string, std::string>;

inline std::vector<std::string> published_fields(const std::string& line) {
  std::vector<std::string> fields(1);
  bool quoted = false;
  for (const char letter : line) {
    if (letter == '"')
      quoted = !quoted;
    else if (letter == ',' && !quoted)
      fields.emplace_back();
    else
      fields.back() += letter;
  }
  return fields;
}

inline std::vector<PublishedRow> published_rows(const std::filesystem::path& file) {
  std::ifstream text(file);
  std::string line;
  std::getline(text, line);
  const std::vector<std::string> names = published_fields(line);
  std::vector<PublishedRow> rows;
  while (std::getline(text, line)) {
    std::vector<std::string> fields = published_fields(line);
    fields.resize(names.size());
    PublishedRow& row = rows.emplace_back();
    for (std::size_t i = 0; i < names.size(); ++i) row[names[i]] = fields[i];
  }
  return rows;
}

/// A number; nothing where the field is empty or not a number.
inline std::optional<double> published_number(const PublishedRow& row, const std::string& column) {
  const std::string& text = row.at(column);
  char* end = nullptr;
  const double value = std::strtod(text.c_str(), &end);
  if (text.empty() || *end != '\0') return std::nullopt;
  return value;
}

}  // namespace netmodels::tests
