// Reads whole input files and checks their text.
#include "files/input_file.hpp"

#include <algorithm>
#include <cerrno>
#include <cstdint>
#include <fcntl.h>
#include <optional>
#include <system_error>
#include <unistd.h>
#include <vector>

#include <fmt/format.h>
#include <sys/stat.h>

#include "files/descriptor.hpp"
#include "files/folder.hpp"
#include "netmodels/nearest.hpp"
#include "netmodels/quantity.hpp"

namespace files {
namespace {

using netmodels::Error;
using netmodels::refuse;
using netmodels::Result;
namespace fs = std::filesystem;

// --- bytes

std::string printed(std::size_t bytes) {
  return netmodels::print(netmodels::Bytes{static_cast<double>(bytes)}, 3);
}

/// Why an opened file is not read; nothing where it may be.
std::optional<Error> validate_file(int file, const std::string& name, const InputRules& rules) {
  struct stat facts {};
  if (fstat(file, &facts) != 0) return unreadable_file(name, errno);
  if (S_ISDIR(facts.st_mode)) return Error{name, "this is a folder", "name a file in it"};
  if (!S_ISREG(facts.st_mode)) return Error{name, "this is not a regular file", "name a file on a disk"};
  const auto size = static_cast<std::size_t>(facts.st_size);
  if (size <= rules.most_bytes) return std::nullopt;
  return Error{name, fmt::format("the file has {}, above the limit for such a file", printed(size)),
               "give a file of at most " + printed(rules.most_bytes)};
}

/// Reads to the end, though a file may grow while it is read.
/// @param begin  first byte, where the place in the file is to stay; nothing: reads on from there
Result<std::string> all_of(int file, const std::string& name, const InputRules& rules,
                           std::optional<off_t> begin = std::nullopt) {
  constexpr std::size_t piece = std::size_t{1} << 12;
  std::string bytes;
  for (std::size_t filled = 0;;) {
    bytes.resize(filled + std::max(piece, filled));
    char* const to = bytes.data() + filled;
    const std::size_t room = bytes.size() - filled;
    const ssize_t got = retried([&] {
      return begin ? pread(file, to, room, *begin + static_cast<off_t>(filled)) : read(file, to, room);
    });
    if (got < 0) return tl::unexpected(unreadable_file(name, errno));
    filled += static_cast<std::size_t>(got);
    if (filled > rules.most_bytes) {
      return refuse(name, "the file is above the limit for such a file",
                    "give a file of at most " + printed(rules.most_bytes));
    }
    if (got > 0) continue;
    bytes.resize(filled);
    return bytes;
  }
}

// --- text

/// The character that begins a text.
struct Character {
  char32_t code;
  std::size_t length;  ///< bytes
};

/// Bytes of a UTF-8 sequence by its first; 0 where none begins so.
std::size_t sequence_length(unsigned first) {
  if (first < 0x80) return 1;
  if (first < 0xC2 || first > 0xF4) return 0;
  if (first >= 0xF0) return 4;
  return first >= 0xE0 ? 3 : 2;
}

bool is_overlong(char32_t code, std::size_t length) {
  return (length == 3 && code < 0x800) || (length == 4 && code < 0x10000);
}

bool is_outside_unicode(char32_t code) { return (code >= 0xD800 && code <= 0xDFFF) || code > 0x10FFFF; }

/// @returns nothing where no UTF-8 sequence begins: overlong forms, surrogates and values above U+10FFFF
std::optional<Character> first_character(std::string_view text) {
  const auto byte = [text](std::size_t i) { return static_cast<unsigned char>(text[i]); };
  const unsigned first = byte(0);
  const std::size_t length = sequence_length(first);
  if (length == 0 || text.size() < length) return std::nullopt;
  if (length == 1) return Character{first, 1};
  char32_t code = first & (0x7FU >> length);
  for (std::size_t i = 1; i < length; ++i) {
    if ((byte(i) & 0xC0U) != 0x80) return std::nullopt;
    code = code << 6U | (byte(i) & 0x3FU);
  }
  if (is_overlong(code, length) || is_outside_unicode(code)) return std::nullopt;
  return Character{code, length};
}

bool is_control(char32_t code) {
  return (code < 0x20 && code != '\t' && code != '\n' && code != '\r') || (code >= 0x7F && code <= 0x9F);
}

bool turns_direction(char32_t code) {
  return (code >= 0x202A && code <= 0x202E) || (code >= 0x2066 && code <= 0x2069);
}

/// Error at a place of the text, and the hint.
struct TextError {
  std::string what;
  std::string hint;
};

std::optional<TextError> validate_character(const std::optional<Character>& character, std::size_t at) {
  if (!character)
    return TextError{fmt::format("the text is not valid UTF-8 at byte {}", at), "save the file in UTF-8"};
  const auto code = static_cast<std::uint32_t>(character->code);
  if (is_control(character->code)) {
    return TextError{fmt::format("the file is binary: it contains the control character {}", code),
                     "write plain text in UTF-8"};
  }
  if (!turns_direction(character->code)) return std::nullopt;
  return TextError{fmt::format("U+{:04X} turns the direction of the text, which hides what it says", code),
                   "remove it"};
}

std::string place_after(std::string_view source, std::string_view before) {
  const auto line = std::ranges::count(before, '\n') + 1;
  const std::size_t begin = before.rfind('\n');
  const std::size_t column = before.size() - (begin == std::string_view::npos ? 0 : begin + 1) + 1;
  return fmt::format("{}:{}:{}", source, line, column);
}

}  // namespace

namespace {

Result<Descriptor> opened(const fs::path& path, const InputRules& rules) {
  const std::string name = path.string();
  constexpr int flags = O_RDONLY | O_CLOEXEC | O_NONBLOCK;  // a FIFO is not waited for
  Descriptor file(retried([&path] { return open(path.c_str(), flags); }));
  if (!file) {
    const int cause = errno;
    if (cause != ENOENT && cause != ENOTDIR) return tl::unexpected(unreadable_file(name, cause));
    return refuse(name, "file not found", rules.get.empty() ? nearest_file(path) : rules.get);
  }
  if (auto error = validate_file(file.number(), name, rules)) return tl::unexpected(std::move(*error));
  return file;
}

Result<std::string> checked(std::string text, const std::string& source) {
  if (const auto plain = check_text(text, source); !plain) return tl::unexpected(plain.error());
  constexpr std::string_view mark = "\xEF\xBB\xBF";
  return text.starts_with(mark) ? text.substr(mark.size()) : std::move(text);
}

}  // namespace

Result<std::string> read_bytes(const fs::path& path, const InputRules& rules) {
  GRADSIM_TRY(file, opened(path, rules));
  return all_of(file->number(), path.string(), rules);
}

Result<void> check_input(const fs::path& path, const InputRules& rules) {
  GRADSIM_TRY(file, opened(path, rules));
  return {};
}

Result<std::string> read_text(const fs::path& path, const InputRules& rules) {
  GRADSIM_TRY(text, read_bytes(path, rules));
  return checked(std::move(*text), path.string());
}

Result<std::string> read_input(const std::string& path) {
  if (path != "-" && path != "/dev/stdin") return read_text(path);
  const off_t begin = lseek(STDIN_FILENO, 0, SEEK_CUR);
  GRADSIM_TRY(text, all_of(STDIN_FILENO, path, {}, begin < 0 ? std::nullopt : std::optional(begin)));
  return checked(std::move(*text), path);
}

bool is_input_a_file() { return lseek(STDIN_FILENO, 0, SEEK_CUR) >= 0; }

std::string without_terminal_codes(std::string_view text) {
  constexpr char escape = '\x1b';
  if (text.find(escape) == std::string_view::npos) return std::string(text);
  std::string plain;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const bool begins = text[i] == escape && i + 1 < text.size() && text[i + 1] == '[';
    if (!begins) {
      plain += text[i];
      continue;
    }
    i += 2;
    while (i < text.size() && (text[i] < '@' || text[i] > '~') && text[i] != '\n') ++i;
    if (i < text.size() && text[i] == '\n') plain += '\n';
  }
  return plain;
}

