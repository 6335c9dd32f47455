// Reads arguments of the Trainer of Hugging Face transformers.
#include <algorithm>
#include <array>
#include <cctype>
#include <iterator>

#include <fmt/format.h>

#include "calibrate/imports/deepspeed_config.hpp"
#include "calibrate/imports/training_keys.hpp"
#include "files/input_file.hpp"
#include "netmodels/nearest.hpp"

namespace calibrate::imports {

using netmodels::Result;
using nlohmann::json;

namespace {

/// The words of `fsdp`, a text or a list; true is `full_shard`.
std::vector<std::string> fsdp_words(ConfigReader& config) {
  const json* stated = config.find("fsdp");
  if (stated == nullptr || *stated == false) return {};
  if (*stated == true) return {"full_shard"};
  std::string text;
  if (stated->is_string()) text = stated->get<std::string>();
  if (stated->is_array()) {
    for (const json& word : *stated) text += (word.is_string() ? word.get<std::string>() : word.dump()) + " ";
  }
  std::vector<std::string> words(1);
  for (const char c : text) {
    if (std::isspace(static_cast<unsigned char>(c)) != 0 || c == ',')
      words.emplace_back();
    else
      words.back() += c;
  }
  std::erase(words, "");
  return words;
}

/// True or false; of version 1, the word of a strategy.
void take_reshard(ConfigReader& config, TrainingConfig& read) {
  constexpr const char* key = "fsdp_config.reshard_after_forward";
  const json* stated = config.find(key);
  if (stated == nullptr) return;
  constexpr std::array words = {ConfigWord{"FULL_SHARD", "true"}, ConfigWord{"SHARD_GRAD_OP", "false"},
                                ConfigWord{"true", "true"}, ConfigWord{"false", "false"}};
  if (stated->is_string())
    read.reshard_after_forward = config.word(key, words, "true") == "true";
  else
    read.reshard_after_forward = config.flag(key, true);
}

/// Blocks are wrapped, all else is the root unit; all passes but the last run under `no_sync`, unless set
/// otherwise.
void take_trainer_units(ConfigReader& config, TrainingConfig& read) {
  read.unit = "root";
  const bool each = config.flag("accelerator_config.gradient_accumulation_kwargs.sync_each_batch", false);
  read.accumulate = each ? "shards" : "whole";
}

void take_fsdp(ConfigReader& config, TrainingConfig& read) {
  constexpr std::array<std::string_view, 7> known = {
      "full_shard", "shard_grad_op", "hybrid_shard", "hybrid_shard_zero2",
      "no_shard",   "auto_wrap",     "offload"};
  for (const std::string& word : fsdp_words(config)) {
    if (std::ranges::find(known, word) == known.end())
      config.fail("fsdp", fmt::format("`{}` cannot be read", word), netmodels::accepted_names(word, known));
    if (word == "offload")
      config.fail("fsdp", "`offload`: states in the memory of the host are not simulated",
                  "leave it out of `fsdp`");
    if (word == "auto_wrap" || word == "no_shard") continue;
    read.sharding = "fsdp";
    read.shards_in_node = word.starts_with("hybrid_shard");
    read.reshard_after_forward = word == "full_shard" || word == "hybrid_shard";
  }
  for (const char* key : {"fsdp_config.cpu_offload", "fsdp_config.offload_params"}) {
    if (config.flag(key, false))
      config.fail(key, "states in the memory of the host are not simulated", "accepted: false");
  }
  take_reshard(config, read);
  if (read.sharding == "fsdp") take_trainer_units(config, read);
  if (config.flag("fsdp_config.activation_checkpointing", false)) read.recomputation = "full";
}

/// Autocast keeps fp32 parameters; FSDP gathers and sums them in the narrower type.
void take_trainer_states(ConfigReader& config, TrainingConfig& read) {
  const std::string optimizer = config.text("optim").value_or("adamw_torch");
  const double moments = optimizer_state_bytes(config, "optim", optimizer);
  const bool half = config.flag("fp16", false);
  const bool brain = config.flag("bf16", false);
  if (half && brain) config.fail("bf16", "`fp16` is true, too", "accepted: one of them");
  const bool tensor_cores = config.flag("tf32", false);
  read.precision = brain ? "bf16" : half ? "fp16" : tensor_cores ? "tf32" : "fp32";
  const bool narrow = brain || half;
  const bool sharded = read.sharding != "none";
  read.parameter_bytes = narrow && sharded ? 2 : 4;
  read.gradient_bytes = read.parameter_bytes;
  read.optimizer_bytes = moments + 2 * (4 - read.parameter_bytes);  // fp32 parts of both while they are held
}

constexpr std::string_view accelerate_prefix = "fsdp_";  // prefix of keys of `fsdp_config` in accelerate

/// The keys of `fsdp_config` without the prefix of accelerate.
json with_plain_fsdp(json root) {
  const auto found = root.find("fsdp_config");
  if (found == root.end() || !found->is_object()) return root;
  json plain = json::object();
  for (const auto& [key, value] : found->items())
    plain[key.starts_with(accelerate_prefix) ? key.substr(accelerate_prefix.size()) : key] = value;
  *found = std::move(plain);
  return root;
}

/// The arguments with the contents of the file that `fsdp_config` names.
Result<json> with_fsdp_file(json root, const std::filesystem::path& file) {
  const auto found = root.find("fsdp_config");
  if (found == root.end() || !found->is_string() || found->get<std::string>().empty()) return root;
  const std::string name = found->get<std::string>();
  GRADSIM_TRY(text, files::read_text(file.parent_path() / name));
  GRADSIM_TRY(named, parse_config(*text, name));
  *found = std::move(*named);
  return root;
}

/// Names the keys of `fsdp_config` as the file states them; refuses a key that it states with the prefix of
/// accelerate and without.
void name_stated_fsdp(ConfigReader& config, const json& stated) {
  const auto found = stated.find("fsdp_config");
  if (found == stated.end() || !found->is_object()) return;
  for (const auto& [key, value] : found->items()) {
    if (!key.starts_with(accelerate_prefix)) continue;
    const std::string plain = key.substr(accelerate_prefix.size());
    config.set_stated_name("fsdp_config." + plain, "fsdp_config." + key);
    if (found->contains(plain))
      config.fail("fsdp_config." + plain, fmt::format("`fsdp_config.{}` states it, too", plain),
                  "accepted: one of them");
  }
}

/// The configuration that `deepspeed` holds, or the file that it names, beside the arguments.
Result<json> deepspeed_of(ConfigReader& config, const std::filesystem::path& file) {
  const json* stated = config.find("deepspeed");
  if (stated == nullptr || stated->is_object()) return stated == nullptr ? json() : *stated;
  const std::string name = config.text("deepspeed").value_or("");
  if (name.empty()) return json();
  GRADSIM_TRY(text, files::read_text(file.parent_path() / name));
  return parse_config(*text, name);
}

Result<void> take_named_deepspeed(ConfigReader& config, const std::filesystem::path& file,
                                  TrainingConfig& read) {
  GRADSIM_TRY(root, deepspeed_of(config, file));
  if (!root->is_object()) return {};
  if (!fsdp_words(config).empty()) {
    config.fail("deepspeed", "`fsdp` is stated, too, which the Trainer refuses", "accepted: one of them");
    return {};
  }
  ConfigReader named(*root, "deepspeed of " + file.string());
  read.facts.emplace_back("Sharding is that of `deepspeed`; what is auto there is as in the arguments.");
  const double moments = optimizer_state_bytes(config, "optim", config.text("optim").value_or("adamw_torch"));
  const bool own_optimizer = named.find("optimizer.type") != nullptr;
  take_deepspeed(named, read);
  std::vector<LeftOutKey> left_out = named.judge(deepspeed_keys());
  if (named.error()) return tl::unexpected(*named.error());
  if (!own_optimizer) {
    read.optimizer_bytes += moments - adam_moment_bytes;
    std::erase_if(read.facts, [](const std::string& fact) { return fact.ends_with("as that of Adam."); });
  }
  for (LeftOutKey& one : left_out) {
    one.key = "deepspeed." + one.key;
    read.left_out.push_back(std::move(one));
  }
  return {};
}

}  // namespace

Result<TrainingConfig> read_trainer(std::string_view text, const std::filesystem::path& file) {
  GRADSIM_TRY(alone, parse_config(text, file.string()));
  GRADSIM_TRY(parsed, with_fsdp_file(std::move(*alone), file));
  const json root = with_plain_fsdp(*parsed);
  ConfigReader config(root, file.string(), text);
  name_stated_fsdp(config, *parsed);
  TrainingConfig read;
  const auto batch = config.count("per_device_train_batch_size");
  read.micro_batch = batch.value_or(8);
  if (!batch) read.assume("--batch", "The arguments state no batch: 8 samples are the Trainer's default");
  read.accumulation = config.count("gradient_accumulation_steps").value_or(1);
  if (const auto steps = config.count("max_steps", -1); steps && *steps > 0) read.steps = *steps;
  read.recomputation = config.flag("gradient_checkpointing", false) ? "full" : "none";
  take_fsdp(config, read);
  take_trainer_states(config, read);
  const auto named = take_named_deepspeed(config, file, read);
  std::vector<LeftOutKey> left_out = config.judge(trainer_keys());
  if (config.error()) return tl::unexpected(*config.error());
  if (!named) return tl::unexpected(named.error());
  std::ranges::move(left_out, std::back_inserter(read.left_out));
  return read;
}

}  // namespace calibrate::imports
