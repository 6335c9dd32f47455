// Reads software stacks, key by key.
#include "sim/inputs/stack_file.hpp"

#include <algorithm>

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

std::string measured_on(const StackKeys& keys) {
  std::string text;
  for (const StackDeviceKeys& row : keys.devices)
    text += fmt::format("{}{} in {}", text.empty() ? "" : ", ", row.device, name_of(row.precision));
  return text;
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
                                    const std::string& device, Precision precision) {
  GRADSIM_TRY(keys, read_stack(value, data_dir));
  const auto found = std::ranges::find_if(keys->devices, [&](const StackDeviceKeys& row) {
    const bool is_taken = std::ranges::find(row.taken_for, device) != row.taken_for.end();
    return (row.device == device || is_taken) && row.precision == precision;
  });
  if (found == keys->devices.end()) {
    return netmodels::refuse(
        value.origin().text(),
        fmt::format("the stack `{}` was not measured on {} in {}", keys->name, device, name_of(precision)),
        fmt::format("accepted: {}; or state the utilisation of the peak in {} as `mfu: 45 %`",
                    measured_on(*keys), name_of(precision)));
  }
  return StackUtilisation{keys->name, rule_of(*found), found->device, found->within, keys->gradient_bytes};
}

}  // namespace sim::inputs
