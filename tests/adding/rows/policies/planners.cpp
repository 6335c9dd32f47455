constexpr std::array planner_rows{
#include "policies/first_alone.hpp"
    planner_row<FirstAlone, settings::None>(
        {"first_alone", "profiles the first configuration alone", "", "first_alone"}),
