// Fits both models, or scales stored ones.
#include "policies/scavenger.hpp"

namespace policies {

JobModel JobModel::fit(const PlanningObservation& seen, bool as_printed) {
  return {StatisticalLaw::fit(seen, as_printed), ParallelLaw::fit(seen, as_printed)};
}

std::optional<std::size_t> Scavenger::explore(const PlanningObservation& seen) {
  if (order_.empty())
    order_ = designed(settings_.stored.empty() ? settings_.design : ProfileDesign::start, seen.grid);
  return next_unprofiled(order_, seen.profiled);
}

std::vector<Prediction> Scavenger::predict(const PlanningObservation& seen) const {
  if (!settings_.stored.empty()) return predict_from_stored(seen);
  const JobModel model = JobModel::fit(seen, settings_.as_printed);
  std::vector<Prediction> predictions;
  predictions.reserve(seen.grid.size());
  for (const Configuration& at : seen.grid)
    predictions.push_back(
        predict_training(seen, at, model.statistical.epochs(at.batch), model.parallel.step(at)));
  return predictions;
}

std::vector<Prediction> Scavenger::predict_from_stored(const PlanningObservation& seen) const {
  const Profile& start = seen.profiled.front();
  const Configuration& from = seen.of(start);
  const auto jobs = static_cast<double>(settings_.stored.size());
  std::vector<Prediction> predictions;
  for (const Configuration& at : seen.grid) {
    double epochs = 0;
    double step = 0;
    for (const JobModel& job : settings_.stored) {
      epochs += job.statistical.epochs(at.batch) / job.statistical.epochs(from.batch) / jobs;
      step += job.parallel.step(at) / job.parallel.step(from) / jobs;
    }
    predictions.push_back(predict_training(seen, at, start.epochs * epochs, start.step * step));
  }
  return predictions;
}

}  // namespace policies
