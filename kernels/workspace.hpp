// Memory that grows to the largest size asked for and is then used again and again.
#pragma once

#include <cassert>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>

namespace kernels {

/// An array without initial values: pages never written cost nothing. After the first call of a size no
/// call up to that size allocates.
template <class T>
class Workspace {
 public:
  /// Memory for `count` values; the old contents are lost if it must grow.
  /// @throws std::bad_alloc when there is no memory
  T* reserve(std::int64_t count) {
    assert(count >= 0);
    if (count > capacity_) {
      data_ = std::make_unique_for_overwrite<T[]>(static_cast<std::size_t>(count));
      capacity_ = count;
    }
    return data_.get();
  }

  T* data() { return data_.get(); }
  const T* data() const { return data_.get(); }
  std::span<T> first(std::int64_t count) {
    assert(count <= capacity_);
    return {data_.get(), static_cast<std::size_t>(count)};
  }
  std::span<const T> first(std::int64_t count) const {
    assert(count <= capacity_);
    return {data_.get(), static_cast<std::size_t>(count)};
  }

 private:
  std::unique_ptr<T[]> data_;
  std::int64_t capacity_ = 0;
};

}  // namespace kernels
