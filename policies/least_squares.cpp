// Modified Gram-Schmidt, column by column.
#include "policies/least_squares.hpp"

#include <cassert>
#include <cmath>
#include <cstddef>
#include <utility>

namespace policies {
namespace {

using Vector = std::vector<double>;

double dot(const Vector& a, const Vector& b) {
  double sum = 0;
  for (std::size_t i = 0; i < a.size(); ++i) sum += a[i] * b[i];
  return sum;
}

/// Takes the part along the unit vector out of `vector`. @returns its length
double take_out(Vector& vector, const Vector& unit) {
  const double length = dot(vector, unit);
  for (std::size_t i = 0; i < vector.size(); ++i) vector[i] -= length * unit[i];
  return length;
}

/// A column that the ones before it do not determine.
struct Kept {
  std::size_t column;
  Vector unit;      ///< what is its own, of length 1
  Vector products;  ///< R above the diagonal and on it: one per kept column up to this one
};

Vector column_of(std::span<const Vector> rows, std::size_t column) {
  Vector values;
  for (const Vector& row : rows) values.push_back(row[column]);
  return values;
}

std::vector<Kept> decompose(std::span<const Vector> rows) {
  constexpr double rounding = 1e-10;
  std::vector<Kept> kept;
  for (std::size_t column = 0; column < rows.front().size(); ++column) {
    Kept next{column, column_of(rows, column), {}};
    const double before = std::sqrt(dot(next.unit, next.unit));
    for (const Kept& earlier : kept) next.products.push_back(take_out(next.unit, earlier.unit));
    const double length = std::sqrt(dot(next.unit, next.unit));
    if (length <= rounding * before) continue;
    for (double& value : next.unit) value /= length;
    next.products.push_back(length);
    kept.push_back(std::move(next));
  }
  return kept;
}

}  // namespace

std::vector<double> least_squares(std::span<const Vector> rows, std::span<const double> values) {
  assert(!rows.empty() && rows.size() == values.size());
  const std::vector<Kept> kept = decompose(rows);
  Vector rest(values.begin(), values.end());
  Vector sides;
  for (const Kept& column : kept) sides.push_back(take_out(rest, column.unit));
  Vector found(rows.front().size(), 0);
  for (std::size_t i = kept.size(); i-- > 0;) {
    double side = sides[i];
    for (std::size_t j = i + 1; j < kept.size(); ++j) side -= kept[j].products[i] * found[kept[j].column];
    found[kept[i].column] = side / kept[i].products[i];
  }
  return found;
}

}  // namespace policies
