// Takes keys out of a configuration; keys that remain are listed.
#pragma once

#include <map>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <nlohmann/json.hpp>

#include "calibrate/imports/training_config.hpp"
#include "files/foreign_keys.hpp"

namespace calibrate::imports {

/// A word of a configuration and what is meant by it.
struct ConfigWord {
  std::string_view word;
  std::string_view meant;
};

/// Looks up keys by their path, `a.b`. The first wrong value is kept as the error, and reads as absent.
class ConfigReader {
 public:
  /// @param root  outlives the reader
  /// @param text  JSON of the root, so that errors have lines and columns; outlives the reader, or is empty
  ConfigReader(const nlohmann::json& root, std::string source, std::string_view text = {})
      : root_(root), source_(std::move(source)), text_(text) {}

  /// Null where the key is absent, null or `auto`.
  const nlohmann::json* find(const std::string& path);
  /// Whether the value is left to another program: `auto`.
  bool is_auto(const std::string& path);
  std::optional<int> count(const std::string& path, int least = 1, int most = 1'000'000'000);
  bool flag(const std::string& path, bool otherwise);
  std::optional<std::string> text(const std::string& path);
  /// Meaning of the stated word; `otherwise` where the key is absent.
  std::string word(const std::string& path, std::span<const ConfigWord> words, std::string_view otherwise);

  /// Names a key in messages as its file states it.
  void set_stated_name(const std::string& path, std::string stated) {
    stated_names_[path] = std::move(stated);
  }

  /// Keys of a table act only where something else is stated: `judge` lists them with this reason.
  void set_off(const std::string& table, std::string why) { off_[table] = std::move(why); }

  /// Keeps a warning of a key that is absent, or `auto`; `judge` returns it.
  void warn_absent(const std::string& path, std::string why) {
    warnings_.push_back({path, "absent", std::move(why), true});
  }
  /// Keeps an error at a key unless there is one.
  void fail(const std::string& path, std::string what, std::string hint);
  [[nodiscard]] const std::optional<netmodels::Error>& error() const { return error_; }

  /// Judges by the table every value that the scenario does not state; a refused one is kept as the
  /// error. Values that are null, an empty list or an empty map state nothing.
  std::vector<LeftOutKey> judge(std::span<const files::ForeignKey> table);

 private:
  const nlohmann::json* stated(const std::string& path) const;
  const std::string& stated_name(const std::string& path) const;
  const std::string* off_reason(const std::string& path) const;
  void judge_value(const nlohmann::json& value, const std::string& path,
                   std::span<const files::ForeignKey> table, std::vector<LeftOutKey>& found);
  void judge_row(const nlohmann::json& value, const std::string& path, const files::ForeignKey& row,
                 std::vector<LeftOutKey>& found);

  const nlohmann::json& root_;
  std::string source_;
  std::string_view text_;
  std::set<std::string> taken_;
  std::map<std::string, std::string> stated_names_;
  std::map<std::string, std::string> off_;
  std::vector<LeftOutKey> warnings_;
  std::optional<netmodels::Error> error_;
};

/// The JSON of a configuration, at most 1 MB.
netmodels::Result<nlohmann::json> parse_config(std::string_view text, const std::string& source);

/// Refuses a text in another program's format, by its name: YAML of accelerate, programs in Python.
netmodels::Result<void> refuse_other_formats(std::string_view text, const std::string& source);

/// Bytes that an optimizer keeps for a parameter beside a copy of it; an error at `path` for an unknown name.
double optimizer_state_bytes(ConfigReader& config, const std::string& path, const std::string& name);

/// A value as JSON on one line, cut after 60 characters.
std::string short_value(const nlohmann::json& value);

}  // namespace calibrate::imports
