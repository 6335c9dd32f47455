// Runs a plan on all ranks: verify, warm up, time, gather.
#include "calibrate/probes/mpi_probe.hpp"

#include <cstdlib>
#include <utility>

#if GRADSIM_HAS_MPI
#include <algorithm>
#include <array>
#include <chrono>
#include <cstring>
#include <mpi.h>
#include <set>
#include <string_view>

#include <fmt/format.h>
#include <sys/prctl.h>

#include "calibrate/probes/mpi_exchange.hpp"
#include "files/text_file.hpp"
#endif

namespace calibrate::probes {

using netmodels::refuse;
using netmodels::Result;

MpiSession::MpiSession(MpiSession&& other) noexcept
    : rank_(other.rank_), ranks_(other.ranks_), open_(std::exchange(other.open_, false)) {}

#if GRADSIM_HAS_MPI
namespace {

using netmodels::Seconds;

constexpr std::size_t text_bytes = 256;
using Text = std::array<char, text_bytes>;

/// The text of every rank, on every rank; cut to 255 bytes.
std::vector<std::string> texts_of_all(std::string_view own, int ranks) {
  Text sent{};
  std::ranges::copy(own.substr(0, text_bytes - 1), sent.begin());
  std::vector<Text> all(static_cast<std::size_t>(ranks));
  MPI_Allgather(sent.data(), text_bytes, MPI_CHAR, all.data(), text_bytes, MPI_CHAR, MPI_COMM_WORLD);
  std::vector<std::string> texts;
  for (const Text& text : all) texts.emplace_back(text.data());
  return texts;
}

std::string library_version() {
  std::array<char, MPI_MAX_LIBRARY_VERSION_STRING> version{};
  int length = 0;
  MPI_Get_library_version(version.data(), &length);
  const std::string text = files::lines_of(version.data()).empty()
                               ? std::string()
                               : std::string(files::lines_of(version.data()).front());
  return text.substr(0, text.find(", package"));
}

std::string host_name() {
  std::array<char, MPI_MAX_PROCESSOR_NAME> name{};
  int length = 0;
  MPI_Get_processor_name(name.data(), &length);
  return name.data();
}

std::vector<std::string> distinct(const std::vector<std::string>& names) {
  std::vector<std::string> once;
  std::set<std::string_view> seen;
  for (const std::string& name : names)
    if (seen.insert(name).second) once.push_back(name);
  return once;
}

/// Ends on every rank when one of them holds a wrong result.
void verify_everywhere(const MpiExchange& exchange, const std::string& title, int ranks) {
  exchange.run();
  const auto verified = exchange.verify();
  const auto texts = texts_of_all(verified ? "" : verified.error().text(), ranks);
  const auto wrong = std::ranges::find_if(texts, [](const std::string& text) { return !text.empty(); });
  if (wrong == texts.end()) return;
  throw FailureOfAllRanks(
      fmt::format("{}: rank {} holds a wrong result: {}", title, wrong - texts.begin(), *wrong));
}

/// The decision of rank 0.
int from_rank_0(int value) {
  MPI_Bcast(&value, 1, MPI_INT, 0, MPI_COMM_WORLD);
  return value;
}

/// The steps of one probe.
class Probe {
 public:
  Probe(const MpiSession& session, const MpiPlan& plan, bool shared_clock)
      : place_{session.rank(), session.ranks()},
        plan_(plan),
        clock_(place_, shared_clock),
        budget_(plan.most_time, plan.exchanges.size() * plan.sizes.size(), plan.repetitions) {}

  SampledExchange measure(const MpiRow& row, std::vector<std::string>& skipped) {
    SampledExchange sampled{*measurements::find_operation(row.name), {}};
    for (const netmodels::Bytes size : plan_.sizes) {
      const std::string title = fmt::format("{} of {}", row.name, netmodels::print(size));
      const MpiExchange exchange = make_mpi_exchange(row, size, plan_.ratio, place_);
      if (!sampled.sizes.empty() && exchange.size <= sampled.sizes.back().size) {
        budget_.grant(elapsed(), Seconds{1});  // rounded to the same parts as the size before
        continue;
      }
      SampledSize timed{exchange.size, samples_of(exchange, title)};
      if (timed.samples.empty()) {
        skipped.push_back(title +
                          " was not measured: the time was over, or a common start could not be "
                          "kept");
      } else {
        sampled.sizes.push_back(std::move(timed));
      }
    }
    return sampled;
  }

