// Messages of tensors, one behind the other.
#include "kernels/each_tensor.hpp"

#include <algorithm>
#include <cassert>
#include <utility>

namespace kernels {

EachTensor::EachTensor(std::vector<std::int64_t> sizes, int bits, CompressorPtr coder)
    : sizes_(std::move(sizes)), bits_(bits), coder_(std::move(coder)) {
  assert(bits == 1 || bits == 4 || bits == 8);
}

template <class Use>
void EachTensor::for_each_tensor(std::int64_t elements, Use use) const {
  if (sizes_.empty()) {
    if (elements > 0) use(std::int64_t{0}, elements);
    return;
  }
  std::int64_t first = 0;
  for (const std::int64_t size : sizes_) {
    if (size > 0) use(first, size);
    first += size;
  }
  assert(first == elements);
}

Message EachTensor::compress(std::span<const float> vector) {
  const auto elements = static_cast<std::int64_t>(vector.size());
  std::int64_t tensors = 0;
  std::int64_t bytes = 0;
  for_each_tensor(elements, [&](std::int64_t, std::int64_t size) {
    ++tensors;
    bytes += code_bytes(size);
  });
  codes_.reserve(bytes);
  scales_.reserve(tensors);
  const std::span<std::uint8_t> codes = codes_.first(bytes);
  const std::span<float> scales = scales_.first(tensors);
  Energy energy;
  std::size_t number = 0;
  auto next = codes.begin();
  for_each_tensor(elements, [&](std::int64_t first, std::int64_t size) {
    const Message coded =
        coder_->compress(vector.subspan(static_cast<std::size_t>(first), static_cast<std::size_t>(size)));
    assert(coded.values.size() == 1 && std::cmp_equal(coded.codes.size(), code_bytes(size)));
    scales[number++] = coded.values.front();
    next = std::ranges::copy(coded.codes, next).out;
    energy.sent += coded.energy.sent;
    energy.given += coded.energy.given;
  });
  const auto scale_bytes = static_cast<std::int64_t>(scales.size_bytes());
  return {elements, scales, {}, codes, bytes + scale_bytes, energy};
}

template <class Use>
void EachTensor::for_each_message(const Message& message, std::span<float> vector, Use use) const {
  std::size_t number = 0;
  std::size_t next = 0;
  for_each_tensor(message.elements, [&](std::int64_t first, std::int64_t size) {
    const auto bytes = static_cast<std::size_t>(code_bytes(size));
    const Message of_tensor{size,
                            message.values.subspan(number++, 1),
                            {},
                            message.codes.subspan(next, bytes),
                            code_bytes(size) + static_cast<std::int64_t>(sizeof(float)),
                            {}};
    next += bytes;
    use(of_tensor, vector.subspan(static_cast<std::size_t>(first), static_cast<std::size_t>(size)));
  });
}

void EachTensor::accumulate(const Message& message, std::span<float> sum) const {
  for_each_message(message, sum, [&](const Message& of_tensor, std::span<float> part) {
    coder_->accumulate(of_tensor, part);
  });
}

void EachTensor::subtract(const Message& message, std::span<float> vector) const {
  for_each_message(message, vector, [&](const Message& of_tensor, std::span<float> part) {
    coder_->subtract(of_tensor, part);
  });
}

}  // namespace kernels
