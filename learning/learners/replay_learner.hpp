// A learner that shows the recorded statistics of a real training again, and trains nothing.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "learning/learners/learner.hpp"
#include "learning/learners/record_file.hpp"
#include "netmodels/result.hpp"
#include "settings/fields.hpp"

namespace learning::learners {

/// Step i of the run sees step i of the record, linear between the steps in which a column was measured;
/// before the first and beyond the last such step it sees that one's gradients. Worker w sees the recorded
/// worker w modulo their number. Gains lie linear in the logarithm of the ratio between the recorded ratios
/// and 1 (where the gain is 1); below the smallest recorded ratio they are its gain.
///
/// The largest relative change of a gradient is shown where it was recorded of as many workers; before the
/// first and beyond the last such step there is none, and a policy takes it from the norms.
///
/// Accuracy is known only between the steps in which it was measured, and only while the run does as
/// recorded: gradients exchanged in each step, compressed as in the record, over as many samples, weighted
/// by batch (or alike where all batches are); where they are compressed, split into the recorded batches of
/// as many workers. From the first step on that does not, it stays unknown, and the
/// label says since when and why.
///
/// Leaves out: that another batch per worker, another compression or local steps would change the
///         gradients themselves; losses that were not recorded.
class ReplayLearner final : public Learner {
 public:
  struct Settings {
    std::string file;  ///< a path

    bool operator==(const Settings&) const = default;
  };

  /// @param name  of the record, as labels and errors show it
  ReplayLearner(std::shared_ptr<const Record> record, std::string name);

  /// Whether gains of this compression are in the record, or it was recorded at a ratio of 1, which
  /// has none; to be asked before the first step.
  /// @returns an Error that names the record and its contents
  [[nodiscard]] netmodels::Result<void> check(const Compression& compression) const override;

  [[nodiscard]] std::string label() const override;
  [[nodiscard]] std::string note_on_norms() const override;
  Gradients compute(std::span<const Share> shares) override;
  /// @returns nothing for a compression without recorded gains
  [[nodiscard]] std::optional<double> gain(const Compression& compression) const override;
  Updated update(const Update& update) override;
  std::optional<Evaluation> evaluate() override;
  [[nodiscard]] bool knows_accuracy() const override;
  [[nodiscard]] std::unique_ptr<Learner> copy() const override;

 private:
  [[nodiscard]] double squared_norm(std::uint32_t worker) const;
  [[nodiscard]] bool has_gains(const Compression& compression) const;
  /// How this step differs from the recorded ones.
  [[nodiscard]] std::optional<std::string> departure(const Update& update) const;

  std::shared_ptr<const Record> record_;
  std::string name_;
  Curve gains_fed_;  // gains by ratio, at the step at hand
  Curve gains_raw_;
  double last_step_ = 0;  // step of the record
  double step_ = 0;       // computed last; the record's numbering
  double ended_ = 0;      // updated last
  std::vector<Share> shares_;
  std::optional<std::string> departed_;  // first difference from the record
};

void describe(settings::Fields& fields, ReplayLearner::Settings& settings);

}  // namespace learning::learners
