// The rows of all catalogues, one after another.
#include "policies/catalogue.hpp"

namespace policies {
namespace {

template <class R>
void append(std::vector<PolicyRow>& all, std::string_view role, std::span<const R> rows) {
  for (const R& row : rows) all.push_back({role, row.name, row.summary, row.source});
}

}  // namespace

std::vector<PolicyRow> catalogue() {
  std::vector<PolicyRow> all;
  append(all, "synchronisation", synchronisations());
  append(all, "compression", compressions());
  append(all, "exchange", exchanges());
  append(all, "batching", batchings());
  append(all, "planning", planners());
  return all;
}

}  // namespace policies
