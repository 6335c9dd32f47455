constexpr std::array dataset_rows{
#include "learning/datasets/stripes.hpp"
    dataset_row<Stripes, make_stripes>({"stripes", "stripes across or along", "a fixture"},
                                       {"none", "nothing to get"}),
