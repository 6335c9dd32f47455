// The events of a trace of PyTorch's profiler, and how far its step has come.
#include <algorithm>
#include <array>
#include <cctype>
#include <cmath>
#include <functional>
#include <numeric>
#include <string_view>

#include "calibrate/imports/kineto_trace.hpp"

namespace calibrate::imports {

// How far a profiled run had come at a moment, on the host and on the device.

namespace {

using netmodels::Seconds;

/// The all-reduces' times on the device, joined where they touch.
std::vector<TracedSpan> exchanges(const std::vector<KinetoWork>& work) {
  std::vector<TracedSpan> spans;
  for (const KinetoWork& one : work) {
    if (!one.all_reduce) continue;
    if (!spans.empty() && one.span.begin <= spans.back().end)
      spans.back().end = std::max(spans.back().end, one.span.end);
    else
      spans.push_back(one.span);
  }
  return spans;
}

Seconds overlap(const std::vector<TracedSpan>& spans, const TracedSpan& with) {
  Seconds sum;
  auto span = std::ranges::lower_bound(spans, with.begin, {}, &TracedSpan::end);
  for (; span != spans.end() && span->begin < with.end; ++span)
    sum += std::min(span->end, with.end) - std::max(span->begin, with.begin);
  return sum;
}

}  // namespace

KinetoProgress::KinetoProgress(const std::vector<KinetoWork>& work) {
  const std::vector<TracedSpan> all_reduces = exchanges(work);
  Seconds free;   // when the device has done all before this one
  Seconds shift;  // time by which it would have been earlier without waiting
  for (const KinetoWork& one : work) {
    if (one.collective) continue;
    const Seconds ready = std::max(free, one.launched);
    if (ready < one.span.begin) shift += overlap(all_reduces, {ready, one.span.begin});
    shift = std::min(shift, one.span.begin - one.launched);
    points_.push_back({one.launched, one.span.end - shift});
    free = std::max(free, one.span.end);
  }
  std::ranges::stable_sort(points_, {}, &Point::launched);
  for (std::size_t i = 1; i < points_.size(); ++i)
    points_[i].done = std::max(points_[i].done, points_[i - 1].done);
}

Seconds KinetoProgress::at(Seconds moment) const {
  const auto next = std::ranges::lower_bound(points_, moment, {}, &Point::launched);
  return next == points_.begin() ? moment : std::max(moment, std::prev(next)->done);
}

// Sorts the events of a PyTorch profiler trace into what is kept of them.

namespace {

using netmodels::Seconds;

constexpr double most_us = 1e17;  // three thousand years; beyond, a time is none
constexpr std::string_view backward_mark = "autograd::engine::evaluate_function: ";

std::string lower(std::string text) {
  std::ranges::transform(text, text.begin(), [](unsigned char c) { return std::tolower(c); });
  return text;
}

/// The spellings of 2021 besides today's.
std::string category_of(const KinetoEvent& event) {
  std::string name = lower(event.category);
  if (name == "operator") return "cpu_op";
  if (name == "runtime" || name == "cuda_driver") return "cuda_runtime";
  return name == "memcpy" || name == "memset" ? "gpu_" + name : name;
}

/// `ncclKernel_AllReduce_RING_LL_Sum_float(...)`, `ncclDevKernel_AllReduce_Sum_f32_RING_LL(...)`, RCCL alike:
/// the word after `Kernel_`; nothing for any other kernel.
std::optional<std::string> collective_of_kernel(std::string_view name) {
  for (const std::string_view head : {"ncclKernel_", "ncclDevKernel_", "rcclKernel_", "rcclDevKernel_"}) {
    if (!name.starts_with(head)) continue;
    name.remove_prefix(head.size());
    const auto end = std::ranges::find_if_not(name, [](unsigned char c) { return std::isalpha(c) != 0; });
    return lower(std::string(name.begin(), end));
  }
  return std::nullopt;
}

std::int64_t product(const std::vector<std::int64_t>& shape) {
  if (shape.empty()) return 0;
  double values = 1;
  for (const std::int64_t length : shape) values *= static_cast<double>(std::max<std::int64_t>(length, 0));
  return values < 1e15 ? std::llround(values) : 0;
}

/// Inputs of an operator that are trained weights.
struct Weights {
  std::string_view operator_name;
  std::array<std::size_t, 2> inputs;
};

// Source: PyTorch aten/src/ATen/native/native_functions.yaml, order of arguments.
constexpr std::array all_weights = {
    Weights{"aten::conv1d", {1, 2}},     Weights{"aten::conv2d", {1, 2}},
    Weights{"aten::conv3d", {1, 2}},     Weights{"aten::linear", {1, 2}},
    Weights{"aten::batch_norm", {1, 2}}, Weights{"aten::layer_norm", {2, 3}},
    Weights{"aten::group_norm", {2, 3}}, Weights{"aten::embedding", {0, 0}},
};

std::int64_t parameters_of(const KinetoEvent& event) {
  const auto* row = std::ranges::find(all_weights, event.name, &Weights::operator_name);
  if (row == all_weights.end()) return 0;
  std::int64_t sum = 0;
  for (const std::size_t input : std::set<std::size_t>(row->inputs.begin(), row->inputs.end()))
    sum += input < event.shapes.size() ? product(event.shapes[input]) : 0;
  return sum;
}

std::int64_t batch_of(const KinetoEvent& event) {
  const std::size_t input = event.name == "aten::embedding" ? 1 : 0;
  if (event.shapes.size() <= input || event.shapes[input].size() < 2) return 0;
  return std::max<std::int64_t>(event.shapes[input].front(), 0);
}

bool exchanges(const std::string& collective) {
  return !collective.empty() && collective != "wait" && collective != "barrier" && collective != "init";
}

bool sized(const std::vector<KinetoCollective>& collectives) {
  return std::ranges::any_of(collectives, [](const KinetoCollective& one) { return one.elements > 0; });
}

}  // namespace

bool KinetoCollector::take(const KinetoEvent& event) {
  ++trace_.counts.events;
  if (event.phase != "X") return true;
  const std::string category = category_of(event);
  const auto is_time = [](const std::optional<double>& us) { return us && std::abs(*us) < most_us; };
  if (!is_time(event.begin_us) || !is_time(event.duration_us) || *event.duration_us < 0) {
    ++trace_.counts.without_time;
    return true;
  }
  return take_timed(event, category);
}

bool KinetoCollector::take_timed(const KinetoEvent& event, const std::string& category) {
  const TracedSpan span = span_of(event);
  const bool kernel = category == "kernel";
  if (category == "user_annotation" || category == "cpu_op") {
    take_annotation(event, span);
    if (category == "cpu_op") return take_operator(event, span);
  } else if (category == "cuda_runtime") {
    if (event.correlation) launches_.push_back({*event.correlation, span.begin});
    if (event.name.ends_with("StreamWaitEvent")) trace_.awaits.push_back(span.begin);
  } else if (kernel || category == "gpu_memcpy" || category == "gpu_memset") {
    take_work(event, span, kernel);
  } else {
    return true;
  }
  return count_kept();
}

void KinetoCollector::take_annotation(const KinetoEvent& event, const TracedSpan& span) {
  if (event.name.starts_with("ProfilerStep#")) {
    trace_.steps.push_back({event.name, event.thread, span});
    kept_text_ += event.name.size();
  } else if (event.name.starts_with("Optimizer.step")) {
    trace_.optimizers.push_back(span);
  } else if (event.name.starts_with("nccl:") && event.name.size() > 5) {
    const std::int64_t elements = event.shapes.empty() ? 0 : product(event.shapes.front());
    store(annotated_, {event.name.substr(5), span, elements, event.input_type, event.ranks});
  }
}

bool KinetoCollector::take_operator(const KinetoEvent& event, const TracedSpan& span) {
  if (event.name == "record_param_comms") {
    if (exchanges(event.collective) && event.elements.value_or(0) > 0)
      store(called_, {event.collective, span, *event.elements, event.type, event.ranks, event.results,
                      event.stride, event.first});
  } else if (event.sequence && *event.sequence >= 0) {
    const bool backward = event.forward_thread != 0 || event.name.starts_with(backward_mark);
    trace_.operators.push_back({span, event.thread, *event.sequence, index_of(event.name), backward,
                                parameters_of(event), batch_of(event)});
  } else {
    return true;
  }
  return count_kept();
}

void KinetoCollector::take_work(const KinetoEvent& event, const TracedSpan& span, bool kernel) {
  const auto collective = kernel ? collective_of_kernel(event.name) : std::nullopt;
  if (collective) {
    ++trace_.counts.collective_kernels;
    const std::string& name = event.collective.empty() ? *collective : event.collective;
    store(kernels_, {name, span, event.elements.value_or(0), event.type, event.ranks, event.results,
                     event.stride, event.first});
  }
  if (span.duration() == Seconds{}) ++trace_.counts.without_duration;
  if (event.stream) streams_.insert(*event.stream);
  KinetoWork work{span, span.begin, collective.has_value(), collective == "allreduce",
                  event.stream.value_or(0)};
  if (collective) work.kernel = static_cast<std::uint32_t>(kernels_.size() - 1);
  trace_.work.push_back(work);
  correlations_.push_back(event.correlation);
}

TracedSpan KinetoCollector::span_of(const KinetoEvent& event) {
  if (!first_us_) first_us_ = event.begin_us;
  const Seconds begin{(*event.begin_us - *first_us_) / 1e6};
  return {begin, begin + Seconds{*event.duration_us / 1e6}};
}

std::uint32_t KinetoCollector::index_of(const std::string& name) {
  const auto [found, added] = indices_.emplace(name, static_cast<std::uint32_t>(trace_.names.size()));
  if (added) {
    trace_.names.push_back(name);
    kept_text_ += 2 * name.size();  // here, and as a key
  }
  return found->second;
}

void KinetoCollector::store(std::vector<KinetoCollective>& list, KinetoCollective one) {
  kept_text_ += one.name.size() + one.type.size();
  list.push_back(std::move(one));
}

bool KinetoCollector::count_kept() { return ++kept_ <= most_kept_events && kept_text_ <= most_kept_text; }

void KinetoCollector::tie_launches() {
  trace_.counts.launches = std::ssize(launches_);
  std::ranges::stable_sort(launches_, {}, &Launch::correlation);
  for (std::size_t index = 0; index < trace_.work.size(); ++index) {
    const auto& correlation = correlations_[index];
    const auto call = correlation
                          ? std::ranges::lower_bound(launches_, *correlation, {}, &Launch::correlation)
                          : launches_.end();
    KinetoWork& work = trace_.work[index];
    const bool has_call = call != launches_.end() && call->correlation == *correlation;
    if (has_call) work.launched = std::min(call->begin, work.span.begin);
    if (!has_call) ++trace_.counts.without_launch;
    if (!work.collective) ++(has_call ? trace_.counts.computing_launched : trace_.counts.computing_alone);
  }
}

/// Kernels that do not state their sizes have those of the call that launched them.
void KinetoCollector::size_kernels() {
  std::vector<KinetoCollective> calls = called_;
  std::ranges::stable_sort(calls, {}, [](const KinetoCollective& one) { return one.span.begin; });
  for (const KinetoWork& work : trace_.work) {
    if (!work.kernel || kernels_[*work.kernel].elements > 0) continue;
    const auto next = std::ranges::upper_bound(calls, work.launched, {},
                                               [](const KinetoCollective& one) { return one.span.begin; });
    if (next == calls.begin() || std::prev(next)->span.end < work.launched) continue;
    const TracedSpan span = kernels_[*work.kernel].span;
    kernels_[*work.kernel] = *std::prev(next);
    kernels_[*work.kernel].span = span;
  }
}

KinetoTrace KinetoCollector::finish() {
  tie_launches();
  size_kernels();
  trace_.kernels = kernels_;
  std::ranges::sort(trace_.awaits);
  trace_.collectives = std::move(sized(called_) ? called_ : sized(annotated_) ? annotated_ : kernels_);
  trace_.streams = static_cast<int>(streams_.size());
  const auto by_begin = [](const auto& one) { return one.span.begin; };
  std::ranges::stable_sort(trace_.steps, {}, by_begin);
  std::ranges::stable_sort(trace_.optimizers, {}, &TracedSpan::begin);
  std::ranges::stable_sort(trace_.collectives, {}, by_begin);
  std::ranges::stable_sort(trace_.work, {}, by_begin);
  std::ranges::stable_sort(trace_.operators, [](const KinetoOperator& a, const KinetoOperator& b) {
    return std::pair{a.span.begin, b.span.end} < std::pair{b.span.begin, a.span.end};  // outer before inner
  });
  return std::move(trace_);
}

}  // namespace calibrate::imports
