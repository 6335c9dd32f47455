// Describes rows and their settings.
#include "settings/choice.hpp"

namespace settings {
namespace {

/// Target of the key that names a row.
struct NamedRow {
  Choice* choice;
  std::span<const Row* const> rows;
};

}  // namespace

void Fields::beside(const Type& type, void* settings) { type.describe(*this, settings); }

void* Choice::editable() {
  if (settings_.use_count() > 1) settings_ = row_->settings->copy(settings_.get());
  return settings_.get();
}

std::optional<Problem> Choice::problem() const {
  const Type& type = row_->settings->type();
  return type.problem == nullptr ? std::nullopt : type.problem(settings());
}

void Choice::describe(Fields& fields, const Key& key, std::span<const Row* const> rows, Layout layout) {
  std::vector<std::string_view> names;
  std::vector<TableWord> table;
  for (const Row* row : rows) {
    names.push_back(row->name);
    const bool plain = row->settings == &owned<None>;
    table.push_back({row->name, plain ? std::string_view() : row->example, row->demands});
  }
  const Type word{
      .kind = Type::Kind::word,
      .words = names,
      .table = table,
      .set_word =
          [](void* target, std::size_t index) {
            const auto* named = static_cast<NamedRow*>(target);
            named->choice->select(*named->rows[index]);
          },
      .text =
          [](const void* value) { return std::string(static_cast<const NamedRow*>(value)->choice->name()); }};
  NamedRow named{this, rows};
  fields.choice(key, word, &named);
  for (const Row* row : rows) {
    if (row->settings == &owned<None>) continue;
    const bool chosen = row == row_;
    fields.when(chosen, row->name, [&](Fields& inner) {
      const Type& type = row->settings->type();
      const std::shared_ptr<void> defaults = chosen ? nullptr : row->settings->make();
      void* settings = chosen ? editable() : defaults.get();
      if (layout == Layout::under)
        inner.field({.name = row->name, .doc = row->settings_doc}, type, settings);
      else
        inner.beside(type, settings);
    });
  }
}

}  // namespace settings
