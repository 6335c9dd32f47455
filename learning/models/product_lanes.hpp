// The matrix product for vectors of one width; product.cpp includes it once for every instruction set.
//
// No include guard and no includes: all of it is in the unnamed namespace of product.cpp, in a separate
// namespace per instruction set, and each function has that set as an attribute. So no function compiled for
// a wide CPU can replace one that all CPUs run, as would happen to inline functions of headers if whole files
// were compiled with -mavx2. Set before: GRADSIM_VARIANT (namespace), GRADSIM_TARGET (attribute),
// GRADSIM_LANES (floats per vector), GRADSIM_TILE_COLUMNS (a power of two).

namespace GRADSIM_VARIANT {

constexpr std::size_t widest = GRADSIM_LANES;
constexpr std::size_t tile_columns = GRADSIM_TILE_COLUMNS;

/// Rows of `left` that are worked on together, copied to lie one after the other; missing ones are zero.
template <std::size_t height>
struct Panel {
  alignas(64) std::array<float, depth_block * height> values;
};

/// A result of lanes * vectors rows and some columns, kept in registers while the sums grow.
template <std::size_t lanes, std::size_t vectors, std::size_t columns>
GRADSIM_TARGET inline void add_tile(const float* left, const Strided& right, std::size_t depth, float* result,
                                    std::size_t stride) {
  using Lanes = typename VectorOf<lanes>::Type;
  using Anywhere = typename VectorOf<lanes>::Anywhere;
  Lanes sums[columns][vectors];
  for (std::size_t j = 0; j < columns; ++j) {
    for (std::size_t v = 0; v < vectors; ++v)
      sums[j][v] = *reinterpret_cast<const Anywhere*>(result + j * stride + v * lanes);
  }
  const float* factors = right.data;
  for (std::size_t k = 0; k < depth; ++k) {
    Lanes column[vectors];
    for (std::size_t v = 0; v < vectors; ++v)
      column[v] = *reinterpret_cast<const Anywhere*>(left + v * lanes);
    for (std::size_t j = 0; j < columns; ++j) {
      const float factor = factors[j * right.across];
      for (std::size_t v = 0; v < vectors; ++v) sums[j][v] += column[v] * factor;
    }
    left += vectors * lanes;
    factors += right.down;
  }
  for (std::size_t j = 0; j < columns; ++j) {
    for (std::size_t v = 0; v < vectors; ++v)
      *reinterpret_cast<Anywhere*>(result + j * stride + v * lanes) = sums[j][v];
  }
}

/// All columns of the result for one panel, the tile's number at a time, then half of it, ..., then one.
template <std::size_t lanes, std::size_t vectors, std::size_t columns>
GRADSIM_TARGET inline void add_columns(const float* left, Strided right, std::size_t depth, std::size_t rows,
                                       float* result, std::size_t stride, std::size_t count) {
  constexpr std::size_t height = lanes * vectors;
  for (; count >= columns; count -= columns) {
    if (rows == height) {
      add_tile<lanes, vectors, columns>(left, right, depth, result, stride);
    } else {
      alignas(64) float edge[columns * height] = {};
      for (std::size_t j = 0; j < columns; ++j)
        std::memcpy(edge + j * height, result + j * stride, rows * sizeof(float));
      add_tile<lanes, vectors, columns>(left, right, depth, edge, height);
      for (std::size_t j = 0; j < columns; ++j)
        std::memcpy(result + j * stride, edge + j * height, rows * sizeof(float));
    }
    right.data += columns * right.across;
    result += columns * stride;
  }
  if constexpr (columns > 1) {
    add_columns<lanes, vectors, columns / 2>(left, right, depth, rows, result, stride, count);
  }
}

/// A panel of rows that lie apart: whole cache lines of each are read at a time.
template <std::size_t height>
GRADSIM_TARGET inline void transpose_panel(const Strided& left, std::size_t rows, std::size_t depth,
                                           Panel<height>& panel) {
  constexpr std::size_t piece = 16;
  float* const to = panel.values.data();
  for (std::size_t first = 0; first < depth; first += piece) {
    const std::size_t end = std::min(depth, first + piece);
    for (std::size_t i = 0; i < height; ++i) {
      for (std::size_t k = first; k < end; ++k)
        to[k * height + i] = i < rows ? left.data[i * left.down + k * left.across] : 0.0F;
    }
  }
}

template <std::size_t height>
GRADSIM_TARGET inline void fill_panel(const Strided& left, std::size_t rows, std::size_t depth,
                                      Panel<height>& panel) {
  if (left.down != 1 && left.across == 1) return transpose_panel<height>(left, rows, depth, panel);
  float* to = panel.values.data();
  for (std::size_t k = 0; k < depth; ++k, to += height) {
    const float* from = left.data + k * left.across;
    if (rows == height && left.down == 1) {
      std::memcpy(to, from, height * sizeof(float));
    } else {
      for (std::size_t i = 0; i < height; ++i) to[i] = i < rows ? from[i * left.down] : 0.0F;
    }
  }
}

template <std::size_t lanes, std::size_t vectors>
GRADSIM_TARGET inline void add_rows(const Product& product, std::size_t first_row, std::size_t first_depth,
                                    std::size_t depth) {
  constexpr std::size_t height = lanes * vectors;
  const std::size_t rows = std::min(height, product.rows - first_row);
  const Strided& left = product.left;
  const Strided& right = product.right;
  Panel<height> panel;
  fill_panel<height>({left.data + first_row * left.down + first_depth * left.across, left.down, left.across},
                     rows, depth, panel);
  add_columns<lanes, vectors, tile_columns>(
      panel.values.data(), {right.data + first_depth * right.down, right.down, right.across}, depth, rows,
      product.result + first_row, product.stride, product.columns);
}

GRADSIM_TARGET inline void add_all_rows(const Product& product, std::size_t k, std::size_t depth) {
  std::size_t row = 0;
  for (; product.rows - row > widest; row += std::min(2 * widest, product.rows - row)) {
    add_rows<widest, 2>(product, row, k, depth);
  }
  if (product.rows - row > widest / 2) {
    add_rows<widest, 1>(product, row, k, depth);
  } else if (product.rows > row) {
    add_rows<widest / 2, 1>(product, row, k, depth);
  }
}

/// Columns whose values lie apart, as those of a matrix stored by rows, are copied first: in their places
/// each would be a cache line, and many of them would fall into one set of the cache.
GRADSIM_TARGET inline void add_copied_columns(Product product, std::size_t k, std::size_t depth) {
  alignas(64) std::array<float, depth_block * copied_columns> copy;
  const float* from = product.right.data + k * product.right.down;
  const std::size_t all = product.columns;
  for (std::size_t first = 0; first < all; first += copied_columns) {
    product.columns = std::min(copied_columns, all - first);
    for (std::size_t i = 0; i < depth; ++i) {
      std::memcpy(copy.data() + i * copied_columns, from + i * product.right.down + first,
                  product.columns * sizeof(float));
    }
    Product part = product;
    part.left.data += k * product.left.across;
    part.right = {copy.data(), copied_columns, 1};
    part.result += first * product.stride;
    add_all_rows(part, 0, depth);
  }
}

GRADSIM_TARGET void multiply(const Product& product) {
  if (!product.adds_to_result) {
    for (std::size_t j = 0; j < product.columns; ++j) {
      std::memset(product.result + j * product.stride, 0, product.rows * sizeof(float));
    }
  }
  const bool apart = product.right.across == 1 && product.right.down > copied_columns &&
                     product.rows > 2 * widest && product.columns >= tile_columns;
  for (std::size_t k = 0; k < product.depth; k += depth_block) {
    const std::size_t depth = std::min(depth_block, product.depth - k);
    if (apart) {
      add_copied_columns(product, k, depth);
    } else {
      add_all_rows(product, k, depth);
    }
  }
}

}  // namespace GRADSIM_VARIANT

#undef GRADSIM_VARIANT
#undef GRADSIM_TARGET
#undef GRADSIM_LANES
#undef GRADSIM_TILE_COLUMNS
