// The table of operations that other tools measure: the name of each and how its bytes are counted.
#pragma once

#include <span>
#include <string_view>

#include "netmodels/result.hpp"

namespace calibrate::measurements {

/// Bandwidth on the wires, relative to size / time.
enum class BusShare {
  whole,      ///< 1: every byte passes each link once
  one_way,    ///< (N-1)/N: all but a rank's own part
  both_ways,  ///< 2 (N-1)/N: once to reduce, once to gather
};

/// How a measured size is meant; the words of the size column in house files.
enum class SizeMeaning {
  buffer,  ///< bytes that one rank holds (all-reduce, broadcast), or one message
  total,   ///< bytes of all ranks' parts together (all-gather, reduce-scatter, all-to-all)
};

std::string_view to_string(SizeMeaning meaning);

/// One row: an operation as the measuring tools know it.
struct Operation {
  std::string_view name;  ///< name in our files; nccl-tests calls its program `NAME_perf`
  std::string_view osu;   ///< text between `# OSU MPI` and `Latency Test`; empty where OSU has no such test
  SizeMeaning size;
  BusShare bus;
  bool reduces;              ///< nccl-tests prints `sum` and not `none` in its column `redop`
  bool rooted;               ///< nccl-tests prints a rank and not -1 in its column `root`
  bool osu_counts_one_rank;  ///< OSU prints one rank's part where we count the total
  bool nccl_tests = true;    ///< nccl-tests has a program for it
};

/// Every operation, in a stable order. Those on compressed gradients (topk_..., ar_topk...) count the bytes
/// of the dense gradient, and only our own probe times them; `_local`, `_select` and `_apply` are what they
/// compute, without messages.
///
/// Source: nccl-tests doc/PERFORMANCE.md and src/*.cu (size and bus factors); OSU Micro-Benchmarks 7 c/mpi.
std::span<const Operation> operations();

/// @returns the row, or an Error that names the nearest known one; a `_perf` at the end is nccl-tests'
/// spelling
netmodels::Result<const Operation*> find_operation(std::string_view name);

/// Bus bandwidth divided by size / time, a pure number.
/// @param ranks  N, at least 2
double bus_factor(const Operation& operation, int ranks);

}  // namespace calibrate::measurements
