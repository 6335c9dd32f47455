// Configurations of training programs for tests: read, printed, refused.
#pragma once

#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "calibrate/imports/training_config.hpp"

namespace calibrate::imports {

inline TrainingConfig config_of(const char* format, const std::string& text) {
  const auto read = find_config_format(format)->read(text, "a");
  EXPECT_TRUE(read) << read.error().text();
  return read ? *read : TrainingConfig{};
}

inline std::string refused_config(const char* format, const std::string& text) {
  const auto read = find_config_format(format)->read(text, "a");
  EXPECT_FALSE(read);
  return read ? "" : read.error().text();
}

inline ConfigHints eight_gpus() {
  return {.cluster = "nvidia_dgx_h100",
          .workers = 8,
          .device = "h100_sxm_datasheet",
          .stack = "pytorch-fsdp-2023",
          .model = "llama2_7b"};
}

inline std::string printed(TrainingConfig config, const ConfigHints& hints) {
  const auto text = print_scenario(config, hints, "folder-that-is-missing/a", "-");
  EXPECT_TRUE(text) << text.error().text();
  return text ? *text : "";
}

inline std::string print_error(TrainingConfig config, const ConfigHints& hints) {
  const auto text = print_scenario(config, hints, "folder-that-is-missing/a", "-");
  EXPECT_FALSE(text);
  return text ? "" : text.error().text();
}

/// Keys that a scenario warns of.
inline std::vector<std::string> warned_keys(const TrainingConfig& config) {
  std::vector<std::string> keys;
  for (const LeftOutKey& one : config.left_out)
    if (one.is_warning) keys.push_back(one.key);
  return keys;
}

}  // namespace calibrate::imports
