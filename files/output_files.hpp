// Several output files that belong together.
#pragma once

#include <filesystem>
#include <span>
#include <string_view>
#include <vector>

#include "files/output_file.hpp"

namespace files {

/// A file with all that it holds.
struct FileText {
  std::filesystem::path target;
  std::string_view text;
};

/// Files that take their places together: all of them are complete and on the disk before the first one does,
/// and where one cannot take its place, those before it give their places back to what was there. SIGINT and
/// SIGTERM wait until all are in place.
///
/// Leaves out: a process that is killed (SIGKILL), or a system that fails, between two renames, which leaves
/// whole files of both; earlier files that a file system cannot exchange (renameat2(2), RENAME_EXCHANGE) do
/// not come back. Throws std::system_error when the system refuses to write.
class OutputFiles {
 public:
  explicit OutputFiles(std::span<const FileText> files);

  void finish();

 private:
  void take_places();
  void give_back(std::size_t placed) noexcept;

  std::vector<OutputFile> files_;
  std::vector<bool> had_former_;  ///< whether an earlier file was there, for each in place
};

/// The texts as files, by `OutputFiles`.
void write_files(std::span<const FileText> files);

}  // namespace files
