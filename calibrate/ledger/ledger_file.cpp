// Reading of the ledger's file.
#include "calibrate/ledger/ledger_file.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <filesystem>

#include <fmt/format.h>

#include "calibrate/ledger/decisions.hpp"
#include "files/entries.hpp"
#include "files/text_file.hpp"
#include "netmodels/nearest.hpp"

namespace calibrate::ledger {
namespace {

using netmodels::refuse;
using netmodels::Result;

struct Bound {
  std::string_view name;
  std::optional<double> Band::*bound;
};

constexpr std::array bounds{Bound{"mean", &Band::mean},       Bound{"median", &Band::median},
                            Bound{"p90", &Band::p90},         Bound{"right_side", &Band::right_side},
                            Bound{"winners", &Band::winners}, Bound{"regret", &Band::regret}};

/// One key of an entry; its Error has no place.
struct Key {
  std::string_view name;
  bool is_list = false;
  Result<void> (*read)(LedgerEntry& entry, const std::vector<std::string>& values);
};

template <std::string LedgerEntry::*member>
Result<void> read_text_key(LedgerEntry& entry, const std::vector<std::string>& values) {
  entry.*member = values.front();
  return {};
}

template <std::vector<std::string> LedgerEntry::*member>
Result<void> read_list(LedgerEntry& entry, const std::vector<std::string>& values) {
  entry.*member = values;
  return {};
}

template <std::optional<netmodels::Bytes> LedgerEntry::*member>
Result<void> read_size(LedgerEntry& entry, const std::vector<std::string>& values) {
  GRADSIM_TRY(size, netmodels::parse<netmodels::Bytes>(values.front()));
  entry.*member = *size;
  return {};
}

/// `2.5 %` as 0.025.
Result<double> parse_bound(std::string_view text) {
  const bool has_unit = text.ends_with('%');
  const auto number = files::read_number(files::trimmed(text.substr(0, text.size() - (has_unit ? 1 : 0))));
  if (!has_unit || !number || !std::isfinite(*number) || *number < 0)
    return refuse("", fmt::format("`{}` is not a bound", text), "accepted: a number of 0 or above with %");
  return *number / 100;
}

template <std::size_t index>
Result<void> read_bound(LedgerEntry& entry, const std::vector<std::string>& values) {
  GRADSIM_TRY(bound, parse_bound(values.front()));
  entry.band.*bounds[index].bound = *bound;
  return {};
}

Result<void> read_goal(LedgerEntry& entry, const std::vector<std::string>& values) {
  GRADSIM_TRY(goal, parse_band(values.front()));
  entry.goal = *goal;
  return {};
}

Result<void> read_choices(LedgerEntry& entry, const std::vector<std::string>& values) {
  for (const std::string& column : values) {
    if (auto checked = check_choice_column(column); !checked) return checked;
  }
  entry.choices = values;
  return {};
}

Result<void> read_rule(LedgerEntry& entry, const std::vector<std::string>& values) {
  GRADSIM_TRY(rule, find_rule(values.front()));
  entry.rule = *rule;
  return {};
}

Result<void> read_question(LedgerEntry& entry, const std::vector<std::string>& values) {
  GRADSIM_TRY(question, find_question(values.front()));
  entry.question = *question;
  return {};
}

/// Both lists have been read when the folder is prepended: see `read_entry`.
Result<void> read_folder(LedgerEntry& entry, const std::vector<std::string>& values) {
  for (auto* list : {&entry.seen, &entry.measurements}) {
    for (std::string& path : *list) path = (std::filesystem::path(values.front()) / path).generic_string();
  }
  return {};
}

constexpr std::array keys{
    Key{"name", false, read_text_key<&LedgerEntry::name>},
    Key{"rule", false, read_rule},
    Key{"seen", true, read_list<&LedgerEntry::seen>},
    Key{"measurements", true, read_list<&LedgerEntry::measurements>},
    Key{"machines", true, read_list<&LedgerEntry::machines>},
    Key{"least_size", false, read_size<&LedgerEntry::least_size>},
    Key{"most_size", false, read_size<&LedgerEntry::most_size>},
    Key{bounds[0].name, false, read_bound<0>},
    Key{bounds[1].name, false, read_bound<1>},
    Key{bounds[2].name, false, read_bound<2>},
    Key{bounds[3].name, false, read_bound<3>},
    Key{"choices", true, read_choices},
    Key{bounds[4].name, false, read_bound<4>},
    Key{bounds[5].name, false, read_bound<5>},
    Key{"goal", false, read_goal},
    Key{"source", false, read_text_key<&LedgerEntry::source>},
    Key{"note", false, read_text_key<&LedgerEntry::note>},
    Key{"question", false, read_question},
    Key{"folder", false, read_folder},
};

Result<const Key*> find_key(std::string_view name) {
  const auto* key = std::ranges::find(keys, name, &Key::name);
  if (key != keys.end()) return key;
  std::vector<std::string_view> known;
  for (const Key& each : keys) known.push_back(each.name);
  return refuse("", fmt::format("unknown key `{}` of an entry", name),
                netmodels::accepted_names(name, known));
}

Result<std::vector<std::string>> values_of(const files::Field& field, bool is_list) {
  if (is_list != !field.value)
    return refuse("", fmt::format("`{}` is {}", field.name.text, is_list ? "a list" : "one value"),
                  is_list ? "write [first, second]" : "write it after the colon");
  std::vector<std::string> values;
  for (const files::PlacedText& item : field.value ? std::vector{*field.value} : field.items) {
    GRADSIM_TRY(value, files::unquoted(item.text));
    values.push_back(std::move(*value));
  }
  return values;
}

Result<void> read_field(LedgerEntry& entry, const files::Field& field) {
  GRADSIM_TRY(key, find_key(field.name.text));
  const auto values = values_of(field, (*key)->is_list);
  return values ? (*key)->read(entry, *values) : Result<void>(tl::unexpected(values.error()));
}

std::string bound_names() {
  std::vector<std::string_view> names;
  for (const Bound& each : bounds) names.push_back(each.name);
  return netmodels::join(names);
}

Result<void> check(const LedgerEntry& entry) {
  const bool is_bounded =
      std::ranges::any_of(bounds, [&](const Bound& each) { return (entry.band.*each.bound).has_value(); });
  if (entry.name.empty() || entry.rule == nullptr || entry.measurements.empty() || !is_bounded)
    return refuse("", "an entry lacks `name`, `rule`, `measurements` or a bound",
                  "a bound is one of " + bound_names() + ", in %");
  for (const Band& band : {entry.band, entry.goal.value_or(Band{})}) {
    if (entry.choices.empty() && (band.winners || band.regret))
      return refuse("", "`winners` and `regret` need `choices`",
                    "name the columns in which figures that compete agree");
  }
  if (entry.rule->needs_machines == entry.machines.empty())
    return refuse("",
                  fmt::format("the rule {} {}", entry.rule->name,
                              entry.machines.empty() ? "lacks `machines`" : "does not use `machines`"),
                  "a file of machines describes the hardware that NCCL's times follow from");
  if (entry.rule->needs_seen == entry.seen.empty())
    return refuse("",
                  fmt::format("the rule {} {}", entry.rule->name,
                              entry.seen.empty() ? "lacks `seen`" : "does not use `seen`"),
                  fmt::format("its parameters come from {}", entry.rule->seen));
  return {};
}

Result<LedgerEntry> read_entry(const files::Entry& lines, std::string_view source) {
  LedgerEntry entry;
  entry.line = lines.line;
  std::vector<files::Field> fields = lines.fields;
  std::stable_partition(fields.begin(), fields.end(),  // clang 14 rejects ranges::stable_partition
                        [](const files::Field& each) { return each.name.text != "folder"; });
  for (const files::Field& field : fields) {
    const auto read = read_field(entry, field);
    if (!read) return refuse(place(source, field.name), read.error().what, read.error().hint);
  }
  const auto checked = check(entry);
  if (!checked)
    return refuse(files::place(source, lines.line, 1), checked.error().what, checked.error().hint);
  return entry;
}

}  // namespace

Result<std::vector<LedgerEntry>> parse_ledger(std::string_view text, std::string_view source) {
  GRADSIM_TRY(entries, files::read_entries(text, "ledger", source));
  std::vector<LedgerEntry> ledger;
  for (const files::Entry& lines : *entries) {
    GRADSIM_TRY(entry, read_entry(lines, source));
    if (std::ranges::find(ledger, entry->name, &LedgerEntry::name) != ledger.end())
      return refuse(files::place(source, lines.line, 1), fmt::format("duplicate `{}`", entry->name),
                    "give each entry its own name");
    ledger.push_back(std::move(*entry));
  }
  if (ledger.empty()) return refuse(std::string(source), "the ledger has no entries");
  return ledger;
}

Result<Band> parse_band(std::string_view text) {
  Band band;
  for (std::size_t begin = 0; begin <= text.size();) {
    const std::size_t end = std::min(text.find(',', begin), text.size());
    const std::string_view part = files::trimmed(text.substr(begin, end - begin));
    const std::size_t space = std::min(part.find(' '), part.size());
    const auto* bound = std::ranges::find(bounds, part.substr(0, space), &Bound::name);
    if (bound == bounds.end())
      return refuse("", fmt::format("`{}` does not begin with the name of a bound", part),
                    fmt::format("accepted: {}; as in `median 2 %, p90 6 %`", bound_names()));
    GRADSIM_TRY(value, parse_bound(files::trimmed(part.substr(space))));
    band.*bound->bound = *value;
    begin = end + 1;
  }
  return band;
}

std::string print_band(const Band& band) {
  std::string text;
  for (const Bound& each : bounds) {
    if (const auto& bound = band.*each.bound)
      text += fmt::format("{}{} {:.6g} %", text.empty() ? "" : ", ", each.name, 100 * *bound);
  }
  return text;
}

}  // namespace calibrate::ledger
