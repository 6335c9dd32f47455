// The interface of gradient compressors, and the shared code of those that send every value in fewer bits, or
// some unchanged.
#pragma once

#include <cstdint>
#include <memory>
#include <span>

#include "kernels/candidates.hpp"
#include "kernels/workspace.hpp"

namespace kernels {

// The interface of gradient compressors: a vector goes in, the message for the network comes out, and can be
// undone.

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

/// The message of one rank. The spans point into the compressor's memory and are valid until its next call.
struct Message {
  std::int64_t elements = 0;  ///< n, of the vector
  /// Sparse: the value at each index. Coded: the scales. Low rank: the factors. Dense: the vector itself.
  std::span<const float> values;
  std::span<const Index> indices;       ///< sparse: indices in [0, n), never descending; else empty
  std::span<const std::uint8_t> codes;  ///< coded: packed as the compressor says; otherwise empty
  std::int64_t wire_bytes = 0;          ///< bytes on the network, without lengths and headers
  Energy energy;
};

/// A gradient compressor of one rank. Its workspace grows to the largest vector seen and is used again: later
/// calls allocate nothing. Vectors hold at most 2^32 values and may be empty. A compressor that draws random
/// numbers takes them from (seed, step); the step goes up by one with every call.
///
/// What is common to all: NaN orders above infinity, infinity above every finite value; where a method
/// selects by magnitude they are sent first, where it codes by a common scale they make their bucket NaN. So
/// a broken gradient never stays hidden, and the gain turns NaN.
///
/// A CUDA implementation has the same settings, the same steps and the same message in device memory; where a
/// method adds in another order, the method states the tolerance. `make_on_device` of the CPU
/// reference's class makes it. Its definition is in device_NAME.cu, of the library kernels_cuda; the
/// declaration is weak, so that a program without that library links, too, and finds null there.
class Compressor {
 public:
  virtual ~Compressor() = default;

  virtual Message compress(std::span<const float> vector) = 0;

  /// One step of error feedback: compresses e = gradient + residual and leaves e minus the message in
  /// `residual`. As two passes unless a compressor can do it in one.
  /// @param residual  as long as the gradient, zeros before the first step
  virtual Message compress_fed(std::span<const float> gradient, std::span<float> residual);

  /// sum += what the message restores to.
  virtual void accumulate(const Message& message, std::span<float> sum) const = 0;

  /// vector -= what the message restores to, for the vector it was made from. Where the vector or the
  /// difference is not finite and was sent, 0 is left: the value does not spoil the next steps.
  virtual void subtract(const Message& message, std::span<float> vector) const = 0;

  /// Whether messages are pairs of a value and an index, nothing else.
  [[nodiscard]] virtual bool sparse() const { return false; }

  /// The vector that the receiver has, zeros where nothing was sent.
  void restore(const Message& message, std::span<float> vector) const;

  /// Makes the next call draw the random numbers of this step, so that ranks that skipped steps agree.
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

class DeviceCompressor;  // see device_compressor.hpp
using DeviceCompressorPtr = std::unique_ptr<DeviceCompressor>;

// What the compressors that send every value in fewer bits have in common.

/// Sends a code for every value, and scales. Receivers decode stretch by stretch; nothing of length n is
/// held.
class Coder : public Compressor {
 public:
  /// sum += decoded.
  void accumulate(const Message& message, std::span<float> sum) const final;

  /// vector -= decoded, 0 where the difference is not finite.
  void subtract(const Message& message, std::span<float> vector) const final;

  /// Values of one stretch: a multiple of every packing (8 signs to a byte, 4 ternary codes).
  static constexpr std::int64_t stretch = 4096;

 protected:
  /// Writes the decoded values [first, first + out.size()).
  /// @param first  a multiple of `stretch`
  /// @param out    at most `stretch` values, inside the vector
  virtual void decode(const Message& message, std::int64_t first, std::span<float> out) const = 0;

  /// The codes of one vector, owned here.
  std::span<std::uint8_t> codes(std::int64_t bytes) {
    codes_.reserve(bytes);
    return codes_.first(bytes);
  }
  /// The scales of one vector, owned here.
  std::span<float> scales(std::int64_t count) {
    scales_.reserve(count);
    return scales_.first(count);
  }
  /// The message of `elements` values, made of codes and scales.
  static Message coded(std::int64_t elements, std::span<const float> scales,
                       std::span<const std::uint8_t> codes, Energy energy) {
    const auto bytes = static_cast<std::int64_t>(codes.size() + scales.size_bytes());
    return {elements, scales, {}, codes, bytes, energy};
  }

 private:
  template <class Use>
  void each_stretch(const Message& message, std::span<float> vector, Use use) const;

  Workspace<std::uint8_t> codes_;
  Workspace<float> scales_;
};

// What the compressors that send some values unchanged, with their indices, have in common.

/// Sends (value, index) pairs. The message plus the residual is exactly the vector: the residual is the
/// vector with zeros at the indices sent.
class Sparsifier : public Compressor {
 public:
  /// sum[index] += value, for each pair.
  void accumulate(const Message& message, std::span<float> sum) const final;

  /// vector[index] = 0, for each pair.
  void subtract(const Message& message, std::span<float> vector) const final;

  [[nodiscard]] bool sparse() const final { return true; }

 protected:
  /// @param index_bytes  bytes of an index on the wire: 4, 8 (as PyTorch really sends), or 0 where the
  /// receiver
  ///                     knows the indices already
  explicit Sparsifier(int index_bytes) : index_bytes_(index_bytes) {}

  /// The pairs of `vector` at `indices`, gathered.
  /// @param given  the vector's energy
  Message gathered(std::span<const float> vector, std::span<const Index> indices, double given);

  [[nodiscard]] int index_bytes() const { return index_bytes_; }

 private:
  int index_bytes_;
  Workspace<float> values_;
};

}  // namespace kernels
