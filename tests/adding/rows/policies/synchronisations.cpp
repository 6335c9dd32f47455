constexpr std::array synchronisation_rows{
#include "policies/post_local.hpp"
    synchronisation_row<PostLocal, PostLocal::Settings>({"post_local", "local steps after a dense beginning",
                                                         "Lin et al. 2020", "{method: post_local}"},
                                                        {.steps_assumed = true}),
