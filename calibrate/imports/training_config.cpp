// Configurations of training programs as scenarios.
#include "calibrate/imports/training_config.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <system_error>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "calibrate/imports/traced_workload.hpp"
#include "calibrate/imports/training_keys.hpp"

namespace calibrate::imports {

using netmodels::refuse;
using netmodels::Result;

namespace {

namespace fs = std::filesystem;

constexpr std::array format_table = {
    ConfigFormat{"torchtitan", "job of torchtitan (TOML)", "torchtitan, config/job_config.py",
                 &read_torchtitan, &torchtitan_keys},
    ConfigFormat{"deepspeed", "configuration of DeepSpeed (JSON)", "DeepSpeed, docs/_pages/config-json.md",
                 &read_deepspeed, &deepspeed_keys},
    ConfigFormat{"hf-trainer",
                 "TrainingArguments of Hugging Face's Trainer (JSON), with the DeepSpeed file "
                 "that they name",
                 "transformers, training_args.py", &read_trainer, &trainer_keys}};

/// Use of the GPUs that the degrees imply.
struct Settled {
  int replicas = 1;  ///< replicas of the model, in data parallelism
  std::string sharding;
  int micro_batch = 1;
  int accumulation = 1;
};

bool is_config_file(const std::string& model) { return fs::path(model).extension() == ".json"; }

/// `45 %` or `0.45`; the range is checked by who reads the scenario.
Result<void> check_mfu(const std::string& text) {
  double number = 0;
  const char* end = text.data() + text.size();
  const auto [stop, wrong] = std::from_chars(text.data(), end, number);
  const std::string_view rest(stop, static_cast<std::size_t>(end - stop));
  if (wrong == std::errc{} && (rest.empty() || rest == "%" || rest == " %")) return {};
  return refuse("--mfu", fmt::format("`{}` cannot be read", text), "accepted: a share such as 45 % or 0.45");
}

bool is_stated(std::string_view option, const ConfigHints& hints) {
  return (option == "--sequence" && hints.sequence) || (option == "--batch" && hints.batch) ||
         (option == "--steps" && hints.steps);
}

Result<void> take_hints(TrainingConfig& config, const ConfigHints& hints, const fs::path& file) {
  if (!hints.model.empty()) config.model = hints.model;
  std::error_code missing;
  if (config.model.empty() && fs::exists(file.parent_path() / "config.json", missing))
    config.model = (file.parent_path() / "config.json").string();
  if (config.model.empty())
    return refuse(
        "--model", "the configuration does not state the shape of the model",
        "give a file of scenarios/workloads or a config.json, or put that beside the configuration");
  if (hints.sequence) config.sequence = hints.sequence;
  if (hints.batch) config.micro_batch = hints.batch;
  if (hints.steps) config.steps = hints.steps;
  std::erase_if(config.assumptions, [&](const Assumption& one) { return is_stated(one.option, hints); });
  if (!hints.recomputation.empty()) config.recomputation = hints.recomputation;
  if (hints.stack.empty() == hints.mfu.empty())
    return refuse(hints.mfu.empty() ? "--stack" : "--mfu",
                  hints.mfu.empty() ? "the utilisation is missing" : "`--stack` states the utilisation, too",
                  "give one of --stack pytorch-fsdp-2023 and --mfu '45 %'");
  return hints.mfu.empty() ? Result<void>() : check_mfu(hints.mfu);
}

Result<int> count_replicas(const TrainingConfig& config, int workers) {
  const int inside = config.tensor * config.pipeline;
  if (workers % inside != 0)
    return refuse("--workers",
                  fmt::format("{} GPUs cannot be parted into replicas of {} (tensor {} x pipeline {})",
                              workers, inside, config.tensor, config.pipeline),
                  fmt::format("accepted: a multiple of {}", inside));
  const int replicas = workers / inside;
  if (replicas % config.copies != 0 || (config.shards && *config.shards * config.copies != replicas))
    return refuse(
        "--workers",
        fmt::format("{} copies of {} shards are not the {} replicas of {} GPUs", config.copies,
                    config.shards ? std::to_string(*config.shards) : "all other", replicas, workers),
        config.shards ? fmt::format("accepted: {}", config.copies * *config.shards * inside)
                      : fmt::format("accepted: a multiple of {}", config.copies * inside));
  return replicas;
}

/// GPUs of a node of the job; nothing: unknown.
std::optional<int> node_of(const ConfigHints& hints) {
  return hints.workers_per_node ? hints.workers_per_node : hints.cluster_node;
}

/// A second group must be a node, and its GPUs must be known.
/// @param group  the key that states it, and what it is
/// @param hint   what is accepted in its place
Result<void> check_node(const std::string& group, int gpus, std::optional<int> node,
                        const std::string& hint) {
  if (!node)
    return refuse("--workers-per-node", fmt::format("{} {} GPUs, and a node's are not stated", group, gpus),
                  "give the GPUs of a node of the job");
  if (gpus == *node) return {};
  return refuse({},
                fmt::format("{} {} GPUs, and a node has {}: groups other than a node are not simulated",
                            group, gpus, *node),
                hint);
}

Result<void> check_secondary(const TrainingConfig& config, std::optional<int> node) {
  if (config.secondary == 1) return {};
  return check_node("`zero_hpz_partition_size` shares parameters among", config.secondary, node,
                    fmt::format("accepted: {}, the GPUs of a node, or 1", node.value_or(1)));
}

/// A copy of the states for each node, or one for all GPUs.
Result<void> check_copies(const TrainingConfig& config, std::optional<int> node, int replicas) {
  const int gpus = replicas / config.copies * config.tensor;
  const int all = replicas * config.tensor;
  std::string hint = "accepted: `data_parallel_replicate_degree` 1, one copy for all GPUs";
  if (node && *node % config.tensor == 0 && all % *node == 0)
    hint = fmt::format(
        "accepted: `data_parallel_replicate_degree` {} with `data_parallel_shard_degree` {}, a copy for each "
        "node, or 1 with -1, one copy for all GPUs",
        all / *node, *node / config.tensor);
  return check_node("`parallelism.data_parallel_shard_degree`: a copy of the states takes", gpus, node, hint);
}

Result<std::string> settle_sharding(const TrainingConfig& config, const ConfigHints& hints, int replicas) {
  if (auto checked = check_secondary(config, node_of(hints)); !checked)
    return tl::unexpected(checked.error());
  const bool alone = replicas == 1 || replicas == config.copies;
  if (config.sharding == "none" || alone) return std::string("none");
  if (config.shards_in_node) return std::string("hsdp");
  if (config.copies == 1) return config.sharding;
  if (auto checked = check_copies(config, node_of(hints), replicas); !checked)
    return tl::unexpected(checked.error());
  return std::string("hsdp");
}

/// Two of the batch of a pass, the passes of a step and the batch of all replicas give the third.
Result<void> settle_batch(const TrainingConfig& config, Settled& settled) {
  const auto refused = [&](int parts) {
    return refuse(
        "--workers",
        fmt::format("a batch of {} cannot be shared equally by {} replicas in {} passes each",
                    *config.global_batch, settled.replicas, parts),
        fmt::format("accepted: GPUs whose replicas times {} divide {}", parts, *config.global_batch));
  };
  if (!config.micro_batch && !config.global_batch)
    return refuse("--batch", "the configuration does not state the samples of a micro-batch",
                  "give the samples that a GPU computes at once");
  settled.accumulation = config.accumulation.value_or(1);
  if (!config.micro_batch) {
    const int parts = settled.replicas * settled.accumulation;
    if (*config.global_batch % parts != 0) return refused(settled.accumulation);
    settled.micro_batch = *config.global_batch / parts;
    return {};
  }
  settled.micro_batch = *config.micro_batch;
  if (!config.global_batch) return {};
  const std::int64_t pass = std::int64_t{settled.replicas} * settled.micro_batch;
  const std::int64_t passes = *config.global_batch / pass;
  if (*config.global_batch % pass == 0 && (!config.accumulation || passes == *config.accumulation)) {
    settled.accumulation = static_cast<int>(passes);
    return {};
  }
  return refuse(
      "--workers",
      fmt::format("{} replicas with {} samples in each of {} passes are not a batch of {}", settled.replicas,
                  settled.micro_batch, config.accumulation ? std::to_string(*config.accumulation) : "some",
                  *config.global_batch),
      "accepted: GPUs for which the stated batches agree");
}

/// A path as the scenario writes it; a name stays.
std::string beside_output(const std::string& name, const fs::path& output) {
  const fs::path path(name);
  if (!path.has_extension()) return yaml_text(name);
  return yaml_text(fs::absolute(path).lexically_relative(fs::absolute(output).parent_path()).string());
}

std::string print_workload_key(const TrainingConfig& config, const ConfigHints& hints, const Settled& settled,
                               const fs::path& output) {
  std::string shape = is_config_file(config.model) ? "config: " : "model: ";
  shape += beside_output(config.model, output);
  if (config.sequence) shape += fmt::format(", sequence: {}", *config.sequence);
  const std::string time = hints.stack.empty() ? "mfu: " + hints.mfu : "stack: " + yaml_text(hints.stack);
  return fmt::format("workload: {{{}, device: {}, precision: {}, {}, recomputation: {}, batch: {}}}\n", shape,
                     yaml_text(hints.device), config.precision, time, config.recomputation,
                     settled.micro_batch);
}

std::string print_parallelism(const TrainingConfig& config, const Settled& settled) {
  std::string keys = fmt::format("data: \"{}\"", settled.sharding);
  if (settled.sharding == "fsdp" || settled.sharding == "hsdp") {
    keys += fmt::format(", reshard_after_forward: {}", config.reshard_after_forward);
    if (!config.unit.empty()) keys += fmt::format(", unit: {}", config.unit);
  }
  if (settled.sharding != "none" && settled.accumulation > 1 && !config.accumulate.empty())
    keys += fmt::format(", accumulate: {}", config.accumulate);
  if (settled.sharding != "none" && !config.compress.empty())
    keys += fmt::format(", compress: [{}]", fmt::join(config.compress, ", "));
  if (config.tensor > 1) keys += fmt::format(", tensor: {}", config.tensor);
  if (config.pipeline > 1) keys += fmt::format(", pipeline: {}", config.pipeline);
  return fmt::format(
      "parallelism: {{{}, parameter_bytes: {:g}, gradient_bytes: {:g}, optimizer_bytes: {:g}}}\n", keys,
      config.parameter_bytes, config.gradient_bytes, config.optimizer_bytes);
}

std::string assumption_text(const Assumption& one) {
  return fmt::format("{}; `{}` states another.", one.sentence, one.option);
}

std::string print_head(const TrainingConfig& config, const fs::path& file) {
  std::string text = comment_line("Scenario of " + file.filename().string() + ".");
  for (const LeftOutKey& one : config.left_out)
    if (one.is_warning)
      text += comment_line(fmt::format("Warning: {} = {}: {}.", one.key, one.value, one.why));
  for (const std::string& warning : config.warnings) text += comment_line("Warning: " + warning + ".");
  for (const Assumption& one : config.assumptions) text += comment_line(assumption_text(one));
  for (const std::string& fact : config.facts) text += comment_line(fact);
  for (const LeftOutKey& one : config.left_out)
    if (!one.is_warning)
      text += comment_line(fmt::format("Left out: {} = {}: {}.", one.key, one.value, one.why));
  return text;
}

}  // namespace

std::span<const ConfigFormat> config_formats() { return format_table; }

const ConfigFormat* find_config_format(std::string_view name) {
  const auto found = std::ranges::find(format_table, name, &ConfigFormat::name);
  return found == format_table.end() ? nullptr : &*found;
}

bool depends_on_node(const TrainingConfig& config) { return config.copies > 1 || config.secondary > 1; }

std::string print_cluster(const ConfigHints& hints, const fs::path& output) {
  std::string text =
      fmt::format("cluster: {{use: {}, workers: {}", beside_output(hints.cluster, output), *hints.workers);
  if (hints.workers_per_node) text += fmt::format(", workers_per_node: {}", *hints.workers_per_node);
  return text + "}\n";
}

std::vector<std::string> log_lines(const TrainingConfig& config) {
  std::vector<std::string> lines;
  for (const std::string& warning : config.warnings) lines.push_back("warning: " + warning);
  for (const Assumption& one : config.assumptions) lines.push_back(assumption_text(one));
  lines.insert(lines.end(), config.facts.begin(), config.facts.end());
  for (const LeftOutKey& one : config.left_out)
    lines.push_back(fmt::format("{}: {} = {} left out: {}", one.is_warning ? "warning" : "note", one.key,
                                one.value, one.why));
  return lines;
}

Result<std::string> print_scenario(TrainingConfig& config, const ConfigHints& hints, const fs::path& file,
                                   const fs::path& output) {
  if (auto taken = take_hints(config, hints, file); !taken) return tl::unexpected(taken.error());
  if (!hints.workers) return refuse("--workers", "the number of GPUs is missing", "give the GPUs of the job");
  Settled settled;
  GRADSIM_TRY(replicas, count_replicas(config, *hints.workers));
  settled.replicas = *replicas;
  GRADSIM_TRY(sharding, settle_sharding(config, hints, *replicas));
  settled.sharding = *sharding;
  if (auto shared = settle_batch(config, settled); !shared) return tl::unexpected(shared.error());
  if (!config.steps) {
    config.steps = 10;
    config.assume("--steps", "The configuration does not state its steps: 10 are written");
  }
  std::string text = print_head(config, file) + print_workload_key(config, hints, settled, output);
  text += print_cluster(hints, output);
  const int passes = settled.accumulation * config.pipeline_parts;
  text += fmt::format("training: {{batch: {}, accumulation: {}, steps: {}}}\n",
                      settled.micro_batch * settled.accumulation, passes, *config.steps);
  if (!config.synchronisation.empty()) text += fmt::format("synchronisation: {}\n", config.synchronisation);
  if (config.compression != "none") text += fmt::format("compression: {{method: {}}}\n", config.compression);
  return text + print_parallelism(config, settled);
}

}  // namespace calibrate::imports
