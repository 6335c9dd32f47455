// Fits both models, or scales stored ones.
#include "policies/scavenger.hpp"

#include <string_view>

#include "settings/type.hpp"

namespace policies {

JobModel JobModel::fit(const PlanningObservation& seen, bool as_printed, KnownEpochs epochs) {
  return {epochs == KnownEpochs::all ? EfficiencyModel::fit(seen, as_printed)
                                     : EfficiencyModel::fit_noise_alone(seen, as_printed),
          ThroughputModel::fit(seen, as_printed)};
}

Scavenger::Scavenger(const Settings& settings, const PlanningQuestion& question) : settings_(settings) {
  for (const PlanningObservation& job : question.stored)
    stored_.push_back(JobModel::fit(job, settings.as_printed));
}

std::string Scavenger::Settings::variant() const {
  const std::string_view search = stored.empty() ? settings::name_of(design) : "no search";
  return std::string(search) + (as_printed ? ", as published" : "") +
         (epochs == KnownEpochs::start ? ", epochs from noise" : "");
}

std::optional<std::size_t> Scavenger::explore(const PlanningObservation& seen) {
  if (order_.empty()) order_ = designed(stored_.empty() ? settings_.design : ProfileDesign::start, seen.grid);
  return next_unprofiled(order_, seen.profiled);
}

std::vector<Prediction> Scavenger::predict(const PlanningObservation& seen) const {
  if (!stored_.empty()) return predict_from_stored(seen);
  const JobModel model = JobModel::fit(seen, settings_.as_printed, settings_.epochs);
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
  const auto jobs = static_cast<double>(stored_.size());
  std::vector<Prediction> predictions;
  for (const Configuration& at : seen.grid) {
    double epochs = 0;
    double step = 0;
    for (const JobModel& job : stored_) {
      epochs += job.statistical.epochs(at.batch) / job.statistical.epochs(from.batch) / jobs;
      step += job.parallel.step(at) / job.parallel.step(from) / jobs;
    }
    predictions.push_back(predict_training(seen, at, start.epochs * epochs, start.step * step));
  }
  return predictions;
}

void describe(settings::Fields& fields, Scavenger::Settings& settings) {
  fields.field(
      {.name = "design",
       .doc =
           "Which configurations are profiled: all (full search), the extreme batches of every size (ends), "
           "of the smallest and largest size (corners), or three of those.",
       .fallback = "ends"},
      settings.design);
  fields.field({.name = "stored",
                .doc = "No search; the models of these jobs of the same table, scaled by the start.",
                .example = "[resnet50]"},
               settings.stored);
  fields.field({.name = "as_printed",
                .doc = "Noise in proportion to 1 / sqrt(B) and sync growing only with K.",
                .fallback = "false"},
               settings.as_printed);
  fields.field(
      {.name = "epochs",
       .doc = "Which profiles come with their epochs to the target: all, as if each had been trained to its "
              "end, or the start alone, all others in proportion to the gradient noise: what profiles of a "
              "few steps can know.",
       .fallback = "all"},
      settings.epochs);
}

}  // namespace policies
