// Reads the JSON of a PyTorch profiler trace event by event.
#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <functional>
#include <limits>
#include <string_view>
#include <utility>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "calibrate/imports/kineto_trace.hpp"
#include "files/json_limits.hpp"

namespace calibrate::imports {
namespace {

using netmodels::refuse;
using netmodels::Result;

constexpr std::size_t root_depth = 1;
constexpr std::size_t event_depth = 3;
constexpr std::size_t argument_depth = 4;
constexpr std::size_t most_inputs = 8;            // inputs whose shapes are kept; weights are among the first
constexpr std::size_t most_dimensions = 100'000;  // a shape, or a list with a number for each rank
constexpr std::size_t most_versions = 32;
constexpr std::size_t most_text = 16'000'000;  // stacks and groups of processes are texts, too

/// A number, whole where its text was.
struct Number {
  double value = 0;
  std::optional<std::int64_t> whole;
};

std::optional<std::int64_t> whole_of(const Number& number) {
  if (number.whole) return number.whole;
  const bool is_whole = std::abs(number.value) < 9e15 && number.value == std::floor(number.value);
  return is_whole ? std::optional(static_cast<std::int64_t>(number.value)) : std::nullopt;
}

/// `cuda_runtime_version` and similar keys.
bool is_version(std::string_view key) {
  constexpr std::array heads = {"cuda", "hip", "pytorch", "torch", "cupti", "nccl", "rccl"};
  return key.ends_with("_version") &&
         std::ranges::any_of(heads, [key](std::string_view head) { return key.starts_with(head); });
}

/// Numbers of `[0, 8, 16]`; of `[0, 1, ..., 63]`, a long list that PyTorch cuts, those before the dots.
std::vector<std::int64_t> listed_numbers(std::string_view ranks) {
  ranks = ranks.substr(0, ranks.find("..."));
  std::vector<std::int64_t> found;
  while (!ranks.empty()) {
    std::int64_t number = 0;
    const auto [end, wrong] = std::from_chars(ranks.data(), ranks.data() + ranks.size(), number);
    if (wrong == std::errc{}) found.push_back(number);
    ranks.remove_prefix(wrong == std::errc{} ? static_cast<std::size_t>(end - ranks.data()) : 1);
  }
  return found;
}

/// Sets the ranks of a collective's group, where the trace lists them.
void take_ranks(std::string_view text, KinetoEvent& event) {
  const std::vector<std::int64_t> ranks = listed_numbers(text);
  if (ranks.size() < 2) return;
  const std::int64_t stride = ranks[1] - ranks[0];
  const auto leaps = [stride](std::int64_t one, std::int64_t next) { return next - one != stride; };
  const bool uneven = stride < 1 || std::ranges::adjacent_find(ranks, leaps) != ranks.end();
  if (!uneven && event.stride != 0) return;
  event.first = std::max<std::int64_t>(ranks[0], 0);
  event.stride = uneven ? uneven_stride : stride;
}

/// nlohmann-json's events, depth by depth: the document is 1, `traceEvents` 2, an event 3, its `args` 4.
class Handler {
 public:
  explicit Handler(KinetoCollector& collector) : collector_(collector) {}

  bool null() { return true; }
  bool boolean(bool) { return true; }
  bool number_integer(std::int64_t value) { return number({static_cast<double>(value), value}); }
  bool number_unsigned(std::uint64_t value) {
    if (value > INT64_MAX) return number({static_cast<double>(value), std::nullopt});
    return number_integer(static_cast<std::int64_t>(value));
  }
  bool number_float(double value, const std::string&) { return number({value, std::nullopt}); }
  bool string(std::string& value);
  bool binary(std::vector<std::uint8_t>&) { return true; }
  bool key(std::string& name) {
    if (depth_ < keys_.size()) keys_[depth_] = name;
    return true;
  }
  bool start_object(std::size_t) { return open(); }
  bool end_object();
  bool start_array(std::size_t) { return open(); }
  bool end_array() { return close(); }
  bool parse_error(std::size_t byte, const std::string&, const nlohmann::json::exception&) {
    broken_at = byte;
    return false;
  }

