// Thin products over many blocks, Gram-Schmidt in one.
#include <algorithm>
#include <cassert>
#include <limits>
#include <type_traits>

#include "kernels/block_sums.cuh"
#include "kernels/device_coder.cuh"
#include "kernels/device_steps.hpp"
#include "kernels/philox.hpp"

namespace kernels {
namespace {

constexpr int most_factors = 4;   // columns of P or Q that one product makes
constexpr int rows_of_block = 4;  // rows that share what is read of Q
constexpr int columns_at_once = 2;
constexpr std::int64_t enough_blocks = 1024;
constexpr std::int64_t least_columns = 1024;  // columns of a stretch
constexpr std::int64_t least_rows = 32;

/// M times up to four columns, or M transposed times as many; held only in the kernels' parameters.
struct Product {
  const float* matrix;
  std::int64_t elements;
  Shape shape;
  const float* factors;    // the columns, one after the other
  int count;               // number of columns
  std::int64_t stretch;    // columns of M, of M transposed rows, that one block sums over
  std::int64_t stretches;  // number of stretches
  double* sums;            // for each stretch: the product's columns, one after the other
  Energy* parts;           // `given` of each block; null: not wanted
};

/// The kernels' one argument that must be known when they are compiled.
template <class Use>
__device__ void with_count(int count, Use use) {
  switch (count) {
    case 1: return use(std::integral_constant<int, 1>());
    case 2: return use(std::integral_constant<int, 2>());
    case 3: return use(std::integral_constant<int, 3>());
    default: return use(std::integral_constant<int, most_factors>());
  }
}

struct RowScratch {
  double sums[block_warps][rows_of_block * most_factors + 1];
};

/// Two columns of four rows of M, and the factors that go with them: as many reads as are in flight together.
/// Zeros follow the end; Q is finite, so they add nothing.
template <int count>
struct RowReads {
  float values[columns_at_once][rows_of_block];
  float factors[columns_at_once][count];

