// The k-th largest magnitude on the device, of a sample or of a selection's candidates.
#pragma once

#include "kernels/device_selection.hpp"

namespace kernels {

/// Whether a sample of `work.elements` values suggests a threshold that `enough` pass and little else.
bool sample_pays(const Selecting& work);

/// How many candidates the sampled threshold may let pass before it counts as far too low.
std::int64_t candidate_room(std::int64_t elements, std::int64_t enough);

/// state->listed = that of a sample; only speed depends on its luck.
void sample_threshold(const Selecting& work, StreamHandle stream);

/// Unless state->is_cut: cuts off the state->rank largest, or `enough` where that is 0.
void find_kth_largest(const Selecting& work, StreamHandle stream);

}  // namespace kernels
