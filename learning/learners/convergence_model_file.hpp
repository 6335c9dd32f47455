// The file of a fitted law: figures and curves as CSV, below facts on where they come from.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>

#include "learning/learners/convergence_model.hpp"
#include "netmodels/result.hpp"

namespace learning::learners {

/// Reads a law. Lines `# key: value` stand above the table: model, data_set, data_set_samples, source and
/// licence must be there. The header is quantity,method,at,value; a row each for
///   target_accuracy, least_steps, critical_batch, smallest_batch, largest_batch (method and at empty),
///   accuracy, loss, test_loss, noise_scale, squared_norm at a progress (method empty),
///   gain, slowdown of a method at a ratio, with error feedback; gain_raw, slowdown_raw without.
///
/// @param source  named in errors, as `source:line:column`
/// @returns an Error for a fact or quantity that is missing, doubled or unknown; a value out of its
///          range; places of a curve that do not rise; an accuracy that falls; batches out of order; a
///          noise scale of 0 all the way
netmodels::Result<ConvergenceModel> parse_law(std::string_view text, const std::string& source);

/// `parse_law` of a file. Also refuses what `read_whole` refuses.
netmodels::Result<ConvergenceModel> read_law(const std::filesystem::path& path);

}  // namespace learning::learners
