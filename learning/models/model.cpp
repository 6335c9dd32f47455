// Scores of batches, added up.
#include "sim/models/model.hpp"

namespace sim::models {

Score& Score::operator+=(const Score& other) {
  loss_sum += other.loss_sum;
  correct += other.correct;
  count += other.count;
  return *this;
}

}  // namespace sim::models
