// Finds files and reads them as text.
#include "sim/scenario/text_file.hpp"

#include <algorithm>
#include <cstdint>
#include <fstream>
#include <iterator>
#include <optional>
#include <system_error>

#include "netmodels/nearest.hpp"
#include "netmodels/quantity.hpp"

namespace sim::scenario {

// The whole text of a file; an Error where it is not plain text.

namespace {

using netmodels::refuse;
namespace fs = std::filesystem;

std::string place(const std::string& source, std::string_view before) {
  std::size_t line = 1;
  std::size_t column = 1;
  for (const char c : before) {
    column = c == '\n' ? 1 : column + 1;
    if (c == '\n') ++line;
  }
  return source + ":" + std::to_string(line) + ":" + std::to_string(column);
}

/// Bytes of the UTF-8 sequence that begins here; nothing where there is none (overlong forms, surrogates and
/// values above U+10FFFF included).
std::optional<std::size_t> sequence_length(std::string_view text) {
  const auto byte = [text](std::size_t i) { return static_cast<unsigned char>(text[i]); };
  const auto continues = [&](std::size_t i) { return i < text.size() && (byte(i) & 0xC0) == 0x80; };
  const unsigned first = byte(0);
  if (first < 0x80) return 1;
  if (first >= 0xC2 && first <= 0xDF) return continues(1) ? std::optional<std::size_t>(2) : std::nullopt;
  if (first >= 0xE0 && first <= 0xEF) {
    if (!continues(1) || !continues(2)) return std::nullopt;
    if ((first == 0xE0 && byte(1) < 0xA0) || (first == 0xED && byte(1) > 0x9F)) return std::nullopt;
    return 3;
  }
  if (first >= 0xF0 && first <= 0xF4) {
    if (!continues(1) || !continues(2) || !continues(3)) return std::nullopt;
    if ((first == 0xF0 && byte(1) < 0x90) || (first == 0xF4 && byte(1) > 0x8F)) return std::nullopt;
    return 4;
  }
  return std::nullopt;
}

std::string megabytes(std::size_t bytes) {
  return netmodels::print(netmodels::Bytes{static_cast<double>(bytes)}, 3);
}

}  // namespace

netmodels::Result<void> check_text(std::string_view text, const std::string& source) {
  for (std::size_t i = 0; i < text.size();) {
    const auto c = static_cast<unsigned char>(text[i]);
    const bool control = (c < 0x20 && c != '\t' && c != '\n' && c != '\r') || c == 0x7F;
    if (control) {
      return refuse(place(source, text.substr(0, i)),
                    "the file is binary: it contains the control character " + std::to_string(c),
                    "write plain text in UTF-8");
    }
    const auto length = sequence_length(text.substr(i));
    if (!length) {
      return refuse(place(source, text.substr(0, i)),
                    "the text is not valid UTF-8 at byte " + std::to_string(i), "save the file in UTF-8");
    }
    i += *length;
  }
  return {};
}

std::string nearest_file(const fs::path& path) {
  std::error_code failed;
  std::vector<std::string> names;
  constexpr std::size_t enough = 2000;
  const fs::path folder = path.has_parent_path() ? path.parent_path() : fs::path(".");
  for (fs::directory_iterator entry(folder, failed), end; !failed && entry != end && names.size() < enough;
       entry.increment(failed)) {
    names.push_back(entry->path().filename().string());
  }
  std::ranges::sort(names);
  const std::vector<std::string_view> known(names.begin(), names.end());
  const auto guess = netmodels::nearest(path.filename().string(), known);
  return guess ? "did you mean `" + (path.parent_path() / *guess).string() + "`?" : std::string();
}

fs::path find_file(const fs::path& path, const std::vector<fs::path>& folders) {
  if (path.is_absolute()) return path;
  for (const fs::path& folder : folders) {
    std::error_code failed;
    const fs::path candidate = (folder / path).lexically_normal();
    if (fs::exists(candidate, failed)) return candidate;
  }
  return path;
}

netmodels::Result<std::string> read_text(const fs::path& path, std::size_t most_bytes) {
  const std::string name = path.string();
  std::error_code failed;
  const fs::file_status status = fs::status(path, failed);
  if (!fs::exists(status)) return refuse(name, "file not found", nearest_file(path));
  if (fs::is_directory(status)) return refuse(name, "this is a folder", "name a file in it");
  if (!fs::is_regular_file(status))
    return refuse(name, "this is not a regular file", "name a file on a disk");
  const std::uintmax_t size = fs::file_size(path, failed);
  if (!failed && size > most_bytes) {
    return refuse(name, "the file has " + megabytes(size) + ", above the limit for such a file",
                  "give a file of at most " + megabytes(most_bytes));
  }
  std::ifstream file(path, std::ios::binary);
  std::string text(std::istreambuf_iterator<char>(file), {});
  if (!file) return refuse(name, "the file cannot be read", "check that you are allowed to read it");
  if (const auto checked = check_text(text, name); !checked) return tl::unexpected(checked.error());
  return text;
}

// Finds data files by name or by path.

namespace {

namespace fs = std::filesystem;

constexpr std::string_view ending = ".yaml";

}  // namespace

bool is_path(std::string_view text) {
  return text.find('/') != std::string_view::npos || text.ends_with(ending);
}

std::vector<std::string> names_in(const fs::path& folder) {
  std::vector<std::string> names;
  std::error_code failed;
  for (fs::directory_iterator entry(folder, failed), end; !failed && entry != end; entry.increment(failed)) {
    if (entry->path().extension() == ending) names.push_back(entry->path().stem().string());
  }
  std::ranges::sort(names);
  return names;
}

fs::path folder_of(const Value& value) {
  return value.origin().position() ? fs::path(value.origin().source()).parent_path() : fs::path();
}

netmodels::Result<fs::path> find_named(const Value& value, const fs::path& folder, const std::string& what) {
  const std::string& text = value.text();
  if (is_path(text)) return find_file(text, {folder_of(value)});
  const std::vector<std::string> names = names_in(folder);
  if (std::ranges::find(names, text) != names.end()) return folder / (text + std::string(ending));
  const std::vector<std::string_view> known(names.begin(), names.end());
  return netmodels::refuse(value.origin().text(), "unknown " + what + " `" + text + "`",
                           netmodels::accepted_names(text, known));
}

}  // namespace sim::scenario
