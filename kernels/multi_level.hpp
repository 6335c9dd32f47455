// Multi-level compression: the message of one compressor is compressed again by another.
#pragma once

#include <cstdint>
#include <memory>
#include <span>

#include "kernels/compressor.hpp"
#include "kernels/workspace.hpp"

namespace kernels {

/// C(v) = C_second(C_first(v)): the first selects, the second selects among the first's values or codes them.
/// Codes come with the first's indices.
///
/// Source: Tyagi & Swany, "GraVAC: Adaptive Compression for Communication-Efficient Distributed DL Training",
///         IEEE CLOUD 2023, Algorithm 1 (multi-level compression).
class MultiLevel : public Compressor {
 public:
  /// @param first   sends pairs (`sparse()`)
  /// @param second  any; works on the first's values in ascending order of their indices
  MultiLevel(std::unique_ptr<Compressor> first, std::unique_ptr<Compressor> second);

  /// CUDA implementation, of device_multi_level.cu; null where a program has none, see Compressor.
  [[gnu::weak]] static DeviceCompressorPtr make_on_device(DeviceCompressorPtr first,
                                                          DeviceCompressorPtr second);

  Message compress(std::span<const float> vector) override;
  void accumulate(const Message& message, std::span<float> sum) const override;
  void subtract(const Message& message, std::span<float> vector) const override;
  [[nodiscard]] bool sparse() const override { return second_->sparse(); }

 private:
  [[nodiscard]] std::span<const float> decoded(const Message& message) const;

  std::unique_ptr<Compressor> first_;
  std::unique_ptr<Compressor> second_;
  Workspace<Index> indices_;
  mutable Workspace<float> decoded_;  // only inside a call
};

}  // namespace kernels
