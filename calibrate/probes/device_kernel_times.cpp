// Runs CUDA implementations on synthetic gradients and times them by the device's clock.
#include "calibrate/probes/device_kernel_times.hpp"

#include <algorithm>
#include <cassert>
#include <memory>
#include <optional>

#include <fmt/format.h>

#include "kernels/device_compressor.hpp"
#include "kernels/device_made_up_values.hpp"

namespace calibrate::probes {
namespace {

using kernels::StreamHandle;
using netmodels::Seconds;

/// Values that the host makes, too, and checks after the first step: more would leave the device idle.
constexpr std::int64_t most_checked = std::int64_t{1} << 22;

/// Values in the device's memory.
class DeviceVector {
 public:
  explicit DeviceVector(std::int64_t elements) : elements_(elements) { memory_.reserve(elements); }

  [[nodiscard]] std::span<float> span() const { return memory_.first(elements_); }
  [[nodiscard]] std::size_t bytes() const { return span().size_bytes(); }
  void clear(StreamHandle stream) const { kernels::clear_bytes(memory_.data(), bytes(), stream); }
  [[nodiscard]] std::vector<float> host(std::size_t first, StreamHandle stream) const {
    return kernels::downloaded(std::span<const float>(span().first(first)), stream);
  }

 private:
  kernels::DeviceWorkspace<float> memory_;
  std::int64_t elements_;
};

kernels::DeviceCompressorPtr implementation_of(const KernelCase& of, std::span<const float> gradient) {
  assert(of.compressor->make_on_device != nullptr);
  return of.compressor->make_on_device(settings_of(of, gradient));
}

/// A rank on the device that takes part in step after step with the same gradient.
class DeviceRank {
 public:
  /// @param on_host  the gradient's first values
  DeviceRank(const KernelCase& of, std::span<const float> on_host, GradientValues values, ColdTimer& timer)
      : timer_(timer),
        compressor_(implementation_of(of, on_host)),
        on_host_(on_host.size()),
        gradient_(of.elements),
        sum_(of.elements) {
    kernels::make_up_values(gradient_.span(), values, timer_.stream());
    sum_.clear(timer_.stream());
    if (!of.compressor->error_feedback) return;
    residual_.emplace(of.elements);
    residual_->clear(timer_.stream());
  }

  Seconds step() {
    return timer_.time_of([&] {
      message_ = residual_ ? compressor_->compress_fed(gradient_.span(), residual_->span(), timer_.stream())
                           : compressor_->compress(gradient_.span(), timer_.stream());
      compressor_->accumulate(message_, sum_.span(), timer_.stream());
    });
  }
  /// Separately, so that no event is in the middle of a step.
  Seconds restore() {
    return timer_.time_of([&] { compressor_->accumulate(message_, sum_.span(), timer_.stream()); });
  }
  Seconds copy() {
    return timer_.time_of([&] {
      kernels::copy_bytes_on_device(gradient_.span().data(), sum_.span().data(), sum_.bytes(),
                                    timer_.stream());
    });
  }

  [[nodiscard]] std::vector<float> sum() const { return sum_.host(on_host_, timer_.stream()); }
  [[nodiscard]] std::vector<float> residual() const { return residual_->host(on_host_, timer_.stream()); }
  [[nodiscard]] netmodels::Bytes wire() const {
    const auto totals = kernels::downloaded(std::span(message_.totals, 1), timer_.stream());
    return netmodels::Bytes{static_cast<double>(totals.front().wire_bytes)};
  }

 private:
  ColdTimer& timer_;
  kernels::DeviceCompressorPtr compressor_;
  std::size_t on_host_;
  DeviceVector gradient_, sum_;
  std::optional<DeviceVector> residual_;
  kernels::DeviceMessage message_;
};

/// CUDA 12.4 from 12040.
std::string version_of(int number) { return fmt::format("{}.{}", number / 1000, number % 1000 / 10); }

std::string clock_of(std::int64_t kilohertz) {
  return kilohertz > 0 ? fmt::format("at most {} MHz", kilohertz / 1000) : "clock unknown";
}

}  // namespace

std::string describe(const kernels::DeviceFacts& facts) {
  return fmt::format(
      "{}, compute capability {}.{}, {} multiprocessors ({}), {} bytes of memory ({}), {} bytes of L2 cache, "
      "driver for CUDA {}, runtime {}",
      facts.name, facts.compute_capability / 10, facts.compute_capability % 10, facts.multiprocessors,
      clock_of(facts.multiprocessor_khz), facts.memory_bytes, clock_of(facts.memory_khz), facts.l2_bytes,
      version_of(facts.driver_version), version_of(facts.runtime_version));
}

std::vector<measurements::KernelTime> measure_device_kernels(
    std::span<const KernelCase> cases, const KernelEffort& effort,
    const std::function<void(const KernelCase&)>& said) {
  ColdTimer timer;
  KernelEffort on_device = effort;
  on_device.most_on_host = std::min(effort.most_on_host, most_checked);
  return measure_each(cases, on_device, said, [&](const KernelCase& of, std::span<const float> gradient) {
    DeviceRank rank(of, gradient, effort.values, timer);
    return measure_rank(rank, of, gradient, effort);
  });
}

}  // namespace calibrate::probes