  __device__ RowReads(const Product& work, std::int64_t first_row, std::int64_t column, std::int64_t end) {
    for (int j = 0; j < columns_at_once; ++j, column += block_threads) {
      for (int row = 0; row < rows_of_block; ++row) {
        const std::int64_t at = (first_row + row) * work.shape.columns + column;
        values[j][row] = column < end && at < work.elements ? work.matrix[at] : 0.0F;
      }
      for (int i = 0; i < count; ++i) {
        factors[j][i] = column < end ? work.factors[i * work.shape.columns + column] : 0.0F;
      }
    }
  }
};

/// Four rows of M times the columns, over one stretch of M's columns.
/// @param first_row  of this block
/// @param sums  of each row in turn, then of the squares
template <int count>
__device__ void sum_rows(const Product& work, std::int64_t first_row, std::int64_t stretch,
                         double (&sums)[rows_of_block * count + 1]) {
  const std::int64_t end = std::min((stretch + 1) * work.stretch, work.shape.columns);
  for (std::int64_t first = stretch * work.stretch; first < end; first += columns_at_once * block_threads) {
    const RowReads<count> read(work, first_row, first + threadIdx.x, end);
    for (int j = 0; j < columns_at_once; ++j) {
      for (int row = 0; row < rows_of_block; ++row) {
        const auto value = static_cast<double>(read.values[j][row]);
        for (int i = 0; i < count; ++i) {
          sums[row * count + i] += value * static_cast<double>(read.factors[j][i]);
        }
        sums[rows_of_block * count] += value * value;
      }
    }
  }
}

/// Four rows' values of the product, of one stretch.
template <int count>
__device__ void multiply_rows_by(const Product& work, RowScratch& scratch) {
  const std::int64_t groups = divided_up(work.shape.rows, rows_of_block);
  const std::int64_t first_row = blockIdx.x % groups * rows_of_block, stretch = blockIdx.x / groups;
  double sums[rows_of_block * count + 1] = {};
  sum_rows<count>(work, first_row, stretch, sums);
  for (int i = 0; i <= rows_of_block * count; ++i) {
    const double of_warp = warp_sum(sums[i]);
    if (lane_number() == 0) scratch.sums[threadIdx.x / lanes_of_warp][i] = of_warp;
  }
  __syncthreads();
  const auto own = static_cast<int>(threadIdx.x);
  if (own > rows_of_block * count) return;
  double sum = 0;
  for (unsigned warp = 0; warp < block_warps; ++warp) sum += scratch.sums[warp][own];
  const std::int64_t row = first_row + own / count;
  if (own == rows_of_block * count) {
    if (work.parts != nullptr) work.parts[blockIdx.x].given = sum;
  } else if (row < work.shape.rows) {
    work.sums[(stretch * count + own % count) * work.shape.rows + row] = sum;
  }
}

__global__ void __launch_bounds__(256) multiply_rows(Product work) {
  __shared__ RowScratch scratch;
  with_count(work.count, [&](auto count) { multiply_rows_by<count()>(work, scratch); });
}

/// One column of M, a thread's own, times the columns, over one stretch of rows.
template <int count>
__device__ void multiply_column_by(const Product& work) {
  const std::int64_t columns = work.shape.columns, rows = work.shape.rows;
  const std::int64_t blocks = divided_up(columns, block_threads);
  const std::int64_t column = blockIdx.x % blocks * block_threads + threadIdx.x,
                     stretch = blockIdx.x / blocks;
  if (column >= columns) return;
  const std::int64_t there = column < work.elements ? divided_up(work.elements - column, columns) : 0;
  const std::int64_t end = std::min((stretch + 1) * work.stretch, there);
  double sums[count] = {};
  for (std::int64_t row = stretch * work.stretch; row < end; ++row) {
    const auto value = static_cast<double>(work.matrix[row * columns + column]);
    for (int i = 0; i < count; ++i) sums[i] += static_cast<double>(work.factors[i * rows + row]) * value;
  }
  for (int i = 0; i < count; ++i) work.sums[(stretch * count + i) * columns + column] = sums[i];
}

__global__ void __launch_bounds__(256) multiply_columns(Product work) {
  with_count(work.count, [&](auto count) { multiply_column_by<count()>(work); });
}

/// @param values  of the product's columns together
__global__ void add_stretches(const double* sums, std::int64_t stretches, std::int64_t values, float* out) {
  const std::int64_t i = thread_number();
  if (i >= values) return;
  double sum = 0;
  for (std::int64_t stretch = 0; stretch < stretches; ++stretch) sum += sums[stretch * values + i];
  out[i] = static_cast<float>(sum);
}

// --- vectors of one block: a thread touches the same values in each of these, so only the sums are shared

struct Column {
  float* values;
  std::int64_t length;
};

/// All threads of the block take part.
__device__ double dot(Column left, Column right, WarpValues<double>& scratch) {
  double sum = 0;
  for (std::int64_t i = threadIdx.x; i < left.length; i += blockDim.x) {
    sum += static_cast<double>(left.values[i]) * static_cast<double>(right.values[i]);
  }
  return block_sum(sum, scratch);
}

__device__ void scale(Column column, double factor) {
  for (std::int64_t i = threadIdx.x; i < column.length; i += blockDim.x) {
    column.values[i] = static_cast<float>(static_cast<double>(column.values[i]) * factor);
  }
}

/// 1 / ||vector||; 0 of zeros.
__device__ double inverse_norm(double squares) { return squares == 0 ? 0 : 1 / sqrt(squares); }

/// One block for each column of Q: drawn anew where it is zero or not finite, then scaled to length 1.
__global__ void __launch_bounds__(1024) prepare_q(float* q, std::int64_t columns, RandomStream random) {
  __shared__ WarpValues<double> scratch;
  const std::int64_t first = std::int64_t{blockIdx.x} * columns;
  const Column column{q + first, columns};
  double squares = dot(column, column, scratch);
  if (!(squares > 0 && squares < std::numeric_limits<double>::infinity())) {
    for (std::int64_t i = threadIdx.x; i < columns; i += blockDim.x) {
      column.values[i] = 2 * unit_interval(random.word(static_cast<std::uint64_t>(first + i))) - 1;
    }
    squares = dot(column, column, scratch);
  }
  scale(column, inverse_norm(squares));
}

/// One block: Gram-Schmidt as `orthonormalise` of matrix.hpp.
__global__ void __launch_bounds__(1024) orthonormalise_p(float* p, std::int64_t rows, std::int64_t count) {
  __shared__ WarpValues<double> scratch;
  for (std::int64_t number = 0; number < count; ++number) {
    const Column vector{p + number * rows, rows};
    scale(vector, inverse_norm(dot(vector, vector, scratch)));
    for (std::int64_t i = 0; i < 2 * number; ++i) {  // each twice
      const Column unit{p + i % number * rows, rows};
      const double share = dot(unit, vector, scratch);
      for (std::int64_t row = threadIdx.x; row < rows; row += blockDim.x) {
        vector.values[row] = static_cast<float>(static_cast<double>(vector.values[row]) -
                                                share * static_cast<double>(unit.values[row]));
      }
    }
    const double factor = inverse_norm(dot(vector, vector, scratch));
    scale(vector, factor >= 1e6 ? 0 : factor);
  }
}

/// Rows, columns and rank of P and Q, in the message's order.
struct Factors {
  const float* p;
  const float* q;
  Shape shape;
  std::int64_t rank;

