// Import of Chakra execution traces as the graphs they are.
#include <algorithm>
#include <map>
#include <set>
#include <utility>

#include <fmt/format.h>

#include "calibrate/imports/chakra.hpp"
#include "files/text_file.hpp"
#include "netmodels/traced_messages.hpp"

namespace calibrate::imports {
namespace {

using netmodels::Bytes;
using netmodels::CollectiveKind;
using netmodels::CollectiveReach;
using netmodels::DeviceWork;
using netmodels::Flops;
using netmodels::refuse;
using netmodels::Result;
using netmodels::StepStream;
using netmodels::TracedCollective;
using netmodels::TracedMessage;
using netmodels::TracedOperation;
using netmodels::WorkKind;

constexpr double fp32_bytes = 4;
constexpr std::string_view ranks_hint = "give --ranks N, or the traces of all ranks";

bool is_message(const ChakraNode& node) {
  return node.type == ChakraType::send || node.type == ChakraType::receive;
}

bool is_move(const ChakraNode& node) {
  return node.type == ChakraType::load || node.type == ChakraType::store;
}

/// The work of a node without a duration; nothing where it states none. That of a move is its bytes alone.
std::optional<DeviceWork> work_of(const ChakraNode& node) {
  const std::int64_t flops = node.flops.value_or(0);
  const std::int64_t bytes = node.memory_bytes.value_or(0);
  const bool moves = is_move(node);
  if (node.duration > netmodels::Seconds{} || (bytes <= 0 && (moves || flops <= 0))) return std::nullopt;
  const WorkKind kind = moves ? WorkKind::copy : flops > 0 ? WorkKind::matmul : WorkKind::pointwise;
  return DeviceWork{kind, Flops{static_cast<double>(flops)}, Bytes{static_cast<double>(bytes)},
                    std::string()};
}

/// The evenly spaced ranks of groups that fit the job; nothing for others.
/// @param ranks  at least one
/// @param job    number of ranks; nothing: unknown
std::optional<netmodels::RankGroup> even_group(const ChakraGroup& ranks, std::optional<int> job) {
  const std::uint32_t stride = ranks.size() > 1 ? ranks[1] - ranks[0] : 1;
  const netmodels::RankGroup group{ranks[0], stride, static_cast<std::uint32_t>(ranks.size())};
  if (ranks.size() > 1 && ranks[1] <= ranks[0]) return std::nullopt;
  const auto uneven = std::ranges::adjacent_find(
      ranks, [stride](std::uint32_t one, std::uint32_t next) { return next != one + stride; });
  if (uneven != ranks.end() || group.start % group.block() >= stride) return std::nullopt;
  if (job && static_cast<std::uint64_t>(*job) % group.block() != 0) return std::nullopt;
  return group;
}

/// Kinds of the nodes of a trace, as a whole.
struct TraceKinds {
  bool host = false;                ///< some are the host's, some the device's
  bool device_collectives = false;  ///< so that those of the host are calls
};

TraceKinds kinds_of(const ChakraTrace& trace) {
  TraceKinds kinds;
  bool host = false;
  bool device = false;
  for (const ChakraNode& node : trace.nodes) {
    if (node.type == ChakraType::invalid || node.type == ChakraType::metadata) continue;
    (node.host ? host : device) = true;
    kinds.device_collectives |= node.type == ChakraType::collective && !node.host;
  }
  kinds.host = host && device;
  return kinds;
}

/// Builds the step of one rank.
class ChakraGrapher {
 public:
  ChakraGrapher(const ChakraTrace& trace, std::optional<int> ranks)
      : trace_(trace), ranks_(ranks), kinds_(kinds_of(trace)) {}

  Result<TracedGraph> build() {
    GRADSIM_TRY(order, order_chakra(trace_));
    for (const std::size_t index : order->nodes) {
      if (auto added = add(trace_.nodes[index]); !added) return tl::unexpected(added.error());
    }
    if (collectives_.empty()) {
      return refuse(trace_.source,
                    fmt::format("none of its {} is a collective", counted(std::ssize(trace_.nodes), "node")),
                    "give a trace of distributed training");
    }
    if (auto matched = check_messages(); !matched) return tl::unexpected(matched.error());
    if (kinds_.host) await();
    drop_implied(graph_.step);
    tell(*order);
    return std::move(graph_);
  }

