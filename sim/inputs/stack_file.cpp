// Reads software stacks, key by key.
#include "sim/inputs/stack_file.hpp"

#include <algorithm>
#include <cmath>
#include <compare>

#include <fmt/format.h>

#include "settings/type.hpp"
#include "sim/language/document.hpp"
#include "sim/language/reader.hpp"
#include "sim/language/text_file.hpp"

namespace sim::inputs {

using namespace settings;

void describe(Fields& fields, SizeKeys& keys) {
  fields.field({.name = "parameters",
                .doc = "Parameters of the model that a token passes.",
                .bounds = between(1, 1e15),
                .example = "8030261248"},
               keys.parameters);
  fields.field(
      {.name = "share",
       .doc = "Model FLOPs over the peak of the device in this precision, while a device computes: what "
              "the devices of a replica exchange, and wait for their pipeline, is counted besides.",
       .bounds = above_up_to(0, 1),
       .example = "55.1 %",
       .share = true},
      keys.share);
}

void describe(Fields& fields, PublishedRunsKeys& keys) {
  const auto count = [&](std::string_view name, std::string_view doc, std::string_view example,
                         std::int64_t& target) {
    fields.field({.name = name, .doc = doc, .bounds = between(1, 1e9), .example = example}, target);
  };
  count("min_sequence", "Tokens of the shortest samples.", "512", keys.min_sequence);
  count("max_sequence", "Tokens of the longest samples.", "65536", keys.max_sequence);
  count("max_devices", "GPUs of the largest run.", "512", keys.max_devices);
  fields.field(
      {.name = "experts", .doc = "Whether mixtures of experts are among the models.", .fallback = "false"},
      keys.experts);
}

std::optional<Problem> problem_of(const PublishedRunsKeys& keys) {
  if (keys.max_sequence < keys.min_sequence)
    return Problem{"max_sequence", "it is less than `min_sequence`", "write at least `min_sequence`"};
  return std::nullopt;
}

void describe(Fields& fields, StackDeviceKeys& keys) {
  fields.field({.name = "device", .doc = "A file of scenarios/devices.", .example = "h100_sxm_datasheet"},
               keys.device);
  fields.field(
      {.name = "taken_for",
       .doc = "Devices of the same arithmetic on which the stack was not measured, and for which these "
              "figures are taken; outputs say so.",
       .example = "[h200_sxm_datasheet]"},
      keys.taken_for);
  fields.field({.name = "precision", .doc = "Arithmetic of the matrix products.", .fallback = "bf16"},
               keys.precision);
  fields.field({.name = "efficiency",
                .doc = "Share of the peak that wide models with large micro-batches reach, in FLOPs of the "
                       "hardware.",
                .bounds = above_up_to(0, 1),
                .example = "0.812",
                .share = true},
               keys.efficiency);
  fields.field({.name = "sizes",
                .doc = "The share of the peak by size of the model, in place of `efficiency`; between sizes "
                       "it is linear in the logarithm of the parameters."},
               keys.sizes);
  fields.field({.name = "hidden_half",
                .doc = "Width of a model that reaches half of the efficiency.",
                .fallback = "0",
                .bounds = at_least(0)},
               keys.hidden_half);
  fields.field({.name = "tokens_half",
                .doc = "Tokens of a micro-batch that reaches half of the efficiency.",
                .fallback = "0",
                .bounds = at_least(0)},
               keys.tokens_half);
  fields.field(
      {.name = "attention_weight",
       .doc = "How often the FLOPs of attention count, where its kernels reach less of the peak than "
              "matrix products.",
       .fallback = "1",
       .bounds = between(0.1, 100)},
      keys.attention_weight);
  fields.field({.name = "lost_per_doubling",
                .doc = "Share that a step loses at each doubling of the GPUs that wait for each other in it, "
                       "beyond 8 and beyond what is simulated.",
                .fallback = "0",
                .bounds = between(0, 0.5),
                .share = true},
               keys.lost_per_doubling);
  fields.field({.name = "within",
                .doc = "Relative error of the rule against the runs that it was fitted to; the file says of "
                       "which share of them.",
                .bounds = above(0),
                .example = "13.4 %",
                .share = true},
               keys.within);
  fields.field(
      {.name = "runs",
       .doc = "What the published runs cover. The range of the times is wider outside of it; without "
              "it, as if everything were covered.",
       .example = "{min_sequence: 512, max_sequence: 65536, max_devices: 512}"},
      keys.runs);
}

std::optional<Problem> problem_of(const StackDeviceKeys& keys) {
  if (keys.efficiency.has_value() != keys.sizes.empty()) {
    return Problem{{},
                   keys.efficiency ? "it states both `efficiency` and `sizes`"
                                   : "it states neither `efficiency` nor `sizes`",
                   "write one of them"};
  }
  for (std::size_t i = 1; i < keys.sizes.size(); ++i) {
    if (keys.sizes[i].parameters > keys.sizes[i - 1].parameters) continue;
    return Problem{fmt::format("sizes[{}].parameters", i), "sizes do not rise",
                   "write them in the order of their parameters"};
  }
  return std::nullopt;
}

void describe(Fields& fields, StackKeys& keys) {
  fields.field({.name = "name", .doc = "Name of the stack.", .example = "pytorch-fsdp-2023"}, keys.name);
  fields.field({.name = "provenance",
                .doc = "Source of the figures: who published them, and for which models.",
                .example = "\"209 dense bf16 runs of llm-foundry\""},
               keys.provenance);
  fields.field({.name = "devices", .doc = "Devices on which the stack was measured, each a map."},
               keys.devices);
  fields.field({.name = "gradient_bytes",
                .doc = "Bytes of a gradient as the published sharded runs reduced them: the default of "
                       "`parallelism.gradient_bytes`.",
                .bounds = above(0),
                .example = "2"},
               keys.gradient_bytes);
}

namespace {

namespace fs = std::filesystem;
using netmodels::Result;

netmodels::UtilisationRule rule_of(const StackDeviceKeys& keys) {
  netmodels::UtilisationRule rule{.sizes = {},
                                  .hidden_half = keys.hidden_half,
                                  .tokens_half = keys.tokens_half,
                                  .attention_weight = keys.attention_weight,
                                  .lost_per_doubling = keys.lost_per_doubling};
  if (keys.efficiency) rule.sizes.push_back({1, *keys.efficiency});
  for (const SizeKeys& size : keys.sizes) rule.sizes.push_back({size.parameters, size.share});
  return rule;
}

netmodels::UtilisationRange range_of(const StackKeys& stack, const StackDeviceKeys& row) {
  netmodels::UtilisationRange range{.of = fmt::format("stack {} in {}", stack.name, name_of(row.precision)),
                                    .within = row.within};
  if (!row.runs) return range;
  range.runs = netmodels::PublishedRuns{.min_sequence = row.runs->min_sequence,
                                        .max_sequence = row.runs->max_sequence,
                                        .max_devices = static_cast<std::uint32_t>(row.runs->max_devices),
                                        .experts = row.runs->experts};
  return range;
}

bool is_of_device(const StackDeviceKeys& row, const std::string& device) {
  return row.device == device || std::ranges::find(row.taken_for, device) != row.taken_for.end();
}

/// How far a row is from what is asked for; compared part by part.
struct RowDistance {
  bool other_device = false;
  bool other_precision = false;
  double peak = 0;  ///< size of the logarithm of the ratio of peaks

