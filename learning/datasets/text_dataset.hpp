// A plain text as a data set: the next character is to be told from those before it.
#pragma once

#include <filesystem>
#include <string>

#include "learning/datasets/dataset.hpp"
#include "netmodels/result.hpp"
#include "settings/fields.hpp"

namespace learning::datasets {

/// The longest window.
inline constexpr int longest_window = 4096;

/// A text, and how it becomes a data set.
struct TextFile {
  std::string path;  ///< plain or gzip
  int window = 32;   ///< tokens that a sample holds, in [1, 4096]

  bool operator==(const TextFile&) const = default;
};

void describe(settings::Fields& fields, TextFile& settings);

/// Reads a text (plain or gzip). Its tokens are its bytes, numbered by the sorted alphabet of those that
/// occur; a sample is `window` tokens, its label the one after them, and windows begin at every token. The
/// last tenth of the text is the test set.
/// @param window  in [1, 4096]
/// @returns an Error for a file that cannot be read, a text with one character only, and one whose last tenth
///          holds no window with a token after it
/// Leaves out: characters of several bytes (UTF-8), which are as many tokens.
netmodels::Result<Dataset> load_text(const std::filesystem::path& path, int window);

}  // namespace learning::datasets
