// Tables of MPI collectives that were measured over shaped links.
#include "calibrate/imports/live_mpi.hpp"

#include <array>

#include "files/csv_rows.hpp"
#include "files/text_file.hpp"

namespace calibrate::imports {
namespace {

using netmodels::Result;

constexpr std::array<std::string_view, 8> columns = {
    "stack", "collective", "algorithm", "ranks", "bandwidth_mbit", "latency_us", "bytes", "median_us"};
constexpr std::size_t ranks_column = 3;
constexpr std::size_t first_number = 4;
constexpr std::array<double, 4> least = {1e-3, 0, 1, 1e-6};  // lower bounds of the columns after the ranks
constexpr double megabit = 1e6 / 8;                          // bytes

}  // namespace

Result<std::vector<LiveRow>> read_live_mpi(std::string_view text, std::string_view source) {
  GRADSIM_TRY(rows, files::read_csv_rows(text, columns, source));
  std::vector<LiveRow> live;
  for (const files::CsvRow& row : *rows) {
    GRADSIM_TRY(ranks, files::count_in(row, ranks_column, source));
    if (*ranks < 2)
      return netmodels::refuse(files::place_of(row, ranks_column, source),
                               "`1` in column `ranks`: a single rank exchanges nothing",
                               "accepted: 2 and above");
    std::array<double, least.size()> numbers{};
    for (std::size_t i = 0; i < numbers.size(); ++i) {
      GRADSIM_TRY(number, files::number_in(row, first_number + i, least[i], source));
      numbers[i] = *number;
    }
    live.push_back({{std::string(row.cells[0]), *ranks, {numbers[0] * megabit}, {numbers[1] / 1e6}},
                    std::string(row.cells[1]),
                    std::string(row.cells[2]),
                    {numbers[2]},
                    {numbers[3] / 1e6}});
  }
  return live;
}

}  // namespace calibrate::imports
