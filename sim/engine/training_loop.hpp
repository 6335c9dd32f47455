// The learning side of a run: the learner, the policy that decides how steps end, and the tests of the model.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "learning/learners/learner.hpp"
#include "netmodels/result.hpp"
#include "policies/compression_policy.hpp"
#include "policies/synchronisation_policy.hpp"
#include "sim/engine/record.hpp"
#include "sim/scenario/scenario.hpp"

namespace sim::engine {

/// The position of a run after a step.
struct Progress {
  std::int64_t steps = 0;  ///< made
  double epoch = 0;
  netmodels::Seconds at;
  std::optional<netmodels::Bytes> sent_by_all;
  bool last = false;  ///< no step follows
};

/// Takes the learner through the steps that the engine simulates. Time decides nothing here, and nothing here
/// knows of time.
class TrainingLoop {
 public:
  /// @param learner  may be null: then there is nothing to learn, and only the policy decides
  TrainingLoop(const scenario::Work& work, const scenario::Cluster& cluster,
               const scenario::Exchange& exchange, const scenario::Learner& settings,
               std::unique_ptr<learning::learners::Learner> learner);

  /// From now on each worker takes so many samples, by number.
  void set_batches(const std::vector<int>& samples) { training_.batches = samples; }
  /// One worker takes so many.
  void set_batch(std::uint32_t worker, int samples);

  /// The workers' gradients, and how the step will end. May be asked again for a step that was lost.
  /// @param workers  that take part
  /// @param epoch    that is reached with this step
  /// @param last     whether no step follows
  /// @param present  workers of which these were drawn; 0: as many as these
  Traffic begin(std::int64_t step, const std::vector<std::uint32_t>& workers, double epoch = 0,
                bool last = false, std::size_t present = 0);

  /// Whether the step that began last sends whole gradients whatever the compression.
  [[nodiscard]] bool dense() const { return update_.dense; }

  /// The gain that each would have on these gradients, sending nothing; nothing where unknown.
  [[nodiscard]] std::vector<std::optional<double>> gains(
      const std::vector<policies::CompressionChoice>& choices) const;
  /// Gradients are sent so from now on.
  void compress(const policies::CompressionChoice& choice);

  /// Saves the state of the learner.
  void set_checkpoint();
  /// Restores the kept state.
  void return_to_checkpoint();
  /// Ends a step that will be undone: its outcome, not counted and not tested.
  std::optional<LearningStep> finish_experiment();

  /// Ends the step as `begin` said, and tests the model when it is time to.
  std::optional<LearningStep> finish(const Progress& progress);

  /// The worker was away, and takes part from the next step on.
  /// @param source  whose model it has; nothing: the one that all had last
  void join(std::uint32_t worker, std::optional<std::uint32_t> source = {});

  /// The worker rested for some rounds, and takes part from the next step on, with the model that all had
  /// last and what it kept besides.
  void wake(std::uint32_t worker);

  // --- for workers that do not wait for each other

  void pull(std::uint32_t worker);
  /// Gradient of one worker on the parameters it has, given to the server; where that merges models, the
  /// worker takes a step of its own with it.
  /// @param progress  where a step ends with it: the model may be tested
  std::optional<LearningStep> push(std::uint32_t worker, const std::optional<Progress>& progress);

  /// The worker sends its change of a fragment, by number.
  void offer(std::uint32_t worker, std::int64_t fragment);
  /// The server merges these messages.
  void merge(std::int64_t fragment, std::vector<learning::learners::Offered> offers);
  /// The server sends the worker what it has of the fragment.
  void answer(std::uint32_t worker, std::int64_t fragment);
  /// The worker goes on with what was sent to it last of the fragment.
  void receive(std::uint32_t worker, std::int64_t fragment);

  /// Whether the loss of a training batch became NaN: no later step would learn anything.
  [[nodiscard]] bool diverged() const { return diverged_; }
  [[nodiscard]] std::string label() const;
  /// Nothing without a learner.
  [[nodiscard]] std::optional<LearningResult> result() const;

 private:
  /// The sites that all of these workers make up.
  [[nodiscard]] std::vector<std::uint32_t> sites(const std::vector<std::uint32_t>& workers) const;
  /// Samples of a site's batch.
  [[nodiscard]] int batch_of_site(std::uint32_t site) const;
  void see_loss();
  [[nodiscard]] learning::learners::Meeting meeting(const policies::Decision& decision) const;
  [[nodiscard]] learning::learners::Compression chosen(const policies::CompressionChoice& choice) const;
  std::optional<Evaluated> evaluate(const Progress& progress);
  void account(const LearningStep& step);

  std::unique_ptr<learning::learners::Learner> learner_;
  std::unique_ptr<policies::SynchronisationPolicy> policy_;
  bool looks_at_norms_;
  bool looks_at_models_;
  policies::Streaming streaming_;
  scenario::Training training_;
  std::size_t workers_;
  std::uint32_t
      site_;  ///< consecutive workers that are one to the policy and the learner: a site, or a replica
  learning::learners::Update update_;
  learning::learners::Compression before_dense_;  ///< what a step with whole gradients has put aside
  std::unique_ptr<learning::learners::Learner> checkpoint_;  ///< null where none was set
  double push_share_;
  std::optional<policies::MergingServer> merging_;
  std::vector<double> merged_gains_;  ///< of merges that no step has counted yet
  std::int64_t evaluate_every_;
  std::optional<scenario::Target> target_;
  bool diverged_ = false;
  std::vector<learning::learners::Share> shares_;
  learning::learners::Gradients gradients_;
  LearningResult result_;
  double gains_ = 0;
  std::int64_t steps_with_gain_ = 0;
};

}  // namespace sim::engine
