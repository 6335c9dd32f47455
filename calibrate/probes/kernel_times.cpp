// Runs compressors on made-up gradients and looks at the clock.
#include "calibrate/probes/kernel_times.hpp"

#include <chrono>
#include <cstring>
#include <memory>
#include <optional>

#include "kernels/error_feedback.hpp"

namespace calibrate::probes {
namespace {

using netmodels::Seconds;

template <class Work>
Seconds time_of(const Work& work) {
  const auto begin = std::chrono::steady_clock::now();
  work();
  return Seconds{std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count()};
}

/// A rank that takes part in step after step with the same gradient.
class Rank {
 public:
  Rank(const KernelCase& of, std::span<const float> gradient)
      : gradient_(gradient),
        compressor_(of.compressor->make(settings_of(of, gradient))),
        sum_(gradient.size()) {
    if (of.compressor->error_feedback) memory_.emplace(of.elements);
  }

  Seconds step() {
    return time_of([&] {
      message_ = memory_ ? memory_->compress(*compressor_, gradient_) : compressor_->compress(gradient_);
      restore_ = time_of([&] { compressor_->accumulate(message_, sum_); });
    });
  }
  /// Time of restoring in the last step, where compressing came between it and the restoring before.
  [[nodiscard]] Seconds restore() const { return restore_; }
  Seconds copy() {
    return time_of([&] { std::memcpy(sum_.data(), gradient_.data(), gradient_.size_bytes()); });
  }

  [[nodiscard]] std::span<const float> sum() const { return sum_; }
  [[nodiscard]] std::span<const float> residual() const { return memory_->residual(); }
  [[nodiscard]] netmodels::Bytes wire() const {
    return netmodels::Bytes{static_cast<double>(message_.wire_bytes)};
  }

 private:
  std::span<const float> gradient_;
  std::unique_ptr<kernels::Compressor> compressor_;
  std::optional<kernels::ErrorFeedback> memory_;
  std::vector<float> sum_;
  kernels::Message message_;
  Seconds restore_;
};

}  // namespace

std::vector<measurements::KernelTime> measure_kernels(std::span<const KernelCase> cases,
                                                      const KernelEffort& effort,
                                                      const std::function<void(const KernelCase&)>& said) {
  return measure_each(cases, effort, said, [&](const KernelCase& of, std::span<const float> gradient) {
    Rank rank(of, gradient);
    return measure_rank(rank, of, gradient, effort);
  });
}

}  // namespace calibrate::probes