  [[nodiscard]] std::string_view method() const { return clock_.method(); }

 private:
  [[nodiscard]] Seconds elapsed() const { return monotonic_now() - begin_; }

  /// Whether the time is over, by rank 0's clock.
  [[nodiscard]] bool time_is_over() const { return from_rank_0(elapsed() > plan_.most_time ? 1 : 0) == 1; }

  /// None where the time is over or no common start can be kept.
  std::vector<Seconds> samples_of(const MpiExchange& exchange, const std::string& title) {
    if (time_is_over()) return {};
    verify_everywhere(exchange, title, place_.ranks);
    const auto once = warmed_up(exchange);
    return once ? repeated(exchange, *once) : std::vector<Seconds>();
  }

  /// How long one of the warm-ups that follow the verified one kept all ranks, common start and all: the
  /// shortest, of only one where the time is over.
  std::optional<Seconds> warmed_up(const MpiExchange& exchange) {
    std::optional<Seconds> once;
    for (int i = 1; i < mpi_warm_ups; ++i) {
      const Seconds before = elapsed();
      if (!clock_.time(exchange.run)) continue;
      const Seconds kept = elapsed() - before;
      once = std::min(once.value_or(kept), kept);
      if (time_is_over()) break;
    }
    return once;
  }

  std::vector<Seconds> repeated(const MpiExchange& exchange, Seconds once) {
    const int repetitions = from_rank_0(budget_.grant(elapsed(), once));
    std::vector<Seconds> samples;
    for (int i = 0; i < repetitions; ++i) {
      if (const auto taken = clock_.time(exchange.run)) samples.push_back(*taken / exchange.runs_per_time);
    }
    return samples;
  }

  MpiPlace place_;
  const MpiPlan& plan_;
  MpiClock clock_;
  RepetitionBudget budget_;
  Seconds begin_ = monotonic_now();
};

}  // namespace

Result<MpiSession> MpiSession::open() {
  MpiSession session;
  MPI_Init(nullptr, nullptr);
  MPI_Comm_rank(MPI_COMM_WORLD, &session.rank_);
  MPI_Comm_size(MPI_COMM_WORLD, &session.ranks_);
  return session;
}

MpiSession::~MpiSession() {
  if (open_) MPI_Finalize();
}

void MpiSession::end_all_ranks(int exit_code) const {
  MPI_Abort(MPI_COMM_WORLD, exit_code);
  std::abort();
}

Result<MpiMeasured> run_mpi_probe(const MpiSession& session, const MpiPlan& plan,
                                  const std::function<void(const std::string&)>& say) {
  if (session.ranks() < 2) {
    return refuse("calibrate probe mpi", "one rank has no other rank to exchange with",
                  "start it by mpirun: `mpirun -n 4 calibrate probe mpi`");
  }
  prctl(PR_SET_TIMERSLACK, 1UL);  // sleeping until T0 ends at T0
  MpiMeasured measured;
  measured.ranks = session.ranks();
  measured.host = host_facts();
  measured.library = library_version();
  measured.hosts = distinct(texts_of_all(host_name(), session.ranks()));
  const bool one_machine = distinct(texts_of_all(measured.host.boot, session.ranks())).size() == 1;
  Probe probe(session, plan, one_machine && !measured.host.boot.empty());
  measured.clock = probe.method();
  for (const MpiRow* row : plan.exchanges) {
    if (session.rank() == 0) say(fmt::format("{}: {}", row->name, row->summary));
    SampledExchange sampled = probe.measure(*row, measured.skipped);
    if (!sampled.sizes.empty()) measured.exchanges.push_back(std::move(sampled));
  }
  return measured;
}

#else

Result<MpiSession> MpiSession::open() {
  return refuse("calibrate probe mpi", "this calibrate was built without MPI",
                "install an MPI with its headers (Debian: libopenmpi-dev), configure and build again");
}

MpiSession::~MpiSession() = default;

void MpiSession::end_all_ranks(int) const { std::abort(); }

Result<MpiMeasured> run_mpi_probe(const MpiSession&, const MpiPlan&,
                                  const std::function<void(const std::string&)>&) {
  return MpiSession::open().map([](const MpiSession&) { return MpiMeasured(); });
}

#endif

}  // namespace calibrate::probes
