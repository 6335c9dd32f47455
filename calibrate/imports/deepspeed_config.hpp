// Reads a configuration of DeepSpeed, by itself or named by the arguments of a Trainer.
#pragma once

#include <string>

#include "calibrate/imports/config_reader.hpp"
#include "calibrate/imports/training_config.hpp"

namespace calibrate::imports {

/// Two moments in fp32: what Adam, which is taken for an optimizer that is not stated, keeps for a parameter.
constexpr double adam_moment_bytes = 8;

/// Reads keys into `read`, over what it has; errors stay in the reader. `auto` keeps what `read` has.
void take_deepspeed(ConfigReader& config, TrainingConfig& read);

}  // namespace calibrate::imports
