// The largest values of each block in two bits each, on the device: a thread block selects and codes a block.
#include <algorithm>
#include <cassert>
#include <cstdint>
#include <limits>
#include <memory>
#include <span>

#include "kernels/block_largest.cuh"
#include "kernels/block_sums.cuh"
#include "kernels/block_top_k.hpp"
#include "kernels/device_coder.cuh"
#include "kernels/device_compressor.hpp"

namespace kernels {
namespace {

/// One selection as its kernel sees it.
struct BlockTopKWork {
  const float* vector = nullptr;
  BlockLayout layout;
  Index* sent = nullptr;  ///< `layout.whole_sent` for each block: indices within it, ascending
  std::uint8_t* codes = nullptr;
  float* levels = nullptr;
  Energy* parts = nullptr;  ///< energies of each block
};

/// A binary search among the codes of the value's block.
struct BlockTopKDecoder {
  BlockLayout layout;
  const std::uint8_t* codes;
  const float* levels;

  __device__ BlockCode code(const std::uint8_t* of_block, std::int64_t i) const {
    return unpack_code(bits_at(of_block, i * layout.code_bits(), layout.code_bits()), layout.index_bits);
  }

  __device__ float operator()(std::int64_t at) const {
    const std::int64_t number = at / layout.block;
    const std::int64_t index = at % layout.block;
    const std::uint8_t* of_block = codes + layout.first_byte(number);
    std::int64_t low = 0, high = layout.sent_of(number);
    while (low < high) {
      const std::int64_t middle = (low + high) / 2;
      const BlockCode found = code(of_block, middle);
      if (found.index == index) {
        const float level = levels[2 * number + (found.large ? 1 : 0)];
        return found.negative ? -level : level;
      }
      found.index < index ? low = middle + 1 : high = middle;
    }
    return 0;
  }
};

struct BlockTopKScratch {
  BlockLargestScratch largest;
  WarpValues<double> squares;
  double sizes[block_threads];
  double mean;
};

/// Calls use(magnitude) for each value sent, by ascending index, in the first thread alone: sums in another
/// order could round another way, and so put a value on the other side of the mean. All threads take part.
template <class Use>
__device__ void each_sent_size(const float* values, const Index* sent, std::int64_t count,
                               BlockTopKScratch& scratch, Use use) {
  for (std::int64_t first = 0; first < count; first += block_threads) {
    __syncthreads();
    if (first + threadIdx.x < count) {
      const float value = values[sent[first + threadIdx.x]];
      scratch.sizes[threadIdx.x] = static_cast<double>(absolute(magnitude(value)));
    }
    __syncthreads();
    for (unsigned i = 0; threadIdx.x == 0 && i < block_threads && first + i < count; ++i)
      use(scratch.sizes[i]);
  }
}

/// A thread writes a byte, of the codes that have bits in it.
__device__ void write_codes(const float* values, const Index* sent, std::int64_t count,
                            const BlockLayout& layout, double mean, std::uint8_t* codes) {
  for (std::int64_t byte = threadIdx.x; byte < layout.bytes_for(count); byte += block_threads) {
    unsigned bits = 0;
    for (std::int64_t i = byte * 8 / layout.code_bits(); i < count && i * layout.code_bits() < byte * 8 + 8;
         ++i) {
      const float value = values[sent[i]];
      const bool large = static_cast<double>(absolute(magnitude(value))) >= mean;
      const std::uint64_t code = pack_code({std::int64_t{sent[i]}, large, value < 0}, layout.index_bits);
      const std::int64_t ahead = i * layout.code_bits() - byte * 8;  // distance from the byte's first bit
      bits |= static_cast<unsigned>((ahead < 0 ? code >> -ahead : code << ahead) & 0xff);
    }
    codes[byte] = static_cast<std::uint8_t>(bits);
  }
}

__device__ void code_largest(const BlockTopKWork& work, std::int64_t number, BlockTopKScratch& scratch) {
  const BlockLayout& layout = work.layout;
  const float* values = work.vector + number * layout.block;
  const std::int64_t size = layout.values_of(number);
  const std::int64_t count = layout.sent_of(number);
  Index* sent = work.sent + number * layout.whole_sent;
  double squares = 0;
  for (std::int64_t i = threadIdx.x; i < size; i += block_threads)
    squares += static_cast<double>(values[i]) * static_cast<double>(values[i]);
  squares = block_sum(squares, scratch.squares);
  list_largest(values, size, count, sent, scratch.largest);
  double sum = 0;
  each_sent_size(values, sent, count, scratch, [&](double one) { sum += one; });
  if (threadIdx.x == 0) scratch.mean = sum / static_cast<double>(count);
  __syncthreads();
  const double mean = scratch.mean;
  double sums[2] = {}, counts[2] = {};
  each_sent_size(values, sent, count, scratch, [&](double one) {
    sums[one >= mean ? 1 : 0] += one;
    counts[one >= mean ? 1 : 0] += 1;
  });
  write_codes(values, sent, count, layout, mean, work.codes + layout.first_byte(number));
  __syncthreads();
  if (threadIdx.x != 0) return;
  const bool finite = sum <= std::numeric_limits<double>::max();
  double energy = 0;
  for (int level = 0; level < 2; ++level) {
    float found = counts[level] == 0 ? 0.0F : static_cast<float>(sums[level] / counts[level]);
    if (!finite) found = std::numeric_limits<float>::quiet_NaN();
    work.levels[2 * number + level] = found;
    energy += counts[level] * static_cast<double>(found) * static_cast<double>(found);
  }
  work.parts[number].given = squares;
  work.parts[number].sent = energy;
}

__global__ void __launch_bounds__(256) code_largest_of_blocks(BlockTopKWork work) {
  __shared__ BlockTopKScratch scratch;
  for (std::int64_t number = blockIdx.x; number < work.layout.blocks(); number += gridDim.x) {
    code_largest(work, number, scratch);
    __syncthreads();
  }
}

/// The CUDA implementation of BlockTopK, bit for bit. A thread block reads its block of values five times,
/// from the nearest cache after the first.
class DeviceBlockTopK : public DeviceCoder {
 public:
  explicit DeviceBlockTopK(const BlockTopK::Settings& settings) : settings_(settings) {
    assert(settings.ratio > 0 && settings.ratio <= 1 && settings.block >= 1);
    settings_.block = std::min(settings.block, most_elements);  // so that no sum of indices overflows
  }

