// Reads configurations of DeepSpeed.
#include "calibrate/imports/deepspeed_config.hpp"

#include <algorithm>
#include <array>

#include <fmt/format.h>

#include "calibrate/imports/training_keys.hpp"

namespace calibrate::imports {

using netmodels::Result;

namespace {

void take_batch(ConfigReader& config, TrainingConfig& read) {
  if (const auto all = config.count("train_batch_size")) read.global_batch = all;
  if (const auto one = config.count("train_micro_batch_size_per_gpu")) read.micro_batch = one;
  if (const auto passes = config.count("gradient_accumulation_steps")) read.accumulation = passes;
}

void take_precision(ConfigReader& config, TrainingConfig& read) {
  const bool half = config.flag("fp16.enabled", false);
  const bool brain = config.flag("bf16.enabled", false) || config.flag("bfloat16.enabled", false);
  if (half && brain) config.fail("bf16.enabled", "`fp16.enabled` is true, too", "accepted: one of them");
  const bool is_open = config.is_auto("fp16.enabled") || config.is_auto("bf16.enabled");
  if (half) read.precision = "fp16";
  if (brain) read.precision = "bf16";
  if (!half && !brain && !is_open) read.precision = "fp32";
  const double bytes = read.precision == "fp32" ? 4 : 2;
  read.parameter_bytes = bytes;
  constexpr std::array words = {ConfigWord{"fp16", "2"}, ConfigWord{"bf16", "2"}, ConfigWord{"bfp16", "2"},
                                ConfigWord{"fp32", "4"}};
  read.gradient_bytes = std::stod(config.word("communication_data_type", words, bytes == 4 ? "4" : "2"));
}

/// When 0/1 Adam sends whole gradients, signs, or nothing.
void take_zero_one(ConfigReader& config, TrainingConfig& read) {
  const auto steps = [&](const char* key, int otherwise, int most = 1'000'000'000) {
    return config.count(fmt::format("optimizer.params.{}", key), 1, most).value_or(otherwise);
  };
  const int freeze = steps("var_freeze_step", 100000);
  const int updates = steps("var_update_scaler", 16);
  read.compression = "onebit_adam";
  read.synchronisation = fmt::format(
      "{{method: zero_one, freeze_after: {}, variance_doubles_every: {}, local_doubles_every: {}, "
      "local_limit: {}}}",
      freeze, updates, steps("local_step_scaler", 32678), steps("local_step_clipper", 16, 1'000'000));
  read.facts.push_back(
      fmt::format("`ZeroOneAdam` sends whole gradients in the first {} steps, then ever more rarely, and "
                  "nothing in some steps after {}: `--steps` says how many of each count.",
                  updates, freeze));
}

/// Moments, and an fp32 copy where parameters are narrower.
void take_optimizer(ConfigReader& config, TrainingConfig& read) {
  const auto name = config.text("optimizer.type");
  const double copy = read.parameter_bytes < 4 ? 4 : 0;
  if (!name) {
    read.facts.emplace_back("The configuration states no optimizer: its memory is counted as that of Adam.");
    read.optimizer_bytes = adam_moment_bytes + copy;
    return;
  }
  read.optimizer_bytes = optimizer_state_bytes(config, "optimizer.type", *name) + copy;
  if (*name == "ZeroOneAdam") take_zero_one(config, read);
  for (const char* one_bit : {"OneBitAdam", "OneBitLamb"}) {
    if (*name != one_bit) continue;
    read.compression = "onebit_adam";
    const auto steps = config.count("optimizer.params.freeze_step");
    read.facts.push_back(fmt::format(
        "`{}` sends signs after {}, which the scenario leaves out{}.", *name,
        steps ? fmt::format("{} dense steps", *steps) : "its warm-up of dense steps",
        steps ? fmt::format("; `compression.warm_up: {{shape: dense, steps: {}}}` adds them", *steps) : ""));
  }
}

void refuse_offload(ConfigReader& config, const std::string& what) {
  const std::string path = "zero_optimization." + what + ".device";
  const std::string device = config.text(path).value_or("none");
  if (device != "none")
    config.fail(path, fmt::format("`{}`: states in the memory of the host are not simulated", device),
                "accepted: none");
}

/// DeepSpeed, runtime/zero/config.py: without the key, stage 3 alone overlaps. Scenarios always do.
void warn_of_overlap(ConfigReader& config, int stage) {
  constexpr const char* key = "zero_optimization.overlap_comm";
  const bool is_stated = config.find(key) != nullptr || config.is_auto(key);
  if ((stage == 1 || stage == 2) && !is_stated)
    config.warn_absent(
        key, "not modelled: DeepSpeed overlaps exchanges with computing by default at stage 3 alone");
}

void take_sharding(ConfigReader& config, TrainingConfig& read) {
  constexpr std::array words = {"none", "zero1", "zero2", "fsdp"};
  const auto stage = config.count("zero_optimization.stage", 0, 3);
  read.sharding = words[static_cast<std::size_t>(stage.value_or(0))];
  warn_of_overlap(config, stage.value_or(0));
  refuse_offload(config, "offload_optimizer");
  refuse_offload(config, "offload_param");
  if (config.flag("zero_optimization.zero_quantized_weights", false)) read.compress.emplace_back("qwz");
  read.secondary = config.count("zero_optimization.zero_hpz_partition_size").value_or(1);
  if (read.secondary > 1) read.compress.emplace_back("hpz");
  if (config.flag("zero_optimization.zero_quantized_gradients", false)) read.compress.emplace_back("qgz");
  read.tensor = config.count("tensor_parallel.autotp_size", 0).value_or(1);
  read.tensor = std::max(read.tensor, 1);
  if (read.compression != "none" && read.sharding != "none")
    config.fail("optimizer.type",
                fmt::format("signs of gradients beside ZeRO stage {} are not simulated", *stage),
                "accepted: `zero_optimization.stage: 0`, or Adam");
}

/// ZeRO 2 and 3 keep a share of the sums of gradients in a type of their own; other stages keep whole sums.
void take_accumulation_type(ConfigReader& config, TrainingConfig& read) {
  constexpr std::array words = {ConfigWord{"fp16", "2"}, ConfigWord{"bf16", "2"}, ConfigWord{"fp32", "4"}};
  const bool is_shared = read.sharding == "zero2" || read.sharding == "fsdp";
  for (const char* key : {"data_types.grad_accum_dtype", "gradient_accumulation_dtype"}) {
    const std::string sent = fmt::format("{:g}", read.gradient_bytes);
    const double more = std::stod(config.word(key, words, sent)) - read.gradient_bytes;
    if (more == 0) continue;
    if (more < 0 || !is_shared)
      return config.fail(key, "gradients that are added up whole in another type than they are sent in",
                         "accepted: `zero_optimization.stage` 2 or 3 with fp32, or the type of "
                         "`communication_data_type`");
    read.optimizer_bytes += more;
    read.facts.push_back(
        fmt::format("Gradients are added up in fp32: `optimizer_bytes` has {:g} bytes for it.", more));
    return;
  }
}

}  // namespace

void take_deepspeed(ConfigReader& config, TrainingConfig& read) {
  take_batch(config, read);
  take_precision(config, read);
  take_optimizer(config, read);
  take_sharding(config, read);
  take_accumulation_type(config, read);
}

Result<TrainingConfig> read_deepspeed(std::string_view text, const std::filesystem::path& file) {
  GRADSIM_TRY(root, parse_config(text, file.string()));
  ConfigReader config(*root, file.string(), text);
  TrainingConfig read;
  take_deepspeed(config, read);
  for (const char* key : {"bf16.enabled", "fp16.enabled"}) {
    if (config.is_auto(key))
      config.fail(key, "`auto` leaves it to the arguments of a Trainer",
                  "import those with hf-trainer, or write true or false");
  }
  read.left_out = config.judge(deepspeed_keys());
  if (config.error()) return tl::unexpected(*config.error());
  return read;
}

}  // namespace calibrate::imports
