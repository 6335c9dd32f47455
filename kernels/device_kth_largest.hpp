// The k-th largest magnitude on the device, of a sample or of a selection's candidates.
#pragma once

#include "kernels/device_selection.hpp"

namespace kernels {

/// Whether a sample of `work.elements` values suggests a threshold that k pass and little else.
bool sample_pays(const Selecting& work);

/// How many candidates the sampled threshold may let pass before it counts as far too low.
std::int64_t candidate_room(std::int64_t elements, std::int64_t wanted);

/// state->threshold = that of a sample; only speed depends on its luck.
void sample_threshold(const Selecting& work, StreamHandle stream);

/// state->known = the k-th largest magnitude, state->wanted = how many of those equal to it are among the k.
void find_kth_largest(const Selecting& work, StreamHandle stream);

}  // namespace kernels
