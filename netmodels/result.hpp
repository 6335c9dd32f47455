// The error of wrong input: its place, its cause, and a hint at accepted values.
#pragma once

#include <string>
#include <utility>

#include <tl/expected.hpp>

namespace netmodels {

/// One error, ready to be printed for a person.
struct Error {
  std::string
      where;         ///< `file:line:column`, an option such as `--size`, or empty when the value has no place
  std::string what;  ///< the found value and why it cannot be used; no full stop
  std::string hint;  ///< what is accepted instead; may be empty; no full stop

  /// `where: what; hint`, leaving out the parts that are empty. Control characters but line ends and
  /// tabulators are shown as \xNN: names come from files and folders of others.
  [[nodiscard]] std::string text() const;
};

/// A value, or the reason why there is none.
template <class T>
using Result = tl::expected<T, Error>;

/// Shorthand for an error.
inline tl::unexpected<Error> refuse(std::string where, std::string what, std::string hint = {}) {
  return tl::unexpected<Error>(Error{std::move(where), std::move(what), std::move(hint)});
}

/// Declares `name` with the value of an expression of type Result, or returns its error from the function,
/// which returns a Result too. The value is `*name`.
#define GRADSIM_TRY(name, ...) \
  auto name = __VA_ARGS__;     \
  if (!name) return tl::unexpected(std::move(name).error())

}  // namespace netmodels
