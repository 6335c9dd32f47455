// Reads YAML into trees of values; the only place that knows the YAML library.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "netmodels/result.hpp"
#include "sim/language/value.hpp"

namespace sim::language {

/// The limits of one file; more is a mistake or an attack.
struct DocumentLimits {
  std::size_t bytes = 8'000'000;
  std::size_t nodes = 100'000;  ///< after aliases have been written out
  int depth = 64;

  bool operator==(const DocumentLimits&) const = default;
};

/// One YAML file or text.
struct Document {
  Value root;
  std::string question;                    ///< the comment on line 1, without `#`; may be empty
  std::vector<std::string> warnings = {};  ///< warnings about its keys
};

/// @param source the name of the text in errors and origins, usually the path of its file
/// @returns the tree, or an Error with its position: not UTF-8, binary, empty, not YAML, a duplicate key, a
/// key
///          that is not plain text, a tag, more than one document, too large, too deep, an alias without
///          anchor
netmodels::Result<Document> parse_document(std::string_view text, const std::string& source,
                                           const DocumentLimits& limits = {});

/// Reads the file, or standard input where the path is `-`, without following its `use`.
/// @returns as `parse_document`, or an Error for a file that is missing (with the nearest name next to it), a
///          directory, not readable, or larger than the limit
netmodels::Result<Document> read_document(const std::filesystem::path& path,
                                          const DocumentLimits& limits = {});

/// One value after `--set KEY=`; it takes `origin` as a whole.
netmodels::Result<Value> parse_value(std::string_view text, const Origin& origin);

}  // namespace sim::language
