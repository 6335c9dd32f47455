// Reading of described entries, by the types of their keys.
#include "calibrate/ledger/described_entry.hpp"

#include <algorithm>
#include <cmath>
#include <string>

#include <fmt/format.h>

#include "files/text_file.hpp"
#include "netmodels/nearest.hpp"
#include "settings/type.hpp"

namespace calibrate::ledger {
namespace {

using files::PlacedText;
using netmodels::refuse;
using netmodels::Result;
using settings::Type;

Result<void> read_described(const PlacedText& text, const Type& type, void* target, std::string_view source);

tl::unexpected<netmodels::Error> refuse_text(const PlacedText& text, std::string_view source,
                                             std::string hint) {
  return refuse(place(source, text), fmt::format("invalid value `{}`", text.text), std::move(hint));
}

Result<void> read_described_number(const PlacedText& text, const Type& type, void* target,
                                   std::string_view source) {
  const auto number = files::read_number(text.text);
  constexpr double beyond_integers = 0x1p63;
  const bool whole = number && *number == std::trunc(*number) && *number < beyond_integers;
  const bool is_integer = type.kind == Type::Kind::integer;
  if (!number || (is_integer && (!whole || *number > static_cast<double>(type.max) || *number < 0)))
    return refuse_text(text, source,
                       is_integer ? "accepted: a whole number from 0 on" : "accepted: a number");
  if (is_integer) {
    type.set_integer(target, static_cast<std::int64_t>(*number));
  } else {
    type.set_number(target, *number);
  }
  return {};
}

Result<void> read_described_word(const PlacedText& text, const Type& type, void* target,
                                 std::string_view source) {
  const auto found = std::ranges::find(type.words, text.text);
  if (found == type.words.end())
    return refuse_text(text, source, netmodels::accepted_names(text.text, type.words));
  type.set_word(target, static_cast<std::size_t>(found - type.words.begin()));
  return {};
}

Result<void> read_described_items(const std::vector<PlacedText>& items, const Type& type, void* target,
                                  std::string_view source) {
  type.clear(target);
  for (const PlacedText& item : items) {
    if (auto read = read_described(item, *type.inner, type.grow(target), source); !read) return read;
  }
  return {};
}

Result<void> read_described_map(const PlacedText& text, const Type& type, void* target,
                                std::string_view source) {
  GRADSIM_TRY(fields, files::read_flow(text, source));
  DescribedEntry reader(*fields, source, text);
  type.describe(reader, target);
  return reader.finish();
}

Result<void> read_described_quantity(const PlacedText& text, const Type& type, void* target,
                                     std::string_view source) {
  const auto value = type.parse(text.text);
  if (!value) return refuse(place(source, text), value.error().what, value.error().hint);
  type.set_number(target, *value);
  return {};
}

Result<void> read_described_text(const PlacedText& text, void* target, std::string_view source) {
  auto value = files::unquoted(text.text);
  if (!value) return refuse(place(source, text), value.error().what, value.error().hint);
  *static_cast<std::string*>(target) = std::move(*value);
  return {};
}

Result<void> read_described_boolean(const PlacedText& text, void* target, std::string_view source) {
  if (text.text != "true" && text.text != "false") return refuse_text(text, source, "accepted: true, false");
  *static_cast<bool*>(target) = text.text == "true";
  return {};
}

Result<void> read_described(const PlacedText& text, const Type& type, void* target, std::string_view source) {
  switch (type.kind) {
    case Type::Kind::boolean: return read_described_boolean(text, target, source);
    case Type::Kind::integer:
    case Type::Kind::number: return read_described_number(text, type, target, source);
    case Type::Kind::text: return read_described_text(text, target, source);
    case Type::Kind::quantity: return read_described_quantity(text, type, target, source);
    case Type::Kind::word: return read_described_word(text, type, target, source);
    case Type::Kind::optional: return read_described(text, *type.inner, type.grow(target), source);
    case Type::Kind::list: {
      GRADSIM_TRY(items, files::read_list(text, source));
      return read_described_items(*items, type, target, source);
    }
    case Type::Kind::map: return read_described_map(text, type, target, source);
    case Type::Kind::moment: break;
  }
  return refuse_text(text, source, "entries do not hold such values");
}

bool is_required(const settings::Key& key, const Type& type) {
  if (key.need == settings::Need::required) return true;
  return key.need == settings::Need::by_type && !key.fallback && !type.may_be_absent();
}

}  // namespace

void DescribedEntry::field(const settings::Key& key, const settings::Type& type, void* target) {
  known_.push_back(key.name);
  const auto found =
      std::ranges::find_if(fields_, [&](const files::Field& each) { return each.name.text == key.name; });
  Result<void> read;
  if (found == fields_.end()) {
    if (is_required(key, type))
      read = refuse(place(source_, begin_), fmt::format("the key `{}` is missing", key.name),
                    std::string(key.doc));
  } else if (found->value) {
    read = read_described(*found->value, type, target, source_);
  } else if (type.kind == Type::Kind::list) {
    read = read_described_items(found->items, type, target, source_);
  } else {
    read = refuse(place(source_, found->name), fmt::format("`{}` is one value", key.name),
                  "write it after the colon");
  }
  if (!read && !error_) error_ = read.error();
}

void DescribedEntry::deferred(const settings::Key& key) { known_.push_back(key.name); }

void DescribedEntry::figure(const settings::Key& key, std::optional<double>&, std::string_view) {
  known_.push_back(key.name);
}

void DescribedEntry::alternative(bool chosen, std::string_view, Rest describe_rest, void* rest) {
  if (chosen) describe_rest(rest, *this);
}

Result<void> DescribedEntry::finish() {
  for (const files::Field& each : fields_) {
    if (std::ranges::find(known_, each.name.text) == known_.end())
      return refuse(place(source_, each.name), fmt::format("unknown key `{}`", each.name.text),
                    netmodels::accepted_names(each.name.text, known_));
  }
  if (error_) return tl::unexpected(*error_);
  return {};
}

}  // namespace calibrate::ledger
