// Takes keys out of a configuration; what nobody takes is listed.
#pragma once

#include <optional>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <nlohmann/json.hpp>

#include "calibrate/imports/training_config.hpp"

namespace calibrate::imports {

/// Keys that begin alike, and why a scenario has none of them.
struct LeftOutRule {
  std::string_view begin;
  std::string_view why;
};

/// A word of a configuration and what is meant by it.
struct ConfigWord {
  std::string_view word;
  std::string_view meant;
};

/// Looks up keys by their path, `a.b`. The first wrong value is kept as the error, and reads as absent.
class ConfigReader {
 public:
  /// @param root  outlives the reader
  ConfigReader(const nlohmann::json& root, std::string source) : root_(root), source_(std::move(source)) {}

  /// Null where the key is absent, null or `auto`.
  const nlohmann::json* find(const std::string& path);
  /// Whether the configuration has this table or value, whatever it is.
  [[nodiscard]] bool has(const std::string& name) const { return root_.contains(name); }
  std::optional<int> count(const std::string& path, int least = 1, int most = 1'000'000'000);
  bool flag(const std::string& path, bool otherwise);
  std::optional<std::string> text(const std::string& path);
  /// What one of the words means; `otherwise` where the key is absent.
  std::string word(const std::string& path, std::span<const ConfigWord> words, std::string_view otherwise);

  /// Keeps an error at a key unless there is one.
  void fail(const std::string& path, std::string what, std::string hint);
  [[nodiscard]] const std::optional<netmodels::Error>& error() const { return error_; }

  /// Every value that nothing looked up and that states something: neither null, false, empty nor 0.
  [[nodiscard]] std::vector<LeftOutKey> rest(std::span<const LeftOutRule> rules) const;

 private:
  void collect(const nlohmann::json& value, const std::string& path, std::span<const LeftOutRule> rules,
               std::vector<LeftOutKey>& found) const;

  const nlohmann::json& root_;
  std::string source_;
  std::set<std::string> taken_;
  std::optional<netmodels::Error> error_;
};

/// The JSON of a configuration, at most 1 MB.
netmodels::Result<nlohmann::json> parse_config(std::string_view text, const std::string& source);

/// Bytes that an optimizer keeps for a parameter beside a copy of it; an error at `path` for an unknown name.
double optimizer_state_bytes(ConfigReader& config, const std::string& path, const std::string& name);

/// A value as JSON on one line, cut after 60 characters.
std::string short_value(const nlohmann::json& value);

}  // namespace calibrate::imports
