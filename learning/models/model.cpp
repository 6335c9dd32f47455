// Scores of batches, added up.
#include "learning/models/model.hpp"

namespace learning::models {

Score& Score::operator+=(const Score& other) {
  loss_sum += other.loss_sum;
  correct += other.correct;
  count += other.count;
  return *this;
}

}  // namespace learning::models
