// Names of other programs, as rows, and conversions of their values.
#include "sim/scenario/words_of_others.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <cstdint>

#include <fmt/format.h>

#include "sim/language/print.hpp"
#include "sim/language/reader.hpp"

namespace sim::scenario {
namespace {

using language::Value;
using Text = std::optional<std::string>;

/// Lower case, `_` between words.
std::string plain_word(std::string_view text) {
  std::string word(text);
  for (char& letter : word) {
    if (letter >= 'A' && letter <= 'Z') letter = static_cast<char>(letter - 'A' + 'a');
    if (letter == '-' || letter == ' ') letter = '_';
  }
  return word;
}

// Conversions of values.

std::optional<std::int64_t> whole_number(const Value* value) {
  if (value == nullptr || !value->is_scalar()) return std::nullopt;
  std::int64_t number = 0;
  const std::string& text = value->text();
  const auto [end, failed] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (failed != std::errc() || end != text.data() + text.size() || number < 1) return std::nullopt;
  return number;
}

/// The number at our key, or at a key of others that means the same.
std::optional<std::int64_t> stated_number(const Value& root, std::string_view key) {
  if (const auto number = whole_number(language::find_path(root, key))) return number;
  const Value* map = language::find_path(root, key.substr(0, key.find('.')));
  if (map == nullptr) return std::nullopt;
  for (const language::Member& member : map->members()) {
    const auto means_key = [&](const KeyOfOthers& row) {
      return row.key == key && is_same_word(row.name, member.key);
    };
    if (std::ranges::any_of(keys_of_others(), means_key)) return whole_number(&member.value);
  }
  return std::nullopt;
}

Text same(const Value& value, const Value&) { return language::print_on_one_line(value); }

Text nodes_times_gpus(const Value& value, const Value& root) {
  const auto nodes = whole_number(&value);
  const auto gpus = stated_number(root, "cluster.workers_per_node");
  if (!nodes || !gpus) return std::nullopt;
  return std::to_string(*nodes * *gpus);
}

Text times_accumulation(const Value& value, const Value& root) {
  const auto samples = whole_number(&value);
  if (!samples) return std::nullopt;
  return std::to_string(*samples * stated_number(root, "training.accumulation").value_or(1));
}

Text over_workers(const Value& value, const Value& root) {
  const auto samples = whole_number(&value);
  const auto workers = stated_number(root, "cluster.workers");
  if (!samples || !workers || *samples % *workers != 0) return std::nullopt;
  return std::to_string(*samples / *workers);
}

Text stage(const Value& value, const Value&) {
  const Value* number = value.is_map() ? value.find("stage") : &value;
  if (number == nullptr || !number->is_scalar()) return std::nullopt;
  return number->text() == "0" ? "none" : "zero" + number->text();
}

/// A word of a key of ours, or of others for it.
Text word_of(std::string_view key, const Value& value) {
  if (!value.is_scalar()) return std::nullopt;
  const std::string word = plain_word(value.text());
  for (const ValueOfOthers& row : values_of_others())
    if (row.key == key && is_same_word(row.name, word)) return std::string(row.value);
  return word;
}

Text sharding(const Value& value, const Value&) { return word_of("parallelism.data", value); }
Text precision(const Value& value, const Value&) { return word_of("workload.precision", value); }
Text recomputation(const Value& value, const Value&) { return word_of("workload.recomputation", value); }
Text collective(const Value& value, const Value&) { return word_of("exchange.collective", value); }
Text library(const Value& value, const Value&) { return word_of("exchange.library", value); }

bool is_true(const Value& value) {
  return value.is_scalar() && (plain_word(value.text()) == "true" || value.text() == "1");
}

/// A switch that chooses one word.
Text bf16(const Value& value, const Value&) { return is_true(value) ? Text("bf16") : std::nullopt; }
Text fp16(const Value& value, const Value&) { return is_true(value) ? Text("fp16") : std::nullopt; }
Text zero1(const Value& value, const Value&) { return is_true(value) ? Text("zero1") : std::nullopt; }

/// Version 2 or 3 is a switch that is on.
Text is_on(const Value& value, const Value&) {
  constexpr std::array<std::string_view, 6> off{"false", "0", "no", "off", "none", "null"};
  if (!value.is_scalar()) return std::nullopt;
  return std::ranges::find(off, plain_word(value.text())) != off.end() ? "false" : "true";
}

/// A bare number with the unit; a quantity as it is written.
Text with_unit(const Value& value, std::string_view unit) {
  if (!value.is_scalar()) return std::nullopt;
  const std::string& text = value.text();
  const bool bare = text.find_first_not_of("0123456789.+-eE") == std::string::npos;
  return bare ? fmt::format("{} {}", text, unit) : text;
}

Text topk(const Value&, const Value&) { return "topk"; }

Text attention(const Value& value, const Value&) {
  return value.is_scalar() && value.text() == "eager" ? "false" : "true";
}

Text mebibytes(const Value& value, const Value&) { return with_unit(value, "MiB"); }

Text per_hour(const Value& value, const Value&) { return with_unit(value, "USD/h"); }

Text complement(const Value& value, const Value&) {
  double share = 0;
  const std::string& text = value.text();
  const auto [end, failed] = std::from_chars(text.data(), text.data() + text.size(), share);
  if (failed != std::errc() || share <= 0 || share >= 1) return std::nullopt;
  return fmt::format("{:.6g}", 1 - share);
}

Text one_device(const Value& value, const Value&) {
  return value.is_scalar() ? same(value, value) : std::nullopt;
}

// Why something is not modelled.

constexpr std::string_view experts =
    "expert parallelism; the experts of a layer are on each worker, and no tokens are exchanged among them";
constexpr std::string_view contexts =
    "context parallelism; the tokens of a sample stay on one tensor group (`parallelism.tensor`)";
constexpr std::string_view offloading = "offloading; parameters, gradients and optimizer stay on the device";
constexpr std::string_view checkpoints =
    "the time of the whole run with failures and checkpoints is expected in closed form; steps have none";
constexpr std::string_view latent = "multi-head latent attention (MLA)";
constexpr std::string_view adapters = "the share of the parameters that is trained, as with LoRA";
constexpr std::string_view loading = "loading of samples takes no time";
constexpr std::string_view frames =
    "size of frames; their overhead is in what a transport delivers of the line rate (`cluster.fabric`)";
constexpr std::string_view compiling = "the compiler's effect is in the workload's times and in its `stack`";
constexpr std::string_view testing = "evaluation takes no time in a simulated run";
constexpr std::string_view nccl_setting = "this setting of NCCL; `cluster.nccl` has those that count";

// How keys are related.

constexpr std::string_view all_gpus = "one worker for each GPU";
constexpr std::string_view node_product = "nodes times the GPUs of each";
constexpr std::string_view per_step = "samples of a worker in a step, over all its micro-batches";
constexpr std::string_view per_worker = "samples of a worker in a step: the global batch over the workers";
constexpr std::string_view of_learner =
    "only a `learner` with `kind: live` reads it; leave it out without one";
constexpr std::string_view of_machine = "price of a machine: a node where several workers share one";
constexpr std::string_view of_replicas = "replicas follow from it: `workers` / `tensor` / `pipeline`";
constexpr std::string_view of_description = "in a workload by description: `workload: {model: NAME, ...}`";

constexpr std::string_view torch = "PyTorch";
constexpr std::string_view face = "Hugging Face";
constexpr std::string_view deepspeed = "DeepSpeed";
constexpr std::string_view megatron = "Megatron";
constexpr std::string_view slurm = "SLURM";
constexpr std::string_view nccl = "NCCL";
constexpr std::string_view common = "several";

constexpr auto key_rows = std::to_array<KeyOfOthers>({
    // Cluster.
    {"nodes", slurm, "cluster.workers", node_product, nodes_times_gpus},
    {"nnodes", torch, "cluster.workers", node_product, nodes_times_gpus},
    {"num_nodes", torch, "cluster.workers", node_product, nodes_times_gpus},
    {"num_machines", face, "cluster.workers", node_product, nodes_times_gpus},
    {"machines", common, "cluster.workers", node_product, nodes_times_gpus},
    {"gpus_per_node", slurm, "cluster.workers_per_node", "", same},
    {"ntasks_per_node", slurm, "cluster.workers_per_node", "", same},
    {"nproc_per_node", torch, "cluster.workers_per_node", "", same},
    {"num_gpus_per_node", common, "cluster.workers_per_node", "", same},
    {"devices_per_node", common, "cluster.workers_per_node", "", same},
    {"gpus_per_machine", common, "cluster.workers_per_node", "", same},
    {"world_size", torch, "cluster.workers", all_gpus, same},
    {"ntasks", slurm, "cluster.workers", all_gpus, same},
    {"num_processes", face, "cluster.workers", all_gpus, same},
    {"num_gpus", common, "cluster.workers", all_gpus, same},
    {"n_gpus", common, "cluster.workers", all_gpus, same},
    {"gpus", slurm, "cluster.workers", all_gpus, same},
    {"ranks", common, "cluster.workers", all_gpus, same},
    {"nranks", nccl, "cluster.workers", all_gpus, same},
    {"num_workers", common, "cluster.workers", all_gpus, same, "cluster"},
    {"gpu", common, "cluster.device", "", one_device},
    {"gpu_type", common, "cluster.device", "", one_device},
    {"gpu_name", common, "cluster.device", "", one_device},
    {"accelerator", common, "cluster.device", "", one_device},
    {"devices", common, "cluster.device", "one device of all workers; where they differ, `cluster.speeds`",
     one_device, "cluster"},
    {"instance_type", common, "cluster.use", "a row of `sim list clusters`"},
    {"machine_type", common, "cluster.use", "a row of `sim list clusters`"},
    {"bandwidth", common, "cluster.link.bandwidth", "", same, "cluster"},
    {"latency", common, "cluster.link.latency", "", same, "cluster"},
    {"network_bandwidth", common, "cluster.link.bandwidth", "", same},
    {"inter_node_bandwidth", common, "cluster.link.bandwidth", "", same},
    {"intra_node_bandwidth", common, "cluster.inner_link.bandwidth", "", same},
    {"nvlink_bandwidth", common, "cluster.inner_link.bandwidth", "", same},
    {"network", common, "cluster.fabric", "its `kind`, `rate` and `transport`", nullptr, "cluster"},
    {"interconnect", common, "cluster.fabric", "its `kind`, `rate` and `transport`", nullptr, "cluster"},
    {"bandwidth", common, "cluster.fabric.rate", "", same, "cluster.fabric"},
    {"bandwidth", common, "cluster.inner_fabric.rate", "", same, "cluster.inner_fabric"},
    {"intra_link", common, "cluster.inner_link", "", same, "cluster"},
    {"intra_node_link", common, "cluster.inner_link", "", same, "cluster"},
    {"inter_node_link", common, "cluster.link", "", same, "cluster"},
    {"time", common, "availability.checkpoint.write", "time of writing one", same, "availability.checkpoint"},
    {"interval", common, "availability.checkpoint.every", "", same, "availability.checkpoint"},
    {"kind", common, "learner.rate.decay.shape", "", same, "learner.rate.decay"},
    // Training.
    {"batch_size", torch, "training.batch", per_step, same},
    {"local_batch_size", torch, "training.batch", per_step, same},
    {"per_device_train_batch_size", face, "training.batch", per_step, times_accumulation},
    {"per_device_batch_size", common, "training.batch", per_step, times_accumulation},
    {"per_gpu_batch_size", common, "training.batch", per_step, times_accumulation},
    {"micro_batch_size", megatron, "training.batch", per_step, times_accumulation},
    {"train_micro_batch_size_per_gpu", deepspeed, "training.batch", per_step, times_accumulation},
    {"micro_batch", common, "training.batch", per_step, times_accumulation},
    {"mbs", common, "training.batch", per_step, times_accumulation},
    {"global_batch_size", megatron, "training.batch", per_worker, over_workers},
    {"global_batch", common, "training.batch", per_worker, over_workers},
    {"train_batch_size", deepspeed, "training.batch", per_worker, over_workers},
    {"total_batch_size", common, "training.batch", per_worker, over_workers},
    {"effective_batch_size", common, "training.batch", per_worker, over_workers},
    {"gbs", common, "training.batch", per_worker, over_workers},
    {"gradient_accumulation_steps", face, "training.accumulation", "", same},
    {"gradient_accumulation", common, "training.accumulation", "", same},
    {"accumulate_grad_batches", torch, "training.accumulation", "", same},
    {"grad_accumulation", common, "training.accumulation", "", same},
    {"grad_accum_steps", common, "training.accumulation", "", same},
    {"grad_accum", common, "training.accumulation", "", same},
    {"accumulation_steps", common, "training.accumulation", "", same},
    {"num_microbatches", megatron, "training.accumulation", "", same},
    {"microbatches", common, "training.accumulation", "", same},
    {"max_steps", face, "training.steps", "", same},
    {"train_iters", megatron, "training.steps", "", same},
    {"max_iters", common, "training.steps", "", same},
    {"num_steps", common, "training.steps", "", same},
    {"train_steps", common, "training.steps", "", same},
    {"total_steps", common, "training.steps", "", same},
    {"iterations", common, "training.steps", "", same},
    {"iters", common, "training.steps", "", same},
    {"steps", common, "training.steps", "", same},
    {"num_train_epochs", face, "training.epochs", "", same},
    {"num_epochs", common, "training.epochs", "", same},
    {"max_epochs", torch, "training.epochs", "", same},
    {"n_epochs", common, "training.epochs", "", same},
    {"epochs", common, "training.epochs", "", same},
    {"train_samples", megatron, "training.samples", "of an epoch", same},
    {"num_samples", common, "training.samples", "of an epoch", same},
    {"dataset_size", common, "training.samples", "of an epoch", same},
    {"batch", common, "training.batch", per_step, same},
    {"lr", torch, "learner.optimizer.learning_rate", of_learner},
    {"learning_rate", face, "learner.optimizer.learning_rate", of_learner},
    {"weight_decay", torch, "learner.optimizer.weight_decay", of_learner},
    {"momentum", torch, "learner.optimizer.momentum", of_learner},
    {"optimizer", torch, "learner.optimizer", of_learner},
    {"optim", face, "learner.optimizer", of_learner},
    {"warmup_steps", face, "learner.rate.warmup_steps", of_learner},
    {"lr_scheduler_type", face, "learner.rate.decay", of_learner},
    {"clip_grad", megatron, "learner.optimizer.max_norm", of_learner},
    {"max_grad_norm", face, "learner.optimizer.max_norm", of_learner},
    {"gradient_clipping", deepspeed, "learner.optimizer.max_norm", of_learner},
    // Model.
    {"model", common, "workload", "", same},
    {"model_name", common, "workload", "", same},
    {"model_name_or_path", face, "workload", "", same},
    {"arch", common, "workload", "", same},
    {"seq_length", megatron, "workload.sequence", of_description, same},
    {"seq_len", common, "workload.sequence", of_description, same},
    {"sequence_length", common, "workload.sequence", of_description, same},
    {"max_seq_length", face, "workload.sequence", of_description, same},
    {"context_length", common, "workload.sequence", of_description, same},
    {"block_size", common, "workload.sequence", of_description, same},
    {"precision", torch, "workload.precision", of_description, precision},
    {"dtype", torch, "workload.precision", of_description, precision},
    {"torch_dtype", face, "workload.precision", of_description, precision},
    {"mixed_precision", face, "workload.precision", of_description, precision},
    {"bf16", face, "workload.precision", of_description, bf16},
    {"fp16", face, "workload.precision", of_description, fp16},
    {"amp", torch, "workload.precision", of_description, bf16},
    {"gradient_checkpointing", face, "workload.recomputation", of_description, recomputation},
    {"activation_checkpointing", torch, "workload.recomputation", of_description, recomputation},
    {"checkpoint_activations", megatron, "workload.recomputation", of_description, recomputation},
    {"recompute_granularity", megatron, "workload.recomputation", of_description, recomputation},
    {"recompute", common, "workload.recomputation", of_description, recomputation},
    {"use_flash_attn", megatron, "workload.flash", of_description, is_on},
    {"flash_attention", common, "workload.flash", of_description, is_on},
    {"attn_implementation", face, "workload.flash", of_description, attention},
    {"params", common, "workload.parameters", "", same, "workload"},
    {"num_parameters", common, "workload.parameters", "", same, "workload"},
    {"num_layers", megatron, "workload.transformer.layers", "", same},
    {"num_hidden_layers", face, "workload.transformer.layers", "", same},
    {"n_layer", face, "workload.transformer.layers", "", same},
    {"hidden_size", megatron, "workload.transformer.hidden", "", same},
    {"n_embd", face, "workload.transformer.hidden", "", same},
    {"d_model", common, "workload.transformer.hidden", "", same},
    {"num_attention_heads", megatron, "workload.transformer.heads", "", same},
    {"n_head", face, "workload.transformer.heads", "", same},
    {"num_key_value_heads", face, "workload.transformer.kv_heads", "", same},
    {"num_query_groups", megatron, "workload.transformer.kv_heads", "", same},
    {"intermediate_size", face, "workload.transformer.ffn", "", same},
    {"ffn_hidden_size", megatron, "workload.transformer.ffn", "", same},
    {"vocab_size", face, "workload.transformer.vocabulary", "", same},
    {"num_experts", megatron, "workload.transformer.experts", "", same},
    {"num_local_experts", face, "workload.transformer.experts", "", same},
    {"num_experts_per_tok", face, "workload.transformer.active_experts", "", same},
    {"moe_router_topk", megatron, "workload.transformer.active_experts", "", same},
    {"tie_word_embeddings", face, "workload.transformer.tied", "", same},
    // Parallelism.
    {"tp", common, "parallelism.tensor", "", same},
    {"tensor_parallel", torch, "parallelism.tensor", "", same},
    {"tensor_parallel_size", common, "parallelism.tensor", "", same},
    {"tensor_model_parallel_size", megatron, "parallelism.tensor", "", same},
    {"tp_size", common, "parallelism.tensor", "", same},
    {"model_parallel_size", megatron, "parallelism.tensor", "", same},
    {"tensor", common, "parallelism.tensor", "", same},
    {"pp", common, "parallelism.pipeline", "", same},
    {"pipeline_parallel", torch, "parallelism.pipeline", "", same},
    {"pipeline_parallel_size", common, "parallelism.pipeline", "", same},
    {"pipeline_model_parallel_size", megatron, "parallelism.pipeline", "", same},
    {"pp_size", common, "parallelism.pipeline", "", same},
    {"pipeline_stages", deepspeed, "parallelism.pipeline", "", same},
    {"pipeline", common, "parallelism.pipeline", "", same},
    {"dp", common, "cluster.workers", of_replicas},
    {"dp_size", common, "cluster.workers", of_replicas},
    {"data_parallel", common, "cluster.workers", of_replicas},
    {"data_parallel_size", common, "cluster.workers", of_replicas},
    {"zero_stage", deepspeed, "parallelism.data", "", stage},
    {"zero_optimization", deepspeed, "parallelism.data", "", stage},
    {"zero", common, "parallelism.data", "", stage},
    {"stage", deepspeed, "parallelism.data", "", stage, "parallelism"},
    {"fsdp", face, "parallelism.data", "", sharding},
    {"sharding_strategy", torch, "parallelism.data", "", sharding},
    {"fsdp_sharding_strategy", face, "parallelism.data", "", sharding},
    {"strategy", torch, "parallelism.data", "", sharding},
    {"sharding", common, "parallelism.data", "", sharding},
    {"use_distributed_optimizer", megatron, "parallelism.data", "", zero1},
    {"virtual_pipeline_model_parallel_size", megatron, "parallelism.interleave", "", same},
    {"sequence_parallel", megatron, "parallelism.sequence_parallel", "", same},
    {"fsdp_reshard_after_forward", face, "parallelism.reshard_after_forward", "", same},
    {"backward_prefetch", torch, "parallelism.prefetch", "units that are gathered ahead"},
    {"forward_prefetch", torch, "parallelism.prefetch", "units that are gathered ahead"},
    // Exchange and compression.
    {"backend", torch, "exchange.library", "", library},
    {"bucket_cap_mb", torch, "exchange.bucket", "", mebibytes},
    {"ddp_bucket_cap_mb", face, "exchange.bucket", "", mebibytes},
    {"ddp_bucket_size", megatron, "exchange.bucket", "a data size; this one is in values"},
    {"reduce_bucket_size", deepspeed, "exchange.bucket", "a data size; this one is in values"},
    {"allreduce_bucket_size", deepspeed, "exchange.bucket", "a data size; this one is in values"},
    {"overlap_comm", deepspeed, "exchange.overlap", "", same},
    {"overlap_grad_reduce", megatron, "exchange.overlap", "", same},
    {"algorithm", common, "exchange.collective", "", collective, "exchange"},
    {"nccl_algo", nccl, "exchange.collective",
     "or `cluster.nccl.environment.algorithms` where `cluster.nccl` describes the hardware", collective},
    {"nccl_proto", nccl, "cluster.nccl.environment.protocols", "where `cluster.nccl` describes the hardware"},
    {"nccl_nsocks_perthread", nccl, "cluster.fabric.connections", "of a channel to a peer"},
    {"comm_hook", torch, "compression.method", "a row of `sim list compressors`"},
    {"compress_ratio", common, "compression.ratio", "", same},
    {"density", common, "compression.ratio", "", same, "compression"},
    {"sparsity", common, "compression.ratio", "the share that is kept: 1 - sparsity", complement,
     "compression"},
    {"k", common, "compression.ratio", "the share of the values that is kept", nullptr, "compression"},
    {"top_k", common, "compression.ratio", "the share of the values that is kept", nullptr, "compression"},
    {"matrix_approximation_rank", torch, "compression.rank", "", same, "compression"},
    {"start_powersgd_iter", torch, "compression.warm_up", "", nullptr, "compression"},
    {"sync_every", torch, "synchronisation.every", "", same, "synchronisation"},
    {"local_steps", common, "synchronisation.every", "", same, "synchronisation"},
    {"inner_steps", common, "synchronisation.every", "", same, "synchronisation"},
    {"h", common, "synchronisation.every", "", same, "synchronisation"},
    {"outer_lr", common, "synchronisation.outer_rate", "", same, "synchronisation"},
    // Not modelled.
    {"expert", torch, {}, experts},
    {"ep", common, {}, experts},
    {"ep_size", deepspeed, {}, experts},
    {"expert_parallel", common, {}, experts},
    {"expert_parallel_size", common, {}, experts},
    {"expert_model_parallel_size", megatron, {}, experts},
    {"context", common, {}, contexts},
    {"cp", common, {}, contexts},
    {"cp_size", common, {}, contexts},
    {"context_parallel", torch, {}, contexts},
    {"context_parallel_size", megatron, {}, contexts},
    {"sequence_parallel_size", deepspeed, {}, contexts},
    {"ulysses", deepspeed, {}, contexts},
    {"ring_attention", common, {}, contexts},
    {"offload", common, {}, offloading},
    {"cpu_offload", torch, {}, offloading},
    {"fsdp_offload_params", face, {}, offloading},
    {"offload_optimizer", deepspeed, {}, offloading},
    {"offload_param", deepspeed, {}, offloading},
    {"save_steps", face, "availability.checkpoint", checkpoints},
    {"save_interval", megatron, "availability.checkpoint", checkpoints},
    {"checkpoint_interval", common, "availability.checkpoint", checkpoints},
    {"checkpoint_every", common, "availability.checkpoint", checkpoints, nullptr, "training"},
    {"checkpoint", common, "availability.checkpoint", checkpoints},
    {"mtu", common, {}, frames},
    {"stragglers", common, "compute.slowdowns",
     "workers that compute slower for a while, or `compute.jitter`"},
    {"virtual_pipeline", common, "parallelism.interleave", "", same},
    {"tokens", common, "training.steps", "tokens over those of a step of all workers", nullptr, "training"},
    {"train_tokens", megatron, "training.steps", "tokens over those of a step of all workers"},
    {"topk", common, "compression.method", "its share of the values is `compression.ratio`", topk,
     "compression"},
    {"usd_per_hour", common, "price.per_machine", of_machine, per_hour, "price"},
    {"per_hour", common, "price.per_machine", of_machine, per_hour, "price"},
    {"hourly", common, "price.per_machine", of_machine, per_hour, "price"},
    {"price_per_hour", common, "price.per_machine", of_machine, per_hour},
    {"cost_per_hour", common, "price.per_machine", of_machine, per_hour},
    {"instance", common, "price.machine", "", same, "price"},
    {"instance_type", common, "price.machine", "", same, "price"},
    {"interruptions_per_hour", common, "availability.mtbf",
     "mean time between failures of a machine: an hour over their number", nullptr, "price"},
    {"kv_lora_rank", face, {}, latent},
    {"q_lora_rank", face, {}, latent},
    {"multi_latent_attention", megatron, {}, latent},
    {"lora", common, "workload.trainable", adapters},
    {"lora_r", face, "workload.trainable", adapters},
    {"lora_rank", common, "workload.trainable", adapters},
    {"peft", face, "workload.trainable", adapters},
    {"num_workers", torch, {}, loading, nullptr, "training"},
    {"dataloader_num_workers", face, {}, loading},
    {"prefetch_factor", torch, {}, loading},
    {"pin_memory", torch, {}, loading},
    {"torch_compile", face, {}, compiling},
    {"compile", torch, {}, compiling},
    {"eval_steps", face, {}, testing},
    {"eval_interval", megatron, {}, testing},
    {"nccl_buffsize", nccl, {}, nccl_setting},
    {"nccl_min_nchannels", nccl, {}, nccl_setting},
    {"nccl_max_nchannels", nccl, {}, nccl_setting},
    {"nccl_ib_hca", nccl, {}, nccl_setting},
    {"nccl_socket_ifname", nccl, {}, nccl_setting},
});

constexpr auto value_rows = std::to_array<ValueOfOthers>({
    {"parallelism.data", "full_shard", "fsdp"},
    {"parallelism.data", "full_shard_auto_wrap", "fsdp"},
    {"parallelism.data", "fsdp2", "fsdp"},
    {"parallelism.data", "fully_shard", "fsdp"},
    {"parallelism.data", "shard_grad_op", "zero2"},
    {"parallelism.data", "hybrid_shard", "hsdp"},
    {"parallelism.data", "no_shard", "none"},
    {"parallelism.data", "ddp", "none"},
    {"parallelism.data", "ddp_find_unused_parameters_false", "none"},
    {"parallelism.data", "true", "fsdp"},
    {"parallelism.data", "false", "none"},
    {"parallelism.data", "zero_1", "zero1"},
    {"parallelism.data", "zero_2", "zero2"},
    {"parallelism.data", "zero_3", "zero3"},
    {"parallelism.data", "deepspeed_stage_1", "zero1"},
    {"parallelism.data", "deepspeed_stage_2", "zero2"},
    {"parallelism.data", "deepspeed_stage_3", "zero3"},
    {"parallelism.data", "1", "zero1"},
    {"parallelism.data", "2", "zero2"},
    {"parallelism.data", "3", "zero3"},
    {"workload.precision", "bfloat16", "bf16"},
    {"workload.precision", "torch.bfloat16", "bf16"},
    {"workload.precision", "bf16_mixed", "bf16"},
    {"workload.precision", "float16", "fp16"},
    {"workload.precision", "half", "fp16"},
    {"workload.precision", "torch.float16", "fp16"},
    {"workload.precision", "16_mixed", "fp16"},
    {"workload.precision", "float32", "fp32"},
    {"workload.precision", "torch.float32", "fp32"},
    {"workload.precision", "fp8_e4m3", "fp8"},
    {"workload.recomputation", "true", "full"},
    {"workload.recomputation", "false", "none"},
    {"workload.recomputation", "uniform", "full"},
    {"exchange.collective", "ring", "ring_allreduce"},
    {"exchange.collective", "tree", "double_binary_tree_allreduce"},
    {"exchange.collective", "allreduce", "auto"},
    {"exchange.library", "mpi", "openmpi"},
    {"synchronisation.method", "allreduce", "bsp"},
    {"synchronisation.method", "ddp", "bsp"},
    {"synchronisation.method", "sync", "bsp"},
    {"synchronisation.method", "synchronous", "bsp"},
    {"synchronisation.method", "async", "asp"},
    {"synchronisation.method", "hogwild", "asp"},
    {"synchronisation.method", "local_sgd", "periodic"},
    {"cluster.fabric.kind", "ib", "infiniband"},
    {"cluster.fabric.kind", "rocev2", "roce"},
    {"cluster.fabric.kind", "roce_v2", "roce"},
    {"cluster.fabric.kind", "eth", "ethernet"},
    {"cluster.fabric.rate", "fdr", "56 Gbit/s"},
    {"cluster.fabric.rate", "edr", "100 Gbit/s"},
    {"cluster.fabric.rate", "hdr", "200 Gbit/s"},
    {"cluster.fabric.rate", "ndr", "400 Gbit/s"},
    {"cluster.fabric.rate", "xdr", "800 Gbit/s"},
    {"cluster.inner_fabric.kind", "nvswitch", "nvlink"},
    {"objective", "dollars", "cost"},
    {"objective", "usd", "cost"},
    {"objective", "money", "cost"},
    {"objective", "price", "cost"},
    {"objective", "cheap", "cost"},
    {"objective", "cheapest", "cost"},
    {"objective", "speed", "time"},
    {"objective", "fastest", "time"},
    {"objective", "throughput", "time"},
});

}  // namespace

bool is_same_word(std::string_view one, std::string_view other) {
  constexpr std::size_t short_word = 5;
  if (one.size() <= short_word || other.size() <= short_word) return plain_word(one) == plain_word(other);
  const auto letters = [](std::string_view text) {
    std::string kept = plain_word(text);
    std::erase(kept, '_');
    return kept;
  };
  return letters(one) == letters(other);
}

std::span<const KeyOfOthers> keys_of_others() { return key_rows; }
std::span<const ValueOfOthers> values_of_others() { return value_rows; }

}  // namespace sim::scenario
