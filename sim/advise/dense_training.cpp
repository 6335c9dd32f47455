// Takes policies away from a training.
#include "sim/advise/dense_training.hpp"

namespace sim::advise {

bool is_dense(const scenario::Scenario& training) {
  return training.synchronisation->traits.every_step && training.compression.method == "none" &&
         !decided_by_step(training.compression);
}

scenario::Scenario dense_of(const scenario::Scenario& training) {
  scenario::Scenario dense = training;
  dense.synchronisation = {};
  dense.compression = {};
  dense.exchange.collective = "auto";
  return dense;
}

}  // namespace sim::advise
