// A counter run through a mixing function, and the distributions made of it.
#include "sim/engine/random.hpp"

#include <cmath>
#include <numbers>

namespace sim::engine {
namespace {

constexpr std::uint64_t golden_ratio = 0x9e3779b97f4a7c15ULL;

/// Steele, Lea & Flood, "Fast splittable pseudorandom number generators", OOPSLA 2014 (variant 13 of
/// Stafford).
std::uint64_t mix(std::uint64_t value) {
  value = (value ^ (value >> 30U)) * 0xbf58476d1ce4e5b9ULL;
  value = (value ^ (value >> 27U)) * 0x94d049bb133111ebULL;
  return value ^ (value >> 31U);
}

}  // namespace

Draw::Draw(std::uint64_t seed, Stream stream, std::uint64_t index, std::uint64_t sub_index)
    : state_(mix(mix(mix(seed + golden_ratio * static_cast<std::uint64_t>(stream)) + index) + sub_index)) {}

double Draw::uniform() {
  state_ += golden_ratio;
  return (static_cast<double>(mix(state_) >> 11U) + 0.5) * 0x1.0p-53;
}

double Draw::normal() {
  const double radius = std::sqrt(-2 * std::log(uniform()));
  return radius * std::cos(2 * std::numbers::pi * uniform());
}

double Draw::exponential() { return -std::log(uniform()); }

}  // namespace sim::engine
