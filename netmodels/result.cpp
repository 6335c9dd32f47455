// The one way in which a refusal is spelled.
#include "netmodels/result.hpp"

namespace netmodels {

std::string Error::text() const {
  std::string line = where.empty() ? what : where + ": " + what;
  if (!mend.empty()) line += "; " + mend;
  return line;
}

}  // namespace netmodels
