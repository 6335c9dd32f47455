// The text of a scenario to begin with: a model, GPUs, a network and a question.
#pragma once

#include <filesystem>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "netmodels/result.hpp"

namespace sim {

/// Facts that a person states about a training.
struct NewScenario {
  std::string model;   ///< a name of `sim list workloads`; empty: `config`
  std::string config;  ///< a config.json of Hugging Face transformers
  std::string device;  ///< a name of `sim list devices`, or as nvidia-smi prints it
  int gpus = 8;        ///< at least 1
  int gpus_per_node = 8;
  std::string network = "nccl_tcp";  ///< network between nodes: a name of `sim list transports`
  std::string rate = "100 Gbit/s";   ///< line rate of a node's network
  std::string question = "compression";
  std::optional<int> batch;     ///< samples of a GPU in a step; nothing: the most of 8, 4, 2 and 1 that fit
  std::optional<int> sequence;  ///< tokens of a sample; nothing: as the model has them
};

/// Question to a scenario: a name, and the sentence on its first line.
struct NewQuestion {
  std::string_view name;
  std::string_view sentence;
};

std::span<const NewQuestion> new_questions();

/// A value of `workload`, and what it rests on.
struct WorkloadChoice {
  std::string value;    ///< `{model: gpt2_xl, device: a100_sxm_40gb_datasheet, mfu: 40 %}`
  std::string comment;  ///< empty: its times are measured
};

/// Workloads of the stated model on the stated device, the most trusted first; at least one. A model whose
/// times are measured is one choice, whatever the device.
/// @returns an Error for an unknown model
netmodels::Result<std::vector<WorkloadChoice>> workload_choices(const NewScenario& stated,
                                                                const std::filesystem::path& data_dir);

/// The scenario as YAML with comments. Arms of the question that this cluster cannot run are comments with
/// the reason.
/// @returns an Error where no arm can run, or where a name is unknown
netmodels::Result<std::string> write_scenario(const NewScenario& stated,
                                              const std::filesystem::path& data_dir);

}  // namespace sim
