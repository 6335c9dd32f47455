// A whole file as one text: read, or written under a temporary name until it is complete.
#pragma once

#include <cstdio>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

namespace sim::report {

// A file that is written under a temporary name and renamed only when it is complete.

/// Writes FOLDER/.NAME.partial. `finish` gives it its name; destroyed before, it leaves nothing behind.
/// Throws std::system_error when the system refuses to write: a full disk, a missing permission.
class TextSink {
 public:
  explicit TextSink(std::filesystem::path target);
  ~TextSink();
  TextSink(TextSink&&) noexcept = default;
  TextSink& operator=(TextSink&&) = delete;
  TextSink(const TextSink&) = delete;
  TextSink& operator=(const TextSink&) = delete;

  void write(std::string_view text);
  void finish();

 private:
  struct Closer {
    void operator()(std::FILE* file) const { std::fclose(file); }
  };
  [[noreturn]] void fail(const std::string& what) const;

  std::filesystem::path target_;
  std::filesystem::path partial_;
  std::unique_ptr<std::FILE, Closer> file_;
};

// A whole file as one text.

/// @returns every byte of the file; nothing where it is not there or cannot be read, as a folder cannot
std::optional<std::string> file_text(const std::filesystem::path& path);

}  // namespace sim::report
