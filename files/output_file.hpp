// Output files that are whole or not there, and standard output.
#pragma once

#include <filesystem>
#include <ostream>
#include <string>
#include <string_view>

#include "files/descriptor.hpp"
#include "netmodels/result.hpp"

namespace files {

/// A file that is written under another name beside its place and takes its name only when it is complete
/// and on the disk. Destroyed before, it leaves nothing behind; what a killed process left is removed by
/// the next one that writes the same file.
///
/// The other name is new (no file of that name existed, no link is followed) and unlike that of any other
/// process. Where the target is a link, the file that it leads to is replaced. A device or a FIFO is written
/// as it is, and never replaced.
///
/// Leaves out: owner and access rights of a file that is replaced; the new one has this process's.
/// Throws std::system_error when the system refuses to write: a full disk, a missing permission.
class OutputFile {
 public:
  explicit OutputFile(const std::filesystem::path& target);
  ~OutputFile();
  OutputFile(OutputFile&& other) noexcept;
  OutputFile& operator=(OutputFile&&) = delete;
  OutputFile(const OutputFile&) = delete;
  OutputFile& operator=(const OutputFile&) = delete;

  void write(std::string_view text);
  void finish();

 private:
  friend class OutputFiles;

  void open_beside();
  void complete();
  bool exchange();
  void flush();
  [[noreturn]] void fail(const std::string& what) const;

  std::filesystem::path target_;
  std::filesystem::path partial_;  ///< empty where the target itself is written
  Descriptor file_;
  std::string unwritten_;  ///< collected until it is worth a call of the system
};

/// Text, after the name, about a file or a folder that is complete and in its place, while the system
/// could not put the name itself on the disk.
inline constexpr const char* in_place_only =
    "is complete and in its place, but may be lost if the system fails now: its folder cannot be put on the "
    "disk";

/// The text as one file, by `OutputFile`.
void write_file(const std::filesystem::path& target, std::string_view text);

/// Whether a path means standard output: - or /dev/stdout.
bool is_standard_output(std::string_view path);

/// Whether two paths lead to one file, which need not be there; standard output is none.
bool is_same_file(const std::string& one, const std::string& other);

/// Whether `write_output` would fail: to be called before long work.
/// @param option  that gave the path, named in the error
/// @returns an Error where `path` is empty, a folder, or in a folder that does not exist
netmodels::Result<void> check_output(const std::string& path, const std::string& option = "-o");

/// Writes the text by `write_file`, or to standard output where `is_standard_output`.
/// @returns an Error as `check_output`
/// Throws std::system_error when the system refuses to write.
netmodels::Result<void> write_output(const std::string& path, std::string_view text,
                                     std::ostream& standard_output);

/// Asks the system to put what was written to an open file on the disk; nothing where the file system cannot.
/// @returns false, with errno, where the disk does not take it
bool flush_to_disk(int file);

/// As `flush_to_disk`, of a folder's names; nothing where the folder may not be read.
bool flush_folder_to_disk(const std::filesystem::path& folder);

}  // namespace files
