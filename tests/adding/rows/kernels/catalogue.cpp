    {.name = "randomk",
#include "kernels/every_nth.hpp"
    {.name = "every_nth",
     .summary = "Values at equal distances.",
     .source = "a fixture",
     .formula = pairs,
     .exchange = CollectiveKind::all_gather,
     .sparse = true,
     .error_feedback = true,
     .memory_per_element = one_read,
     .stages = stages::gathered_pairs,
     .make = [](const Settings& settings) -> CompressorPtr {
       return std::make_unique<EveryNth>(EveryNth::Settings{settings.ratio, settings.index_bytes});
     }},
