// Verifying and timing exchanges over NCCL.
#include <functional>
#include <string>

#include "calibrate/probes/nccl_plan.hpp"
#include "netmodels/result.hpp"

#if GRADSIM_HAS_NCCL
#include <algorithm>
#include <chrono>
#include <cstring>
#include <memory>
#include <stdexcept>

#include <fmt/format.h>

#include "calibrate/probes/nccl_ranks.hpp"

namespace calibrate::probes {
namespace {

using netmodels::Result;
using netmodels::Seconds;

constexpr std::size_t word_bytes = 4;

void prepare(NcclRank& rank, const NcclExchange& exchange) {
  const std::vector<float> values = exchange.sent(rank.rank);
  rank.send = DeviceBuffer(exchange.send_words() * word_bytes);
  rank.receive = DeviceBuffer(exchange.receive_words() * word_bytes);
  check_cuda(cudaMemcpy(rank.send.data(), values.data(), values.size() * word_bytes, cudaMemcpyHostToDevice),
             "cudaMemcpy");
  check_cuda(cudaMemset(rank.receive.data(), 0xff, exchange.receive_words() * word_bytes), "cudaMemset");
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
NcclSample measure(NcclRanks& ranks, const NcclExchange& exchange, const NcclPlan& plan) {
  const auto repetitions = static_cast<std::size_t>(plan.repetitions);
  std::vector<std::vector<Seconds>> times(static_cast<std::size_t>(ranks.size()),
                                          std::vector<Seconds>(repetitions));
  ranks.on_each([&](NcclRank& rank) {
    prepare(rank, exchange);
    ranks.meet();
    for (int call = 0; call < plan.warm_up; ++call) exchange.call(rank);
    check_cuda(cudaStreamSynchronize(rank.stream), "cudaStreamSynchronize");
    verify(rank, exchange);
    ranks.meet();
    for (std::size_t repetition = 0; repetition < repetitions; ++repetition) {
      ranks.meet();
      const auto begin = std::chrono::steady_clock::now();
      for (int call = 0; call < plan.calls; ++call) exchange.call(rank);
      check_cuda(cudaStreamSynchronize(rank.stream), "cudaStreamSynchronize");
      times[static_cast<std::size_t>(rank.rank)][repetition] =
          since(begin) / (plan.calls * exchange.rounds());
    }
  });
  NcclSample sample{exchange.size(), std::vector<Seconds>(repetitions)};
  for (const std::vector<Seconds>& own : times)
    for (std::size_t i = 0; i < repetitions; ++i) sample.times[i] = std::max(sample.times[i], own[i]);
  return sample;
}

NcclMeasured describe(const NcclRanks& ranks) {
  cudaDeviceProp device{};
  check_cuda(cudaGetDeviceProperties(&device, 0), "cudaGetDeviceProperties");
  int devices = 0, driver = 0, runtime = 0;
  check_cuda(cudaGetDeviceCount(&devices), "cudaGetDeviceCount");
  check_cuda(cudaDriverGetVersion(&driver), "cudaDriverGetVersion");
  check_cuda(cudaRuntimeGetVersion(&runtime), "cudaRuntimeGetVersion");
  NcclMeasured measured;
  measured.way = ranks.way();
  measured.nccl = ranks.library().version();
  const int used = ranks.way() == NcclWay::devices ? ranks.size() : 1;
  measured.device = fmt::format("{}x {}", std::min(used, devices), device.name);
  measured.driver = fmt::format("driver for CUDA {}.{}, runtime {}.{}", driver / 1000, driver % 1000 / 10,
                                runtime / 1000, runtime % 1000 / 10);
  return measured;
}

/// Ranks in place of ones of which one failed.
void reopen(std::unique_ptr<NcclRanks>& ranks, const NcclPlan& plan) {
  ranks.reset();  // first: its memory and its private copies of the library are needed again
  auto opened = NcclRanks::open(plan);
  if (!opened) throw std::runtime_error(opened.error().text());
  ranks = std::move(*opened);
}

}  // namespace

Result<NcclMeasured> probe_nccl(const NcclPlan& plan, const NcclProgress& progress) {
  if (auto checked = check(plan); !checked) return tl::unexpected(checked.error());
  GRADSIM_TRY(ranks, NcclRanks::open(plan));
  NcclMeasured measured = describe(**ranks);
  const auto measure_one = [&](const std::string& operation, netmodels::Bytes size) {
    if (*ranks == nullptr || !(*ranks)->usable()) reopen(*ranks, plan);
    const auto exchange = make_exchange(operation, plan.ranks, size, plan.ratio);
    return measure(**ranks, *exchange, plan);
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
