// From a scenario to its learner.
#include "sim/engine/learners.hpp"

#include <utility>

#include "sim/scenario/sharded_sending.hpp"

namespace sim::engine {

learning::learners::Compression stated_compression(const scenario::Compression& compression,
                                                   const scenario::Learner& learner) {
  return {compression.stated().method, compression.ratio,
          learner.error_feedback,      compression.selection == scenario::Selection::variance,
          learner.residual_decay,      compression.topk_per_tile == scenario::TileTopK::proportional};
}

namespace {

/// Checks every compression whose gain the run may ask for. Where a policy chooses the ratio, any below 1
/// stands for those that it chooses.
/// @param requested  as stated
netmodels::Result<void> check_compressions(const learning::learners::Learner& learner,
                                           learning::learners::Compression requested,
                                           const policies::CompressionTraits& traits) {
  if (traits.needs_gains && traits.chooses_ratio) requested.ratio = 0.5;
  if (!traits.chooses_method()) return learner.check(requested);
  for (const std::string_view method : traits.methods) {
    requested.method = method;
    if (auto fits = learner.check(requested); !fits) return fits;
  }
  return {};
}

}  // namespace

netmodels::Result<std::unique_ptr<learning::learners::Learner>> LearnerShelf::make(
    const scenario::Scenario& scenario) {
  const int site = workers_of_site(scenario.work.parallelism, scenario.cluster);
  const learning::learners::Compression stated =
      stated_compression(scenario.exchange.compression, scenario.learner);
  const learning::learners::LearnerJob job{
      stated,
      static_cast<std::uint32_t>(scenario.cluster.workers / (site * scenario.work.training.sharers)),
      scenario.work.training.batch * site,
      scenario.simulation.seed,
      scenario.work.training.accumulation,
      threads_,
      sending_of(scenario.work.parallelism),
      static_cast<std::uint32_t>(scenario.cluster.workers_per_node)};
  auto learner = make_learner(scenario.learner.kind, job, datasets_);
  if (!learner) {
    learner.error().where = "learner." + learner.error().where;  // its place in the scenario is found by it
    return learner;
  }
  if (*learner == nullptr) return learner;
  auto fits = check_compressions(**learner, stated, scenario.exchange.compression.policy->traits);
  if (fits) return learner;
  netmodels::Error error = std::move(fits.error());
  if (!error.where.empty()) error.what = error.where + ": " + error.what;
  error.where = "compression.method";
  return tl::unexpected(std::move(error));
}

}  // namespace sim::engine
