// Fills structs from entries of files/entries.hpp, by the keys that their owners describe.
#pragma once

#include <optional>
#include <string_view>
#include <vector>

#include "files/entries.hpp"
#include "netmodels/result.hpp"
#include "settings/fields.hpp"

namespace calibrate::ledger {

/// Reads the described keys of one entry. Every key that it is not asked for is unknown. Maps inside an entry
/// are written on one line: `gpu: {compute_capability: 80, per_node: 8}`.
/// Leaves out: bounds of keys, which the check of the finished struct repeats; moments and figures, which no
/// entry has.
class DescribedEntry final : public settings::Fields {
 public:
  using Fields::field;

  /// @param fields  outlive the reader
  /// @param source  named in errors, as `source:line:column`
  /// @param begin   the place of the entry, for keys that are missing
  DescribedEntry(const std::vector<files::Field>& fields, std::string_view source, files::PlacedText begin)
      : fields_(fields), source_(source), begin_(std::move(begin)) {}

  void field(const settings::Key& key, const settings::Type& type, void* target) override;
  void deferred(const settings::Key& key) override;
  void figure(const settings::Key& key, std::optional<double>& target, std::string_view metric) override;

  /// The first thing that was wrong; an unknown key comes first, because it explains a missing one.
  netmodels::Result<void> finish();

 private:
  void alternative(bool chosen, std::string_view word, Rest describe_rest, void* rest) override;

  const std::vector<files::Field>& fields_;
  std::string_view source_;
  files::PlacedText begin_;
  std::vector<std::string_view> known_;
  std::optional<netmodels::Error> error_;
};

}  // namespace calibrate::ledger
