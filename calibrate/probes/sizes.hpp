// Sizes of messages as a command line names them.
#pragma once

#include <string_view>
#include <vector>

#include "netmodels/quantity.hpp"
#include "netmodels/result.hpp"

namespace calibrate::probes {

/// Sizes parted by commas, each `SIZE` or `FIRST..LAST`, which doubles from FIRST until it passes LAST:
/// `4KiB..4MiB,6MiB`. 4 bytes to 1 GiB, multiples of 4 bytes.
/// @returns rising sizes without repeats, or an Error that names the piece
netmodels::Result<std::vector<netmodels::Bytes>> read_sizes(std::string_view text);

}  // namespace calibrate::probes
