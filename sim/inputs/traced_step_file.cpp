// Reads the operations of a traced step from a CSV file.
#include <algorithm>
#include <array>
#include <charconv>
#include <span>
#include <string_view>

#include <fmt/format.h>

#include "netmodels/traced_step.hpp"
#include "sim/inputs/device_file.hpp"
#include "sim/inputs/input_files.hpp"
#include "sim/inputs/worker_rule.hpp"
#include "sim/language/table_file.hpp"

namespace sim::inputs {
namespace {

using netmodels::CollectiveKind;
using netmodels::CollectiveReach;
using netmodels::DeviceWork;
using netmodels::RankGroup;
using netmodels::refuse;
using netmodels::Result;
using netmodels::StepStream;
using netmodels::TracedCollective;
using netmodels::TracedMessage;
using netmodels::TracedOperation;
using netmodels::WorkKind;

constexpr std::array<std::string_view, 7> operation_columns{"operation",  "stream", "duration_us", "after",
                                                            "collective", "bytes",  "among"};
constexpr std::array<std::string_view, 7> optional_columns{"flops", "memory_bytes", "kind", "precision",
                                                           "group", "queue",        "peer"};

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

constexpr TracedCollective of_message(bool received) {
  TracedCollective end = of_kind(CollectiveKind::broadcast);
  end.message = TracedMessage{.received = received};
  return end;
}

constexpr std::array traced_words{
    Word<TracedCollective>{"all_reduce", of_kind(CollectiveKind::all_reduce)},
    Word<TracedCollective>{"all_gather", of_kind(CollectiveKind::all_gather)},
    Word<TracedCollective>{"reduce_scatter", of_kind(CollectiveKind::reduce_scatter)},
    Word<TracedCollective>{"broadcast", of_kind(CollectiveKind::broadcast)},
    Word<TracedCollective>{"all_to_all", of_kind(CollectiveKind::reduce_scatter, true)},
    Word<TracedCollective>{"send", of_message(false)},
    Word<TracedCollective>{"recv", of_message(true)}};
constexpr std::array group_words{Word<CollectiveReach>{"all", CollectiveReach::all},
                                 Word<CollectiveReach>{"node", CollectiveReach::within_node},
                                 Word<CollectiveReach>{"nodes", CollectiveReach::between_nodes}};
constexpr std::array work_words{
    Word<WorkKind>{"matmul", WorkKind::matmul},       Word<WorkKind>{"attention", WorkKind::attention},
    Word<WorkKind>{"pointwise", WorkKind::pointwise}, Word<WorkKind>{"copy", WorkKind::copy},
    Word<WorkKind>{"optimizer", WorkKind::optimizer}, Word<WorkKind>{"embedding", WorkKind::embedding}};
/// Bytes of a value, by precision.
constexpr std::array value_words{Word<double>{"", 4},     Word<double>{"fp32", 4}, Word<double>{"tf32", 4},
                                 Word<double>{"bf16", 2}, Word<double>{"fp16", 2}, Word<double>{"fp8", 1}};
constexpr std::array gradient_words{Word<bool>{"", false}, Word<bool>{"gradient", true}};

template <class T, std::size_t N>
Result<T> word_in(const language::TableFile& table, std::size_t row, std::string_view column,
                  const std::array<Word<T>, N>& words) {
  std::string accepted;
  for (const Word<T>& word : words) {
    if (word.text == table.text(row, column)) return word.value;
    if (!word.text.empty()) accepted += (accepted.empty() ? "" : ", ") + std::string(word.text);
  }
  return refuse(table.where(row, column),
                fmt::format("`{}` is not a word of the column `{}`", table.text(row, column), column),
                "accepted: " + accepted);
}

template <class Number>
bool is_whole(std::string_view text, Number& number) {
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  return error == std::errc{} && end == text.data() + text.size();
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
    if (!is_whole(word, index) || index >= row) {
      return refuse(table.where(row, "after"), fmt::format("`{}` is not the number of an earlier row", word),
                    fmt::format("rows are counted from 0; this is row {}", row));
    }
    before.push_back(index);
  }
  return before;
}

constexpr std::array<std::string_view, 3> sized_columns{"bytes", "flops", "memory_bytes"};

tl::unexpected<netmodels::Error> refuse_unknown_workers(const language::TableFile& table, std::size_t row,
                                                        std::string_view column) {
  return refuse(table.where(row, column),
                fmt::format("`{}` depends on the number of workers", table.text(row, column)),
                "read it by a scenario, whose `cluster.workers` is N");
}

/// A number that is none: its hint says how sizes are written.
netmodels::Error wrong_size(const language::TableFile& table, std::size_t row, std::string_view column,
                            netmodels::Error error) {
  const auto bytes = netmodels::parse<netmodels::Bytes>(table.text(row, column));
  if (column != "flops" && bytes)
    error.hint = fmt::format("write `{:.0f}`: bytes without a unit", bytes->count);
  else
    error.hint = "a number of at least 0, or one that follows from the number N of workers, such as `C+S/N`";
  return error;
}

/// Number of a cell that may follow from the number of workers; at least 0.
/// @param workers  nothing: unknown
Result<double> size_in(const language::TableFile& table, std::size_t row, std::string_view column,
                       std::optional<int> workers) {
  const std::string& text = table.text(row, column);
  if (!is_worker_rule(text)) {
    auto number = table.number(row, column);
    if (!number) return tl::unexpected(wrong_size(table, row, column, std::move(number.error())));
    return number;
  }
  const auto rule = parse_worker_rule(text);
  if (!rule) {
    return refuse(
        table.where(row, column), fmt::format("`{}` is not a size that follows from N workers", text),
        "write a sum such as `C+S/N`, `S-S/N` or `C+S/N+G*N`, with numbers that give no negative size");
  }
  if (workers) return rule->at(*workers);
  return refuse_unknown_workers(table, row, column);
}

/// A group as it is written: `0:8:4`, or `0:8:N/8`.
struct GroupText {
  RankGroup group;
  std::optional<std::uint32_t> share;  ///< the 8 of `N/8`, with a count of 1 in `group`
};

/// Reads a number of ranks, or the share of `N/8`; at least 1.
bool read_count(std::string_view text, GroupText& group) {
  if (!text.starts_with("N/")) return is_whole(text, group.group.count) && group.group.count > 0;
  return is_whole(text.substr(2), group.share.emplace(0)) && *group.share > 0;
}

/// Start, stride and count; nothing for another text.
std::optional<GroupText> parse_group(std::string_view text) {
  const std::size_t first = text.find(':');
  const std::size_t second = text.find(':', first + 1);
  if (first == std::string_view::npos || second == std::string_view::npos) return std::nullopt;
  GroupText parsed;
  RankGroup& group = parsed.group;
  const bool whole = is_whole(text.substr(0, first), group.start) &&
                     is_whole(text.substr(first + 1, second - first - 1), group.stride) &&
                     read_count(text.substr(second + 1), parsed);
  return whole && group.stride > 0 ? std::optional(parsed) : std::nullopt;
}

/// The number of ranks of `N/8`.
Result<std::uint32_t> share_of(const language::TableFile& table, std::size_t row, std::uint32_t share,
                               std::optional<int> workers) {
  if (!workers) return refuse_unknown_workers(table, row, "group");
  const auto count = static_cast<std::uint32_t>(*workers);
  if (count % share == 0) return count / share;
  return refuse(table.where(row, "group"),
                fmt::format("`{}` with {} workers, which are not a multiple of {}", table.text(row, "group"),
                            count, share),
                fmt::format("set `cluster.workers` to a multiple of {}", share));
}

Result<RankGroup> group_of(const language::TableFile& table, std::size_t row, std::optional<int> workers) {
  const std::string& text = table.text(row, "group");
  auto parsed = parse_group(text);
  if (parsed && parsed->share) {
    GRADSIM_TRY(count, share_of(table, row, *parsed->share, workers));
    parsed->group.count = *count;
  }
  if (!parsed || parsed->group.block() > netmodels::most_ranks) {
    return refuse(table.where(row, "group"), fmt::format("`{}` is not a group of ranks", text),
                  "write START:STRIDE:COUNT, such as `0:8:4` for the ranks 0, 8, 16 and 24, or `0:8:N/8` for "
                  "any multiple of 8 workers");
  }
  const RankGroup& group = parsed->group;
  if (group.start % group.block() < group.stride) return group;
  return refuse(table.where(row, "group"), fmt::format("no group of `{}` begins at {}", text, group.start),
                fmt::format("groups of {} ranks, {} apart, begin at the first {} of each {} ranks",
                            group.count, group.stride, group.stride, group.block()));
}

/// Sets who takes part, by the column `group` or `among`.
Result<void> take_ranks(const language::TableFile& table, std::size_t row, std::optional<int> workers,
                        TracedCollective& collective) {
  if (table.text(row, "group").empty()) {
    GRADSIM_TRY(reach, word_in(table, row, "among", group_words));
    collective.reach = *reach;
    return {};
  }
  if (!table.text(row, "among").empty())
    return refuse(table.where(row, "group"), "a row states `among` and `group`", "leave one of them empty");
  GRADSIM_TRY(group, group_of(table, row, workers));
  collective.reach = CollectiveReach::groups;
  collective.group = *group;
  return {};
}

/// Sets the other end of a message, by the column `peer`.
Result<void> take_peer(const language::TableFile& table, std::size_t row, TracedCollective& collective) {
  std::string_view text = table.text(row, "peer");
  if (!collective.message) {
    if (text.empty()) return {};
    return refuse(table.where(row, "peer"), fmt::format("`{}` has no peer", table.text(row, "collective")),
                  "leave the cell empty");
  }
  if (text.starts_with('+')) text.remove_prefix(1);
  std::int32_t& peer = collective.message->peer;
  constexpr auto most = static_cast<std::int32_t>(netmodels::most_ranks);
  if (is_whole(text, peer) && peer != 0 && std::abs(peer) < most) return {};
  return refuse(
      table.where(row, "peer"),
      fmt::format("`{}` is not a distance to another rank", table.text(row, "peer")),
      "write how many members of the group further on the other end is: `+1` for the next one, `-1` "
      "for the one before");
}

Result<TracedCollective> collective_of(const language::TableFile& table, std::size_t row,
                                       std::optional<int> workers) {
  GRADSIM_TRY(collective, word_in(table, row, "collective", traced_words));
  GRADSIM_TRY(ranks, take_ranks(table, row, workers, *collective));
  GRADSIM_TRY(peer, take_peer(table, row, *collective));
  GRADSIM_TRY(gradient, word_in(table, row, "kind", gradient_words));
  GRADSIM_TRY(value_bytes, word_in(table, row, "precision", value_words));
  GRADSIM_TRY(bytes, size_in(table, row, "bytes", workers));
  if (*bytes == 0)
    return refuse(table.where(row, "bytes"), "a collective of 0 bytes", "write what it exchanges");
  collective->size = netmodels::Bytes{*bytes};
  collective->gradient = *gradient;
  collective->value_bytes = *value_bytes;
  if (*gradient && !netmodels::sums(*collective)) {
    return refuse(table.where(row, "kind"),
                  fmt::format("`{}` sums no gradients", table.text(row, "collective")),
                  "mark `all_reduce` and `reduce_scatter` only");
  }
  if (netmodels::has_schedule(*collective)) return collective;
  return refuse(
      table.where(row, "collective"),
      fmt::format("`{}` among `{}` has no schedule", table.text(row, "collective"), table.text(row, "among")),
      "between nodes only `all_reduce`, within them no `broadcast`");
}

/// Refuses the first of these cells that is not empty.
/// @param row_text  the row, for the message: "a collective"
Result<void> check_empty(const language::TableFile& table, std::size_t row,
                         std::span<const std::string_view> columns, std::string_view row_text,
                         std::string_view hint) {
  for (const std::string_view column : columns) {
    if (!table.text(row, column).empty())
      return refuse(table.where(row, column), fmt::format("{} states `{}`", row_text, column),
                    std::string(hint));
  }
  return {};
}

constexpr std::array<std::string_view, 4> work_columns{"flops", "memory_bytes", "kind", "precision"};
constexpr std::array<std::string_view, 5> exchange_columns{"bytes", "among", "group", "queue", "peer"};
constexpr std::array<std::string_view, 3> unread_columns{"duration_us", "flops", "memory_bytes"};

/// Number of an optional cell; 0 where it is empty.
Result<double> number_or_none(const language::TableFile& table, std::size_t row, std::string_view column,
                              std::optional<int> workers) {
  return table.text(row, column).empty() ? Result<double>(0.0) : size_in(table, row, column, workers);
}

Result<DeviceWork> work_of(const language::TableFile& table, std::size_t row, std::optional<int> workers) {
  GRADSIM_TRY(kind, word_in(table, row, "kind", work_words));
  const std::string_view needed = netmodels::runs_at_peak(*kind) ? "flops" : "memory_bytes";
  if (table.text(row, needed).empty()) {
    return refuse(table.where(row, needed),
                  fmt::format("a row of the kind `{}` states no `{}`", table.text(row, "kind"), needed),
                  fmt::format("its time follows from them: write `{}`, or `duration_us`", needed));
  }
  GRADSIM_TRY(flops, number_or_none(table, row, "flops", workers));
  GRADSIM_TRY(memory, number_or_none(table, row, "memory_bytes", workers));
  GRADSIM_TRY(known, word_in(table, row, "precision", value_words));
  return DeviceWork{*kind, netmodels::Flops{*flops}, netmodels::Bytes{*memory}, table.text(row, "precision")};
}

/// Sets the duration, or the work from which it follows.
Result<void> take_time(const language::TableFile& table, std::size_t row, std::optional<int> workers,
                       TracedOperation& operation) {
  if (!table.text(row, "duration_us").empty()) {
    GRADSIM_TRY(duration, table.number(row, "duration_us"));
    operation.duration = netmodels::Seconds{*duration * 1e-6};
    return check_empty(table, row, work_columns, "a row with a duration",
                       "leave the duration empty where it should follow from the work");
  }
  if (table.text(row, "flops").empty() && table.text(row, "memory_bytes").empty()) {
    return refuse(table.where(row, "duration_us"), "the row states neither a duration nor work",
                  "write `duration_us`, or `flops` or `memory_bytes` with their `kind`");
  }
  if (operation.stream == StepStream::host) {
    return refuse(table.where(row, "duration_us"), "a row of the host states no duration",
                  "its time does not follow from a device: write `duration_us`");
  }
  GRADSIM_TRY(work, work_of(table, row, workers));
  operation.work = std::move(*work);
  return {};
}

/// Number of the queue of a collective, in the column `queue`; 0 where it is empty.
Result<std::uint8_t> queue_of(const language::TableFile& table, std::size_t row) {
  constexpr std::int64_t most = 63;
  if (table.text(row, "queue").empty()) return std::uint8_t{0};
  GRADSIM_TRY(queue, table.count(row, "queue"));
  if (*queue <= most) return static_cast<std::uint8_t>(*queue);
  return refuse(table.where(row, "queue"), fmt::format("queue {}", *queue),
                fmt::format("number them from 0 to {}", most));
}

Result<TracedOperation> operation_of(const language::TableFile& table, std::size_t row,
                                     std::optional<int> workers) {
  TracedOperation operation;
  operation.name = table.text(row, "operation");
  if (operation.name.empty())
    return refuse(table.where(row, "operation"), "the operation has no name",
                  "write a name, such as `forward`");
  GRADSIM_TRY(stream, word_in(table, row, "stream", stream_words));
  GRADSIM_TRY(before, rows_before(table, row));
  operation.stream = *stream;
  operation.after = std::move(*before);
  if (*stream == StepStream::communication) {
    GRADSIM_TRY(unused, check_empty(table, row, unread_columns, "a collective",
                                    "leave the cell empty: its time follows from the network"));
    GRADSIM_TRY(collective, collective_of(table, row, workers));
    GRADSIM_TRY(queue, queue_of(table, row));
    operation.collective = *collective;
    operation.queue = *queue;
    return operation;
  }
  if (!table.text(row, "collective").empty()) {
    return refuse(table.where(row, "collective"),
                  fmt::format("a collective on the stream `{}`", table.text(row, "stream")),
                  "write `communication` as its stream");
  }
  GRADSIM_TRY(unused, check_empty(table, row, exchange_columns, "a row without a collective",
                                  "leave the cell empty, or write `collective`"));
  GRADSIM_TRY(timed, take_time(table, row, workers, operation));
  return operation;
}

/// Whether sizes or groups of a row follow from the number of workers.
bool depends_on_workers(const language::TableFile& table, std::size_t row) {
  const auto by_rule = [&](std::string_view column) { return is_worker_rule(table.text(row, column)); };
  return std::ranges::any_of(sized_columns, by_rule) ||
         table.text(row, "group").find(":N/") != std::string::npos;
}

}  // namespace

Result<netmodels::TracedStep> read_traced_step(const std::filesystem::path& path,
                                               std::optional<int> workers) {
  GRADSIM_TRY(table, language::TableFile::read(path, operation_columns, optional_columns));
  netmodels::TracedStep step;
  step.marked = table->has("kind");
  for (std::size_t row = 0; row < table->rows(); ++row) {
    GRADSIM_TRY(operation, operation_of(*table, row, workers));
    step.scaled = step.scaled || depends_on_workers(*table, row);
    step.operations.push_back(std::move(*operation));
  }
  if (undisturbed(step) > netmodels::Seconds{} || step.is_predicted() ||
      std::ranges::any_of(step.operations, [](const auto& one) { return one.collective.has_value(); }))
    return step;
  return refuse(path.string(), "its operations take no time and exchange nothing",
                "state `duration_us`, or rows with a collective");
}

}  // namespace sim::inputs
