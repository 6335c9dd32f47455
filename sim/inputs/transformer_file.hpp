// Transformers by description: their keys, and the workloads made of them.
#pragma once

#include <array>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>

#include "netmodels/result.hpp"
#include "netmodels/transformer.hpp"
#include "netmodels/workload.hpp"
#include "settings/fields.hpp"
#include "sim/inputs/device_file.hpp"
#include "sim/language/reader.hpp"

namespace netmodels {

// The words of a description.

constexpr auto names_of(FeedForward) {
  return std::to_array<settings::Named<FeedForward>>(
      {{"gelu", FeedForward::gelu}, {"swiglu", FeedForward::swiglu}});
}

constexpr auto names_of(Normalisation) {
  return std::to_array<settings::Named<Normalisation>>(
      {{"layer", Normalisation::layer}, {"rms", Normalisation::rms}});
}

constexpr auto names_of(PositionEncoding) {
  return std::to_array<settings::Named<PositionEncoding>>(
      {{"learned", PositionEncoding::learned}, {"rotary", PositionEncoding::rotary}});
}

constexpr auto names_of(Biases) {
  return std::to_array<settings::Named<Biases>>({{"all", Biases::all},
                                                 {"attention", Biases::attention},
                                                 {"query_key_value", Biases::query_key_value},
                                                 {"feed_forward", Biases::feed_forward},
                                                 {"none", Biases::none}});
}

constexpr auto names_of(Recomputation) {
  return std::to_array<settings::Named<Recomputation>>(
      {{"none", Recomputation::none},
       {"selective", Recomputation::selective},
       {"every_second_product", Recomputation::every_second_product},
       {"full", Recomputation::full}});
}

void describe(settings::Fields& fields, Transformer& model);
/// Refuses what `check` refuses.
std::optional<settings::Problem> problem_of(const Transformer& model);

}  // namespace netmodels

namespace sim::inputs {

/// A workload that is a transformer by description.
struct TransformerKeys {
  std::optional<std::string> name;
  std::optional<std::string> provenance;
  std::optional<netmodels::Transformer> transformer;
  std::optional<std::string> config;
  std::optional<std::string> model;
  std::optional<std::int64_t> sequence;
  std::optional<std::string> device;
  Precision precision = Precision::bf16;
  std::optional<std::string> stack;
  std::optional<double> mfu;
  netmodels::Recomputation recomputation = netmodels::Recomputation::none;
  bool flash = true;
  double logit_bytes = netmodels::fp32_logit_bytes;
  double trainable = 1;
  int batch = 1;
};

void describe(settings::Fields& fields, TransformerKeys& value);
/// Refuses more or less than one source of the shape, and of the time.
std::optional<settings::Problem> problem_of(const TransformerKeys& value);

/// Whether a map describes a transformer: it has one of the keys `transformer`, `config` and `model`.
bool describes_transformer(const language::Value& map);

/// The layer table of the described model, with times by the utilisation of a stack or by a stated one:
/// see netmodels/utilisation.hpp. FLOPs of the passes over the peak of `device` in `precision`.
/// @param field           of the map
/// @param data_dir        the folder `scenarios`
/// @param cluster_device  of the cluster, which counts whatever device the map names; null: that of the map
/// @returns the workload, or an Error with its place: as `netmodels::check`; a configuration of another
///          architecture; a device that is stated nowhere; a device without that precision
netmodels::Result<netmodels::Workload> read_transformer(const language::Field& field,
                                                        const std::filesystem::path& data_dir,
                                                        const language::Value* cluster_device = nullptr);

}  // namespace sim::inputs
