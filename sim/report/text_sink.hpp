// A file that is written beside its place and takes it only when it is complete.
#pragma once

#include <cstdio>
#include <filesystem>
#include <memory>
#include <string_view>

namespace sim::report {

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

}  // namespace sim::report
