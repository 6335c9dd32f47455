// vTrain's look-up tables of all-reduces, and its measured iterations of Megatron-DeepSpeed.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "calibrate/measurements/measurement.hpp"
#include "netmodels/quantity.hpp"
#include "netmodels/result.hpp"

namespace calibrate::imports {

/// Whether the text begins with the header of a look-up table.
bool is_vtrain_table(std::string_view text);

/// Reads size(B) and time(ns) of the out-of-place all-reduces.
/// @param source  named in errors; its name holds the ranks, as in `AR_GPU7_1M_1024M_LUT`
/// @returns an Error with its place for another name or header, and for errors of `measurements::check`
netmodels::Result<measurements::Measurements> import_vtrain_table(std::string_view text,
                                                                  const std::string& source);

/// One measured iteration.
struct VtrainIteration {
  double batch = 1;        ///< sequences of all replicas
  double micro_batch = 1;  ///< sequences
  double hidden = 1;       ///< width of the layers
  double heads = 1;
  double layers = 1;
  double length = 1;  ///< tokens of a sequence
  int tensor = 1;     ///< ranks that share a layer
  int data = 1;       ///< replicas
  int pipeline = 1;   ///< stages
  netmodels::Seconds time;
};

/// Reads the columns that vTrain's ground truth has, iteration time in ms.
/// @param source  named in errors
/// @returns at least one iteration, or an Error with its place
netmodels::Result<std::vector<VtrainIteration>> read_vtrain_iterations(std::string_view text,
                                                                       std::string_view source);

}  // namespace calibrate::imports
