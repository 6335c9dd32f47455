// Tables of keys: each documented key alone, at each of its values, is read, explained, warned of or refused.
#include "calibrate/imports/training_keys.hpp"

#include <algorithm>
#include <array>
#include <functional>
#include <set>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "calibrate/imports/training_config.hpp"

namespace calibrate::imports {
namespace {

using nlohmann::json;

/// Three configurations of a format: next to nothing, shards in one precision, another precision or
/// optimizer.
struct Bases {
  std::string format;
  std::vector<json> bases;
};

const std::vector<Bases> all_bases{
    {"deepspeed",
     {json::parse(R"({"optimizer": {"type": "OneBitAdam"}})"),
      json::parse(R"({"train_micro_batch_size_per_gpu": 2, "bf16": {"enabled": true},
                                      "zero_optimization": {"stage": 3}})"),
      json::parse(R"({"train_micro_batch_size_per_gpu": 2, "fp16": {"enabled": true},
                      "optimizer": {"type": "ZeroOneAdam"}})")}},
    {"hf-trainer",
     {json::object(),
      json::parse(R"({"bf16": true, "fsdp": "full_shard auto_wrap", "gradient_accumulation_steps": 2})"),
      json::parse(R"({"fp16": true, "optim": "sgd", "gradient_accumulation_steps": 2})")}},
    {"torchtitan",
     {json::object(),
      json::parse(R"({"model": {"name": "llama3", "flavor": "8B"}, "training": {"local_batch_size": 4},
                      "activation_checkpoint": {"mode": "full"}})"),
      json::parse(R"({"parallelism": {"data_parallel_shard_degree": 1, "pipeline_parallel_degree": 2},
                      "activation_checkpoint": {"mode": "selective"}})")}}};

/// The values of a row, which are separated by `|`.
std::vector<json> values_of(const files::ForeignKey& row) {
  std::vector<json> values;
  std::string rest(row.values);
  while (!rest.empty()) {
    const std::size_t end = std::min(rest.find('|'), rest.size());
    const std::string one = rest.substr(0, end);
    values.push_back(json::parse(one));
    rest.erase(0, end + 1);
  }
  return values;
}

void state(json& base, std::string_view path, const json& value) {
  json* place = &base;
  std::string rest(path);
  for (std::size_t dot = rest.find('.'); dot != std::string::npos; dot = rest.find('.')) {
    place = &(*place)[rest.substr(0, dot)];
    rest.erase(0, dot + 1);
  }
  (*place)[rest] = value;
}

/// A job as TOML: tables by their dotted names.
void print_toml(const json& table, const std::string& name, std::string& text) {
  std::string keys;
  std::string tables;
  for (const auto& [key, value] : table.items()) {
    if (value.is_object())
      print_toml(value, name.empty() ? key : name + "." + key, tables);
    else
      keys += key + " = " + value.dump() + "\n";
  }
  if (!keys.empty()) text += (name.empty() ? "" : "[" + name + "]\n") + keys;
  text += tables;
}

/// The configuration in which a key acts: tables of float8 need their converter.
json acting_base(json base, std::string_view key) {
  for (const char* table : {"float8", "quantize.linear.float8"})
    if (key.starts_with(std::string(table) + ".") && key != "float8.enable_float8_linear")
      state(base, "model.converters", json::array({table}));
  return base;
}

netmodels::Result<TrainingConfig> read_json(const std::string& format, const json& config) {
  std::string text = config.dump();
  if (format == "torchtitan") {
    text.clear();
    print_toml(config, "", text);
  }
  return find_config_format(format)->read(text, "a");
}

/// All that a scenario takes of it, without notes.
std::string taken(TrainingConfig config) {
  config.left_out.clear();
  config.facts.clear();
  return fmt::format("{} {} {} {} {} {} {} {} {} {} {} {} {} {} {} {} {} {} {} {} {} {} {} {} {}",
                     config.model, config.sequence.value_or(0), config.micro_batch.value_or(0),
                     config.accumulation.value_or(0), config.global_batch.value_or(0), config.pipeline_parts,
                     config.precision, config.sharding, config.shards.value_or(0), config.copies,
                     config.shards_in_node, config.secondary, config.tensor, config.pipeline,
                     config.reshard_after_forward, config.unit, config.accumulate, config.compress.size(),
                     config.compression, config.synchronisation, config.recomputation, config.parameter_bytes,
                     config.gradient_bytes, config.optimizer_bytes, config.steps.value_or(0));
}

/// What became of one key in one configuration.
struct Outcome {
  bool refused = false;
  bool warned = false;
  bool explained = false;
  bool acted = false;  ///< the scenario differs, or a fact is told
};

Outcome outcome_of(const std::string& format, const json& base, std::string_view key, const json& value) {
  json stated = base;
  state(stated, key, value);
  const auto before = read_json(format, base);
  const auto after = read_json(format, stated);
  EXPECT_TRUE(before) << before.error().text();
  Outcome outcome;
  outcome.refused = !after;
  if (!before || !after) return outcome;
  outcome.acted = taken(*before) != taken(*after) || before->facts != after->facts;
  for (const LeftOutKey& one : after->left_out) {
    if (one.key != key) continue;
    (one.is_warning ? outcome.warned : outcome.explained) = true;
  }
  return outcome;
}

bool is_default(const files::ForeignKey& row, const json& value) {
  const std::string bare = value.is_string() ? value.get<std::string>() : value.dump();
  return files::is_harmless(bare, row.harmless);
}

/// Tells what is wrong with the row at this value; empty where it is one of the three.
std::string fault_of(const files::ForeignKey& row, const json& value, const std::vector<Outcome>& outcomes) {
  const auto any = [&](bool Outcome::*what) {
    return std::ranges::any_of(outcomes, [what](const Outcome& one) { return one.*what; });
  };
  const auto all = [&](bool Outcome::*what) {
    return std::ranges::all_of(outcomes, [what](const Outcome& one) { return one.*what; });
  };
  const bool plain = is_default(row, value);
  switch (row.use) {
    case files::KeyUse::read:
      return plain || any(&Outcome::acted) || any(&Outcome::refused) ? "" : "is read, and nothing differs";
    case files::KeyUse::no_effect:
      return all(&Outcome::explained) && !any(&Outcome::acted) ? "" : "is not explained, or acts";
    case files::KeyUse::changes:
      return any(&Outcome::acted) || all(&Outcome::warned) != !plain ? "warns not" : "";
    case files::KeyUse::refused: return all(&Outcome::refused) != !plain ? "is not refused" : "";
  }
  return "has no use";
}

TEST(TrainingKeys, EachKeyAtEachValueIsReadExplainedWarnedOfOrRefused) {
  int tried = 0;
  for (const Bases& format : all_bases) {
    for (const files::ForeignKey& row : find_config_format(format.format)->keys()) {
      EXPECT_FALSE(values_of(row).empty()) << row.key;
      for (const json& value : values_of(row)) {
        std::vector<Outcome> outcomes;
        for (const json& base : format.bases)
          outcomes.push_back(outcome_of(format.format, acting_base(base, row.key), row.key, value));
        EXPECT_EQ(fault_of(row, value, outcomes), "") << format.format << ": " << row.key << " = " << value;
        ++tried;
      }
    }
  }
  std::cout << tried << " values of keys\n";
  EXPECT_GE(tried, 700);
}

TEST(TrainingKeys, NoKeyHasTwoRows) {
  for (const ConfigFormat& format : config_formats()) {
    std::set<std::string_view> seen;
    for (const files::ForeignKey& row : format.keys()) {
      EXPECT_TRUE(seen.insert(row.key).second) << format.name << ": " << row.key;
      EXPECT_FALSE(row.text.empty()) << row.key;
    }
  }
}

/// Keys without effect whose name has such a word: kernels, loading, evaluation, and keys of a part that is
/// refused where it is on.
bool is_about_other_things(std::string_view key) {
  constexpr std::array<std::string_view, 16> parts{"offload_param.",
                                                   "offload_optimizer.",
                                                   "autotuning.",
                                                   "elasticity.",
                                                   "aio.",
                                                   "hybrid_engine.",
                                                   "validation.",
                                                   "eval",
                                                   "compile",
                                                   "last_batch_iteration",
                                                   "pin_memory",
                                                   "dispatch_batches",
                                                   "even_batches",
                                                   "expert_parallel_comm_backend",
                                                   "cpu_offload_use_pin_memory",
                                                   "process_group"};
  return std::ranges::any_of(parts,
                             [&](std::string_view part) { return key.find(part) != std::string_view::npos; });
}

// Precision, states, shards, sizes of groups, offload, exchanges, overlap, batch and accumulation.
TEST(TrainingKeys, KeysThatAreAboutTheAnswerAreNeverWithoutEffect) {
  for (const ConfigFormat& format : config_formats()) {
    for (const files::ForeignKey& row : format.keys()) {
      if (row.use != files::KeyUse::no_effect) continue;
      for (const char* word : {"_degree", "mixed_precision", "communication_data", "quantized_",
                               "_partitions", "reshard", "grad_accum", "accumulation_steps", "master_weights",
                               "tp_size", "backend", "batch", "offload", "overlap"}) {
        EXPECT_TRUE(is_about_other_things(row.key) || row.key.find(word) == std::string_view::npos)
            << format.name << ": " << row.key;
      }
    }
  }
}

// A row that no stated value can violate says nothing: it has no effect.
TEST(TrainingKeys, EachWarningOrRefusalHasAValueThatIsNotHarmless) {
  for (const ConfigFormat& format : config_formats()) {
    for (const files::ForeignKey& row : format.keys()) {
      if (row.use != files::KeyUse::changes && row.use != files::KeyUse::refused) continue;
      const std::vector<json> values = values_of(row);
      EXPECT_FALSE(std::ranges::all_of(values, [&](const json& value) { return is_default(row, value); }))
          << format.name << ": " << row.key;
    }
  }
}

TEST(TrainingKeys, EmptyListsAndMapsStateNothing) {
  for (const Bases& format : all_bases) {
    for (const files::ForeignKey& row : find_config_format(format.format)->keys()) {
      if (row.use == files::KeyUse::read) continue;
      const Outcome outcome = outcome_of(format.format, format.bases[1], row.key, json::array());
      EXPECT_FALSE(outcome.refused || outcome.warned || outcome.explained)
          << format.format << ": " << row.key;
    }
  }
}

TEST(TrainingKeys, UnknownKeysAreNamedAtAnyValue) {
  for (const Bases& format : all_bases) {
    for (const char* value : {"false", "0", "\"\"", "[1]", "3"}) {
      const Outcome outcome = outcome_of(format.format, format.bases[1], "novel_key", json::parse(value));
      EXPECT_TRUE(outcome.warned) << format.format << ": " << value;
    }
  }
}

}  // namespace
}  // namespace calibrate::imports
