// What every gradient compressor is: a vector goes in, the message for the network comes out, and can be
// undone.
#pragma once

#include <cstdint>
#include <memory>
#include <span>

#include "kernels/candidates.hpp"

namespace kernels {

/// How much of the vector's energy a message carries; found in the passes that compress, at no pass of its
/// own.
struct Energy {
  double sent = 0;   ///< ||g_c||^2, of what the message restores to
  double given = 0;  ///< ||g_e||^2, of the vector that was compressed (gradient plus residual)

  /// The compression gain ||g_c||^2 / ||g_e||^2; 1 for a vector of zeros, which loses nothing; NaN when the
  /// vector holds NaN or infinity.
  ///
  /// Source: Tyagi & Swany, "GraVAC: Adaptive Compression for Communication-Efficient Distributed DL
  ///         Training", IEEE CLOUD 2023.
  [[nodiscard]] double gain() const { return given == 0 ? 1 : sent / given; }
};

/// What one rank sends. The spans lie in the compressor's own memory and hold until its next call.
struct Message {
  std::int64_t elements = 0;  ///< n, of the vector
  /// Sparse: the value at each index. Coded: the scales. Low rank: the factors. Dense: the vector itself.
  std::span<const float> values;
  std::span<const Index> indices;       ///< sparse: indices in [0, n), never descending; else empty
  std::span<const std::uint8_t> codes;  ///< coded: packed as the compressor says; otherwise empty
  std::int64_t wire_bytes = 0;          ///< on the network, without lengths and headers
  Energy energy;
};

/// A gradient compressor of one rank. Its workspace grows to the largest vector seen and is used again: later
/// calls allocate nothing. Vectors hold at most 2^32 values and may be empty. A compressor that draws random
/// numbers takes them from (seed, step); the step goes up by one with every call.
///
/// What is common to all: NaN orders above infinity, infinity above every finite value; where a method
/// selects by magnitude they are sent first, where it codes by a common scale they make their bucket NaN. So
/// nobody's broken gradient stays hidden, and the gain turns NaN.
///
/// A CUDA implementation has the same settings, the same steps and the same message in device memory; where a
/// method adds in an order of its own the tolerance stands at the method. `make_on_device` of the CPU
/// reference's class makes it. Its definition is in device_NAME.cu, of the library kernels_cuda; the
/// declaration is weak, so that a program without that library links, too, and finds null there.
class Compressor {
 public:
  virtual ~Compressor() = default;

  virtual Message compress(std::span<const float> vector) = 0;

  /// One step of error feedback: compresses e = gradient + residual and leaves e minus what was sent in
  /// `residual`. As two passes unless a compressor can do it in one.
  /// @param residual  as long as the gradient, zeros before the first step
  virtual Message compress_fed(std::span<const float> gradient, std::span<float> residual);

  /// sum += what the message restores to.
  virtual void accumulate(const Message& message, std::span<float> sum) const = 0;

  /// vector -= what the message restores to, for the vector it was made from. Where the vector or the
  /// difference is not finite and was sent, 0 is left: what was seen once does not poison the next steps.
  virtual void subtract(const Message& message, std::span<float> vector) const = 0;

  /// Whether messages are pairs of a value and an index, nothing else.
  [[nodiscard]] virtual bool sparse() const { return false; }

  /// The vector that the receiver has, zeros where nothing was sent.
  void restore(const Message& message, std::span<float> vector) const;

  /// Makes the next call draw the random numbers of this step: what ranks that skipped steps need to agree.
  void set_step(std::uint64_t step) { step_ = step; }

 protected:
  Compressor() = default;
  Compressor(const Compressor&) = default;
  Compressor(Compressor&&) = default;
  Compressor& operator=(const Compressor&) = default;
  Compressor& operator=(Compressor&&) = default;

  /// The step of this call.
  std::uint64_t next_step() { return step_++; }

 private:
  std::uint64_t step_ = 0;
};

using CompressorPtr = std::unique_ptr<Compressor>;

class DeviceCompressor;  // of device_compressor.hpp
using DeviceCompressorPtr = std::unique_ptr<DeviceCompressor>;

}  // namespace kernels
