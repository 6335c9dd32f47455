// Reading of large files piece by piece, plain or compressed by gzip.
#pragma once

#include <functional>
#include <istream>
#include <string>

#include "netmodels/result.hpp"

namespace files {

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
