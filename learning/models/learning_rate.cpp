// The learning rate at one moment.
#include "learning/models/learning_rate.hpp"

namespace learning::models {
namespace {

bool has_come(const RateChange& change, const Moment& moment) {
  const double done =
      change.unit == RateChange::Unit::epoch ? moment.epoch : static_cast<double>(moment.step);
  return done >= change.at;
}

}  // namespace

double learning_rate(const LearningRate& schedule, const Moment& moment) {
  double rate = schedule.base;
  if (schedule.of_batch) rate *= moment.batch / *schedule.of_batch;
  if (moment.epoch < schedule.warm_up_epochs) {
    const double done = moment.epoch / schedule.warm_up_epochs;
    rate *= schedule.warm_up_from + (1 - schedule.warm_up_from) * done;
  }
  for (const RateChange& change : schedule.changes) {
    if (has_come(change, moment)) rate *= change.factor;
  }
  return rate;
}

}  // namespace learning::models
