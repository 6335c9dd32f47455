// A live table by hand, for tests of the rules that predict from ping-pongs.
#pragma once

#include <string>

#include "calibrate/ledger/prediction.hpp"

namespace calibrate::ledger {

/// Four ranks at 80 and 160 Mbit/s without added delay: ping-pongs of 100 us + M/10 MB/s and M/20 MB/s, and
/// collectives at 160 Mbit/s that take exactly what their forms say on that link.
inline SourceText live_table() {
  std::string text = "stack,collective,algorithm,ranks,bandwidth_mbit,latency_us,bytes,median_us\n";
  const auto add = [&](const std::string& what, int rate, const std::string& figures) {
    text += "ompi," + what + ",4," + std::to_string(rate) + ",0," + figures + "\n";
  };
  add("pingpong,p2p", 80, "4,100");
  add("pingpong,p2p", 80, "1000000,100100");
  add("pingpong,p2p", 160, "4,100");
  add("pingpong,p2p", 160, "1000000,50100");
  add("bcast,binomial", 160, "500000,75200");    // 2 * 100 us + 3 * 25 ms
  add("bcast,pipeline", 160, "1000000,150300");  // 3 (100 us + 50 ms)
  add("bcast,binomial", 160, "1000000,150200");  // 2 * 100 us + 3 * 50 ms
  add("bcast,scatter_ring", 160, "1000000,1");   // has no form
  add("allreduce,ring", 160, "1000000,77275");   // 6 (100 us + 12.5 ms / 0.978)
  add("allreduce,ring", 160, "500000,38937");    // 6 (100 us + 6.25 ms / 0.978)
  add("allgather,ring", 160, "500000,76975");    // 3 (100 us + 25 ms / 0.978)
  return {"live.csv", text};
}

}  // namespace calibrate::ledger
