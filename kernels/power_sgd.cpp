// Two thin products and an orthonormalisation.
#include "kernels/power_sgd.hpp"

#include <algorithm>
#include <cassert>
#include <cmath>

#include "kernels/statistics.hpp"
#include "kernels/uniform.hpp"

namespace kernels {

PowerSgd::PowerSgd(const Settings& settings) : settings_(settings) {
  assert(settings.rank >= 1 && settings.shape.rows >= 0 && settings.shape.columns >= 0);
}

Shape PowerSgd::shape_of(std::int64_t elements) const {
  const Shape& fixed = settings_.shape;
  if (fixed.rows == 0 && fixed.columns == 0) return nearly_square(elements);
  assert(fixed.rows * fixed.columns == elements);
  return fixed;
}

MatrixView PowerSgd::matrix(std::span<const float> vector) const { return {vector, shape_}; }

std::span<float> PowerSgd::column_of_p(std::int64_t number) {
  return p_.subspan(static_cast<std::size_t>(number * shape_.rows), static_cast<std::size_t>(shape_.rows));
}

std::span<float> PowerSgd::column_of_q(std::int64_t number) {
  return q_.subspan(static_cast<std::size_t>(number * shape_.columns),
                    static_cast<std::size_t>(shape_.columns));
}

/// Makes room for another shape; Q begins at zero and is then drawn.
void PowerSgd::start(const Shape& shape) {
  shape_ = shape;
  rank_ = std::min<std::int64_t>(settings_.rank, std::min(shape.rows, shape.columns));
  const std::span<float> factors = scales(rank_ * (shape.rows + shape.columns));
  std::ranges::fill(factors, 0.0F);
  p_ = factors.first(static_cast<std::size_t>(rank_ * shape.rows));
  q_ = factors.subspan(p_.size());
  sums_.reserve(shape.columns);
}

/// Only the directions of Q's columns matter; unit length keeps P away from the ends of the float range.
void PowerSgd::prepare_q() {
  const RandomStream stream{settings_.seed, next_step()};
  for (std::int64_t number = 0; number < rank_; ++number) {
    const std::span<float> column = column_of_q(number);
    const double squares = energy(column);
    if (!(squares > 0 && squares < HUGE_VAL)) {
      fill_uniform(stream, static_cast<std::uint64_t>(number * shape_.columns), column);
      for (float& value : column) value = 2 * value - 1;
    }
    normalise(column);
  }
}

std::span<float> PowerSgd::project(std::span<const float> vector) {
  const Shape shape = shape_of(static_cast<std::int64_t>(vector.size()));
  if (shape.rows != shape_.rows || shape.columns != shape_.columns) start(shape);
  prepare_q();
  for (std::int64_t number = 0; number < rank_; ++number) {
    multiply(matrix(vector), column_of_q(number), column_of_p(number));
  }
  return p_;
}

std::span<float> PowerSgd::back_project(std::span<const float> vector) {
  orthonormalise(p_, rank_);
  for (std::int64_t number = 0; number < rank_; ++number) {
    multiply_transposed(matrix(vector), column_of_p(number), sums_.first(shape_.columns),
                        column_of_q(number));
  }
  return q_;
}

/// Energy of P Q^T at the indices that the last row lacks.
double PowerSgd::energy_beyond(std::int64_t elements) {
  double beyond = 0;
  for (std::int64_t index = elements; index < shape_.rows * shape_.columns; ++index) {
    double value = 0;
    for (std::int64_t number = 0; number < rank_; ++number) {
      value += static_cast<double>(column_of_p(number).back()) *
               column_of_q(number)[static_cast<std::size_t>(index % shape_.columns)];
    }
    beyond += value * value;
  }
  return beyond;
}

Message PowerSgd::message(std::span<const float> vector) {
  const auto elements = static_cast<std::int64_t>(vector.size());
  const std::int64_t factors = rank_ * (shape_.rows + shape_.columns);
  // P is orthonormal, so the energy of P Q^T is that of Q, as far as P's columns are not zero; then Q's are
  // too.
  const double sent = energy(q_) - energy_beyond(elements);
  return coded(elements, scales(factors), {}, {sent, energy(vector)});
}

void PowerSgd::begin_at(std::span<const float> q, std::int64_t elements) {
  start(shape_of(elements));
  assert(q.size() == q_.size());
  std::ranges::copy(q, q_.begin());
}

Message PowerSgd::compress(std::span<const float> vector) {
  project(vector);
  back_project(vector);
  return message(vector);
}

void PowerSgd::decode(const Message& message, std::int64_t first, std::span<float> out) const {
  std::ranges::fill(out, 0.0F);
  const Shape shape = shape_of(message.elements);
  const auto rows = static_cast<std::size_t>(shape.rows);
  const auto columns = static_cast<std::size_t>(shape.columns);
  const std::size_t rank = message.values.size() / (rows + columns);
  for (std::size_t number = 0; number < rank; ++number) {
    const std::span<const float> p = message.values.subspan(number * rows, rows);
    const std::span<const float> q = message.values.subspan(rank * rows + number * columns, columns);
    std::size_t row = static_cast<std::size_t>(first) / columns;
    std::size_t column = static_cast<std::size_t>(first) % columns;
    for (float& value : out) {
      value += p[row] * q[column];
      if (++column == columns) {
        column = 0;
        ++row;
      }
    }
  }
}

}  // namespace kernels
