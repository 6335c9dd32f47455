// Sorts the events of a PyTorch profiler trace into what is kept of them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <unordered_map>
#include <vector>

#include "calibrate/imports/kineto_trace.hpp"

namespace calibrate::imports {

/// One event as it stands in the file, as far as its members matter here.
struct KinetoEvent {
  std::string phase;
  std::string category;
  std::string name;
  std::optional<double> begin_us;
  std::optional<double> duration_us;
  std::int64_t thread = 0;
  std::optional<std::int64_t> correlation;
  std::optional<std::int64_t> sequence;
  std::int64_t forward_thread = 0;
  std::optional<std::int64_t> stream;
  std::string collective;
  std::optional<std::int64_t> elements;
  std::string type;  ///< of elements
  int ranks = 0;
  std::vector<std::vector<std::int64_t>> shapes;  ///< of the inputs
  std::string input_type;                         ///< of the first input
};

/// Events of which anything is kept, 80 bytes each at most: some hundred MB, and far above what a few steps
/// of a training leave.
inline constexpr std::size_t most_kept_events = std::size_t{1} << 22U;

/// Takes events in any order.
class KinetoCollector {
 public:
  /// @returns false where the event is one too many to be kept
  bool take(const KinetoEvent& event);

  /// Ties device events to the calls that launched them, and brings all into order. Of the three places in
  /// which a collective may stand, the first that says its size is taken: the host's `record_param_comms`,
  /// the annotation `nccl:...`, the kernel.
  KinetoTrace finish();

 private:
  struct Launch {
    std::int64_t correlation = 0;
    netmodels::Seconds begin;
  };

  bool take_timed(const KinetoEvent& event, const std::string& category);
  void take_annotation(const KinetoEvent& event, const TracedSpan& span);
  bool take_operator(const KinetoEvent& event, const TracedSpan& span);
  void take_work(const KinetoEvent& event, const TracedSpan& span, bool kernel);
  TracedSpan span_of(const KinetoEvent& event);
  std::uint32_t index_of(const std::string& name);
  void tie_launches();

  std::optional<double> first_us_;
  std::size_t kept_ = 0;
  KinetoTrace trace_;
  std::unordered_map<std::string, std::uint32_t> indices_;
  std::vector<Launch> launches_;
  std::vector<std::optional<std::int64_t>> correlations_;  ///< of each device event
  std::set<std::int64_t> streams_;
  std::vector<KinetoCollective> called_;
  std::vector<KinetoCollective> annotated_;
  std::vector<KinetoCollective> kernels_;
};

}  // namespace calibrate::imports
