constexpr std::array exchange_rows{
#include "policies/last_collective.hpp"
    ExchangeRow{{"last", "the last collective that fits", ""},
                true,
                [](double) -> std::unique_ptr<ExchangePolicy> { return std::make_unique<LastCollective>(); }},
