// The keys that a policy describes, as a reader of scenarios sees them.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>

#include "settings/fields.hpp"

namespace policies {

/// Listens to the keys of a map; keys of alternatives are left out.
class DescribedKeys final : public settings::Fields {
 public:
  using Fields::field;

  void field(const settings::Key& key, const settings::Type&, void*) override { add(key); }
  void deferred(const settings::Key& key) override { add(key); }
  void figure(const settings::Key& key, std::optional<double>&, std::string_view) override { add(key); }

  /// Defaults by name, as they are written; nothing where there is none.
  std::map<std::string, std::optional<std::string>> defaults;

 protected:
  void alternative(bool, std::string_view, Rest, void*) override {}

 private:
  void add(const settings::Key& key) {
    auto& written = defaults[std::string(key.name)];
    if (key.fallback) written = std::string(*key.fallback);
  }
};

template <class S>
std::map<std::string, std::optional<std::string>> described_defaults(S settings = {}) {
  DescribedKeys keys;
  describe(keys, settings);
  return keys.defaults;
}

}  // namespace policies
