// What is kept of a PyTorch profiler trace: a few dozen bytes for each event that a step's times follow from.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "netmodels/quantity.hpp"

namespace calibrate::imports {

/// From when to when, counted from the first event of the trace.
struct TracedSpan {
  netmodels::Seconds begin;
  netmodels::Seconds end;

  [[nodiscard]] netmodels::Seconds duration() const { return end - begin; }
  [[nodiscard]] bool holds(netmodels::Seconds moment) const { return begin <= moment && moment < end; }
};

/// One call of `profiler.step()` to the next: the annotation `ProfilerStep#N`.
struct KinetoStep {
  std::string name;
  std::int64_t thread = 0;
  TracedSpan span;
};

/// An operator that autograd knows: it bears a sequence number.
struct KinetoOperator {
  TracedSpan span;
  std::int64_t thread = 0;
  std::int64_t sequence = 0;
  std::uint32_t name = 0;       ///< index into `KinetoTrace::names`
  bool backward = false;        ///< runs for an operator of the forward pass
  std::int64_t parameters = 0;  ///< of its weights, where the trace shows their shapes
  std::int64_t batch = 0;       ///< first dimension of its first input; 0 where the trace does not show it
};

/// A collective as the host called it.
struct KinetoCollective {
  std::string name;  ///< as the trace spells it: `allreduce`, `broadcast`, `all_to_all`, ...
  TracedSpan span;   ///< of the call, not of the exchange
  std::int64_t elements = 0;
  std::string type;  ///< of an element, as the trace spells it: `Float`, `float`, ...
  int ranks = 0;     ///< of its group; 0 where the trace does not say
};

/// A kernel, copy or fill on the device.
struct KinetoWork {
  TracedSpan span;
  netmodels::Seconds launched;  ///< when the host called for it; its own begin where no call is known
  bool collective = false;      ///< a kernel of NCCL or RCCL
  bool all_reduce = false;
};

/// What was found and cannot be used.
struct KinetoCounts {
  std::int64_t events = 0;
  std::int64_t without_time = 0;      ///< complete events whose `ts` or `dur` is missing or no number
  std::int64_t without_launch = 0;    ///< device events whose correlation leads to no call of the host
  std::int64_t without_duration = 0;  ///< device events of duration 0
  std::int64_t collective_kernels = 0;
};

/// A whole trace, its events in order of their begin.
struct KinetoTrace {
  std::vector<std::string> names;
  std::vector<KinetoStep> steps;
  std::vector<TracedSpan> optimizers;  ///< the annotations `Optimizer.step#...`
  std::vector<KinetoOperator> operators;
  std::vector<KinetoCollective> collectives;
  std::vector<KinetoWork> work;
  int streams = 0;  ///< of the device on which anything ran
  KinetoCounts counts;
  std::optional<std::string> device;
  std::optional<int> world_size;
  std::optional<std::string> nccl_version;
  std::vector<std::string> versions;  ///< `cuda_runtime_version 12040`, ... as far as the trace states them
};

}  // namespace calibrate::imports
