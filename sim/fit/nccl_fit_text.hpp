// A fitted correction of NCCL's times, for people, CSV and JSON; and as an overlay for scenarios.
#pragma once

#include <string>

#include "command_line/output_format.hpp"
#include "netmodels/result.hpp"
#include "sim/fit/nccl_fit.hpp"

namespace sim::fit {

/// Text: measured sizes with their times by the model, the error with each size left out, and the sizes to
/// measure next. Rows: the sizes, in base units.
command_line::Document nccl_fit_document(const NcclFit& fit, const std::string& file);

/// An overlay for scenarios (`use: FILE`): the cluster with `nccl: {measured: ...}`.
/// @param file  the measurements, named in the first comment
/// @returns the text, or an Error where no size was measured
netmodels::Result<std::string> nccl_overlay(const NcclFit& fit, const std::string& file);

}  // namespace sim::fit
