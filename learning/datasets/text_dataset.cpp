// Turns the bytes of a text into windows of tokens.
#include <array>
#include <cassert>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "learning/datasets/file_bytes.hpp"
#include "learning/datasets/readers.hpp"
#include "settings/type.hpp"

namespace learning::datasets {
namespace {

using netmodels::refuse;
using netmodels::Result;
namespace fs = std::filesystem;

constexpr std::size_t most_text_bytes = 1'000'000'000;

/// The number of each byte that occurs, in ascending order.
struct Alphabet {
  std::array<std::uint16_t, 256> numbers{};
  std::uint16_t size = 0;
};

Alphabet alphabet_of(std::span<const std::uint8_t> text) {
  std::array<bool, 256> seen{};
  for (const std::uint8_t byte : text) seen[byte] = true;
  Alphabet alphabet;
  for (std::size_t byte = 0; byte < seen.size(); ++byte) {
    if (seen[byte]) alphabet.numbers[byte] = alphabet.size++;
  }
  return alphabet;
}

Samples samples_of(std::span<const std::uint8_t> text, const Alphabet& alphabet, std::size_t window) {
  std::vector<std::uint16_t> tokens;
  tokens.reserve(text.size());
  for (const std::uint8_t byte : text) tokens.push_back(alphabet.numbers[byte]);
  return Samples::windows(window, std::move(tokens));
}

}  // namespace

void describe(settings::Fields& fields, TextFile& settings) {
  fields.field({.name = "path", .doc = "Plain text.", .example = "data/input.txt"}, settings.path);
  fields.field({.name = "window",
                .doc = "Number of characters from which the next one is predicted.",
                .fallback = "32",
                .bounds = ::settings::between(1, longest_window)},
               settings.window);
}

Result<Dataset> load_text(const fs::path& path, int window) {
  assert(window >= 1 && window <= longest_window);
  GRADSIM_TRY(bytes, read_bytes(path, most_text_bytes, "check the path"));
  const std::span<const std::uint8_t> text = *bytes;
  const std::size_t test = text.size() / 10;
  const auto length = static_cast<std::size_t>(window);
  if (test <= length) {
    return refuse(path.string(),
                  fmt::format("the text has {} bytes, too few for windows of {}", text.size(), window),
                  fmt::format("give a text of at least {} bytes, or a shorter window", 10 * (length + 1)));
  }
  const Alphabet alphabet = alphabet_of(text);
  if (alphabet.size < 2) {
    return refuse(path.string(), "the text repeats a single character", "use a text with several characters");
  }
  Dataset set;
  set.name = path.filename().string();
  set.provenance = "read from " + set.name;
  set.kind = SampleKind::tokens;
  set.shape = {1, 1, window};
  set.classes = alphabet.size;
  set.train = samples_of(text.first(text.size() - test), alphabet, length);
  set.test = samples_of(text.last(test), alphabet, length);
  set.sample_bytes = length + 1;
  return set;
}

}  // namespace learning::datasets
