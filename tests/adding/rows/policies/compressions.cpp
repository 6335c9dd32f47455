constexpr std::array compression_rows{
#include "policies/every_other.hpp"
    compression_row<EveryOther, EveryOther::Settings>({.name = "every_other",
                                                       .summary = "compresses every other step",
                                                       .source = "",
                                                       .example = "{policy: every_other, method: topk}",
                                                       .settings_doc = "Settings of it."}),
