// A folder of results that is replaced as a whole.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <system_error>

#include "files/file_lock.hpp"
#include "netmodels/result.hpp"

namespace files {

/// A folder whose files are written into a staging folder and put in place together by `finish`: a reader
/// sees all files of one run or all of another. Where the folder is new it takes its name in one rename;
/// where it exists the two folders are exchanged in one (renameat2(2), RENAME_EXCHANGE). Where the system
/// cannot exchange them (the working folder, a mount point, a folder whose parent may not be written, a file
/// system without it), the complete staging folder is moved into the folder first, then its
/// files one by one; killed meanwhile, the next `open` completes that, and `is_incomplete` is true until
/// then.
///
/// One process at a time: the others are refused with its number. Destroyed before `finish`, it leaves
/// nothing behind, and no folder that it made; what a killed process left is removed by the next one.
/// Throws std::system_error when the system refuses.
class OutputFolder {
 public:
  /// Whether a file of this name belongs to the results, so that a later run replaces or removes it. All
  /// others stay in the folder.
  using IsResult = bool (*)(std::string_view name);

  /// @param option  that gave the path, named in errors
  /// @returns an Error where `path` is empty, something else than a folder, or being written by another
  /// process
  static netmodels::Result<OutputFolder> open(const std::filesystem::path& path, const std::string& option,
                                              IsResult is_result);

  OutputFolder(OutputFolder&& other) noexcept;
  OutputFolder& operator=(OutputFolder&&) = delete;
  OutputFolder(const OutputFolder&) = delete;
  OutputFolder& operator=(const OutputFolder&) = delete;
  ~OutputFolder();

  [[nodiscard]] const std::filesystem::path& path() const { return path_; }
  /// Folder to write its files in.
  [[nodiscard]] const std::filesystem::path& staging() const { return staging_; }

  void finish();

  /// Whether a process was killed while it put the files of a folder in place.
  static bool is_incomplete(const std::filesystem::path& folder);

 private:
  OutputFolder(std::filesystem::path path, IsResult is_result)
      : path_(std::move(path)), is_result_(is_result) {}

  std::error_code make_staging();
  void remove_left_behind() const;
  bool exchange() const;
  void move_in() const;
  void keep_others(const std::filesystem::path& from) const;

  std::filesystem::path path_;
  IsResult is_result_;
  bool is_inside_ = false;         ///< the staging folder lies in the folder, not beside it
  std::filesystem::path staging_;  ///< empty: none any more
  std::filesystem::path made_;     ///< the uppermost folder that was made on the way; empty: none
  std::optional<FileLock> lock_;
};

}  // namespace files
