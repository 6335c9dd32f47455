// Sample, scan, select.
#include "kernels/largest.hpp"

namespace kernels {

double Largest::select(std::span<const float> vector, std::int64_t k) {
  const double given = candidates_.collect(vector, threshold_.find(vector, {}, k));
  finish(vector, k);
  return given;
}

double Largest::select_fed(std::span<const float> gradient, std::span<float> residual, std::int64_t k) {
  const Magnitude threshold = threshold_.find(gradient, residual, k);
  const double given = candidates_.collect_fed(gradient, residual, threshold);
  finish(residual, k);
  return given;
}

void Largest::finish(std::span<const float> vector, std::int64_t k) {
  if (candidates_.count() < k) {
    ++rescans_;
    candidates_.collect(vector, 0);
  }
  candidates_.keep_largest(k);
}

}  // namespace kernels
