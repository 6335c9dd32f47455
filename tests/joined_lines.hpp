// Text of a terminal without its line breaks, for tests of sentences.
#pragma once

#include <string>

namespace tests {

/// Sentences that `wrap` broke, in one line each.
inline std::string joined_lines(std::string text) {
  const std::string broken = "\n  ";
  for (std::size_t at = text.find(broken); at != std::string::npos; at = text.find(broken, at))
    text.replace(at, broken.size(), " ");
  return text;
}

}  // namespace tests
