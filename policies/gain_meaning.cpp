// The key that says what the gain is a quotient of.
#include "policies/gain_meaning.hpp"

#include "settings/type.hpp"

namespace policies {

void describe_gain_of(settings::Fields& fields, GainMeaning& meaning) {
  fields.field({.name = "gain_of",
                .doc = "Definition of the gain: the papers divide squared norms, their released codes norms.",
                .fallback = "squared_norms"},
               meaning);
}

}  // namespace policies
