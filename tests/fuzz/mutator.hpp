// Seeded mutations of a fuzzer's input, for builds without libFuzzer.
#pragma once

#include <algorithm>
#include <cstddef>
#include <random>
#include <string>
#include <vector>

namespace fuzz {

/// Flips bytes, cuts, doubles and moves pieces, puts in numbers that break things.
class Mutator {
 public:
  std::string operator()(std::string bytes) {
    const std::size_t changes = 1 + below(4);
    for (std::size_t i = 0; i < changes && !bytes.empty(); ++i) change(bytes);
    return bytes;
  }

 private:
  std::size_t below(std::size_t limit) { return static_cast<std::size_t>(random_()) % limit; }

  void change(std::string& bytes) {
    static const std::vector<std::string> pieces = {
        "0", "-1", "nan", "1e400", "99999999999999999999", "\xff\xff", "\n", "[", "}", "\"", "wait", "N/A"};
    const std::size_t at = below(bytes.size());
    const std::size_t length = 1 + below(std::min<std::size_t>(bytes.size() - at, 40));
    switch (below(6)) {
      case 0: bytes[at] = static_cast<char>(below(256)); break;
      case 1: bytes.resize(at); break;
      case 2: bytes.erase(at, length); break;
      case 3: bytes.insert(below(bytes.size()), bytes.substr(at, length)); break;
      case 4: bytes.insert(at, pieces[below(pieces.size())]); break;
      default: bytes.replace(at, length, pieces[below(pieces.size())]);
    }
  }

  std::mt19937 random_{7};
};

}  // namespace fuzz
