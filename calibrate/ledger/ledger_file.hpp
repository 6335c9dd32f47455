// The ledger's file: which measurements are predicted, how the parameters came about, and how far off they
// may be.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "calibrate/ledger/questions.hpp"
#include "calibrate/ledger/rules.hpp"
#include "netmodels/quantity.hpp"
#include "netmodels/result.hpp"

namespace calibrate::ledger {

/// Bounds of an entry, pure numbers; what is not stated is not bounded.
struct Band {
  std::optional<double> mean{};        ///< most mean error
  std::optional<double> median{};      ///< most median error
  std::optional<double> p90{};         ///< most error of nine figures in ten
  std::optional<double> right_side{};  ///< least share of figures on the right side of 1
  std::optional<double> winners{};  ///< least share of decisions whose predicted winner is the measured one
  std::optional<double> regret{};   ///< most mean regret of the decisions; see decisions.hpp

  bool operator==(const Band&) const = default;
};

/// One entry as written.
struct LedgerEntry {
  std::string name;
  const Rule* rule = nullptr;
  std::vector<std::string> seen;          ///< paths, relative to the ledger's folder
  std::vector<std::string> measurements;  ///< paths, relative to the ledger's folder; at least one
  std::vector<std::string> machines;  ///< descriptions of hardware; paths, relative to the ledger's folder
  std::optional<netmodels::Bytes> least_size;  ///< figures of smaller messages are left out
  std::optional<netmodels::Bytes> most_size;   ///< figures of larger messages are left out
  std::vector<std::string> choices;            ///< columns in which figures that compete agree; may be empty
  Band band;                                   ///< recorded errors, rounded up; at least one bound
  std::optional<Band> goal;                    ///< intended errors; at least one bound
  std::string source;                          ///< origin of the tables; may be empty
  std::string note;                            ///< why the goal is missed, what is left out; may be empty
  const Question* question = nullptr;  ///< question whose row of the first table counts it; null: none
  int line = 1;
};

/// Reads `ledger:` and its entries, with the keys `name`, `rule`, `folder` (put before each path of the
/// entry but those of `machines`), `seen`, `measurements`, `machines` (lists of paths), `least_size`,
/// `most_size` (with unit), `choices` (columns of decisions.hpp), the bounds `mean`, `median`, `p90`,
/// `right_side`, `winners`, `regret` (in %; what was recorded), `goal` (bounds as one text: `median 2 %, p90
/// 6 %`), `source` and `note` (text), and `question` (a key of questions.hpp). The dialect of YAML is that of
/// files/entries.hpp.
/// @param source  named in errors, as `source:line:column`
/// @returns at least one entry, or an Error for an unknown key, an invalid value, a name that appears
///          twice, an entry without name, rule, measurements or bound, and a bound of decisions without
///          choices
netmodels::Result<std::vector<LedgerEntry>> parse_ledger(std::string_view text, std::string_view source);

/// Reads bounds as `print_band` writes them.
/// @returns at least one bound, or an Error with an empty `where`
netmodels::Result<Band> parse_band(std::string_view text);

/// `median 2 %, p90 6 %`.
std::string print_band(const Band& band);

}  // namespace calibrate::ledger
