// Rows of the policies and how each is made.
#include "policies/catalogue.hpp"

#include <array>

#include "policies/cheapest_collective.hpp"
#include "policies/fixed_collective.hpp"

namespace policies {
namespace {

constexpr std::array table{
    PolicyRow{"synchronisation", "bsp", "all workers exchange in every step", "Valiant 1990"},
    PolicyRow{"compression", "fixed", "one method at one ratio from beginning to end", ""},
    PolicyRow{"exchange", "fixed", "one named collective", ""},
    PolicyRow{"exchange", "auto",
              "the collective whose closed form is cheapest on the network as last observed",
              "Tyagi & Swany 2023, section 3-D"},
    PolicyRow{"batching", "uniform", "the same number of samples on every worker", ""},
};

}  // namespace

std::span<const PolicyRow> catalogue() { return table; }

std::unique_ptr<ExchangePolicy> make_exchange_policy(std::string_view collective, double hysteresis) {
  if (collective == "auto") return std::make_unique<CheapestCollective>(hysteresis);
  return std::make_unique<FixedCollective>();
}

}  // namespace policies
