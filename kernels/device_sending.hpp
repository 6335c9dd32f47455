// The last part of every selection on the device: what the cut leaves, sent in order of place.
#pragma once

#include "kernels/device_selection.hpp"

namespace kernels {

/// Sends what work.state->cut says: pairs in ascending order of place, zeros in the residual there, totals.
void send_cut(const Selecting& work, StreamHandle stream);

}  // namespace kernels