 private:
  [[nodiscard]] tl::unexpected<netmodels::Error> refused(const ChakraNode& node, const std::string& what,
                                                         const std::string& hint) const {
    return refuse(trace_.source, fmt::format("node {} (`{}`): {}", node.id, node.name.substr(0, 60), what),
                  hint);
  }

  /// Operations of the step that must end before a node's: those that its dependencies became.
  [[nodiscard]] std::vector<std::uint32_t> before(const ChakraNode& node) const {
    std::set<std::uint32_t> all;
    for (const std::uint64_t id : node.data) {
      if (const auto known = meant_.find(id); known != meant_.end())
        all.insert(known->second.begin(), known->second.end());
    }
    return {all.begin(), all.end()};
  }

  Result<void> add(const ChakraNode& node) {
    std::vector<std::uint32_t> after = before(node);
    if (node.type == ChakraType::invalid || node.type == ChakraType::metadata) {
      meant_[node.id] = std::move(after);
      return {};
    }
    TracedOperation operation{node.name, StepStream::compute, node.duration, std::move(after), {}};
    const bool exchanges = node.type == ChakraType::collective || is_message(node);
    const bool call = node.host && (kinds_.device_collectives || !exchanges);
    if (!exchanges && !call) add_work(node, operation);
    if (call && kinds_.host)
      operation.stream = StepStream::host;
    else if (is_move(node))
      operation.stream = StepStream::copy;
    else if (node.type == ChakraType::collective) {
      if (auto added = add_collective(node, operation); !added) return added;
    } else if (is_message(node)) {
      GRADSIM_TRY(message, message_of(node));
      add_exchange(*message, operation);
    }
    place(node.id, std::move(operation));
    return {};
  }

  void add_work(const ChakraNode& node, TracedOperation& operation) {
    operation.work = work_of(node);
    if (operation.work)
      ++worked_;
    else if (is_move(node) && node.duration == netmodels::Seconds{} && node.flops.value_or(0) > 0)
      ++unsized_;
  }

  Result<void> add_collective(const ChakraNode& node, TracedOperation& operation) {
    if (node.collective == chakra_barrier) {
      ++barriers_;
      operation.stream = StepStream::copy;
      operation.duration = {};
      return {};
    }
    GRADSIM_TRY(collective, collective_of(node));
    add_exchange(*collective, operation);
    return {};
  }

  void add_exchange(const TracedCollective& collective, TracedOperation& operation) {
    operation.stream = StepStream::communication;
    operation.duration = {};
    operation.collective = collective;
    if (kinds_.host && last_computing_) {
      const bool tied = std::ranges::any_of(operation.after, [this](std::uint32_t one) {
        return graph_.step.operations[one].stream == StepStream::compute;
      });
      if (!tied) {
        operation.after.push_back(*last_computing_);
        ++tied_;
      }
    }
    collectives_.push_back(static_cast<std::uint32_t>(graph_.step.operations.size()));
  }

  [[nodiscard]] Result<TracedCollective> message_of(const ChakraNode& node) const {
    if (!node.source || !node.destination || node.exchanged_bytes.value_or(0) <= 0)
      return refused(node, "a message without its ranks or its size (`comm_src`, `comm_dst`, `comm_size`)",
                     "trace them, too");
    if (auto known = check_ranks(node, *node.source, *node.destination); !known)
      return tl::unexpected(known.error());
    const bool received = node.type == ChakraType::receive;
    const std::int64_t on = distance(*node.destination - *node.source);
    TracedCollective collective{.kind = CollectiveKind::broadcast,
                                .size = Bytes{static_cast<double>(*node.exchanged_bytes)}};
    collective.message = TracedMessage{received, static_cast<std::int32_t>(received ? -on : on)};
    return collective;
  }

  /// @returns an Error for a message of a rank to itself, and for ranks that the job does not have
  [[nodiscard]] Result<void> check_ranks(const ChakraNode& node, std::int64_t source,
                                         std::int64_t destination) const {
    constexpr std::int64_t most = netmodels::most_ranks;
    const auto [first, last] = std::minmax(source, destination);
    const std::string message = fmt::format("a message from rank {} to {}", source, destination);
    if (first < 0 || last >= most)
      return refused(node, message, fmt::format("ranks of messages are from 0 to {}", most - 1));
    if (first == last)
      return refused(node, fmt::format("a message of rank {} to itself", source),
                     "`comm_src` and `comm_dst` are different ranks");
    if (ranks_ && last >= *ranks_)
      return refused(node, fmt::format("{}, of {} ranks", message, *ranks_), std::string(ranks_hint));
    return {};
  }

