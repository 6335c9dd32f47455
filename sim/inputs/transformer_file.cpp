// Reads transformers by description, and times their layers.
#include "sim/inputs/transformer_file.hpp"

#include <algorithm>
#include <cmath>
#include <span>
#include <utility>

#include <fmt/format.h>

#include "netmodels/layer_kind.hpp"
#include "netmodels/nearest.hpp"
#include "netmodels/utilisation.hpp"
#include "settings/type.hpp"
#include "sim/inputs/device_file.hpp"
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

/// Name of its folder, as models are stored; of the file where it has a name of its own.
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
  std::optional<netmodels::UtilisationRange> range = {};
};

/// The range of a stack for this model.
netmodels::UtilisationRange range_for(netmodels::UtilisationRange range, const TransformerKeys& keys,
                                      const Transformer& model) {
  const auto widen = [&](std::optional<netmodels::Widening> one) {
    if (one) range.outside.push_back(std::move(*one));
  };
  if (range.runs) {
    widen(netmodels::outside_kind(*range.runs, model.experts > 1));
    widen(netmodels::outside_sequence(*range.runs, model.sequence));
  }
  if (keys.trainable < 1)
    widen(netmodels::frozen_weights(training_flops(model) / training_flops(model, 1, keys.trainable)));
  return range;
}

Result<StatedUtilisation> utilisation_of(const TransformerKeys& keys, const Transformer& model,
                                         const language::Value& map, const fs::path& data_dir,
                                         const netmodels::Device& device) {
  if (keys.mfu) {
    const double done = *keys.mfu * hardware_factor(model, keys.recomputation);
    return StatedUtilisation{{.sizes = {{1, done}}},
                             fmt::format("stated utilisation of {:.1f} % in {}", 100 * *keys.mfu,
                                         settings::name_of(keys.precision))};
  }
  const language::Value& named = *map.find("stack");
  GRADSIM_TRY(stack, load_stack(named, data_dir, device.name, keys.precision, device.peak));
  const auto share = model_utilisation(stack->rule, model, keys.recomputation, keys.batch);
  if (!share)
    return refuse(named.origin().text(), "stack `" + stack->stack + "`: " + share.error().what,
                  share.error().hint);
  const std::string measured =
      stack->measured_on == device.name
          ? ""
          : fmt::format(" as measured on {}, not on {}", stack->measured_on, device.name);
  return StatedUtilisation{
      stack->rule,
      fmt::format("stack {}{}, utilisation {:.1f} % in {}, published runs within {:.0f} %", stack->stack,
                  measured, 100 * *share, settings::name_of(keys.precision), 100 * stack->range.within),
      stack->gradient_bytes, range_for(stack->range, keys, model)};
}

/// Bytes of an activation.
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

/// The cluster's device, else that of the map.
Result<language::Value> device_of(const language::Value& map, const fs::path& data_dir,
                                  const language::Value* cluster_device) {
  const language::Value* own = map.find("device");
  if (own != nullptr) {
    if (auto found = find_device_file(*own, data_dir); !found) return tl::unexpected(found.error());
  }
  if (cluster_device != nullptr) return *cluster_device;
  if (own != nullptr) return *own;
  return refuse(map.origin().text(), "neither the workload nor the cluster states its device",
                "write `cluster.device`, or `workload.device`: for example `h100_sxm_datasheet`");
}

/// Device in the precision of the workload; the place of an error is the workload, which can choose another.
Result<netmodels::Device> device_in_precision(const language::Value& named, const TransformerKeys& keys,
                                              const language::Value& map, const fs::path& data_dir) {
  auto device = load_device(named, data_dir, keys.precision);
  if (device || !load_device(named, data_dir)) return device;
  return refuse(map.origin().text(), device.error().what, device.error().hint);
}

/// A device that the scenario names beside that of the cluster.
std::optional<std::string> other_device_warning(const language::Value& map, const fs::path& own,
                                                const fs::path& taken) {
  if (own == taken) return std::nullopt;
  return fmt::format(
      "{}: `workload.device` is {}, and the cluster has {}, whose peak and memory are taken; leave it out",
      map.origin().text(), own.stem().string(), taken.stem().string());
}