  /// The value that P Q^T has at an index, in the sum's type.
  template <class Sum>
  __device__ Sum at(std::int64_t row, std::int64_t column) const {
    Sum sum = 0;
    for (std::int64_t number = 0; number < rank; ++number) {
      sum += static_cast<Sum>(p[number * shape.rows + row]) *
             static_cast<Sum>(q[number * shape.columns + column]);
    }
    return sum;
  }
};

/// One block: Q's energy less that at the indices that the last row lacks, and the vector's.
__global__ void __launch_bounds__(1024)
    finish_power_sgd(Factors factors, std::int64_t elements, std::span<const Energy> parts,
                     DeviceTotals sizes, DeviceTotals* totals) {
  __shared__ WarpValues<double> scratch;
  const std::int64_t columns = factors.shape.columns;
  double sent = 0, beyond = 0, given = 0;
  for (std::int64_t i = threadIdx.x; i < factors.rank * columns; i += blockDim.x) {
    sent += static_cast<double>(factors.q[i]) * static_cast<double>(factors.q[i]);
  }
  const std::int64_t first_row = (factors.shape.rows - 1) * columns;
  for (std::int64_t i = elements - first_row + threadIdx.x; i < columns; i += blockDim.x) {
    const auto value = factors.at<double>(factors.shape.rows - 1, i);
    beyond += value * value;
  }
  for (std::size_t i = threadIdx.x; i < parts.size(); i += blockDim.x) given += parts[i].given;
  sent = block_sum(sent, scratch);
  beyond = block_sum(beyond, scratch);
  given = block_sum(given, scratch);
  if (threadIdx.x != 0) return;
  totals->energy.sent = sent - beyond;
  totals->energy.given = given;
  totals->count = sizes.count;
  totals->wire_bytes = sizes.wire_bytes;
}

struct LowRankDecoder {
  Factors factors;