  DeviceMessage compress(std::span<const float> vector, StreamHandle stream) override {
    constexpr std::int64_t most_blocks = 65536;
    BlockTopKWork work;
    work.vector = vector.data();
    work.layout = layout(static_cast<std::int64_t>(vector.size()));
    const std::int64_t blocks = work.layout.blocks();
    work.sent = sent_.reserve(blocks <= 1 ? work.layout.last_sent : blocks * work.layout.whole_sent);
    work.codes = codes(work.layout.code_bytes());
    work.levels = scales(2 * blocks);
    work.parts = parts(blocks);
    if (blocks > 0)
      launch("code_largest_of_blocks", code_largest_of_blocks, {std::min(blocks, most_blocks), block_threads},
             stream, work);
    return summed(work.layout.elements, 2 * blocks, work.layout.code_bytes(), blocks, stream);
  }

 protected:
  void apply(const DeviceMessage& message, std::span<float> vector, Use use,
             StreamHandle stream) const override {
    decode_each(BlockTopKDecoder{layout(message.elements), message.codes.data(), message.values.data()},
                vector, use == Use::add, stream);
  }

 private:
  [[nodiscard]] BlockLayout layout(std::int64_t elements) const {
    return block_layout(settings_.ratio, elements, settings_.block);
  }

  BlockTopK::Settings settings_;
  DeviceWorkspace<Index> sent_;
};

}  // namespace

DeviceCompressorPtr BlockTopK::make_on_device(const Settings& settings) {
  return std::make_unique<DeviceBlockTopK>(settings);
}

}  // namespace kernels
