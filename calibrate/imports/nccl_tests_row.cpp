// One row of nccl-tests' text: which numbers are which, in all its versions.
#include <algorithm>
#include <array>
#include <cmath>
#include <span>

#include <fmt/format.h>

#include "calibrate/imports/nccl_tests.hpp"
#include "files/text_file.hpp"

namespace calibrate::imports {
namespace {

using netmodels::refuse;
using netmodels::Result;

constexpr std::size_t half_words = 4;  // time, algbw, busbw, wrong
constexpr int blank_half_width = 20;   // columns; one half takes 26 or more

/// The words of one row that have not been read yet.
struct Rest {
  std::span<const files::Word> words;
  int last_end;  // the column after the last word that was read
  const std::string& where;

  void drop() {
    last_end = words.front().column + static_cast<int>(words.front().text.size());
    words = words.subspan(1);
  }
  [[nodiscard]] int gap() const { return words.empty() ? 0 : words.front().column - last_end; }
  [[nodiscard]] std::string here() const {
    return fmt::format("{}:{}", where, words.empty() ? last_end : words.front().column);
  }
};

Result<double> take_number(Rest& rest, std::string_view name) {
  if (rest.words.empty())
    return refuse(rest.here(), fmt::format("the row is truncated: no {}", name), "use the complete log");
  const auto value = files::read_number(rest.words.front().text);
  if (!value || !std::isfinite(*value) || *value < 0) {
    return refuse(rest.here(), fmt::format("invalid {} `{}`", name, rest.words.front().text),
                  "accepted: a finite number, 0 or above");
  }
  rest.drop();
  return *value;
}

Result<std::optional<long long>> take_wrong(Rest& rest) {
  if (rest.words.empty())
    return refuse(rest.here(), "the row is truncated: no #wrong", "use the complete log");
  const std::string_view text = rest.words.front().text;
  const auto value = files::read_number(text);
  if (text != "N/A" && !(value && std::isfinite(*value) && *value >= 0))
    return refuse(rest.here(), fmt::format("`{}` is not a #wrong count", text), "accepted: a count, N/A");
  rest.drop();
  if (!value) return std::optional<long long>();
  // Versions up to 2.12 print the largest error here: a correct result rounds a little.
  constexpr double rounding = 1e-2;
  const bool is_error = *value > 0 && *value < 1;
  return std::optional<long long>(is_error ? (*value > rounding ? 1 : 0)
                                           : static_cast<long long>(std::min(*value, 9e18)));
}

Result<NcclTestsHalf> take_half(Rest& rest) {
  NcclTestsHalf half;
  constexpr std::array names = {"time", "algbw", "busbw"};
  for (std::size_t i = 0; i < names.size(); ++i) {
    GRADSIM_TRY(value, take_number(rest, names[i]));
    (i == 0 ? half.time_us : i == 1 ? half.algorithm_gbs : half.bus_gbs) = *value;
  }
  GRADSIM_TRY(wrong, take_wrong(rest));
  half.wrong = *wrong;
  return half;
}

/// The columns `redop` and `root`, which may be missing or blank.
void take_descriptors(Rest& rest, const NcclTestsHeader& header, NcclTestsRow& row) {
  const auto is_word = [](std::string_view text) { return !files::read_number(text) && text != "N/A"; };
  if (!rest.words.empty() && is_word(rest.words.front().text)) {
    row.reduction = rest.words.front().text;
    row.reduces = row.reduction != "none";
    rest.drop();
  }
  const bool odd = rest.words.size() == half_words + 1 || rest.words.size() > 2 * half_words;
  if (rest.words.empty() || !(header.seen ? header.has_root : odd)) return;
  if (const auto root = files::read_integer(rest.words.front().text)) {
    row.root = static_cast<int>(*root);
    rest.drop();
  }
}

Result<void> take_halves(Rest& rest, const NcclTestsHeader& header, NcclTestsRow& row) {
  const bool only_in_place =
      rest.words.size() >= half_words && rest.words.size() < 2 * half_words && rest.gap() >= blank_half_width;
  if (!only_in_place) {
    GRADSIM_TRY(half, take_half(rest));
    row.out_of_place = *half;
  }
  if (rest.words.empty() && !only_in_place && header.seen && header.has_more) return {};
  GRADSIM_TRY(half, take_half(rest));
  row.in_place = *half;
  if (rest.words.empty() || header.has_more || !header.seen) return {};
  return refuse(rest.here(), fmt::format("`{}` is after the last column", rest.words.front().text),
                "use the unmodified output of the tool");
}

}  // namespace

std::optional<NcclTestsHeader> read_nccl_tests_header(std::string_view line) {
  const auto words = files::words_of(line);
  const auto at = [&](std::string_view name) {
    return std::ranges::find(words, name, &files::Word::text) - words.begin();
  };
  const auto end = static_cast<std::ptrdiff_t>(words.size());
  if (!line.starts_with('#') || at("size") == end || at("count") == end || at("type") == end)
    return std::nullopt;
  NcclTestsHeader header{true, at("root") < at("time"), false};
  const auto halves = std::ranges::count(words, "busbw", &files::Word::text);
  const auto named = std::ranges::find_if(words.rbegin(), words.rend(), [](const files::Word& word) {
    return word.text == "#wrong" || word.text == "error";
  });
  header.has_more = halves == 2 && named != words.rbegin();
  return header;
}

bool begins_nccl_tests_row(std::string_view line) {
  const auto words = files::words_of(line);
  return words.size() >= 3 && files::read_integer(words[0].text) && files::read_integer(words[1].text) &&
         element_bytes(words[2].text);
}

namespace {

/// Position of a `#` that begins the line proper, behind nothing, a blank or a mark of a prefix; the line's
/// size where there is none.
std::size_t comment_begin(std::string_view line) {
  constexpr std::string_view ends_prefix = " \t:>|]\"'";
  for (std::size_t at = line.find('#'); at != std::string_view::npos; at = line.find('#', at + 1))
    if (at == 0 || ends_prefix.find(line[at - 1]) != std::string_view::npos) return at;
  return line.size();
}

/// Position behind mpirun's mark, after which it writes without a blank; 0 where there is none.
std::size_t behind_mpirun(std::string_view line) {
  for (const std::string_view mark : {"<stdout>:", "<stderr>:"}) {
    const std::size_t found = line.find(mark);
    if (found != std::string_view::npos) return found + mark.size();
  }
  return 0;
}

}  // namespace

std::size_t nccl_tests_prefix(std::string_view line) {
  const std::size_t comment = comment_begin(line);
  if (comment < line.size()) return comment;
  const std::size_t marked = behind_mpirun(line);
  const std::string_view rest = line.substr(marked);
  const auto words = files::words_of(rest);
  for (std::size_t i = 1; i + 2 < words.size(); ++i) {
    const auto begin = static_cast<std::size_t>(words[i].column - 1);
    if (begins_nccl_tests_row(rest.substr(begin))) return marked + begin;
  }
  return marked;
}

Result<NcclTestsRow> read_nccl_tests_row(std::string_view line, const NcclTestsHeader& header,
                                         const std::string& where) {
  const auto words = files::words_of(line);
  Rest rest{words, 1, where};
  NcclTestsRow row;
  row.type = words[2].text;
  row.element_bytes = *element_bytes(words[2].text);
  row.size = *files::read_number(words[0].text);
  row.count = *files::read_number(words[1].text);
  for (int described = 0; described < 3; ++described) rest.drop();
  take_descriptors(rest, header, row);
  if (const auto halves = take_halves(rest, header, row); !halves) return tl::unexpected(halves.error());
  return row;
}

}  // namespace calibrate::imports
