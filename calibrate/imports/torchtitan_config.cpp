// Reads jobs of torchtitan.
#include <algorithm>
#include <array>

#include <fmt/format.h>

#include "calibrate/imports/config_reader.hpp"
#include "calibrate/imports/toml.hpp"
#include "calibrate/imports/training_config.hpp"
#include "calibrate/imports/training_keys.hpp"

namespace calibrate::imports {

using netmodels::Result;

namespace {

constexpr std::array torchtitan_models = {ConfigWord{"llama3 8B", "llama3_8b"},
                                          ConfigWord{"llama3 70B", "llama3_70b"},
                                          ConfigWord{"llama3 405B", "llama3_405b"}};

constexpr std::array torchtitan_precisions = {ConfigWord{"bfloat16", "bf16"}, ConfigWord{"float16", "fp16"},
                                              ConfigWord{"float32", "fp32"}};

constexpr std::array torchtitan_recomputations = {
    ConfigWord{"none", "none"}, ConfigWord{"selective", "every_second_product"}, ConfigWord{"full", "full"}};

/// Degree under the key of today, or the one of an earlier release.
std::optional<int> degree(ConfigReader& config, const std::string& name, int least = 1) {
  std::optional<int> found;
  for (const char* table : {"parallelism.", "training.", "experimental."}) {
    const auto stated = config.count(table + name, least, 1'000'000);
    if (!found) found = stated;
  }
  return found;
}

void refuse_more_than_one(ConfigReader& config, const std::string& name, const std::string& what) {
  const auto stated = degree(config, name);
  if (stated.value_or(1) > 1)
    config.fail("parallelism." + name, fmt::format("{} over {} GPUs is not simulated", what, *stated),
                "accepted: 1");
}

void read_degrees(ConfigReader& config, TrainingConfig& read) {
  read.copies = degree(config, "data_parallel_replicate_degree").value_or(1);
  const int shards = degree(config, "data_parallel_shard_degree", -1).value_or(-1);
  if (shards == 0)
    config.fail("parallelism.data_parallel_shard_degree", "0 is out of range", "accepted: -1, and 1 or more");
  if (shards > 0) read.shards = shards;
  read.sharding = shards == 1 ? "none" : "fsdp";
  read.tensor = degree(config, "tensor_parallel_degree").value_or(1);
  read.pipeline = degree(config, "pipeline_parallel_degree").value_or(1);
  refuse_more_than_one(config, "context_parallel_degree", "attention shared along the sequence");
  refuse_more_than_one(config, "expert_parallel_degree", "experts shared");
  constexpr std::array words = {ConfigWord{"default", "default"}, ConfigWord{"always", "always"},
                                ConfigWord{"never", "never"}};
  const std::string reshard = config.word("parallelism.fsdp_reshard_after_forward", words, "default");
  read.reshard_after_forward = reshard == "always" || (reshard == "default" && read.pipeline == 1);
}

void read_batch(ConfigReader& config, TrainingConfig& read) {
  auto batch = config.count("training.local_batch_size");
  const auto former = config.count("training.batch_size");
  if (!batch) batch = former;
  read.micro_batch = batch.value_or(8);
  if (!batch) read.assume("--batch", "The configuration states no batch: 8 samples are torchtitan's default");
  if (const auto all = config.count("training.global_batch_size", -1); all && *all > 0)
    read.global_batch = all;
  const auto sequence = config.count("training.seq_len");
  read.sequence = sequence.value_or(2048);
  if (!sequence)
    read.assume("--sequence",
                "The configuration states no `training.seq_len`: 2048 tokens are torchtitan's default");
  const auto steps = config.count("training.steps");
  read.steps = steps.value_or(10000);
  if (!steps)
    read.assume("--steps", "The configuration states no `training.steps`: 10000 are torchtitan's default");
  const auto part = config.count("parallelism.pipeline_parallel_microbatch_size").value_or(1);
  if (read.pipeline == 1) return;
  if (*read.micro_batch % part != 0)
    config.fail("parallelism.pipeline_parallel_microbatch_size",
                fmt::format("{} does not divide a batch of {}", part, *read.micro_batch),
                "accepted: a divisor of `training.local_batch_size`");
  read.pipeline_parts = *read.micro_batch / part;
}

/// The names in `model.converters`; others than those of float8 are refused.
std::vector<std::string> read_converters(ConfigReader& config) {
  std::vector<std::string> names;
  const nlohmann::json* converters = config.find("model.converters");
  if (converters == nullptr) return names;
  for (const nlohmann::json& converter : *converters) {
    names.push_back(converter.is_string() ? converter.get<std::string>() : short_value(converter));
    if (names.back() != "float8" && names.back() != "quantize.linear.float8")
      config.fail("model.converters", fmt::format("`{}`: such products are not described", names.back()),
                  "accepted: float8, quantize.linear.float8");
  }
  return names;
}

/// Products in eight bits by a converter, whose keys are in the table of its name; without it they do
/// nothing.
void read_float8(ConfigReader& config, TrainingConfig& read) {
  const std::vector<std::string> converters = read_converters(config);
  const bool by_former_key = config.flag("float8.enable_float8_linear", false);
  bool gathers = false;
  for (const std::string table : {"float8", "quantize.linear.float8"}) {
    const bool gathers_here = config.flag(table + ".enable_fsdp_float8_all_gather", false);
    const bool is_on =
        std::ranges::find(converters, table) != converters.end() || (by_former_key && table == "float8");
    if (is_on) read.precision = "fp8";
    if (!is_on) config.set_off(table, fmt::format("nothing without `{}` in `model.converters`", table));
    gathers = gathers || (is_on && gathers_here);
  }
  if (gathers) read.compress.emplace_back("fp8");
}

/// FSDP2 shards parameters in `training.dtype`, which the optimizer updates: they are its copy, too.
void read_precision(ConfigReader& config, TrainingConfig& read) {
  const auto bytes = [](const std::string& precision) { return precision == "fp32" ? 4.0 : 2.0; };
  const std::string stored = config.word("training.dtype", torchtitan_precisions, "fp32");
  read.precision = config.word("training.mixed_precision_param", torchtitan_precisions, "bf16");
  const std::string reduced = config.word("training.mixed_precision_reduce", torchtitan_precisions, "fp32");
  const std::string optimizer = config.text("optimizer.name").value_or("AdamW");
  const double moments = optimizer_state_bytes(config, "optimizer.name", optimizer) * bytes(stored) / 4;
  const bool shards =
      read.sharding != "none";  // else DDP under autocast, which keeps gradients as parameters are
  read.parameter_bytes = shards ? std::min(bytes(read.precision), bytes(stored)) : bytes(stored);
  read.gradient_bytes = shards ? bytes(reduced) : bytes(stored);
  read.optimizer_bytes = moments + bytes(stored) - read.parameter_bytes;
  read_float8(config, read);
}

/// Selective by operators, or every N-th block as a whole.
void read_recomputation(ConfigReader& config, TrainingConfig& read) {
  constexpr const char* key = "activation_checkpoint.selective_ac_option";
  read.recomputation =
      config.word("activation_checkpoint.mode", torchtitan_recomputations, "every_second_product");
  const auto option = config.text(key);
  if (read.recomputation != "every_second_product" || option == "op") return;
  if (option == "1") {
    read.recomputation = "full";
    return;
  }
  if (option)
    return config.fail(
        key, fmt::format("blocks of which some are computed again (`{}`) are not described", *option),
        "accepted: op, 1");
  read.facts.emplace_back(
      "`activation_checkpoint.selective_ac_option` is not stated: taken as `op`, every second matrix "
      "product; earlier releases take every second block instead.");
}

void read_model(ConfigReader& config, TrainingConfig& read) {
  const std::string model =
      config.text("model.name").value_or("") + " " + config.text("model.flavor").value_or("");
  const auto found = std::ranges::find(torchtitan_models, model, &ConfigWord::word);
  if (found != torchtitan_models.end()) {
    read.model = found->meant;
  } else if (model != " ") {
    read.facts.push_back(
        fmt::format("`{}` is not among the shapes of scenarios/workloads: `--model` states one.", model));
  }
}

}  // namespace

Result<TrainingConfig> read_torchtitan(std::string_view text, const std::filesystem::path& file) {
  if (auto known = refuse_other_formats(text, file.string()); !known) return tl::unexpected(known.error());
  GRADSIM_TRY(root, read_toml(text, file.string()));
  ConfigReader config(*root, file.string());
  TrainingConfig read;
  read_model(config, read);
  read_degrees(config, read);
  read_batch(config, read);
  read_precision(config, read);
  read_recomputation(config, read);
  read.left_out = config.judge(torchtitan_keys());
  if (config.error()) return tl::unexpected(*config.error());
  return read;
}

}  // namespace calibrate::imports
