// The table of gradient compressors: description, message and factory of each.
#pragma once

#include <optional>
#include <span>
#include <string_view>

#include "kernels/compressor.hpp"
#include "kernels/method.hpp"
#include "kernels/settings.hpp"
#include "kernels/wire_format.hpp"

namespace kernels {

/// One row of the table.
struct Entry {
  std::string_view name;          ///< as in scenarios
  std::string_view summary = {};  ///< one sentence
  std::string_view source = {};
  std::string_view formula = {};  ///< bytes per rank and stage, as printed in help and `sim explain`
  netmodels::CollectiveKind exchange = netmodels::CollectiveKind::all_reduce;  ///< exchange of the values
  bool sparse = false;          ///< sends k of n values: as they are, unless `coded`
  bool coded = false;           ///< sends those k in few bits each, so that a ratio of 1 changes them too
  bool tiled = false;           ///< the k values are coefficients of tiles
  bool low_rank = false;        ///< sends two factors of together k values
  bool error_feedback = false;  ///< the rest that is not sent is kept and added to the next gradient
  /// The owner of each part of the vector sums the messages there, codes the sum again with error feedback of
  /// its own, and sends that: an all-reduce of codes.
  bool recoded = false;
  bool unscaled = false;  ///< restores to 1 and -1: the learning rate is the scale, which a change has not
  /// The execution model (`netmodels::execution_models`) of a scenario that states none: what needs the whole
  /// gradient cannot begin before the backward pass has ended.
  std::string_view execution = "after_backward";
  /// Bytes that one rank must move through its memory per gradient value to make the message, besides the
  /// message itself; nothing where the gradient is sent as stored in memory.
  std::optional<double> memory_per_element = {};
  /// The wire format; null where no scenario can name the compressor.
  StagesFunction* stages = nullptr;
  /// @param settings  that `validate` accepts
  CompressorPtr (*make)(const Settings& settings) = nullptr;
  /// The CUDA implementation; null where there is none. Gives null in a program without the library
  /// kernels_cuda. @param settings  as of `make`
  DeviceCompressorPtr (*make_on_device)(const Settings& settings) = nullptr;

  /// Whether the compression ratio counts.
  [[nodiscard]] bool has_ratio() const { return sparse || low_rank; }
  /// Whether workers must hear of each other before they know what they send.
  [[nodiscard]] bool two_rounds() const { return exchange == netmodels::CollectiveKind::ar_topk || low_rank; }
  /// Whether all is sent as it is where nothing is left out.
  [[nodiscard]] bool whole_at_one() const { return sparse && !coded; }
};

/// Every compressor, in a stable order: the first sends the gradient as it is, those without a wire format
/// come last.
std::span<const Entry> catalogue();

/// @returns the row, or nullptr when there is no such name
const Entry* find(std::string_view name);

/// The rows that have a wire format: all that a scenario can name.
std::span<const Entry> wire_formats();

/// @returns the row, or an Error that names the nearest known one that has a wire format
netmodels::Result<const Entry*> find_wire_format(std::string_view name);

/// Whether a collective of this kind exchanges what the method sends. The values of AR-Topk are added up by
/// an all-reduce, too, after a broadcast of their indices.
bool carries(netmodels::CollectiveKind collective, const Entry& method);

/// Sum over the stages of one rank's contribution.
/// @param format  of `wire_formats()`
netmodels::Bytes message_bytes(const Entry& format, const Payload& payload);

}  // namespace kernels
