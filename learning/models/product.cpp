// The matrix product for every instruction set, and the choice between them.
#include "learning/models/product.hpp"

#include <algorithm>
#include <array>
#include <cstring>

namespace learning::models {
namespace {

/// Columns of `left` between two stores of the sums: two vectors of 16 rows fill 32 KiB, a first-level cache.
constexpr std::size_t depth_block = 256;

/// Columns of `right` that are copied together, 64 KiB with a block of their depth: within any second-level
/// cache.
constexpr std::size_t copied_columns = 64;

/// The vector extension that g++ and clang share.
template <std::size_t lanes>
struct VectorOf {
  typedef float Type __attribute__((vector_size(lanes * sizeof(float))));
  /// The same anywhere among floats: one load or store, also where an address sanitizer makes a call of
  /// std::memcpy.
  typedef float Anywhere
      __attribute__((vector_size(lanes * sizeof(float)), aligned(alignof(float)), may_alias));
};

#define GRADSIM_VARIANT portable
#define GRADSIM_TARGET
#define GRADSIM_LANES 4
#define GRADSIM_TILE_COLUMNS 4
#include "learning/models/product_lanes.hpp"

#ifdef __x86_64__

#define GRADSIM_VARIANT avx2
#define GRADSIM_TARGET __attribute__((target("avx2")))
#define GRADSIM_LANES 8
#define GRADSIM_TILE_COLUMNS 4
#include "learning/models/product_lanes.hpp"

#define GRADSIM_VARIANT avx512
#define GRADSIM_TARGET __attribute__((target("avx512f")))
#define GRADSIM_LANES 16
#define GRADSIM_TILE_COLUMNS 8
#include "learning/models/product_lanes.hpp"

constexpr std::array<ProductVariant, 3> variants{
    {{"portable", portable::multiply}, {"avx2", avx2::multiply}, {"avx512", avx512::multiply}}};

std::size_t runnable() {
  if (__builtin_cpu_supports("avx512f")) return 3;
  return __builtin_cpu_supports("avx2") ? 2 : 1;
}

#else

constexpr std::array<ProductVariant, 1> variants{{{"portable", portable::multiply}}};

std::size_t runnable() { return 1; }

#endif

}  // namespace

std::span<const ProductVariant> product_variants() {
  static const std::size_t count = runnable();
  return std::span(variants).first(count);
}

void multiply(const Product& product) {
  static const ProductVariant& widest = product_variants().back();
  widest.multiply(product);
}

}  // namespace learning::models
