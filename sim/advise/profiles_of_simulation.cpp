// Profiles and true times from simulating the scenario.
#include <map>
#include <optional>
#include <utility>

#include <fmt/format.h>

#include "sim/advise/profiles.hpp"
#include "sim/engine/simulate.hpp"

namespace sim::advise {
namespace {

using policies::Configuration;

/// Listens to a training: times of its first steps, and the end when the target is reached.
class Watch {
 public:
  /// @param first  steps before those of the profile
  Watch(const std::optional<scenario::Target>& target, std::int64_t first, std::int64_t iterations,
        const std::atomic<bool>* stop)
      : target_(target), first_(first), last_(first + iterations), stop_(stop) {}

  [[nodiscard]] engine::Listeners listeners() {
    engine::Listeners listeners;
    listeners.stop = stop_;
    listeners.enough = &end_;
    listeners.step = [this](const engine::StepRecord& step) { see(step); };
    return listeners;
  }

  [[nodiscard]] bool reached() const { return reached_; }

  /// @param batch  of all workers
  [[nodiscard]] policies::Profile profile(std::size_t index, const Configuration& at) const {
    const auto steps = static_cast<double>(steps_);
    policies::Profile profile{
        .index = index, .step = time_ / steps, .sync = sync_ / steps, .noise = {}, .epochs = 1};
    if (noise_scale_) profile.noise = (at.share() + *noise_scale_) / (at.batch + *noise_scale_);
    return profile;
  }

 private:
  void see(const engine::StepRecord& step) {
    if (step.step == first_) {  // the steps before are warm-up
      steps_ = 0;
      time_ = sync_ = {};
    }
    if (step.step < last_) {
      ++steps_;
      time_ += step.duration;
      sync_ += step.parts.wait + step.parts.compress + step.parts.exchange;
    }
    if (step.learning && step.step < last_) noise_scale_ = step.learning->noise_scale;
    const bool tested = step.learning && step.learning->evaluated && target_;
    if (tested && target_->reached_by(step.learning->evaluated->accuracy, step.learning->evaluated->loss))
      reached_ = true;
    if (reached_) end_ = true;
  }

  std::optional<scenario::Target> target_;
  std::int64_t first_;
  std::int64_t last_;
  const std::atomic<bool>* stop_;
  std::atomic<bool> end_ = false;
  bool reached_ = false;
  std::int64_t steps_ = 0;
  netmodels::Seconds time_;
  netmodels::Seconds sync_;
  std::optional<double> noise_scale_;
};

class SimulatedProfiles final : public Profiles {
 public:
  SimulatedProfiles(const scenario::PlanArm& arm, const scenario::Scenario& job, engine::LearnerShelf& shelf,
                    const std::atomic<bool>* stop)
      : arm_(arm), job_(job), shelf_(shelf), stop_(stop) {}

  netmodels::Result<Known> at(std::size_t index) override {
    if (const auto found = known_.find(index); found != known_.end()) return found->second;
    auto known = play(index);
    if (known) known_.emplace(index, *known);
    return known;
  }

  [[nodiscard]] double samples() const override { return static_cast<double>(job_.work.training.samples); }

  [[nodiscard]] std::string origin() const override {
    const bool learns = job_.learner.kind->traits.learns;
    return fmt::format("simulated: {} at each configuration{}", job_.work.workload.name,
                       learns ? " to its target; learner: " + learner_
                              : "; without a learner every batch needs the same epochs");
  }

 private:
  netmodels::Result<Known> play(std::size_t index) {
    const Configuration& at = arm_.grid[index];
    scenario::Scenario job = job_;
    job.name = fmt::format("{} workers, batch {}", at.workers, at.batch);
    job.cluster.workers = at.workers;
    settle_waiting(job);
    job.work.training.batch = at.batch / at.workers;
    job.simulation.output.steps_every = 1;
    job.simulation.output.timeline_steps = 0;
    const scenario::PlanSearch& search = arm_.planning.search;
    Watch watch(job.learner.target, index == 0 ? search.warm_up : 0, search.iterations, stop_);
    engine::ClusterCache clusters(stop_);  // each configuration has its own cluster
    auto played = engine::simulate(job, watch.listeners(), shelf_, clusters);
    if (stop_ != nullptr && stop_->load()) return netmodels::refuse("", "interrupted");
    if (!played) return tl::unexpected(in(std::move(played.error()), job.name));
    learner_ = played->learner;
    return judge(job, watch, *played, index);
  }

  netmodels::Result<Known> judge(const scenario::Scenario& job, const Watch& watch,
                                 const engine::ArmResult& played, std::size_t index) const {
    const bool learns = job.learner.kind->traits.learns;
    if (learns && !watch.reached()) {
      return netmodels::refuse(
          "learner.target",
          fmt::format("{}: {:.4g} is not reached in {:.6g} epochs", job.name,
                      job.learner.target->accuracy.value_or(job.learner.target->loss.value_or(0)),
                      job.work.training.epochs),
          "more `training.epochs`, or leave that size or batch out");
    }
    const Configuration& at = arm_.grid[index];
    Known known{.profile = watch.profile(index, at), .truth = {}};
    const auto steps = static_cast<double>(played.whole.steps);
    known.profile.epochs = steps * at.batch / static_cast<double>(job.work.training.samples);
    known.truth.epochs = known.profile.epochs;
    known.truth.step = played.time / steps;
    known.truth.time = arm_.rental.expected_time(played.time, at.workers);
    known.truth.cost = arm_.rental.cost(*known.truth.time, at.workers);
    return known;
  }

  static netmodels::Error in(netmodels::Error error, const std::string& who) {
    error.what = who + ": " + error.what;
    return error;
  }

  const scenario::PlanArm& arm_;
  const scenario::Scenario& job_;
  engine::LearnerShelf& shelf_;
  const std::atomic<bool>* stop_;
  std::map<std::size_t, Known> known_;
  std::string learner_;
};

}  // namespace

std::unique_ptr<Profiles> profiles_of_simulation(const scenario::PlanArm& arm, const scenario::Scenario& job,
                                                 engine::LearnerShelf& shelf, const std::atomic<bool>* stop) {
  return std::make_unique<SimulatedProfiles>(arm, job, shelf, stop);
}

}  // namespace sim::advise
