// The nodes of a Chakra trace in an order in which each stands behind all that it needs.
#include <algorithm>
#include <functional>
#include <queue>
#include <unordered_map>

#include <fmt/format.h>

#include "calibrate/imports/chakra.hpp"

namespace calibrate::imports {
namespace {

using netmodels::refuse;
using netmodels::Result;
using Indices = std::unordered_map<std::uint64_t, std::size_t>;

Result<Indices> index_nodes(const ChakraTrace& trace) {
  Indices indices;
  for (std::size_t i = 0; i < trace.nodes.size(); ++i) {
    if (!indices.emplace(trace.nodes[i].id, i).second)
      return refuse(trace.source, fmt::format("two nodes have the id {}", trace.nodes[i].id));
  }
  return indices;
}

}  // namespace

Result<ChakraOrder> order_chakra(const ChakraTrace& trace) {
  GRADSIM_TRY(indices, index_nodes(trace));
  ChakraOrder order;
  const std::size_t count = trace.nodes.size();
  std::vector<std::vector<std::size_t>> behind(count);
  std::vector<std::size_t> open(count, 0);  // dependencies that are not done
  for (std::size_t i = 0; i < count; ++i) {
    for (const std::uint64_t id : trace.nodes[i].data) {
      const auto found = indices->find(id);
      if (found == indices->end()) {
        ++order.dangling_data;
        continue;
      }
      behind[found->second].push_back(i);
      ++open[i];
    }
    for (const std::uint64_t id : trace.nodes[i].control)
      order.dangling_control += indices->contains(id) ? 0 : 1;
  }
  using Free = std::pair<std::uint64_t, std::size_t>;
  std::priority_queue<Free, std::vector<Free>, std::greater<>> free;
  for (std::size_t i = 0; i < count; ++i) {
    if (open[i] == 0) free.emplace(trace.nodes[i].id, i);
  }
  while (!free.empty()) {
    const std::size_t node = free.top().second;
    free.pop();
    order.nodes.push_back(node);
    for (const std::size_t next : behind[node]) {
      if (--open[next] == 0) free.emplace(trace.nodes[next].id, next);
    }
  }
  if (order.nodes.size() == count) return order;
  const auto stuck = std::ranges::find_if(open, [](std::size_t left) { return left > 0; }) - open.begin();
  return refuse(trace.source,
                fmt::format("{} nodes need each other in a circle or stand behind one, the first of them "
                            "is {}",
                            count - order.nodes.size(), trace.nodes[static_cast<std::size_t>(stuck)].id));
}

}  // namespace calibrate::imports