  std::optional<std::size_t> broken_at;
  bool has_events = false;
  bool too_many = false;
  bool too_many_dimensions = false;
  std::optional<std::string> device;
  int devices = 0;
  std::optional<int> world_size;
  std::optional<std::string> nccl_version;
  std::vector<std::string> versions;

 private:
  bool open();
  bool close() {
    --depth_;
    return true;
  }
  bool number(const Number& value);
  void root_number(const Number& value);
  void root_text(const std::string& value);
  void event_number(const Number& value);
  void argument_number(const Number& value);
  void argument_text(const std::string& value);
  void add_version(std::string version) {
    if (versions.size() < most_versions) versions.push_back(std::move(version));
  }
  [[nodiscard]] bool in_events() const { return keys_[root_depth] == "traceEvents"; }
  [[nodiscard]] bool in_arguments() const { return in_events() && keys_[event_depth] == "args"; }

  KinetoCollector& collector_;
  std::size_t depth_ = 0;
  std::array<std::string, argument_depth + 1> keys_;  ///< the last key at each depth
  KinetoEvent event_;
};

bool Handler::open() {
  ++depth_;
  if (depth_ < keys_.size()) keys_[depth_].clear();
  if (!in_events()) return true;
  if (depth_ == event_depth - 1) has_events = true;
  if (depth_ == event_depth) event_ = {};
  const bool shape = depth_ == argument_depth + 2 && in_arguments() && keys_[argument_depth] == "Input Dims";
  if (shape && event_.shapes.size() < most_inputs) event_.shapes.emplace_back();
  return true;
}

bool Handler::end_object() {
  const bool event_ends = in_events() && depth_ == event_depth;
  close();
  if (!event_ends) return true;
  too_many = !collector_.take(event_);
  return !too_many;
}

bool Handler::number(const Number& value) {
  if (!in_events())
    root_number(value);
  else if (depth_ == event_depth)
    event_number(value);
  else if (depth_ >= argument_depth && in_arguments())
    argument_number(value);
  return !too_many_dimensions;
}

void Handler::root_number(const Number& value) {
  const auto whole = whole_of(value);
  if (depth_ == root_depth && is_version(keys_[root_depth]) && whole)
    add_version(fmt::format("{} {}", keys_[root_depth], *whole));
  const bool world = keys_[root_depth] == "distributedInfo" && depth_ == 2 && keys_[2] == "world_size";
  if (world && whole && *whole >= 1 && *whole <= 10'000'000) world_size = static_cast<int>(*whole);
}

void Handler::root_text(const std::string& value) {
  if (depth_ == root_depth && is_version(keys_[root_depth])) add_version(keys_[root_depth] + " " + value);
  if (keys_[root_depth] == "distributedInfo" && depth_ == 2 && keys_[2] == "nccl_version")
    nccl_version = value;
  if (keys_[root_depth] == "deviceProperties" && depth_ == 3 && keys_[3] == "name") {
    ++devices;
    if (!device) device = value;
  }
}

void Handler::event_number(const Number& value) {
  const std::string& name = keys_[event_depth];
  if (name == "ts") event_.begin_us = value.value;
  if (name == "dur") event_.duration_us = value.value;
  if (name == "tid") event_.thread = whole_of(value).value_or(0);
}

/// An argument of an event that is a whole number.
struct NumberArgument {
  std::string_view name;
  void (*set)(KinetoEvent& event, std::int64_t value);
};

constexpr std::int64_t most_elements = 1'000'000'000'000;
constexpr std::int64_t too_many_ranks = 10'000'000;

constexpr std::array number_arguments{
    NumberArgument{"correlation", [](KinetoEvent& e, std::int64_t value) { e.correlation = value; }},
    NumberArgument{"Sequence number", [](KinetoEvent& e, std::int64_t value) { e.sequence = value; }},
    NumberArgument{"Fwd thread id", [](KinetoEvent& e, std::int64_t value) { e.forward_thread = value; }},
    NumberArgument{"stream", [](KinetoEvent& e, std::int64_t value) { e.stream = value; }},
    NumberArgument{"In msg nelems",
                   [](KinetoEvent& e, std::int64_t value) { e.elements = std::min(value, most_elements); }},
    NumberArgument{"Out msg nelems",
                   [](KinetoEvent& e, std::int64_t value) {
                     e.results = std::clamp<std::int64_t>(value, 0, most_elements);
                   }},
    NumberArgument{"Global rank start",
                   [](KinetoEvent& e, std::int64_t value) { e.first = std::max<std::int64_t>(value, 0); }},
    NumberArgument{"Global rank stride",
                   [](KinetoEvent& e, std::int64_t value) {
                     if (e.stride != uneven_stride) e.stride = std::max<std::int64_t>(value, 0);
                   }},
    NumberArgument{"Group size",
                   [](KinetoEvent& e, std::int64_t value) {
                     if (value > 0 && value < too_many_ranks) e.ranks = static_cast<int>(value);
                   }},
};

void Handler::argument_number(const Number& value) {
  const std::string& name = keys_[argument_depth];
  const auto whole = whole_of(value);
  if (!whole) return;
  if (depth_ == argument_depth + 2 && name == "Input Dims" && !event_.shapes.empty()) {
    too_many_dimensions = event_.shapes.back().size() == most_dimensions;
    if (!too_many_dimensions) event_.shapes.back().push_back(*whole);
  }
  if (depth_ != argument_depth) return;
  const auto argument = std::ranges::find(number_arguments, name, &NumberArgument::name);
  if (argument != number_arguments.end()) argument->set(event_, *whole);
}

void Handler::argument_text(const std::string& value) {
  const std::string& name = keys_[argument_depth];
  if (name == "Collective name") event_.collective = value;
  if (name == "dtype") event_.type = value;
  if (name == "Process Group Ranks") take_ranks(value, event_);
  if (name == "Input type" && event_.input_type.empty()) event_.input_type = value;
}

bool Handler::string(std::string& value) {
  if (!in_events()) {
    root_text(value);
  } else if (depth_ == event_depth) {
    const std::string& name = keys_[event_depth];
    if (name == "ph") event_.phase = value;
    if (name == "cat") event_.category = value;
    if (name == "name") event_.name = value;
    if (name == "tid") event_.thread = static_cast<std::int64_t>(std::hash<std::string>{}(value) >> 1U);
  } else if (depth_ >= argument_depth && in_arguments()) {
    argument_text(value);
  }
  return true;
}

}  // namespace

Result<KinetoTrace> read_kineto(std::istream& stream, const std::string& source) {
  KinetoCollector collector;
  Handler handler(collector);
  files::MeteredJson metered(
      stream, {.most_text = most_text, .most_values = std::numeric_limits<std::size_t>::max()});
  std::istream json(&metered);
  nlohmann::json::sax_parse(json, &handler);
  if (const auto beyond = metered.meter().error(source)) return tl::unexpected(*beyond);
  if (handler.too_many_dimensions)
    return refuse(source, fmt::format("a list in `Input Dims` has more than {} numbers", most_dimensions),
                  "use the trace as PyTorch wrote it");
  if (handler.broken_at) {
    return refuse(metered.place_of(source, *handler.broken_at),
                  "the JSON is invalid, truncated or not UTF-8 here", "use the complete file");
  }
  if (handler.too_many)
    return refuse(
        source,
        fmt::format("the trace has more than {} events of interest, or their names more than {} bytes",
                    most_kept_events, most_kept_text),
        "profile fewer steps");
  if (!handler.has_events) {
    return refuse(source, "`traceEvents` is missing",
                  "use the output of torch.profiler's export_chrome_trace or tensorboard_trace_handler, or "
                  "`calibrate import chakra` for an execution trace");
  }
  KinetoTrace trace = collector.finish();
  trace.device = handler.device;
  trace.devices = handler.devices;
  trace.world_size = handler.world_size;
  trace.nccl_version = handler.nccl_version;
  trace.versions = handler.versions;
  return trace;
}

}  // namespace calibrate::imports
