// What a configuration of DeepSpeed states, by itself or named by the arguments of a Trainer.
#pragma once

#include <string>

#include "calibrate/imports/config_reader.hpp"
#include "calibrate/imports/training_config.hpp"

namespace calibrate::imports {

/// Reads keys into `read`, over what it has; errors stay in the reader. `auto` keeps what `read` has.
void take_deepspeed(ConfigReader& config, TrainingConfig& read);

}  // namespace calibrate::imports