  /// Ranks on from the sender to the receiver, by the shorter way around where the ranks of the job are
  /// known.
  [[nodiscard]] std::int64_t distance(std::int64_t on) const {
    if (!ranks_) return on;
    const std::int64_t around = (on % *ranks_ + *ranks_) % *ranks_;
    return 2 * around <= *ranks_ ? around : around - *ranks_;
  }

  /// Each message needs both its ends in the trace of one rank.
  [[nodiscard]] Result<void> check_messages() const {
    const auto ranks = static_cast<std::uint32_t>(ranks_.value_or(netmodels::most_ranks));
    const auto ends = netmodels::match_messages(graph_.step, {ranks, 1});
    if (ends.problems.empty()) return {};
    const netmodels::MessageProblem& first = ends.problems.front();
    return refuse(
        trace_.source,
        fmt::format("`{}`: {}", graph_.step.operations[first.operation].name.substr(0, 60), first.what),
        ranks_ ? "give a trace of ranks that all do the same" : std::string(ranks_hint));
  }

  /// Sets who takes part, by the process group of the node.
  Result<void> take_group(const ChakraNode& node, TracedCollective& collective) {
    if (node.group.empty()) return {};
    const auto known = trace_.groups.find(node.group);
    if (known == trace_.groups.end()) {
      ++undescribed_;
      return {};
    }
    const ChakraGroup& ranks = known->second;
    if (ranks.empty() || std::ssize(ranks) == ranks_.value_or(-1)) return {};
    const auto group = even_group(ranks, ranks_);
    if (!group)
      return refused(node,
                     fmt::format("the ranks of the process group `{}` are not evenly spaced", node.group),
                     "give a trace whose groups are, as those of device meshes");
    collective.reach = CollectiveReach::groups;
    collective.group = *group;
    return {};
  }

  Result<TracedCollective> collective_of(const ChakraNode& node) {
    if (node.exchanged_bytes.value_or(0) <= 0)
      return refused(node, "a collective without its size (`comm_size`)", "trace sizes, too");
    TracedCollective collective{.size = Bytes{static_cast<double>(*node.exchanged_bytes)}};
    GRADSIM_TRY(ranks, take_group(node, collective));
    switch (node.collective.value_or(-1)) {
      case chakra_all_reduce: return collective;
      case chakra_broadcast: collective.kind = CollectiveKind::broadcast; return collective;
      case chakra_all_to_all:
        collective.kind = CollectiveKind::reduce_scatter;
        collective.all_to_all = true;
        return collective;
      case chakra_reduce_scatter:
      case chakra_reduce_scatter_block: collective.kind = CollectiveKind::reduce_scatter; return collective;
      case chakra_all_gather: break;
      default:
        return refused(node, fmt::format("`comm_type` {} has no schedule here", node.collective.value_or(-1)),
                       "accepted: all-reduce, all-gather, reduce-scatter, broadcast, all-to-all");
    }
    const bool grouped = collective.reach == CollectiveReach::groups;
    if (!grouped && !ranks_)
      return refused(node, "an all-gather of as many contributions as the job has ranks, which are unknown",
                     std::string(ranks_hint));
    collective.kind = CollectiveKind::all_gather;
    collective.size = collective.size * (grouped ? static_cast<double>(collective.group.count) : *ranks_);
    return collective;
  }

  void place(std::uint64_t id, TracedOperation operation) {
    const auto index = static_cast<std::uint32_t>(graph_.step.operations.size());
    if (operation.stream == StepStream::compute) last_computing_ = index;
    meant_[id] = {index};
    graph_.step.operations.push_back(std::move(operation));
  }

  /// The first computing behind an operation.
  TracedOperation* computing_after(std::uint32_t index) {
    auto& operations = graph_.step.operations;
    const auto found = std::find_if(operations.begin() + index + 1, operations.end(),
                                    [](const auto& one) { return one.stream == StepStream::compute; });
    return found == operations.end() ? nullptr : &*found;
  }

