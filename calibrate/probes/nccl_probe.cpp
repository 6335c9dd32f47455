// Verifying and timing exchanges over NCCL.
#include <functional>
#include <string>
#include <utility>

#include "calibrate/probes/nccl_plan.hpp"
#include "netmodels/result.hpp"

#if GRADSIM_HAS_NCCL
#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <memory>
#include <stdexcept>

#include <fmt/format.h>

#include "calibrate/probes/nccl_ranks.hpp"
#include "calibrate/probes/network_namespace.hpp"
#include "calibrate/probes/supervised_cases.hpp"
#include "files/text_file.hpp"

namespace calibrate::probes {
namespace {

using netmodels::Result;
using netmodels::Seconds;

constexpr std::size_t word_bytes = 4;

void prepare(NcclRank& rank, NcclExchange& exchange) {
  const std::vector<float> values = exchange.sent(rank.rank);
  rank.send = DeviceBuffer(exchange.send_words() * word_bytes);
  rank.receive = DeviceBuffer(exchange.receive_words() * word_bytes);
  check_cuda(cudaMemcpy(rank.send.data(), values.data(), values.size() * word_bytes, cudaMemcpyHostToDevice),
             "cudaMemcpy");
  check_cuda(cudaMemset(rank.receive.data(), 0xff, exchange.receive_words() * word_bytes), "cudaMemset");
  exchange.prepare(rank);
  check_cuda(cudaDeviceSynchronize(), "cudaDeviceSynchronize");
}

void verify(const NcclRank& rank, const NcclExchange& exchange) {
  std::vector<float> found(exchange.receive_words());
  check_cuda(cudaMemcpy(found.data(), rank.receive.data(), found.size() * word_bytes, cudaMemcpyDeviceToHost),
             "cudaMemcpy");
  const std::vector<float> expected = exchange.expected(rank.rank);
  const auto wrong = std::ranges::mismatch(found, expected);
  if (wrong.in1 == found.end()) return;
  throw std::runtime_error(fmt::format("rank {} has {} at index {}, expected {}", rank.rank, *wrong.in1,
                                       wrong.in1 - found.begin(), *wrong.in2));
}

Seconds since(std::chrono::steady_clock::time_point begin) {
  return Seconds{std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count()};
}

/// Every rank calls often enough, and the slowest one counts.
NcclSample measure(NcclRanks& ranks, NcclExchange& exchange, const NcclPlan& plan) {
  const int first = plan.job ? plan.job->rank : 0;  // rank of this process
  const auto repetitions = static_cast<std::size_t>(plan.repetitions);
  NcclSample sample{exchange.size(), std::vector<Seconds>(repetitions)};
  ranks.on_each([&](NcclRank& rank) {
    prepare(rank, exchange);
    ranks.meet(rank);
    for (int call = 0; call < plan.warm_up; ++call) exchange.call(rank);
    check_cuda(cudaStreamSynchronize(rank.stream), "cudaStreamSynchronize");
    verify(rank, exchange);
    std::vector<float> times(repetitions);
    for (std::size_t repetition = 0; repetition < repetitions; ++repetition) {
      ranks.meet(rank);
      const auto begin = std::chrono::steady_clock::now();
      for (int call = 0; call < plan.calls; ++call) exchange.call(rank);
      check_cuda(cudaStreamSynchronize(rank.stream), "cudaStreamSynchronize");
      times[repetition] = static_cast<float>((since(begin) / (plan.calls * exchange.rounds())).count);
    }
    ranks.take_largest(rank, times);
    if (rank.rank != first) return;
    for (std::size_t i = 0; i < repetitions; ++i) sample.times[i] = Seconds{times[i]};
  });
  return sample;
}

/// Nodes of a job, as far as its launcher says; each rank is one where several share a device.
int nodes_of(const NcclPlan& plan, NcclWay way) {
  if (way == NcclWay::devices) return 1;
  if (way == NcclWay::private_copies) return plan.ranks;
  const int on_one = plan.job->local_ranks.value_or(1);
  return (plan.ranks + on_one - 1) / on_one;
}

/// One fact a line: way, nodes, version of NCCL, device, driver.
std::string describe(const NcclRanks& ranks, const NcclPlan& plan) {
  cudaDeviceProp device{};
  check_cuda(cudaGetDeviceProperties(&device, 0), "cudaGetDeviceProperties");
  int devices = 0, driver = 0, runtime = 0;
  check_cuda(cudaGetDeviceCount(&devices), "cudaGetDeviceCount");
  check_cuda(cudaDriverGetVersion(&driver), "cudaDriverGetVersion");
  check_cuda(cudaRuntimeGetVersion(&runtime), "cudaRuntimeGetVersion");
  return fmt::format("{}\n{}\n{}\n{}x {}\ndriver for CUDA {}.{}, runtime {}.{}",
                     static_cast<int>(ranks.way()), nodes_of(plan, ranks.way()), ranks.library().version(),
                     std::min(ranks.size(), devices), device.name, driver / 1000, driver % 1000 / 10,
                     runtime / 1000, runtime % 1000 / 10);
}

NcclMeasured described(const std::string& text) {
  const std::vector<std::string_view> lines = files::lines_of(text);
  constexpr std::size_t facts = 5;
  if (lines.size() < facts) throw std::runtime_error("the process of the ranks did not describe them");
  NcclMeasured measured;
  measured.way = static_cast<NcclWay>(files::read_integer(lines[0]).value_or(0));
  measured.nodes = static_cast<int>(files::read_integer(lines[1]).value_or(1));
  measured.nccl = lines[2];
  measured.device = lines[3];
  measured.driver = lines[4];
  return measured;
}

/// Ranks in place of ones of which one failed.
void reopen(std::unique_ptr<NcclRanks>& ranks, const NcclPlan& plan, std::size_t number,
            const std::string& copies) {
  ranks.reset();  // first: its memory is needed again
  auto opened = NcclRanks::open(plan, number, copies);
  if (!opened) throw std::runtime_error(opened.error().text());
  ranks = std::move(*opened);
}

/// As `served` put it into lines; one line is what CUDA or NCCL says.
tl::unexpected<netmodels::Error> set_up_error(const std::string& text) {
  const std::vector<std::string_view> lines = files::lines_of(text);
  if (lines.size() < 3) return netmodels::refuse("", text, "check the driver, and NCCL with NCCL_DEBUG=WARN");
  return netmodels::refuse(std::string(lines[0]), std::string(lines[1]), std::string(lines[2]));
}

/// Case 0 describes the ranks; the others count operations and their sizes from 1.
std::size_t number_of(const NcclPlan& plan, const std::string& operation, netmodels::Bytes size) {
  const auto at = std::ranges::find(plan.operations, operation) - plan.operations.begin();
  const auto place = std::ranges::find(plan.sizes, size) - plan.sizes.begin();
  return 1 + static_cast<std::size_t>(at) * plan.sizes.size() + static_cast<std::size_t>(place);
}

/// A folder of this process for private copies of the library, which its children make and share; it goes
/// with this object.
class CopiesFolder {
 public:
  static Result<CopiesFolder> make() {
    const std::filesystem::path parent = std::filesystem::temp_directory_path();
    std::string name = (parent / "gradsim-nccl-XXXXXX").string();
    if (mkdtemp(name.data()) == nullptr)
      return netmodels::refuse(parent.string(), "cannot create a folder here", "set TMPDIR to another");
    return CopiesFolder(std::move(name));
  }
  ~CopiesFolder() {
    std::error_code ignored;
    if (!path_.empty()) std::filesystem::remove_all(path_, ignored);
  }
  CopiesFolder(CopiesFolder&& other) noexcept : path_(std::exchange(other.path_, {})) {}
  CopiesFolder& operator=(CopiesFolder&&) = delete;
  CopiesFolder(const CopiesFolder&) = delete;
  CopiesFolder& operator=(const CopiesFolder&) = delete;

