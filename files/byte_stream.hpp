// Reading of large files piece by piece, plain or compressed by gzip.
#pragma once

#include <functional>
#include <istream>
#include <memory>
#include <optional>
#include <string>

#include "netmodels/result.hpp"

namespace files {

/// A file as a stream that keeps the reason why the system ended it: errno says it only until the next call.
class FileStream : public std::istream {
 public:
  explicit FileStream(const std::string& path);
  ~FileStream() override;

  /// errno of the call that did not open or read the file; nothing as long as all went well.
  [[nodiscard]] std::optional<int> failure() const;

 private:
  class Buffer;
  std::unique_ptr<Buffer> buffer_;
};

/// Gives the bytes of a file to `reader` as a stream, unpacked where they begin as gzip does, without ever
/// holding them all.
/// @param path    a file of any size; `-` is standard input
/// @param reader  reads as far as it wants; its errors are returned as they are
/// @returns an Error for: no such file, a folder, unreadable, gzip data that is cut short or damaged, or that
/// unpacks to more than 16 MiB and 200 times its size (a trace in JSON unpacks to 10 to 40 times), gzip data
/// where this program was built without Boost.Iostreams
netmodels::Result<void> read_stream(const std::string& path,
                                    const std::function<netmodels::Result<void>(std::istream&)>& reader);

}  // namespace files
