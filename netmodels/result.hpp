// The error of wrong input: its place, its cause, and a hint at accepted values.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include <tl/expected.hpp>

namespace netmodels {

/// A change of one key of the input.
struct Change {
  std::string key;    ///< path of the key, such as `cluster.workers`
  std::string value;  ///< as YAML; empty: the key is left out

  bool operator==(const Change&) const = default;
};

/// One error, ready to be printed for a person; with it, other errors of the same input.
struct Error {
  std::string
      where;         ///< `file:line:column`, an option such as `--size`, or empty when the value has no place
  std::string what;  ///< the found value and why it cannot be used; no full stop
  std::string hint;  ///< accepted values instead; may be empty; no full stop

  std::vector<Change> remedy = {};  ///< the hint as changes that remove the error; empty: none is known
  std::vector<Error> more = {};     ///< other errors of the same input, in its order; none of them has `more`

  /// `where: what; hint`, leaving out the parts that are empty; a line for each error. Control characters but
  /// line ends and tabulators are shown as \xNN: names come from files and folders of others.
  [[nodiscard]] std::string text() const;
};

/// The errors as one: the first with the others as `more`, none twice.
/// @param errors  at least one
Error merge_errors(std::vector<Error> errors);

/// A value, or the reason why there is none.
template <class T>
using Result = tl::expected<T, Error>;

/// Shorthand for an error.
inline tl::unexpected<Error> refuse(std::string where, std::string what, std::string hint = {},
                                    std::vector<Change> remedy = {}) {
  return tl::unexpected<Error>(
      Error{std::move(where), std::move(what), std::move(hint), std::move(remedy), {}});
}

/// Declares `name` with the value of an expression of type Result, or returns its error from the function,
/// which returns a Result too. The value is `*name`.
#define GRADSIM_TRY(name, ...) \
  auto name = __VA_ARGS__;     \
  if (!name) return tl::unexpected(std::move(name).error())

}  // namespace netmodels
