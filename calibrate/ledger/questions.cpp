// The questions that entries of a ledger may answer.
#include "calibrate/ledger/questions.hpp"

#include <algorithm>
#include <array>
#include <string>
#include <vector>

#include "netmodels/nearest.hpp"

namespace calibrate::ledger {
namespace {

constexpr std::array rows{
    Question{"ddp", "DDP step, from hardware alone"},
    Question{"ddp_measured", "DDP step, from other measured steps"},
    Question{"nccl", "NCCL collective, from hardware"},
    Question{"nccl_measured", "NCCL collective, from measured sizes or ranks"},
    Question{"mpi_gloo", "MPI or Gloo collective"},
    Question{"compression", "Compressed or dense: which is faster"},
    Question{"transformers", "Iteration of a transformer on 2 to 8 GPUs"},
    Question{"memory", "Memory of a GPU"},
    Question{"published", "Figure of a published system"},
    Question{"policies", "What a policy does while a model learns"},
    Question{"renting", "Time and dollars to an accuracy"},
};

}  // namespace

std::span<const Question> questions() { return rows; }

netmodels::Result<const Question*> find_question(std::string_view key) {
  const auto* row = std::ranges::find(rows, key, &Question::key);
  if (row != rows.end()) return row;
  std::vector<std::string_view> known;
  for (const Question& each : rows) known.push_back(each.key);
  return netmodels::refuse("", "unknown question `" + std::string(key) + "`",
                           netmodels::accepted_names(key, known));
}

}  // namespace calibrate::ledger