  /// @param i  below 2^32, so that 32 bits divide it
  __device__ float operator()(std::int64_t i) const {
    const std::int64_t columns = factors.shape.columns;
    const std::int64_t row =
        i < columns ? 0 : static_cast<std::uint32_t>(i) / static_cast<std::uint32_t>(columns);
    return factors.at<float>(row, i - row * columns);
  }
};

/// Stretches of a sum over `length`: as many as give enough blocks, none shorter than `least` if there are
/// two.
std::int64_t stretch_of(std::int64_t length, std::int64_t blocks, std::int64_t least) {
  return std::max(least, divided_up(length, divided_up(enough_blocks, blocks)));
}

}  // namespace

DevicePowerSgd::DevicePowerSgd(const PowerSgd::Settings& settings) : settings_(settings) {
  assert(settings.rank >= 1 && settings.shape.rows >= 0 && settings.shape.columns >= 0);
}

Shape DevicePowerSgd::shape_of(std::int64_t elements) const {
  const Shape& fixed = settings_.shape;
  if (fixed.rows == 0 && fixed.columns == 0) return nearly_square(elements);
  assert(fixed.rows * fixed.columns == elements);
  return fixed;
}

/// Makes room for another shape; Q begins at zero and is then drawn.
void DevicePowerSgd::start(const Shape& shape, StreamHandle stream) {
  shape_ = shape;
  rank_ = std::min<std::int64_t>(settings_.rank, std::min(shape.rows, shape.columns));
  const std::int64_t count = rank_ * (shape.rows + shape.columns);
  const std::span<float> factors(scales(count), static_cast<std::size_t>(count));
  clear_bytes(factors.data(), factors.size_bytes(), stream);
  p_ = factors.first(static_cast<std::size_t>(rank_ * shape.rows));
  q_ = factors.subspan(p_.size());
}

/// Columns `first` .. `first` + 3 of P = M Q; with the first of them the vector's energy.
void DevicePowerSgd::multiply_by(std::span<const float> vector, std::int64_t first, StreamHandle stream) {
  const int count = static_cast<int>(std::min<std::int64_t>(most_factors, rank_ - first));
  const std::int64_t groups = divided_up(shape_.rows, rows_of_block);
  const std::int64_t stretch = stretch_of(shape_.columns, groups, least_columns);
  const std::int64_t stretches = divided_up(shape_.columns, stretch);
  double* sums = sums_.reserve(stretches * count * shape_.rows);
  energy_parts_ = groups * stretches;
  Energy* parts_wanted = first == 0 ? parts(energy_parts_) : nullptr;
  const Product work{vector.data(), elements_, shape_,    q_.data() + first * shape_.columns,
                     count,         stretch,   stretches, sums,
                     parts_wanted};
  launch("multiply_rows", multiply_rows, {groups * stretches, block_threads}, stream, work);
  launch("add_stretches", add_stretches, thread_each(count * shape_.rows), stream, sums, stretches,
         count * shape_.rows, p_.data() + first * shape_.rows);
}

/// Columns `first` .. `first` + 3 of Q = M^T P.
void DevicePowerSgd::multiply_transposed_by(std::span<const float> vector, std::int64_t first,
                                            StreamHandle stream) {
  const int count = static_cast<int>(std::min<std::int64_t>(most_factors, rank_ - first));
  const std::int64_t blocks = divided_up(shape_.columns, block_threads);
  const std::int64_t stretch = stretch_of(shape_.rows, blocks, least_rows);
  const std::int64_t stretches = divided_up(shape_.rows, stretch);
  double* sums = sums_.reserve(stretches * count * shape_.columns);
  const Product work{vector.data(), elements_, shape_, p_.data() + first * shape_.rows, count, stretch,
                     stretches,     sums,      nullptr};
  launch("multiply_columns", multiply_columns, {blocks * stretches, block_threads}, stream, work);
  launch("add_stretches", add_stretches, thread_each(count * shape_.columns), stream, sums, stretches,
         count * shape_.columns, q_.data() + first * shape_.columns);
}

std::span<float> DevicePowerSgd::project(std::span<const float> vector, StreamHandle stream) {
  elements_ = static_cast<std::int64_t>(vector.size());
  const Shape shape = shape_of(elements_);
  if (shape.rows != shape_.rows || shape.columns != shape_.columns) start(shape, stream);
  const RandomStream random{settings_.seed, next_step()};
  energy_parts_ = 0;
  if (rank_ == 0) return p_;
  launch("prepare_q", prepare_q, {rank_, one_block(shape.columns).threads}, stream, q_.data(), shape.columns,
         random);
  for (std::int64_t first = 0; first < rank_; first += most_factors) multiply_by(vector, first, stream);
  return p_;
}

std::span<float> DevicePowerSgd::back_project(std::span<const float> vector, StreamHandle stream) {
  assert(static_cast<std::int64_t>(vector.size()) == elements_);
  if (rank_ == 0) return q_;
  launch("orthonormalise_p", orthonormalise_p, one_block(shape_.rows), stream, p_.data(), shape_.rows, rank_);
  for (std::int64_t first = 0; first < rank_; first += most_factors) {
    multiply_transposed_by(vector, first, stream);
  }
  return q_;
}

DeviceMessage DevicePowerSgd::message(std::span<const float> vector, StreamHandle stream) {
  assert(static_cast<std::int64_t>(vector.size()) == elements_);
  (void)vector;
  const std::int64_t count = rank_ * (shape_.rows + shape_.columns);
  const Factors factors{p_.data(), q_.data(), shape_, rank_};
  const DeviceTotals sizes{{}, count, wire_bytes(count, 0)};
  launch("finish_power_sgd", finish_power_sgd, one_block(rank_ * shape_.columns), stream, factors, elements_,
         std::span<const Energy>(parts(energy_parts_), static_cast<std::size_t>(energy_parts_)), sizes,
         totals());
  return coded(elements_, count, 0);
}

DeviceMessage DevicePowerSgd::compress(std::span<const float> vector, StreamHandle stream) {
  project(vector, stream);
  back_project(vector, stream);
  return message(vector, stream);
}

void DevicePowerSgd::apply(const DeviceMessage& message, std::span<float> vector, Use use,
                           StreamHandle stream) const {
  assert(static_cast<std::int64_t>(vector.size()) == message.elements);
  if (message.elements == 0) return;
  const Shape shape = shape_of(message.elements);
  const std::int64_t rank = static_cast<std::int64_t>(message.values.size()) / (shape.rows + shape.columns);
  const float* p = message.values.data();
  decode_each(LowRankDecoder{{p, p + rank * shape.rows, shape, rank}}, vector, use == Use::add, stream);
}

DeviceCompressorPtr PowerSgd::make_on_device(const Settings& settings) {
  return std::make_unique<DevicePowerSgd>(settings);
}

}  // namespace kernels
