// Reads transformers by description, and times their layers.
#include "sim/inputs/transformer_file.hpp"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "netmodels/nearest.hpp"
#include "netmodels/utilisation.hpp"
#include "settings/type.hpp"
#include "sim/inputs/model_config.hpp"
#include "sim/inputs/stack_file.hpp"
#include "sim/language/document.hpp"
#include "sim/language/place.hpp"
#include "sim/language/text_file.hpp"

namespace sim::inputs {

namespace {

namespace fs = std::filesystem;
using netmodels::Recomputation;
using netmodels::refuse;
using netmodels::Result;
using netmodels::Transformer;
using netmodels::Workload;

constexpr std::array shape_keys{"transformer", "config", "model"};

/// A shape, and what to call it.
struct NamedShape {
  Transformer model;
  std::string name;
  std::string provenance;
  std::vector<std::string> warnings = {};
};

/// Names of the shipped workloads that describe a transformer.
std::vector<std::string> shipped_transformers(const fs::path& data_dir) {
  std::vector<std::string> names = language::names_in(data_dir / "workloads");
  std::erase_if(names, [&](const std::string& name) {
    const auto document = language::read_document(data_dir / "workloads" / (name + ".yaml"));
    return !document || document->root.find("transformer") == nullptr;
  });
  return names;
}

Result<NamedShape> shipped_shape(const language::Value& named, const fs::path& data_dir) {
  GRADSIM_TRY(path, language::find_named(named, data_dir / "workloads", "workload"));
  GRADSIM_TRY(document, language::read_document(*path));
  if (document->root.find("transformer") == nullptr) {
    const std::vector<std::string> names = shipped_transformers(data_dir);
    return refuse(
        named.origin().text(), "the workload `" + named.text() + "` does not describe a transformer",
        netmodels::accepted_names(named.text(), std::vector<std::string_view>(names.begin(), names.end())) +
            ", or a file with the key `transformer`");
  }
  TransformerKeys keys;
  const language::Field field{document->root, "",
                              settings::Key{.name = "workload", .doc = "a map of the workload's keys"}};
  if (const auto read = language::read_map(field, keys); !read) return tl::unexpected(read.error());
  return NamedShape{*keys.transformer, keys.name.value_or(path->stem().string()),
                    keys.provenance.value_or("")};
}

/// Of its folder, as models are stored; of the file where it has a name of its own.
std::string name_of_config(const fs::path& path) {
  const std::string folder = fs::absolute(path).lexically_normal().parent_path().stem().string();
  return path.stem() == "config" && !folder.empty() ? folder : path.stem().string();
}

Result<NamedShape> shape_of(const TransformerKeys& keys, const language::Value& map,
                            const fs::path& data_dir) {
  if (keys.model) return shipped_shape(*map.find("model"), data_dir);
  if (!keys.config) return NamedShape{*keys.transformer, "transformer", ""};
  const fs::path path = language::find_file_of(map, "config");
  GRADSIM_TRY(config, read_model_config(path, keys.sequence));
  return NamedShape{config->model, name_of_config(path), path.string(), config->warnings};
}

/// The shape at the stated length of a sample.
Result<Transformer> with_sequence(Transformer model, const TransformerKeys& keys,
                                  const language::Value& map) {
  if (!keys.sequence) return model;
  // Shorter samples leave the model as it is; longer ones need as many learned positions.
  if (!model.position_rows && *keys.sequence < model.sequence) model.position_rows = model.sequence;
  model.sequence = *keys.sequence;
  auto checked = netmodels::check(model);
  if (checked) return model;
  return language::refuse_at(map, "sequence", checked.error().what, checked.error().hint);
}

/// The utilisation, and a sentence on its source.
struct StatedUtilisation {
  netmodels::UtilisationRule rule;
  std::string source;
  std::optional<double> gradient_bytes = {};
};

Result<StatedUtilisation> utilisation_of(const TransformerKeys& keys, const Transformer& model,
                                         const language::Value& map, const fs::path& data_dir,
                                         const std::string& device) {
  if (keys.mfu) {
    const double done = *keys.mfu * hardware_factor(model, keys.recomputation);
    return StatedUtilisation{{.sizes = {{1, done}}},
                             fmt::format("stated utilisation of {:.1f} % in {}", 100 * *keys.mfu,
                                         settings::name_of(keys.precision))};
  }
  const language::Value& named = *map.find("stack");
  GRADSIM_TRY(stack, load_stack(named, data_dir, device, keys.precision));
  const auto share = model_utilisation(stack->rule, model, keys.recomputation, keys.batch);
  if (!share)
    return refuse(named.origin().text(), "stack `" + stack->stack + "`: " + share.error().what,
                  share.error().hint);
  const std::string measured = stack->measured_on == device
                                   ? ""
                                   : fmt::format(" as measured on {}, not on {}", stack->measured_on, device);
  return StatedUtilisation{
      stack->rule,
      fmt::format("stack {}{}, utilisation {:.1f} % in {}, published runs within {:.0f} %", stack->stack,
                  measured, 100 * *share, settings::name_of(keys.precision), 100 * stack->within),
      stack->gradient_bytes};
}

/// Of an activation.
double value_bytes(Precision precision) {
  return precision == Precision::fp32 || precision == Precision::tf32 ? 4.0 : 2.0;
}

netmodels::BlockMemory block_memory(const Transformer& model, const TransformerKeys& keys) {
  netmodels::ActivationRule rule{
      .recomputation = keys.recomputation, .flash = keys.flash, .value_bytes = value_bytes(keys.precision)};
  netmodels::BlockMemory memory{
      model.layers, kept_activations(model, rule), {}, logit_activations(model, keys.logit_bytes)};
  if (keys.recomputation == Recomputation::none) return memory;
  rule.recomputation = Recomputation::none;
  memory.working = kept_activations(model, rule);
  return memory;
}

Result<void> set_times(Workload& workload, const TransformerKeys& keys, const Transformer& model,
                       const language::Value& map, const fs::path& data_dir) {
  const language::Value& named = *map.find("device");
  GRADSIM_TRY(file, language::find_named(named, data_dir / "devices", "device"));
  GRADSIM_TRY(device, load_device(named, data_dir, keys.precision));
  GRADSIM_TRY(utilisation, utilisation_of(keys, model, map, data_dir, device->name));
  GRADSIM_TRY(passes, pass_time(utilisation->rule, model, keys.recomputation, device->peak));
  const double weight = utilisation->rule.attention_weight;
  share_out(*passes, repeated_forward(model, keys.recomputation, weight), workload.layers, weight);
  workload.token_work = netmodels::TokenWork{.tokens = static_cast<double>(model.sequence),
                                             .work = training_flops(model),
                                             .peak = device->peak,
                                             .hidden = hidden_states(model, value_bytes(keys.precision)),
                                             .heads = model.heads,
                                             .gradient_bytes = utilisation->gradient_bytes,
                                             .lost_per_doubling = utilisation->rule.lost_per_doubling,
                                             .repeated_exchanges = repeated_exchanges(keys.recomputation),
                                             .input_products = input_products(model)};
  workload.origin = netmodels::TimeOrigin::utilisation;
  workload.device = device->name;
  workload.device_file = file->string();
  workload.provenance += (workload.provenance.empty() ? "" : "; ") + utilisation->source;
  return {};
}

/// What experts leave out; nothing for a dense model.
std::optional<std::string> experts_warning(const TransformerKeys& keys, const Transformer& model,
                                           const language::Value& map) {
  if (model.experts == 1) return std::nullopt;
  std::string text = fmt::format(
      "{}: `workload`: {} experts, {} of them for a token: each worker holds all of them, so that workers "
      "exchange no tokens (expert parallelism is not simulated), and unequal loads of experts are not "
      "counted",
      map.origin().text(), model.experts, model.active_experts);
  if (keys.stack)
    text += fmt::format("; `stack: {}` was measured on dense models: state a measured `mfu` in its place",
                        *keys.stack);
  return text;
}

}  // namespace

bool describes_transformer(const language::Value& map) {
  return std::ranges::any_of(shape_keys, [&](const char* key) { return map.find(key) != nullptr; });
}

Result<Workload> read_transformer(const language::Field& field, const fs::path& data_dir) {
  TransformerKeys keys;
  if (const auto read = language::read_map(field, keys); !read) return tl::unexpected(read.error());
  GRADSIM_TRY(shape, shape_of(keys, field.value, data_dir));
  GRADSIM_TRY(model, with_sequence(shape->model, keys, field.value));
  Workload workload;
  workload.name = keys.name.value_or(shape->name);
  workload.provenance = keys.provenance.value_or(shape->provenance);
  workload.warnings = shape->warnings;
  if (auto warning = experts_warning(keys, *model, field.value))
    workload.warnings.push_back(std::move(*warning));
  workload.reference_batch = keys.batch;
  workload.layers = transformer_layers(*model);
  workload.memory = block_memory(*model, keys);
  if (auto timed = set_times(workload, keys, *model, field.value, data_dir); !timed)
    return tl::unexpected(timed.error());
  return workload;
}

}  // namespace sim::inputs
