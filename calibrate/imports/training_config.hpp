// Import of configurations of training programs as scenarios.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "files/foreign_keys.hpp"
#include "netmodels/result.hpp"

namespace calibrate::imports {

/// A key of the configuration that the scenario does not have.
struct LeftOutKey {
  std::string key;          ///< `training.max_norm`
  std::string value;        ///< as JSON
  std::string why;          ///< a clause
  bool is_warning = false;  ///< whether it changes the answer, or may do so
};

/// A value that the configuration does not state.
struct Assumption {
  std::string option;    ///< option that states it in place of the configuration: `--batch`
  std::string sentence;  ///< assumed value; no full stop
};

/// Facts that a configuration states about a training, in our words.
struct TrainingConfig {
  std::string model{};  ///< a file of scenarios/workloads, or a config.json; empty: not stated
  std::optional<std::int64_t> sequence{};  ///< tokens of a sample; nothing: as the model
  std::optional<int> micro_batch{};        ///< samples of one pass of a replica
  std::optional<int> accumulation{};       ///< passes of a step; nothing: 1, or by `global_batch`
  std::optional<int> global_batch{};       ///< samples of a step of all replicas
  int pipeline_parts = 1;                  ///< parts of a pass in a pipeline
  std::string precision = "bf16";          ///< precision of matrix products
  std::string sharding = "none";           ///< none, zero1, zero2 or fsdp
  std::optional<int> shards{};             ///< workers that share one copy; nothing: all, but for `copies`
  int copies = 1;                          ///< groups of such workers
  bool shards_in_node = false;             ///< a node's workers share one copy, however many they are
  int secondary = 1;                       ///< workers that share a second copy of the parameters (hpZ)
  int tensor = 1;
  int pipeline = 1;
  bool reshard_after_forward = true;
  std::string unit{};        ///< `parallelism.unit`; empty: the default
  std::string accumulate{};  ///< `parallelism.accumulate` where passes are several; empty: the default
  std::vector<std::string> compress{};  ///< `parallelism.compress`
  std::string compression = "none";     ///< `compression.method`
  std::string synchronisation{};        ///< `synchronisation`, as a scenario writes it; empty: the default
  std::string recomputation = "none";   ///< a word of `workload.recomputation`
  double parameter_bytes = 2;           ///< bytes of a parameter as it is gathered
  double gradient_bytes = 2;            ///< bytes of a gradient as it is sent
  double optimizer_bytes = 12;          ///< bytes of all else that is kept for a parameter
  std::optional<std::int64_t> steps{};  ///< nothing: not stated in steps
  std::vector<Assumption> assumptions{};
  std::vector<std::string> facts{};     ///< approximations, a sentence each
  std::vector<std::string> warnings{};  ///< warnings of the simulator, a sentence each; no full stop
  std::vector<LeftOutKey> left_out{};

  void assume(std::string option, std::string sentence) {
    assumptions.push_back({std::move(option), std::move(sentence)});
  }
};

/// Facts that the caller states beside the file, because no such configuration holds it.
struct ConfigHints {
  std::string cluster{};                  ///< a file of scenarios/clusters, or a path
  std::optional<int> workers{};           ///< GPUs of the job
  std::optional<int> workers_per_node{};  ///< nothing: those of the cluster
  std::optional<int> cluster_node{};      ///< GPUs of a node of the cluster; nothing: unknown
  std::string device{};                   ///< a file of scenarios/devices
  std::string stack{};                    ///< a file of scenarios/stacks; empty: `mfu`
  std::string mfu{};                      ///< `45 %`; empty: `stack`
  std::string model{};                    ///< model in place of the configuration's; may be a config.json
  std::optional<int> sequence{};          ///< sequence in place of the configuration's
  std::optional<int> batch{};             ///< samples of a micro-batch, in place of the configuration's
  std::optional<int> steps{};             ///< steps in place of the configuration's
  std::string recomputation{};            ///< recomputation in place of the configuration's; empty: that
};

/// A kind of configuration.
struct ConfigFormat {
  std::string_view name;     ///< name of the command
  std::string_view summary;  ///< the file that it reads
  std::string_view source;   ///< documentation of its keys
  netmodels::Result<TrainingConfig> (*read)(std::string_view text, const std::filesystem::path& file);
  std::span<const files::ForeignKey> (*keys)();  ///< every documented one
};

/// All that can be read.
std::span<const ConfigFormat> config_formats();

/// The row of `config_formats`; null for any other name.
const ConfigFormat* find_config_format(std::string_view name);

/// A torchtitan job (TOML). Refuses offloading, context and expert parallelism.
netmodels::Result<TrainingConfig> read_torchtitan(std::string_view text, const std::filesystem::path& file);

/// A configuration of DeepSpeed (JSON). Refuses offloading and optimizers whose memory is unknown.
netmodels::Result<TrainingConfig> read_deepspeed(std::string_view text, const std::filesystem::path& file);

/// Arguments of the Trainer of transformers (JSON), with the configuration of DeepSpeed that they name.
netmodels::Result<TrainingConfig> read_trainer(std::string_view text, const std::filesystem::path& file);

/// Whether the GPUs of a node decide what is written.
bool depends_on_node(const TrainingConfig& config);

/// The line `cluster` of a scenario.
/// @param output  as of `print_scenario`
std::string print_cluster(const ConfigHints& hints, const std::filesystem::path& output);

/// Assumptions, approximations and left-out keys, a line each, as the program prints them.
std::vector<std::string> log_lines(const TrainingConfig& config);

/// The scenario of a configuration on the cluster of the hints. Printing it again gives the same text.
/// @param file    the configuration; a config.json beside it is the model where none is stated
/// @param output  where the scenario is to be written: paths in it are relative to that
/// @returns YAML whose head lists what was left out, or an Error with an option of the command line for what
/// is missing, degrees whose product is not the number of workers, a batch of all replicas that they cannot
/// share equally, and shards that are neither all workers nor a node's
netmodels::Result<std::string> print_scenario(TrainingConfig& config, const ConfigHints& hints,
                                              const std::filesystem::path& file,
                                              const std::filesystem::path& output);

}  // namespace calibrate::imports
