// Every documented key of the configurations that are imported, and what a scenario makes of it.
#pragma once

#include <span>

#include "files/foreign_keys.hpp"

namespace calibrate::imports {

/// Source: DeepSpeed, docs/_pages/config-json.md and deepspeed/runtime/zero/config.py, 0.17.
std::span<const files::ForeignKey> deepspeed_keys();

/// Source: transformers, training_args.py, 4.57; accelerate, FullyShardedDataParallelPlugin, 1.10.
std::span<const files::ForeignKey> trainer_keys();

/// Source: torchtitan, torchtitan/config/job_config.py, 2025, with the names of earlier releases.
std::span<const files::ForeignKey> torchtitan_keys();

}  // namespace calibrate::imports
