// Verifying and timing exchanges over NCCL.
#include <functional>
#include <string>

#include "calibrate/probes/nccl_plan.hpp"
#include "netmodels/result.hpp"

#if GRADSIM_HAS_NCCL
#include <algorithm>
#include <chrono>
#include <cstring>
#include <stdexcept>

#include <fmt/format.h>

#include "calibrate/measurements/statistics.hpp"
#include "calibrate/probes/nccl_exchange.hpp"

namespace calibrate::probes {
namespace {

using netmodels::Result;
using netmodels::Seconds;

constexpr std::size_t word = 4;
constexpr double sliced_call = 1e-3;  // seconds; small messages over loopback take tens of microseconds

void prepare(NcclRank& rank, const NcclExchange& exchange) {
  const std::vector<float> values = exchange.sent(rank.rank);
  rank.send = DeviceBuffer(exchange.send_words() * word);
  rank.receive = DeviceBuffer(exchange.receive_words() * word);
  check_cuda(cudaMemcpy(rank.send.data(), values.data(), values.size() * word, cudaMemcpyHostToDevice),
             "cudaMemcpy");
  check_cuda(cudaMemset(rank.receive.data(), 0xff, exchange.receive_words() * word), "cudaMemset");
  check_cuda(cudaDeviceSynchronize(), "cudaDeviceSynchronize");
}

void verify(const NcclRank& rank, const NcclExchange& exchange) {
  std::vector<float> found(exchange.receive_words());
  check_cuda(cudaMemcpy(found.data(), rank.receive.data(), found.size() * word, cudaMemcpyDeviceToHost),
             "cudaMemcpy");
  const std::vector<float> expected = exchange.expected(rank.rank);
  const auto wrong = std::ranges::mismatch(found, expected);
  if (wrong.in1 == found.end()) return;
  throw std::runtime_error(fmt::format("rank {} has {} at place {} where {} is right", rank.rank, *wrong.in1,
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
      times[static_cast<std::size_t>(rank.rank)][repetition] = since(begin) / plan.calls;
    }
  });
  NcclSample sample{exchange.size(), std::vector<Seconds>(repetitions)};
  for (const std::vector<Seconds>& own : times)
    for (std::size_t i = 0; i < repetitions; ++i) sample.times[i] = std::max(sample.times[i], own[i]);
  return sample;
}

Seconds median_of(const NcclSample& sample) {
  std::vector<double> times;
  for (const Seconds time : sample.times) times.push_back(time.count);
  return Seconds{measurements::median(std::move(times))};
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

}  // namespace

Result<NcclMeasured> probe_nccl(const NcclPlan& plan, const std::function<void(const std::string&)>& said) {
  if (auto checked = check(plan); !checked) return tl::unexpected(checked.error());
  auto ranks = NcclRanks::open(plan);
  if (!ranks) return tl::unexpected(ranks.error());
  NcclMeasured measured = describe(**ranks);
  for (const std::string& name : plan.operations) {
    NcclMeasured::Exchange exchange{*measurements::find_operation(name), {}};
    for (const netmodels::Bytes size : plan.sizes) {
      if (said) said(name + " of " + print(size));
      const auto one = make_exchange(name, plan.ranks, size, plan.ratio);
      NcclSample sample = measure(**ranks, *one, plan);
      const bool rises = exchange.samples.empty() || exchange.samples.back().size < sample.size;
      if (rises) exchange.samples.push_back(std::move(sample));
    }
    const Seconds smallest = median_of(exchange.samples.front());
    if (measured.way == NcclWay::private_copies && smallest.count > sliced_call) {
      measured.warnings.push_back(fmt::format(
          "{} of {} takes {}: the device seems to serve the ranks by turns, so that latencies are of "
          "its turns and not of NCCL",
          name, print(exchange.samples.front().size), print(smallest)));
    }
    measured.exchanges.push_back(std::move(exchange));
  }
  return measured;
}

}  // namespace calibrate::probes
#else
namespace calibrate::probes {

netmodels::Result<NcclMeasured> probe_nccl(const NcclPlan& plan,
                                           const std::function<void(const std::string&)>&) {
  if (auto checked = check(plan); !checked) return tl::unexpected(checked.error());
  return netmodels::refuse("", "this build knows no NCCL",
                           "build where the CUDA toolkit and nccl.h are installed; neither needs a GPU");
}

}  // namespace calibrate::probes
#endif
