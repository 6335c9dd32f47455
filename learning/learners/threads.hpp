// Independent pieces of work on several threads, which end before the call does.
#pragma once

#include <cstddef>
#include <functional>

namespace learning::learners {

/// Calls work(piece, lane) once for each piece below `pieces`. Calls of one lane come one after the other,
/// lanes run at the same time; lane 0 is the caller's thread. Which lane takes a piece differs from call to
/// call: a piece's result must not depend on its lane. Where the system gives fewer threads than asked for,
/// those there are do all of it. Signals stay with the caller's thread. Of pieces that throw, the exception
/// of one is thrown once all lanes have ended.
/// @param lanes  at least 1; lanes are below it
void run_in_lanes(std::size_t pieces, std::size_t lanes,
                  const std::function<void(std::size_t piece, std::size_t lane)>& work);

}  // namespace learning::learners