  [[nodiscard]] const std::string& path() const { return path_; }

 private:
  explicit CopiesFolder(std::string path) : path_(std::move(path)) {}

  std::string path_;
};

/// Serves the ranks of the plan in a process of its own; they are set up again after a failed case. Ranks of
/// a job that fail alike join again in the round of the same case.
SupervisedCases::Work served(const NcclPlan& plan, const std::string& copies, std::size_t first) {
  auto opened = NcclRanks::open(plan, first, copies);
  if (!opened) {
    const netmodels::Error& error = opened.error();
    throw std::runtime_error(fmt::format("{}\n{}\n{}", error.where, error.what, error.hint));
  }
  const std::shared_ptr<std::unique_ptr<NcclRanks>> ranks =
      std::make_shared<std::unique_ptr<NcclRanks>>(std::move(*opened));
  return [ranks, &plan, copies](std::size_t number) {
    if (*ranks == nullptr || !(*ranks)->usable()) reopen(*ranks, plan, number, copies);
    if (number == 0) return describe(**ranks, plan);
    const std::string& operation = plan.operations[(number - 1) / plan.sizes.size()];
    const netmodels::Bytes size = plan.sizes[(number - 1) % plan.sizes.size()];
    const auto exchange = make_exchange(operation, plan.ranks, size, plan.ratio);
    return print_sample(measure(**ranks, *exchange, plan));
  };
}

/// Refuses operations that compress where this build cannot.
Result<void> check_compressors(const NcclPlan& plan) {
  constexpr bool has_them = GRADSIM_NCCL_COMPRESSES != 0;
  const auto needs = std::ranges::find_if(plan.operations, compresses_on_device);
  if (has_them || needs == plan.operations.end()) return {};
  return netmodels::refuse(
      "--operations",
      fmt::format("`{}` compresses on the device, and this build has no CUDA kernels", *needs),
      "build where nvcc is found, or leave it out");
}

/// Refuses namespaces that cannot be entered, before a device is looked for.
Result<void> check_entry(const NcclPlan& plan) {
  for (const std::string& name : plan.namespaces)
    if (auto opened = NetworkNamespace::open(name); !opened) return tl::unexpected(std::move(opened).error());
  return {};
}

}  // namespace

Result<NcclMeasured> probe_nccl(const NcclPlan& plan, const NcclProgress& progress) {
  if (auto checked = check(plan); !checked) return tl::unexpected(checked.error());
  if (auto checked = check_compressors(plan); !checked) return tl::unexpected(checked.error());
  if (auto checked = check_entry(plan); !checked) return tl::unexpected(checked.error());
  GRADSIM_TRY(copies, CopiesFolder::make());
  SupervisedCases cases([&](std::size_t first) { return served(plan, copies->path(), first); },
                        plan.case_limit);
  NcclMeasured measured;
  try {
    measured = described(cases.run(0));
    measured.ranks = plan.ranks;
    measured.rank = plan.job ? plan.job->rank : 0;
  } catch (const SetUpError& failure) {
    return set_up_error(failure.what());
  }
  const auto measure_one = [&](const std::string& operation, netmodels::Bytes size) {
    const auto sample = parse_sample(cases.run(number_of(plan, operation, size)));
    if (!sample) throw std::runtime_error("the process of the ranks gave no sample");
    return *sample;
  };
  measure_planned(plan, measure_one, progress, measured);
  return measured;
}

}  // namespace calibrate::probes
#else
namespace calibrate::probes {

netmodels::Result<NcclMeasured> probe_nccl(const NcclPlan& plan, const NcclProgress&) {
  if (auto checked = check(plan); !checked) return tl::unexpected(checked.error());
  return netmodels::refuse("", "this build has no NCCL",
                           "build where the CUDA toolkit and nccl.h are installed; neither needs a GPU");
}

}  // namespace calibrate::probes
#endif
