constexpr std::array batching_rows{
#include "policies/double_first.hpp"
    batching_row<DoubleFirst, DoubleFirst::Settings>(
        {"double_first", "twice the samples for the first worker", "", "double_first"}),
