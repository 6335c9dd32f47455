// Pieces of the pages of accuracy.
#include "calibrate/ledger/page_text.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "calibrate/ledger/verdict.hpp"
#include "netmodels/percent.hpp"

namespace calibrate::ledger {
namespace {

constexpr std::size_t line_letters = 120;

}  // namespace

std::string percent_text(double share) { return netmodels::percent(share, 1); }

std::string anchor_of(std::string_view heading) {
  std::string anchor;
  for (const char letter : heading) {
    const bool is_large = letter >= 'A' && letter <= 'Z';
    const bool is_kept = is_large || (letter >= 'a' && letter <= 'z') || (letter >= '0' && letter <= '9') ||
                         letter == '-' || letter == '_';
    if (letter == ' ') anchor += '-';
    if (is_kept) anchor += is_large ? static_cast<char>(letter - 'A' + 'a') : letter;
  }
  return anchor;
}

std::string paragraph(std::string_view text, std::string_view indent) {
  std::string lines;
  std::size_t length = 0;  // width of the last line
  while (!text.empty()) {
    std::size_t end = std::min(text.find(' '), text.size());
    if (text.substr(end).starts_with(" %")) end = std::min(text.find(' ', end + 1), text.size());
    const std::string_view word = text.substr(0, end);
    if (length > 0 && length + 1 + word.size() > line_letters) {
      lines += fmt::format("\n{}", indent);
      length = indent.size();
    } else if (length > 0) {
      lines += ' ';
      ++length;
    }
    lines += word;
    length += word.size();
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return lines + "\n";
}

std::string error_cells(std::span<const Prediction> predictions) {
  const measurements::RelativeErrors errors = errors_of(predictions);
  return fmt::format("{} | {} | {} | {} | {} | {:+.1f} %", predictions.size(), percent_text(errors.mean),
                     percent_text(errors.median), percent_text(errors.p90), percent_text(errors.worst),
                     100 * errors.bias);
}

}  // namespace calibrate::ledger
