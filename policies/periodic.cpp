// The settings of local SGD.
#include "policies/periodic.hpp"

namespace policies {

void describe(settings::Fields& fields, Periodic::Settings& settings) {
  describe_every(fields, settings.every);
  describe_averaged(fields, settings.averaged);
}

}  // namespace policies
