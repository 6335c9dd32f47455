// Gradient buckets: which layers are exchanged together, and when each bucket is ready.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "netmodels/workload.hpp"

namespace netmodels {

/// Bytes of one value of a gradient as it is exchanged whole and without compression: fp32, which PyTorch's
/// autocast keeps gradients in.
inline constexpr double gradient_value_bytes = 4;

/// When a bucket is full. A limit of 0 bytes is no limit: what is left of the gradient goes into that bucket.
/// The defaults are PyTorch's (`_DEFAULT_FIRST_BUCKET_BYTES` and `bucket_cap_mb=25`).
struct BucketLimits {
  Bytes first{1048576};
  Bytes later{26214400};

  bool operator==(const BucketLimits&) const = default;
};

/// Consecutive layers whose gradients are exchanged in one collective.
struct Bucket {
  std::int64_t elements = 0;      ///< trainable values, at least 1
  Bytes bytes;                    ///< 4 per element
  std::int64_t tensors = 0;       ///< parameter tensors
  std::size_t lowest_layer = 0;   ///< index; the bucket is ready once this layer's backward is done
  std::size_t highest_layer = 0;  ///< index of the layer that opened the bucket
  Seconds delay = {};             ///< delay from being ready until it may be sent
};

/// Walks the layers from the last to the first and closes a bucket as soon as its bytes reach its limit,
/// as DistributedDataParallel does with the reversed order of registration.
///
/// @param layers  in forward order; layers without parameters belong to no bucket
/// @param limits  at least 0 bytes each
/// @returns buckets in the order in which they become ready; none if no layer has parameters. Never fails.
///
/// Leaves out: DDP walks single tensors (bias, then weight), so it may close a bucket inside a layer where
/// this closes it after the layer; also tensors of other types or devices, which DDP keeps apart, and the
/// order in which the first backward pass really delivered the gradients, after which DDP rebuilds its
/// buckets.
///
/// Source: Li et al., "PyTorch Distributed: Experiences on Accelerating Data Parallel Training", PVLDB
///         13(12), 2020, section 4.2; the five buckets of ResNet-50 in a profiler trace of 2 x A100 (see the
///         test).
std::vector<Bucket> gradient_buckets(std::span<const Layer> layers, const BucketLimits& limits);

/// Time from the beginning of the backward pass until the bucket's gradients are there: the backward times of
/// all layers from the last one down to `bucket.lowest_layer`.
/// @param batch  samples per worker, above 0
Seconds ready_time(std::span<const Layer> layers, const Bucket& bucket, double batch);

}  // namespace netmodels
