// A row of a catalogue that a file names, with the settings that the row owns.
#pragma once

#include <cassert>
#include <concepts>
#include <memory>
#include <span>
#include <string_view>
#include <utility>
#include <vector>

#include "settings/type.hpp"

namespace settings {

template <class R>
class RowChoice;

/// A conflict between the settings of a row.
template <class R>
std::optional<Problem> problem_of(const RowChoice<R>& choice);

/// How the settings of a row are made, copied and compared by code that does not know their C++ type.
struct Owned {
  const Type& (*type)();
  std::shared_ptr<void> (*make)();
  std::shared_ptr<void> (*copy)(const void* settings);
  bool (*equal)(const void* one, const void* other);
};

/// @tparam S  described, default-constructible, comparable
template <class S>
inline constexpr Owned owned{
    .type = []() -> const Type& { return type_of<S>(); },
    .make = []() -> std::shared_ptr<void> { return std::make_shared<S>(); },
    .copy = [](const void* settings) -> std::shared_ptr<void> {
      return std::make_shared<S>(*static_cast<const S*>(settings));
    },
    .equal = [](const void* one,
                const void* other) { return *static_cast<const S*>(one) == *static_cast<const S*>(other); }};

/// The settings of a row that has none.
struct None {
  bool operator==(const None&) const = default;
};
inline void describe(Fields&, None&) {}

/// The facts that every catalogue has of a row. Catalogues derive from it and add what their rows can do.
struct Row {
  std::string_view name;
  std::string_view summary;      ///< one sentence
  std::string_view source = {};  ///< the publication; empty where none is needed
  /// As a scenario writes it, where the name does not suffice.
  std::string_view example = {};
  const Owned* settings = &owned<None>;
  std::string_view settings_doc = {};  ///< one sentence; where they are written under the row's name
  Demands demands = {};
};

/// @returns the row of this name, or nullptr when there is none
template <std::derived_from<Row> R>
const R* find_row(std::span<const R> rows, std::string_view name) {
  for (const R& row : rows) {
    if (row.name == name) return &row;
  }
  return nullptr;
}

/// How a file writes the settings of rows.
enum class Layout : std::uint8_t {
  beside,  ///< besides the key that names the row: `{method: periodic, every: 20}`
  under,   ///< listed under the row's name: `{policy: gravac, gravac: {gain: 0.7}}`
};

/// A row and its settings; a value like any other. Copies share settings until one is edited.
class Choice {
 public:
  explicit Choice(const Row& row) { select(row); }
  Choice(const Row& row, std::shared_ptr<void> settings) : row_(&row), settings_(std::move(settings)) {}

  [[nodiscard]] const Row& row() const { return *row_; }
  [[nodiscard]] std::string_view name() const { return row_->name; }
  [[nodiscard]] const void* settings() const { return settings_.get(); }

  /// @tparam S  the row's own type of settings
  template <class S>
  [[nodiscard]] const S& as() const {
    assert(row_->settings == &owned<S>);
    return *static_cast<const S*>(settings_.get());
  }
  template <class S>
  S& edit() {
    assert(row_->settings == &owned<S>);
    return *static_cast<S*>(editable());
  }

  /// Takes another row, with its defaults.
  void select(const Row& row) {
    row_ = &row;
    settings_ = row.settings->make();
  }

  /// A conflict between the settings.
  [[nodiscard]] std::optional<Problem> problem() const;

  bool operator==(const Choice& other) const {
    return row_ == other.row_ && row_->settings->equal(settings(), other.settings());
  }

 protected:
  /// Describes the key that names the row, then the keys of each row.
  void describe(Fields& fields, const Key& key, std::span<const Row* const> rows, Layout layout);

 private:
  void* editable();

  const Row* row_;
  std::shared_ptr<void> settings_;
};

/// A choice from the catalogue whose rows are of type `R`.
template <class R>
class RowChoice : public Choice {
 public:
  /// Makes the choice of the catalogue's default row, which `default_row(std::type_identity<R>)` next to it
  /// returns.
  RowChoice() : Choice(default_row(std::type_identity<R>{})) {}
  /// Makes the choice with the row's defaults.
  explicit(false) RowChoice(const R& row) : Choice(row) {}
  /// @tparam S  the row's own type of settings
  template <class S>
  RowChoice(const R& row, S settings) : Choice(row, std::make_shared<S>(std::move(settings))) {
    assert(row.settings == &owned<S>);
  }

  [[nodiscard]] const R& row() const { return static_cast<const R&>(Choice::row()); }
  const R* operator->() const { return &row(); }

  /// @param catalogue  outlives the choice
  void describe_choice(Fields& fields, const Key& key, std::span<const R> catalogue, Layout layout) {
    std::vector<const Row*> rows;
    for (const R& row : catalogue) rows.push_back(&row);
    describe(fields, key, rows, layout);
  }
};

template <class R>
std::optional<Problem> problem_of(const RowChoice<R>& choice) {
  return choice.problem();
}

}  // namespace settings
