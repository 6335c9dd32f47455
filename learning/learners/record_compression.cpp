// Compressions to phrases and back.
#include "learning/learners/record_compression.hpp"

#include <optional>

#include <fmt/format.h>

#include "kernels/catalogue.hpp"
#include "learning/learners/record_lines.hpp"

namespace learning::learners {
namespace {

constexpr std::string_view raw = " without error feedback";
constexpr std::string_view by_variance = " by variance";

bool take_ending(std::string_view& text, std::string_view ending) {
  if (!text.ends_with(ending)) return false;
  text.remove_suffix(ending.size());
  return true;
}

}  // namespace

std::string print_compression(const Compression& compression) {
  if (compression.method == "none") return "none";
  return fmt::format("{} {}{}{}", compression.method, compression.ratio,
                     compression.variance_selection ? by_variance : "",
                     compression.error_feedback ? "" : raw);
}

netmodels::Result<Compression> parse_compression(std::string_view phrase) {
  if (phrase == "none") return Compression{};
  Compression compression;
  std::string_view rest = phrase;
  compression.error_feedback = !take_ending(rest, raw);
  compression.variance_selection = take_ending(rest, by_variance);
  const std::size_t blank = rest.find(' ');
  const auto ratio = blank == std::string_view::npos ? std::nullopt : read_finite(rest.substr(blank + 1));
  compression.method = std::string(rest.substr(0, blank));
  compression.ratio = ratio.value_or(0);
  if (!compression.method.empty() && compression.ratio > 0 && compression.ratio <= 1) return compression;
  return netmodels::refuse(
      "", fmt::format("`{}` is no compression", phrase),
      "accepted: none, or a method and its ratio in (0, 1], such as `topk 0.01` or `topk 0.01 without error "
      "feedback`");
}

bool sends_all(const Compression& compression) {
  if (compression.method == "none") return true;
  if (compression.ratio < 1) return false;
  const auto format = kernels::find_wire_format(compression.method);
  return format && (*format)->sparse;
}

std::string table_name(const Compression& compression) {
  return compression.method + (compression.variance_selection ? "_by_variance" : "");
}

}  // namespace learning::learners