Result<std::string> read_terminal_text(const std::string& path) {
  const bool is_stdin = path == "-" || path == "/dev/stdin";
  GRADSIM_TRY(text, is_stdin ? all_of(STDIN_FILENO, path, {}) : read_bytes(path, {}));
  return checked(without_terminal_codes(*text), path);
}

Result<void> check_text(std::string_view text, std::string_view source) {
  for (std::size_t i = 0; i < text.size();) {
    const auto character = first_character(text.substr(i));
    if (const auto found = validate_character(character, i))
      return refuse(place_after(source, text.substr(0, i)), found->what, found->hint);
    i += character->length;
  }
  return {};
}

Error unreadable_file(const std::string& name, int cause) {
  return {name, "the file cannot be read: " + std::generic_category().message(cause),
          "check the disk, and that you are allowed to read it"};
}

std::string nearest_file(const fs::path& path) {
  std::vector<std::string> names;
  constexpr std::size_t enough = 2000;
  const fs::path folder = path.has_parent_path() ? path.parent_path() : fs::path(".");
  for (const fs::path& entry : paths_in(folder, enough)) names.push_back(entry.filename().string());
  const std::vector<std::string_view> known(names.begin(), names.end());
  const auto guess = netmodels::nearest(path.filename().string(), known);
  return guess ? "did you mean `" + (path.parent_path() / *guess).string() + "`?" : "check the path";
}

}  // namespace files
