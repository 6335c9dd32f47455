// The one way in which a refusal is spelled.
#include "netmodels/result.hpp"

namespace netmodels {

std::string Error::text() const {
  std::string line = where.empty() ? what : where + ": " + what;
  if (!hint.empty()) line += "; " + hint;
  return line;
}

}  // namespace netmodels
