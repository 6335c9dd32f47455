// Choosing indices at equal distances.
#include "kernels/every_nth.hpp"

#include "kernels/magnitude.hpp"

namespace kernels {

Message EveryNth::compress(std::span<const float> vector) {
  const auto elements = static_cast<std::int64_t>(vector.size());
  const std::int64_t k = kept(ratio_, elements);
  indices_.reserve(k);
  std::int64_t number = 0;
  for (Index& index : indices_.first(k)) index = static_cast<Index>(number++ * elements / k);
  double given = 0;
  for (const float value : vector) given += static_cast<double>(value) * value;
  return gathered(vector, indices_.first(k), given);
}

}  // namespace kernels
