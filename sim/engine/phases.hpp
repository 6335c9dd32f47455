// Steps gathered into the phases between declared changes, and into totals.
#pragma once

#include <functional>
#include <optional>
#include <string>
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
  double samples_ = 0;
  netmodels::Seconds worker_time_;  ///< of all workers
  std::vector<Use<std::string_view>> collectives_;
  std::vector<Use<std::string_view>> methods_;
  std::vector<Use<double>> ratios_;
  double sum_of_ratios_ = 0;  ///< over the steps that sent gradients
  std::int64_t steps_with_gradients_ = 0;
};

/// Opens a new phase whenever a declared change is applied. After two dozen, one last phase holds the
/// rest.
class Phases {
 public:
  explicit Phases(const std::vector<scenario::LinkChange>& changes)
      : changes_(changes), passed_(changes.size(), false), to_come_(changes.size()) {}

  /// Opens the first phase, and another one when changes were applied since the last call.
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
  std::vector<scenario::LinkChange> changes_;
  std::vector<bool> passed_;
  std::size_t to_come_;
  std::vector<std::string> labels_;
  std::vector<PhaseSums> sums_;
  PhaseSums whole_{"whole run"};
};

}  // namespace sim::engine
