// The model of a server that merges the models of workers at their own pace.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "learning/learners/gradient_exchange.hpp"
#include "learning/learners/learner.hpp"
#include "learning/learners/replicas.hpp"

namespace learning::learners {

/// Merges fragments of equally many values, each in its turn, by outer steps (`Merge`). A worker's message is
/// its change since the fragment's last merge, compressed with error feedback where the method is meant for
/// it. A value: a copy continues independently.
///
/// Leaves out: to undo what a message that came too late did to its worker's residual.
class MergedModel {
 public:
  /// @param parameters  with which all workers begin
  /// @param tensors     values of each tensor, in the order of the parameters
  /// @param changes     what compresses changes; nothing is kept in it yet
  MergedModel(std::span<const float> parameters, std::vector<std::size_t> tensors,
              const GradientExchange& changes);

  /// The worker sends its change of the fragment, as its parameters are now.
  /// @param number  of the message, from 0: random methods draw by it
  void offer(const Fragment& fragment, std::uint32_t worker, const Compression& compression,
             std::int64_t number, const Replicas& replicas);

  /// The messages named become an outer step; the fragment's other messages are dropped.
  /// @returns the gain of the changes that were compressed; nothing where none were
  std::optional<double> merge(const Merge& merge);

  /// The worker will receive the fragment as it is now.
  void answer(const Fragment& fragment, std::uint32_t worker);

  /// The worker goes on with the fragment that was sent to it last, but for a share of its own values.
  void receive(const Fragment& fragment, std::uint32_t worker, double mixing, Replicas& replicas);

  /// Forgets what is kept of this worker's changes.
  void forget(std::uint32_t worker);

  [[nodiscard]] std::span<const float> parameters() const { return centre_; }

 private:
  struct Message {
    std::vector<float> change;  ///< restored
    std::optional<double> gain;
  };
  using Range = std::pair<std::size_t, std::size_t>;  ///< [first, end) of the values
  [[nodiscard]] Range range(const Fragment& fragment) const;
  /// The fragment's own compression, made when first asked.
  GradientExchange& exchange(const Fragment& fragment);

  std::vector<float> centre_;
  std::vector<float> velocity_;
  std::vector<float> squares_;
  std::vector<std::size_t> tensors_;
  GradientExchange changes_;
  std::map<std::int64_t, GradientExchange> fragments_;
  std::map<std::pair<std::int64_t, std::uint32_t>, Message> messages_;  ///< messages by fragment and worker
  std::map<std::pair<std::int64_t, std::uint32_t>, std::vector<float>> answers_;  ///< likewise
};

}  // namespace learning::learners
