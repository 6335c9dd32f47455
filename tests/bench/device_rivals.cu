// Calls of CUB, and the few kernels that a step of error feedback needs around them.
#include <cub/device/device_radix_sort.cuh>
#include <cub/device/device_select.cuh>
#include <thrust/iterator/counting_iterator.h>
#include <thrust/iterator/transform_iterator.h>

#include "kernels/device.cuh"
#include "tests/bench/device_rivals.hpp"

namespace bench {
namespace {

using Pair = kernels::Candidate;
using kernels::thread_each;
using kernels::thread_number;

__global__ void make_pairs(const float* vector, std::int64_t elements, float* magnitudes, Index* places) {
  const std::int64_t i = thread_number();
  if (i >= elements) return;
  magnitudes[i] = fabsf(vector[i]);
  places[i] = static_cast<Index>(i);
}

__global__ void feed_pairs(const float* gradient, float* residual, std::int64_t elements, float* magnitudes,
                           Index* places) {
  const std::int64_t i = thread_number();
  if (i >= elements) return;
  const float fed = residual[i] + gradient[i];
  residual[i] = fed;
  magnitudes[i] = fabsf(fed);
  places[i] = static_cast<Index>(i);
}

__global__ void take(float* residual, const Index* places, std::int64_t k, float* sent) {
  const std::int64_t i = thread_number();
  if (i >= k) return;
  sent[i] = residual[places[i]];
  residual[places[i]] = 0;
}

struct PairAt {
  const float* vector;
  __host__ __device__ Pair operator()(std::int64_t i) const { return {static_cast<Index>(i), vector[i]}; }
};

struct Above {
  float threshold;
  __host__ __device__ bool operator()(const Pair& pair) const { return fabsf(pair.value) >= threshold; }
};

}  // namespace

SortRival::SortRival(std::int64_t elements) : elements_(elements) {
  magnitudes_.reserve(elements);
  sorted_magnitudes_.reserve(elements);
  places_.reserve(elements);
  sorted_places_.reserve(elements);
  sent_.reserve(elements);
  sort(nullptr);  // without scratch memory this only says how much of it is needed
  scratch_ = kernels::DeviceBytes(scratch_bytes_);
}

void SortRival::pair_up(std::span<const float> vector, StreamHandle stream) {
  launch("make_pairs", make_pairs, thread_each(elements_), stream, vector.data(), elements_,
         magnitudes_.data(), places_.data());
}

void SortRival::sort(StreamHandle stream) {
  kernels::checked(cub::DeviceRadixSort::SortPairsDescending(scratch_.data(), scratch_bytes_,
                                                             magnitudes_.data(), sorted_magnitudes_.data(),
                                                             places_.data(), sorted_places_.data(), elements_,
                                                             0, 8 * static_cast<int>(sizeof(float)), stream),
                   "cub::DeviceRadixSort::SortPairsDescending");
}

void SortRival::step(std::span<const float> gradient, std::span<float> residual, std::int64_t k,
                     StreamHandle stream) {
  launch("feed_pairs", feed_pairs, thread_each(elements_), stream, gradient.data(), residual.data(),
         elements_, magnitudes_.data(), places_.data());
  sort(stream);
  launch("take", take, thread_each(k), stream, residual.data(), sorted_places_.data(), k, sent_.data());
}

SelectRival::SelectRival(std::int64_t elements) : elements_(elements) {
  selected_.reserve(elements);
  count_.reserve(1);
  call(nullptr, scratch_bytes_, nullptr, 0, nullptr);
  scratch_ = kernels::DeviceBytes(scratch_bytes_);
}

void SelectRival::select(std::span<const float> vector, float threshold, StreamHandle stream) {
  call(scratch_.data(), scratch_bytes_, vector.data(), threshold, stream);
}

void SelectRival::call(void* scratch, std::size_t& bytes, const float* vector, float threshold,
                       StreamHandle stream) {
  const auto pairs =
      thrust::make_transform_iterator(thrust::counting_iterator<std::int64_t>(0), PairAt{vector});
  kernels::checked(cub::DeviceSelect::If(scratch, bytes, pairs, selected_.data(), count_.data(), elements_,
                                         Above{threshold}, stream),
                   "cub::DeviceSelect::If");
}

}  // namespace bench
