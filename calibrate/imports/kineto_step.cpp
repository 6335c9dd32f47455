// One step of a PyTorch profiler trace, taken apart into layers and gradient buckets.
#include <algorithm>
#include <map>
#include <span>
#include <string_view>

#include "calibrate/imports/kineto.hpp"

namespace calibrate::imports {
namespace {

using netmodels::refuse;
using netmodels::Result;
using netmodels::Seconds;
using Operators = std::vector<const KinetoOperator*>;

/// Operators of a kind that are not nested in others.
template <class Wanted>
Operators outermost(std::span<const KinetoOperator> operators, Wanted wanted) {
  Operators found;
  std::map<std::int64_t, Seconds> ends;  // end by thread
  for (const KinetoOperator& one : operators) {
    if (!wanted(one)) continue;
    const auto [end, first] = ends.emplace(one.thread, one.span.end);
    if (!first && one.span.begin < end->second) continue;
    end->second = one.span.end;
    found.push_back(&one);
  }
  return found;
}

template <class Event>
std::span<const Event> within(const std::vector<Event>& events, const TracedSpan& span) {
  const auto begin_of = [](const Event& event) { return event.span.begin; };
  const auto first = std::ranges::lower_bound(events, span.begin, {}, begin_of);
  const auto last = std::ranges::lower_bound(events, span.end, {}, begin_of);
  return first < last ? std::span<const Event>(first, last) : std::span<const Event>();
}

bool is_all_reduce(const KinetoCollective& collective) {
  return collective.name == "allreduce" || collective.name == "all_reduce";
}

bool is_broadcast(const KinetoCollective& collective) {
  return collective.name.find("broadcast") != std::string::npos;
}

/// `conv2d` of `aten::conv2d`; characters that could break a table become `_`.
std::string kind_of(std::string_view name) {
  if (name.starts_with("aten::")) name.remove_prefix(6);
  std::string kind(name.substr(0, 60));
  std::ranges::replace_if(
      kind,
      [](char c) {
        const bool plain = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');
        return !plain && c != '_' && c != ':' && c != '.';
      },
      '_');
  return kind.empty() ? "operator" : kind;
}

/// The passes of one step on the host.
struct Passes {
  Operators forward;
  Operators backward;
  std::vector<std::size_t> layer_of;  ///< index of the forward operator, for each backward one
  Seconds backward_end;               ///< the last backward operator's, or of the call of the last bucket
  TracedSpan optimizer;
};

/// The last forward operator whose first sequence number is not above that of the backward one.
std::size_t forward_of(const Operators& forward, const KinetoOperator& backward) {
  const auto next = std::ranges::upper_bound(forward, backward.sequence, {}, &KinetoOperator::sequence);
  return next == forward.begin() ? 0 : static_cast<std::size_t>(next - forward.begin()) - 1;
}

TracedSpan find_optimizer(const KinetoTrace& trace, const TracedSpan& step, Seconds backward_end) {
  TracedSpan found{backward_end, backward_end};
  bool any = false;
  for (const TracedSpan& span : trace.optimizers) {
    if (span.begin < found.begin || span.begin >= step.end) continue;
    found = {any ? found.begin : span.begin, std::min(std::max(span.end, found.end), step.end)};
    any = true;
  }
  return found;
}

Result<Passes> find_passes(const KinetoTrace& trace, const KinetoStep& step) {
  const auto operators = within(trace.operators, step.span);
  Passes passes;
  passes.backward = outermost(operators, [](const KinetoOperator& one) { return one.backward; });
  if (passes.backward.empty()) return refuse(step.name, "it has no backward pass");
  const Seconds turn = passes.backward.front()->span.begin;
  passes.forward = outermost(operators, [&](const KinetoOperator& one) {
    return !one.backward && one.thread == step.thread && one.span.begin < turn;
  });
  if (passes.forward.empty()) return refuse(step.name, "it has no forward pass");
  std::int64_t highest = 0;
  std::erase_if(passes.forward, [&highest](const KinetoOperator* one) {  // autograd only counts upwards
    const bool falls = one->sequence < highest;
    highest = std::max(highest, one->sequence);
    return falls;
  });
  for (const KinetoOperator* one : passes.backward)
    passes.layer_of.push_back(forward_of(passes.forward, *one));
  const TracedSpan& last = passes.backward.back()->span;
  passes.optimizer = find_optimizer(trace, step.span, std::min(last.end, step.span.end));
  passes.backward_end = std::min(last.end, passes.optimizer.begin);
  for (const KinetoCollective& one : within(trace.collectives, {last.begin, passes.optimizer.begin})) {
    if (is_all_reduce(one))
      passes.backward_end = std::max(passes.backward_end, std::min(one.span.end, passes.optimizer.begin));
  }
  return passes;
}

/// One layer for each forward operator, its times filled in.
std::vector<KinetoLayer> time_layers(const KinetoTrace& trace, const Passes& passes,
                                     const KinetoProgress& progress) {
  std::vector<KinetoLayer> layers;
  const Seconds turn = passes.backward.front()->span.begin;
  for (std::size_t i = 0; i < passes.forward.size(); ++i) {
    const KinetoOperator& one = *passes.forward[i];
    const Seconds next = i + 1 < passes.forward.size() ? passes.forward[i + 1]->span.begin : turn;
    layers.push_back({kind_of(trace.names[one.name]), one.parameters, one.batch,
                      progress.at(next) - progress.at(one.span.begin), Seconds{}});
  }
  for (std::size_t i = 0; i < passes.backward.size(); ++i) {
    const Seconds next =
        i + 1 < passes.backward.size() ? passes.backward[i + 1]->span.begin : passes.backward_end;
    layers[passes.layer_of[i]].backward += progress.at(next) - progress.at(passes.backward[i]->span.begin);
  }
  return layers;
}

/// Joins operators without a backward pass to the next layer; the rest after the last goes to it.
void join_layers(KinetoStepTimes& times, const Passes& passes) {
  std::vector<bool> own(times.layers.size(), false);
  for (const std::size_t layer : passes.layer_of) own[layer] = true;
  std::vector<KinetoLayer> joined;
  std::vector<std::size_t> place(times.layers.size());
  KinetoLayer waiting;
  const auto add = [](KinetoLayer& to, const KinetoLayer& from) {
    to.forward += from.forward;
    to.parameters += from.parameters;
    if (to.batch == 0) to.batch = from.batch;
  };
  for (std::size_t i = 0; i < times.layers.size(); ++i) {
    place[i] = joined.size();
    if (!own[i]) {
      add(waiting, times.layers[i]);
      continue;
    }
    joined.push_back(times.layers[i]);
    add(joined.back(), waiting);
    waiting = {};
  }
  add(joined.back(), waiting);
  for (KinetoBucket& bucket : times.buckets) bucket.layer = place[bucket.layer];
  times.layers = std::move(joined);
}

/// Parts the collectives of the step into buckets and others.
void find_buckets(const KinetoTrace& trace, const KinetoStep& step, const Passes& passes,
                  KinetoStepTimes& times) {
  for (const KinetoCollective& one : within(trace.collectives, step.span)) {
    if (!is_all_reduce(one) || one.elements <= 0 || !times.backward.holds(one.span.begin)) {
      const bool buffer = is_broadcast(one) && one.span.begin < times.backward.begin;
      (buffer ? times.buffers : times.others).push_back(one);
      continue;
    }
    const auto begin_of = [](const KinetoOperator* op) { return op->span.begin; };
    const auto next = std::ranges::upper_bound(passes.backward, one.span.begin, {}, begin_of);
    const auto running = static_cast<std::size_t>(next - passes.backward.begin()) - 1;
    times.buckets.push_back({passes.layer_of[running], one.elements, one.type});
  }
}

}  // namespace

Result<KinetoStepTimes> read_kineto_step(const KinetoTrace& trace, const KinetoStep& step,
                                         const KinetoProgress& progress) {
  GRADSIM_TRY(passes, find_passes(trace, step));
  KinetoStepTimes times;
  const Seconds first = passes->forward.front()->span.begin;
  times.before = progress.at(first) - progress.at(step.span.begin);
  times.layers = time_layers(trace, *passes, progress);
  times.behind = progress.at(passes->optimizer.begin) - progress.at(passes->backward_end);
  times.optimizer = progress.at(passes->optimizer.end) - progress.at(passes->optimizer.begin);
  times.after = progress.at(step.span.end) - progress.at(passes->optimizer.end);
  times.backward = {passes->backward.front()->span.begin, passes->optimizer.begin};
  find_buckets(trace, step, *passes, times);
  join_layers(times, *passes);
  return times;
}

}  // namespace calibrate::imports
