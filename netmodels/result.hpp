// What wrong input turns into: where it stands, what is wrong with it, and what would mend it.
#pragma once

#include <string>
#include <utility>

#include <tl/expected.hpp>

namespace netmodels {

/// One refusal, ready to be printed for a person.
struct Error {
  std::string
      where;         ///< `file:line:column`, an option such as `--size`, or empty when the value has no place
  std::string what;  ///< what was found and why it cannot be used; no full stop
  std::string hint;  ///< what is accepted instead; may be empty; no full stop

  /// `where: what; mend`, leaving out the parts that are empty.
  [[nodiscard]] std::string text() const;
};

/// A value, or the reason why there is none.
template <class T>
using Result = tl::expected<T, Error>;

/// Shorthand for a refusal.
inline tl::unexpected<Error> refuse(std::string where, std::string what, std::string hint = {}) {
  return tl::unexpected<Error>(Error{std::move(where), std::move(what), std::move(hint)});
}

}  // namespace netmodels
