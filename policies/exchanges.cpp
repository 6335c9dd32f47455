// The rows of the exchange policies.
#include <algorithm>
#include <array>

#include "policies/collective_choice.hpp"
#include "policies/exchange_policy.hpp"

namespace policies {
namespace {

constexpr std::array exchange_rows{
    ExchangeRow{
        {"fixed", "one named collective", ""},
        false,
        [](double) -> std::unique_ptr<ExchangePolicy> { return std::make_unique<FixedCollective>(); }},
    ExchangeRow{{"auto", "the collective that takes least time on the network as last observed",
                 "Tyagi & Swany 2023, section 3-D"},
                true,
                [](double hysteresis) -> std::unique_ptr<ExchangePolicy> {
                  return std::make_unique<CheapestCollective>(hysteresis);
                }},
};

const ExchangeRow& exchange_row_of(std::string_view collective) {
  const ExchangeRow* named = settings::find_row(exchanges(), collective);
  return named == nullptr ? exchange_rows.front() : *named;
}

}  // namespace

std::span<const ExchangeRow> exchanges() { return exchange_rows; }

bool chooses_collective(std::string_view collective) { return exchange_row_of(collective).chooses; }

const netmodels::Collective* named_collective(std::string_view collective) {
  return chooses_collective(collective) ? nullptr : &netmodels::collective_row(collective);
}

std::unique_ptr<ExchangePolicy> make_exchange_policy(const netmodels::Collective* named, double hysteresis) {
  const auto row = std::ranges::find(exchange_rows, named == nullptr, &ExchangeRow::chooses);
  return row->make(hysteresis);
}

}  // namespace policies