  auto operator<=>(const RowDistance&) const = default;
};

Result<RowDistance> distance_of(const StackDeviceKeys& row, const std::string& device, Precision precision,
                                netmodels::FlopRate peak, const language::Value& asked,
                                const fs::path& data_dir) {
  RowDistance distance{!is_of_device(row, device), row.precision != precision, 0};
  if (!distance.other_device) return distance;
  GRADSIM_TRY(measured,
              load_device(language::Value::scalar(row.device, asked.origin()), data_dir, row.precision));
  distance.peak = std::abs(std::log(measured->peak / peak));
  return distance;
}

/// The row nearest to what is asked for.
Result<const StackDeviceKeys*> nearest_row(const StackKeys& keys, const std::string& device,
                                           Precision precision, netmodels::FlopRate peak,
                                           const language::Value& asked, const fs::path& data_dir) {
  const StackDeviceKeys* nearest = nullptr;
  RowDistance least;
  for (const StackDeviceKeys& row : keys.devices) {
    GRADSIM_TRY(distance, distance_of(row, device, precision, peak, asked, data_dir));
    if (nearest != nullptr && !(*distance < least)) continue;
    nearest = &row;
    least = *distance;
  }
  if (nearest != nullptr) return nearest;
  return netmodels::refuse(asked.origin().text(), fmt::format("the stack `{}` has no `devices`", keys.name),
                           "name another stack, or state the utilisation of the peak as `mfu: 45 %`");
}

}  // namespace

Result<StackKeys> read_stack(const language::Value& value, const fs::path& data_dir) {
  GRADSIM_TRY(path, language::find_named(value, data_dir / "stacks", "software stack"));
  GRADSIM_TRY(document, language::read_document(*path));
  StackKeys keys;
  const language::Field field{document->root, "",
                              settings::Key{.name = "stack", .doc = "a map of the stack's keys"}};
  if (const auto read = language::read_map(field, keys); !read) return tl::unexpected(read.error());
  return keys;
}

Result<StackUtilisation> load_stack(const language::Value& value, const fs::path& data_dir,
                                    const std::string& device, Precision precision,
                                    netmodels::FlopRate peak) {
  GRADSIM_TRY(keys, read_stack(value, data_dir));
  GRADSIM_TRY(row, nearest_row(*keys, device, precision, peak, value, data_dir));
  const StackDeviceKeys& found = **row;
  StackUtilisation stack{.stack = keys->name,
                         .rule = rule_of(found),
                         .measured_on = found.device,
                         .measured_in = found.precision,
                         .range = range_of(*keys, found),
                         .gradient_bytes = keys->gradient_bytes};
  if (!is_of_device(found, device))
    stack.range.outside.push_back(netmodels::other_device(device, found.device));
  if (found.precision != precision)
    stack.range.outside.push_back(
        netmodels::other_precision(std::string(name_of(precision)), std::string(name_of(found.precision))));
  return stack;
}

}  // namespace sim::inputs
