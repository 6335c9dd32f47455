// Each value by its own thread, from its own four random words.
#include <array>

#include "kernels/device.cuh"
#include "kernels/philox.hpp"
#include "tests/bench/device_values.hpp"

namespace bench {
namespace {

using kernels::RandomStream;

constexpr float layers = 48;
constexpr float widest_scale = 1e-3F;  // of gradients as trainings show them
constexpr float octaves_of_scales = 10;
constexpr std::uint64_t step_of_scales = 1;  // of the random stream; values are drawn in step 0

/// In (0, 1), exactly representable.
__device__ float open_unit(std::uint32_t word) { return (static_cast<float>(word >> 9) + 0.5F) * 0x1p-23F; }

/// By Box and Muller.
__device__ float normal(std::uint32_t first, std::uint32_t second) {
  return sqrtf(-2 * logf(open_unit(first))) * cospif(2 * open_unit(second));
}

/// The scale of the layer that place i of n lies in; layer l is as long as 2 l + 1 of the first.
__device__ float scale_at(std::int64_t i, std::int64_t elements, std::uint64_t seed) {
  const float place = sqrtf(static_cast<float>(static_cast<double>(i) / static_cast<double>(elements)));
  const float layer = fminf(floorf(layers * place), layers - 1);  // the last places round to the end
  const std::uint32_t word = RandomStream{seed, step_of_scales}.word(static_cast<std::uint64_t>(layer));
  return exp2f(-octaves_of_scales * open_unit(word));
}

__global__ void make(float* vector, std::int64_t elements, Values values, std::uint64_t seed) {
  const std::int64_t i = kernels::thread_number();
  if (i >= elements) return;
  const std::array<std::uint32_t, 4> words = RandomStream{seed, 0}.block(static_cast<std::uint64_t>(i));
  float value = widest_scale * normal(words[0], words[1]);
  if (values == Values::heavy_tailed) value /= sqrtf(-logf(open_unit(words[2])));
  if (values == Values::recorded_like) value *= scale_at(i, elements, seed);
  vector[i] = value;
}

}  // namespace

std::string_view to_string(Values values) {
  switch (values) {
    case Values::bell_shaped: return "bell_shaped";
    case Values::heavy_tailed: return "heavy_tailed";
    default: return "recorded_like";
  }
}

void make_values(std::span<float> vector, Values values, std::uint64_t seed, kernels::StreamHandle stream) {
  const auto elements = static_cast<std::int64_t>(vector.size());
  if (elements == 0) return;
  launch("make", make, kernels::thread_each(elements), stream, vector.data(), elements, values, seed);
}

}  // namespace bench