  void await() {
    std::set<std::uint32_t> awaited;
    std::optional<std::uint32_t> last_sum;
    for (const TracedOperation& one : graph_.step.operations) {
      if (one.stream != StepStream::communication) awaited.insert(one.after.begin(), one.after.end());
    }
    for (const std::uint32_t index : collectives_)
      if (sums(*graph_.step.operations[index].collective)) last_sum = index;
    for (const std::uint32_t index : collectives_) {
      if (awaited.contains(index)) continue;
      const bool sum = sums(*graph_.step.operations[index].collective);
      TracedOperation* next = computing_after(sum ? *last_sum : index);
      if (next == nullptr) continue;
      next->after.push_back(index);
      ++awaited_;
    }
  }

  void tell(const ChakraOrder& order) {
    graph_.facts.push_back(fmt::format("{}: schema {}, {}: {}.", files::file_name(trace_.source),
                                       trace_.version.empty() ? "not stated" : trace_.version,
                                       counted(std::ssize(trace_.nodes), "node"), contents(graph_.step)));
    if (tied_ + awaited_ > 0)
      graph_.facts.push_back(
          fmt::format("The trace ties no collective to computing: {} wait for what was launched before them, "
                      "{} are awaited by "
                      "what follows them (sums: by what follows the last).",
                      tied_, awaited_));
    if (worked_ > 0)
      graph_.facts.push_back(
          fmt::format("{} without a duration: their times follow from FLOPs (`num_ops`) and bytes "
                      "(`tensor_size`), in the device's first arithmetic.",
                      counted(worked_, "node")));
    const auto note = [this](std::int64_t number, const std::string& what, const std::string& rest) {
      if (number > 0) graph_.skipped.push_back(counted(number, what) + rest);
    };
    note(order.dangling_data, "data dependency edge",
         " to nodes that the trace does not contain: not followed");
    note(undescribed_, "collective",
         " of process groups that the trace does not describe: taken to be among all ranks");
    note(barriers_, "barrier", " left out");
    note(unsized_, "load or store node", " of `num_ops` without `tensor_size`: taken to last no time");
    for (const auto& [name, times] : trace_.unknown_attributes)
      note(times, "attribute", fmt::format(" `{}` not known", name));
  }

  const ChakraTrace& trace_;
  std::optional<int> ranks_;
  TraceKinds kinds_;
  TracedGraph graph_;
  std::map<std::uint64_t, std::vector<std::uint32_t>> meant_;  ///< operations, by node
  std::vector<std::uint32_t> collectives_;
  std::optional<std::uint32_t> last_computing_;
  std::int64_t barriers_ = 0;
  std::int64_t unsized_ = 0;      ///< moves without bytes
  std::int64_t worked_ = 0;       ///< rows whose time follows from work
  std::int64_t undescribed_ = 0;  ///< collectives of unknown groups
  std::int64_t tied_ = 0;
  std::int64_t awaited_ = 0;
};

/// Collectives of a rank, without the first ranks of its groups.
std::vector<TracedCollective> collectives_of(const netmodels::TracedStep& step) {
  std::vector<TracedCollective> all;
  for (const TracedOperation& one : step.operations) {
    if (!one.collective) continue;
    all.push_back(*one.collective);
    all.back().group.start = 0;
  }
  return all;
}

}  // namespace

Result<TracedGraph> graph_chakra(const std::vector<ChakraTrace>& traces, const TraceHints& hints) {
  std::optional<int> ranks = hints.ranks;
  if (!ranks && traces.size() > 1) ranks = static_cast<int>(traces.size());
  std::optional<TracedGraph> slowest;
  for (const ChakraTrace& trace : traces) {
    GRADSIM_TRY(graph, ChakraGrapher(trace, ranks).build());
    graph->source = "Chakra execution trace " + files::file_name(trace.source);
    if (slowest && collectives_of(slowest->step) != collectives_of(graph->step))
      return refuse(trace.source, "its collectives differ from those of " + traces.front().source,
                    "give the ranks of one run");
    if (!slowest || undisturbed(graph->step) > undisturbed(slowest->step)) slowest = std::move(*graph);
  }
  if (!slowest) return refuse("FILE", "no trace given");
  if (traces.size() > 1) slowest->facts.push_back(fmt::format("The slowest of {} ranks.", traces.size()));
  slowest->ranks = ranks.value_or(1);
  slowest->batch = hints.batch;
  slowest->parameters = exchanged_values(slowest->step, fp32_bytes);
  return std::move(*slowest);
}

}  // namespace calibrate::imports
