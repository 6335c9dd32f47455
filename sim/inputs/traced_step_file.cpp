// Reads the operations of a traced step from a CSV file.
#include <algorithm>
#include <array>
#include <charconv>
#include <string_view>

#include <fmt/format.h>

#include "netmodels/traced_step.hpp"
#include "sim/inputs/input_files.hpp"
#include "sim/language/table_file.hpp"

namespace sim::inputs {
namespace {

using netmodels::CollectiveKind;
using netmodels::CollectiveReach;
using netmodels::refuse;
using netmodels::Result;
using netmodels::StepStream;
using netmodels::TracedCollective;
using netmodels::TracedOperation;

constexpr std::array<std::string_view, 7> operation_columns{"operation",  "stream", "duration_us", "after",
                                                            "collective", "bytes",  "among"};

template <class T>
struct Word {
  std::string_view text;
  T value;
};

constexpr std::array stream_words{Word<StepStream>{"compute", StepStream::compute},
                                  Word<StepStream>{"communication", StepStream::communication},
                                  Word<StepStream>{"copy", StepStream::copy},
                                  Word<StepStream>{"host", StepStream::host}};
constexpr TracedCollective of_kind(CollectiveKind kind, bool all_to_all = false) {
  return {.kind = kind, .all_to_all = all_to_all, .size = {}};
}

constexpr std::array traced_words{
    Word<TracedCollective>{"all_reduce", of_kind(CollectiveKind::all_reduce)},
    Word<TracedCollective>{"all_gather", of_kind(CollectiveKind::all_gather)},
    Word<TracedCollective>{"reduce_scatter", of_kind(CollectiveKind::reduce_scatter)},
    Word<TracedCollective>{"broadcast", of_kind(CollectiveKind::broadcast)},
    Word<TracedCollective>{"all_to_all", of_kind(CollectiveKind::reduce_scatter, true)}};
constexpr std::array group_words{Word<CollectiveReach>{"all", CollectiveReach::all},
                                 Word<CollectiveReach>{"node", CollectiveReach::within_node},
                                 Word<CollectiveReach>{"nodes", CollectiveReach::between_nodes}};

template <class T, std::size_t N>
Result<T> word_in(const language::TableFile& table, std::size_t row, std::string_view column,
                  const std::array<Word<T>, N>& words) {
  std::string accepted;
  for (const Word<T>& word : words) {
    if (word.text == table.text(row, column)) return word.value;
    accepted += (accepted.empty() ? "" : ", ") + std::string(word.text);
  }
  return refuse(table.where(row, column),
                fmt::format("`{}` is not a word of the column `{}`", table.text(row, column), column),
                "accepted: " + accepted);
}

/// Indices of earlier rows, with blanks between them.
Result<std::vector<std::uint32_t>> rows_before(const language::TableFile& table, std::size_t row) {
  std::vector<std::uint32_t> before;
  std::string_view rest = table.text(row, "after");
  while (!rest.empty()) {
    const std::string_view word = rest.substr(0, rest.find(' '));
    rest.remove_prefix(std::min(rest.size(), word.size() + 1));
    if (word.empty()) continue;
    std::uint32_t index = 0;
    const auto [end, error] = std::from_chars(word.data(), word.data() + word.size(), index);
    if (error != std::errc{} || end != word.data() + word.size() || index >= row) {
      return refuse(table.where(row, "after"), fmt::format("`{}` is not the number of an earlier row", word),
                    fmt::format("rows are counted from 0; this is row {}", row));
    }
    before.push_back(index);
  }
  return before;
}

Result<TracedCollective> collective_of(const language::TableFile& table, std::size_t row) {
  GRADSIM_TRY(collective, word_in(table, row, "collective", traced_words));
  GRADSIM_TRY(reach, word_in(table, row, "among", group_words));
  GRADSIM_TRY(bytes, table.number(row, "bytes"));
  if (*bytes == 0)
    return refuse(table.where(row, "bytes"), "a collective of 0 bytes", "write what it exchanges");
  collective->reach = *reach;
  collective->size = netmodels::Bytes{*bytes};
  if (netmodels::has_schedule(*collective)) return collective;
  return refuse(
      table.where(row, "collective"),
      fmt::format("`{}` among `{}` has no schedule", table.text(row, "collective"), table.text(row, "among")),
      "between nodes only `all_reduce`, within them no `broadcast`");
}

Result<TracedOperation> operation_of(const language::TableFile& table, std::size_t row) {
  TracedOperation operation;
  operation.name = table.text(row, "operation");
  GRADSIM_TRY(stream, word_in(table, row, "stream", stream_words));
  GRADSIM_TRY(before, rows_before(table, row));
  operation.stream = *stream;
  operation.after = std::move(*before);
  if (*stream == StepStream::communication) {
    GRADSIM_TRY(collective, collective_of(table, row));
    operation.collective = *collective;
    return operation;
  }
  if (!table.text(row, "collective").empty()) {
    return refuse(table.where(row, "collective"),
                  fmt::format("a collective on the stream `{}`", table.text(row, "stream")),
                  "write `communication` as its stream");
  }
  GRADSIM_TRY(duration, table.number(row, "duration_us"));
  operation.duration = netmodels::Seconds{*duration * 1e-6};
  return operation;
}

}  // namespace

Result<netmodels::TracedStep> read_traced_step(const std::filesystem::path& path) {
  GRADSIM_TRY(table, language::TableFile::read(path, operation_columns));
  netmodels::TracedStep step;
  for (std::size_t row = 0; row < table->rows(); ++row) {
    GRADSIM_TRY(operation, operation_of(*table, row));
    step.operations.push_back(std::move(*operation));
  }
  if (undisturbed(step) > netmodels::Seconds{} || summed_bytes(step) > netmodels::Bytes{} ||
      std::ranges::any_of(step.operations, [](const auto& one) { return one.collective.has_value(); }))
    return step;
  return refuse(path.string(), "its operations take no time and exchange nothing",
                "state `duration_us`, or rows with a collective");
}

}  // namespace sim::inputs
