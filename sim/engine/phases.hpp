// Steps gathered into the phases between declared changes, and into totals.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "sim/engine/record.hpp"
#include "sim/scenario/scenario.hpp"

namespace sim::engine {

/// Sums over the steps of one phase, finished into means when asked.
class PhaseSums {
 public:
  explicit PhaseSums(std::string label) : label_(std::move(label)) {}

  void add(const StepRecord& step, double samples);
  /// @param alone_samples_per_second  throughput of one undisturbed worker that exchanges nothing
  [[nodiscard]] PhaseResult result(double alone_samples_per_second) const;

 private:
  template <class T>
  struct Use {
    T what;
    std::int64_t steps;
  };
  template <class T>
  static void count(std::vector<Use<T>>& uses, const T& what);

  std::string label_;
  std::int64_t steps_ = 0;
  netmodels::Seconds time_;
  Parts parts_;
  netmodels::Seconds exchange_busy_;
  netmodels::Seconds margin_;
  std::optional<netmodels::Bytes> sent_ = netmodels::Bytes{};  ///< per worker
  std::optional<netmodels::Bytes> sent_by_all_ = netmodels::Bytes{};
  std::optional<netmodels::Bytes> between_nodes_ = netmodels::Bytes{};  ///< per worker
  double samples_ = 0;
  netmodels::Seconds worker_time_;  ///< of all workers
  std::vector<Use<std::string_view>> collectives_;
  std::vector<Use<std::string_view>> methods_;
  std::vector<Use<double>> ratios_;
  double sum_of_ratios_ = 0;  ///< over the steps that sent gradients
  std::int64_t steps_with_gradients_ = 0;
};

/// When phases begin, besides the first: at changes of the network, and where a dense warm-up of compression
/// ends. In no order; a moment may be there twice.
std::vector<scenario::Moment> phase_moments(const std::vector<scenario::LinkChange>& changes,
                                            const policies::RatioSchedule& warm_up);

/// Opens a new phase at each of these moments. After two dozen, one last phase holds the rest.
class Phases {
 public:
  explicit Phases(std::vector<scenario::Moment> moments)
      : moments_(std::move(moments)), passed_(moments_.size(), false), to_come_(moments_.size()) {}

  /// Opens the first phase, and another one when a moment has come since the last call.
  /// @param network  describes the network now: "1 Gbit/s, 1 ms"; called only for a new phase
  void arrive(netmodels::Seconds now, std::int64_t step, double epoch,
              const std::function<std::string()>& network);
  void add(const StepRecord& step, double samples);

  [[nodiscard]] std::size_t current() const { return sums_.size() - 1; }
  [[nodiscard]] std::vector<PhaseResult> results(double alone_samples_per_second) const;
  [[nodiscard]] PhaseResult whole(double alone_samples_per_second) const {
    return whole_.result(alone_samples_per_second);
  }
  [[nodiscard]] const std::string& label() const { return labels_.back(); }

 private:
  std::vector<scenario::Moment> moments_;
  std::vector<bool> passed_;
  std::size_t to_come_;
  std::vector<std::string> labels_;
  std::vector<PhaseSums> sums_;
  PhaseSums whole_{"whole run"};
};

}  // namespace sim::engine
