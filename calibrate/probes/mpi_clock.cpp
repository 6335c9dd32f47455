// Starting all ranks at one moment, by a shared clock or by a barrier.
#include "calibrate/probes/mpi_exchange.hpp"

#if GRADSIM_HAS_MPI
#include <algorithm>
#include <array>
#include <cmath>
#include <ctime>
#include <mpi.h>

namespace calibrate::probes {
namespace {

using netmodels::Seconds;

constexpr int most_tries = 20;
constexpr int tag = 1;  // tag of the clock's own messages

void sleep_until(Seconds moment) {
  const double whole = std::floor(moment.count);
  const timespec until{static_cast<time_t>(whole), static_cast<long>((moment.count - whole) * 1e9)};
  while (clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &until, nullptr) != 0) {
  }
}

/// Rank 0's numbers, on every rank: straight to each, where MPI's own broadcast may pass through others.
template <std::size_t count>
void tell(std::array<double, count>& numbers, int rank, int ranks) {
  for (int other = 1; rank == 0 && other < ranks; ++other)
    MPI_Send(numbers.data(), count, MPI_DOUBLE, other, tag, MPI_COMM_WORLD);
  if (rank != 0) MPI_Recv(numbers.data(), count, MPI_DOUBLE, 0, tag, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}

/// The largest of each number over all ranks, on every rank.
template <std::size_t count>
void find_largest(std::array<double, count>& numbers, int rank, int ranks) {
  if (rank != 0) MPI_Send(numbers.data(), count, MPI_DOUBLE, 0, tag, MPI_COMM_WORLD);
  for (int other = 1; rank == 0 && other < ranks; ++other) {
    std::array<double, count> others{};
    MPI_Recv(others.data(), count, MPI_DOUBLE, other, tag, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    for (std::size_t i = 0; i < count; ++i) numbers[i] = std::max(numbers[i], others[i]);
  }
  tell(numbers, rank, ranks);
}

}  // namespace

MpiClock::Start MpiClock::start_together() {
  if (!shared_) {
    MPI_Barrier(MPI_COMM_WORLD);
    return {monotonic_now(), false};
  }
  std::array<double, 1> moment{(monotonic_now() + lead_).count};
  tell(moment, place_.rank, place_.ranks);
  const Start start{{moment[0]}, monotonic_now().count > moment[0]};
  if (!start.missed) sleep_until(start.moment);
  return start;
}

std::optional<Seconds> MpiClock::time(const std::function<void()>& run) {
  for (int tries = 0; tries < most_tries; ++tries) {
    const Start start = start_together();
    run();
    const Seconds taken = monotonic_now() - start.moment;
    std::array<double, 2> worst{taken.count, start.missed ? 1.0 : 0.0};
    find_largest(worst, place_.rank, place_.ranks);
    if (worst[1] == 0) {
      lead_ = std::max(0.98 * lead_, shortest_lead_);
      return Seconds{worst[0]};
    }
    lead_ = std::min(2 * lead_, longest_lead_);
  }
  return std::nullopt;
}

Seconds monotonic_now() {
  timespec now{};
  clock_gettime(CLOCK_MONOTONIC, &now);
  return {static_cast<double>(now.tv_sec) + static_cast<double>(now.tv_nsec) / 1e9};
}

std::string_view MpiClock::method() const {
  return shared_ ? "from one start T0 on the shared CLOCK_MONOTONIC to the end on the last rank"
                 : "from the end of a barrier, on each rank's own clock; the longest of all ranks";
}

}  // namespace calibrate::probes
#endif