Result<void> take_device(Workload& workload, const TransformerKeys& keys, const language::Field& field,
                         const fs::path& data_dir, const language::Value* cluster_device,
                         netmodels::Device& device) {
  const language::Value& map = field.value;
  GRADSIM_TRY(named, device_of(map, data_dir, cluster_device));
  GRADSIM_TRY(file, find_device_file(*named, data_dir));
  GRADSIM_TRY(loaded, device_in_precision(*named, keys, map, data_dir));
  device = std::move(*loaded);
  workload.device = device.name;
  workload.device_file = file->string();
  const bool is_in_scenario = !field.path.empty();
  if (!is_in_scenario || !keys.device) return {};
  GRADSIM_TRY(own, find_device_file(*map.find("device"), data_dir));
  if (auto warning = other_device_warning(map, *own, *file)) workload.warnings.push_back(std::move(*warning));
  return {};
}

/// Freezes weights of layers of `transformer_layers`: no gradients of them are computed.
/// @param repeated  `repeated_forward`
void freeze(std::span<netmodels::Layer> layers, double trainable, double repeated) {
  for (netmodels::Layer& layer : layers) {
    const std::int64_t all = layer.parameters;
    layer.parameters = std::llround(trainable * static_cast<double>(all));
    layer.frozen = all - layer.parameters;
    if (netmodels::find_layer_kind(layer.kind).without_weights) continue;
    const double share = (repeated + 1 + trainable) / (repeated + 2);
    layer.backward = {layer.backward.fixed * share, layer.backward.per_sample * share};
    layer.backward_flops = layer.backward_flops * ((1 + trainable) / 2);
  }
}

Result<void> set_times(Workload& workload, const TransformerKeys& keys, const Transformer& model,
                       const language::Field& field, const fs::path& data_dir,
                       const language::Value* cluster_device) {
  netmodels::Device device;
  if (auto taken = take_device(workload, keys, field, data_dir, cluster_device, device); !taken) return taken;
  GRADSIM_TRY(utilisation, utilisation_of(keys, model, field.value, data_dir, device));
  GRADSIM_TRY(passes, pass_time(utilisation->rule, model, keys.recomputation, device.peak));
  const double weight = utilisation->rule.attention_weight;
  const double repeated = repeated_forward(model, keys.recomputation, weight);
  share_out(*passes, repeated, workload.layers, weight);
  freeze(workload.layers, keys.trainable, repeated);
  workload.token_work = netmodels::TokenWork{.tokens = static_cast<double>(model.sequence),
                                             .work = training_flops(model, 1, keys.trainable),
                                             .peak = device.peak,
                                             .hidden = hidden_states(model, value_bytes(keys.precision)),
                                             .heads = model.heads,
                                             .gradient_bytes = utilisation->gradient_bytes,
                                             .lost_per_doubling = utilisation->rule.lost_per_doubling,
                                             .repeated_exchanges = repeated_exchanges(keys.recomputation),
                                             .input_products = input_products(model)};
  workload.origin = netmodels::TimeOrigin::utilisation;
  workload.utilisation_range = std::move(utilisation->range);
  workload.provenance += (workload.provenance.empty() ? "" : "; ") + utilisation->source;
  if (keys.trainable < 1)
    workload.provenance += fmt::format("; {:.3g} % of the weights are trained", 100 * keys.trainable);
  return {};
}

/// Warning about what experts leave out; nothing for a dense model.
std::optional<std::string> experts_warning(const TransformerKeys& keys, const Transformer& model,
                                           const language::Value& map) {
  if (model.experts == 1) return std::nullopt;
  std::string text = fmt::format(
      "{}: `workload`: {} experts, {} of them for a token: expert exchange is not modelled, as each worker "
      "holds all experts, and unequal loads of experts are not counted",
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

Result<Workload> read_transformer(const language::Field& field, const fs::path& data_dir,
                                  const language::Value* cluster_device) {
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
  if (auto timed = set_times(workload, keys, *model, field, data_dir, cluster_device); !timed)
    return tl::unexpected(timed.error());
  return workload;
}

}  // namespace sim::inputs
