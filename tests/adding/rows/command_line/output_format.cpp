constexpr std::array formats{
#include "command_line/tsv.hpp"
    OutputFormat{"tsv", Form::rows, print_tsv, end_nothing},
