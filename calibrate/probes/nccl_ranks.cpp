// Setting up ranks: libraries, devices, streams, one communicator.
#if GRADSIM_HAS_NCCL
#include "calibrate/probes/nccl_ranks.hpp"

#include <algorithm>
#include <chrono>
#include <condition_variable>
#include <cstdlib>
#include <exception>
#include <filesystem>
#include <mutex>
#include <stdexcept>
#include <thread>

#include <fmt/format.h>

namespace calibrate::probes {
namespace {

namespace fs = std::filesystem;
using netmodels::refuse;
using netmodels::Result;
using netmodels::Seconds;

/// NCCL reads its settings from the environment when it is first used.
void set(const char* name, const std::string& value) { setenv(name, value.c_str(), 1); }

/// Before the first CUDA call: kernels of all ranks are loaded at the start, because loading one waits for
/// the device and so for a rank that waits for this one, and streams of all ranks get hardware queues of
/// their own. Source: CUDA C++ Programming Guide, "Lazy Loading", and its list of environment variables.
/// Values that are set already stay.
void prepare_cuda() {
  setenv("CUDA_MODULE_LOADING", "EAGER", 0);
  setenv("CUDA_DEVICE_MAX_CONNECTIONS", "32", 0);
}

/// NCCL 2.30 refuses two ranks on one GPU otherwise. Source: NVIDIA/nccl src/init.cc, MultiRankGpuEnable.
void permit_shared_devices() { set("NCCL_MULTI_RANK_GPU_ENABLE", "1"); }

/// Traffic stays on this machine, over sockets, and few channels leave room for all ranks on one device.
void prepare_environment(const NcclPlan& plan, NcclWay way) {
  if (plan.algorithm) set("NCCL_ALGO", *plan.algorithm);
  if (plan.protocol) set("NCCL_PROTO", *plan.protocol);
  if (way != NcclWay::private_copies) return;
  constexpr int most_channels = 8;
  set("NCCL_NET", "Socket");
  set("NCCL_SOCKET_IFNAME", plan.namespaces.empty() ? "lo" : "eth0");
  set("NCCL_SOCKET_FAMILY", "AF_INET");
  permit_shared_devices();
  for (const char* feature : {"NCCL_NVLS_ENABLE", "NCCL_MNNVL_ENABLE", "NCCL_RAS_ENABLE"}) set(feature, "0");
  set("NCCL_IB_DISABLE", "1");
  set("NCCL_MAX_CTAS", std::to_string(std::max(1, most_channels / plan.ranks)));
}

Result<int> count_devices() {
  int devices = 0;
  const cudaError_t found = cudaGetDeviceCount(&devices);
  if (found == cudaSuccess && devices > 0) return devices;
  return refuse("", fmt::format("no CUDA device found: {}", cudaGetErrorString(found)),
                "run this on a machine with a GPU and its driver");
}

/// Runs in a thread of the namespace; without one in this thread.
void run_in(const NetworkNamespace* network, const std::function<void()>& work) {
  network == nullptr ? work() : network->run(work);
}

/// A communicator of one rank makes NCCL settle which host it is on, while NCCL_HOSTID still names it.
void settle_host(const NcclLibrary& library) {
  ncclUniqueId id{};
  ncclComm_t alone = nullptr;
  library.check(library.get_unique_id(&id), "ncclGetUniqueId");
  library.check(library.comm_init_rank(&alone, 1, id, 0), "ncclCommInitRank");
  library.check(library.comm_destroy(alone), "ncclCommDestroy");
}

/// The file that a rank opens: of rank 0 the original, of others a copy, made whole by the first process that
/// needs it. Files are distinguished by their inodes, so that a link would be the same library.
Result<fs::path> copy_for(int rank, const fs::path& original, const fs::path& folder) {
  if (rank == 0) return original;
  const fs::path copy = folder / fmt::format("libnccl_rank{}.so", rank);
  std::error_code failed;
  if (fs::exists(copy, failed)) return copy;
  const fs::path begun = copy.string() + ".part";
  fs::copy_file(original, begun, fs::copy_options::overwrite_existing, failed);
  if (!failed) fs::rename(begun, copy, failed);
  if (failed) return refuse(original.string(), "it cannot be copied: " + failed.message(), "free some space");
  return copy;
}

/// Runs in the thread that opens the rank's library: what NCCL finds out about its host and network stays.
Result<std::shared_ptr<const NcclLibrary>> open_settled(int rank, const fs::path& file) {
  GRADSIM_TRY(library, NcclLibrary::open(file.string()));
  set("NCCL_HOSTID", fmt::format("gradsim-rank-{}", rank));
  settle_host(**library);
  return library;
}

Result<std::vector<NcclRank>> open_copies(const NcclPlan& plan, int devices, const std::string& folder) {
  GRADSIM_TRY(original, locate_library(plan.library));
  std::vector<NcclRank> ranks;
  for (int rank = 0; rank < plan.ranks; ++rank) {
    NcclRank next{.rank = rank, .device = rank % devices};
    if (!plan.namespaces.empty()) {
      GRADSIM_TRY(network, NetworkNamespace::open(plan.namespaces[static_cast<std::size_t>(rank)]));
      next.network = std::make_shared<const NetworkNamespace>(std::move(*network));
    }
    GRADSIM_TRY(file, copy_for(rank, *original, folder));
    Result<std::shared_ptr<const NcclLibrary>> library;
    run_in(next.network.get(), [&] { library = open_settled(rank, *file); });
    if (!library) return tl::unexpected(std::move(library).error());
    next.library = std::move(*library);
    ranks.push_back(std::move(next));
  }
  return ranks;
}

Result<std::vector<NcclRank>> open_devices(const NcclPlan& plan) {
  GRADSIM_TRY(library, NcclLibrary::open(plan.library));
  std::vector<NcclRank> ranks;
  for (int rank = 0; rank < plan.ranks; ++rank)
    ranks.push_back({.rank = rank, .device = rank, .library = *library});
  return ranks;
}

/// The one rank of this process. Ranks of one node that share a device take themselves for separate hosts.
Result<std::vector<NcclRank>> open_own(const NcclPlan& plan, int devices) {
  const JobRank& job = *plan.job;
  if (job.local_ranks.value_or(1) > devices || job.local_rank >= devices) {
    set("NCCL_HOSTID", fmt::format("gradsim-rank-{}", job.rank));
    set("NCCL_NET", "Socket");
    permit_shared_devices();
  }
  GRADSIM_TRY(library, NcclLibrary::open(plan.library));
  std::vector<NcclRank> ranks;
  ranks.push_back({.rank = job.rank, .device = job.local_rank % devices, .library = std::move(*library)});
  return ranks;
}

/// NCCL's id of the communicator: of rank 0, where the others find it.
/// @param first  rank of this process
ncclUniqueId agreed_id(const NcclPlan& plan, const NcclRank& first, std::uint64_t round) {
  ncclUniqueId id{};
  const bool gives = !plan.job || plan.job->rank == 0;
  const NcclLibrary& library = *first.library;
  if (gives)
    run_in(first.network.get(), [&] { library.check(library.get_unique_id(&id), "ncclGetUniqueId"); });
  if (!plan.job) return id;
  const std::string text =
      share_text(plan.meeting, *plan.job, round, gives ? std::string(id.internal, sizeof id.internal) : "",
                 plan.case_limit);
  if (text.size() != sizeof id.internal)
    throw std::runtime_error(
        fmt::format("rank 0 gave an id of {} bytes, expected {}", text.size(), sizeof id.internal));
  std::ranges::copy(text, id.internal);
  return id;
}

/// The state that the ranks of one `on_each` share with the waiting thread.
class Round {
 public:
  explicit Round(std::function<void(NcclRank&)> task) : work(std::move(task)) {}

  void end(const std::exception_ptr& failure) {
    const std::lock_guard lock(mutex_);
    ++ended_;
    if (failure && !first_) first_ = failure;
    changed_.notify_all();
  }

  /// @returns false where the time was over, or a rank failed and others did not end for long
  bool wait(std::size_t ranks, Seconds limit) {
    constexpr std::chrono::seconds patience{20};
    const std::chrono::duration<double> longest(limit.count);
    std::unique_lock lock(mutex_);
    if (!changed_.wait_for(lock, longest, [&] { return ended_ == ranks || first_; })) {
      first_ = std::make_exception_ptr(std::runtime_error(
          fmt::format("{} of {} ranks did not end within {:g} s", ranks - ended_, ranks, limit.count)));
      return false;
    }
    return changed_.wait_for(lock, patience, [&] { return ended_ == ranks; });
  }

  std::exception_ptr failure() {
    const std::lock_guard lock(mutex_);
    return first_;
  }

  const std::function<void(NcclRank&)> work;

 private:
  std::mutex mutex_;
  std::condition_variable changed_;
  std::size_t ended_ = 0;
  std::exception_ptr first_;
};

}  // namespace

void check_cuda(cudaError_t result, const char* call) {
  if (result != cudaSuccess)
    throw std::runtime_error(fmt::format("{}: {}", call, cudaGetErrorString(result)));
}

DeviceBuffer::DeviceBuffer(std::size_t bytes) { check_cuda(cudaMalloc(&data_, bytes), "cudaMalloc"); }
DeviceBuffer::~DeviceBuffer() { (void)cudaFree(data_); }

NcclRanks::NcclRanks(std::vector<NcclRank> ranks, NcclWay way, netmodels::Seconds limit)
    : ranks_(std::move(ranks)),
      way_(way),
      limit_(limit),
      meeting_(static_cast<std::ptrdiff_t>(ranks_.size())) {}

Result<std::unique_ptr<NcclRanks>> NcclRanks::open(const NcclPlan& plan, std::uint64_t round,
                                                   const std::string& copies) {
  prepare_cuda();
  GRADSIM_TRY(devices, count_devices());
  const bool have_each = *devices >= plan.ranks && plan.namespaces.empty();
  const NcclWay way = plan.job ? NcclWay::processes : have_each ? NcclWay::devices : NcclWay::private_copies;
  prepare_environment(plan, way);
  constexpr double longer_than_supervised =
      4;  // a process that hangs is killed, not left with a waiting thread
  GRADSIM_TRY(opened, way == NcclWay::processes ? open_own(plan, *devices)
                      : way == NcclWay::devices ? open_devices(plan)
                                                : open_copies(plan, *devices, copies));
  std::unique_ptr<NcclRanks> ranks(
      new NcclRanks(std::move(*opened), way, longer_than_supervised * plan.case_limit));
  const ncclUniqueId id = agreed_id(plan, ranks->ranks_.front(), round);
  ranks->on_each([&](NcclRank& rank) {
    check_cuda(cudaStreamCreateWithFlags(&rank.stream, cudaStreamNonBlocking), "cudaStreamCreate");
    rank.library->check(rank.library->comm_init_rank(&rank.communicator, plan.ranks, id, rank.rank),
                        "ncclCommInitRank");
  });
  return ranks;
}

NcclRanks::~NcclRanks() {
  if (left_behind_) {
    (void)new std::vector<NcclRank>(
        std::move(ranks_));  // a thread still waits within them, until the program ends
    return;
  }
  try {
    on_each([](NcclRank& rank) {
      rank.send = {};
      rank.receive = {};
      if (rank.communicator != nullptr) (void)rank.library->comm_destroy(rank.communicator);
      if (rank.stream != nullptr) (void)cudaStreamDestroy(rank.stream);
    });
  } catch (const std::exception&) {  // the process ends anyway; the failure has been reported
    (void)cudaGetLastError();
  }
}

void NcclRanks::take_largest(NcclRank& rank, std::vector<float>& values) const {
  const std::size_t bytes = values.size() * sizeof(float);
  const DeviceBuffer buffer(bytes);
  check_cuda(cudaMemcpy(buffer.data(), values.data(), bytes, cudaMemcpyHostToDevice), "cudaMemcpy");
  rank.library->check(rank.library->all_reduce(buffer.data(), buffer.data(), values.size(), ncclFloat,
                                               ncclMax, rank.communicator, rank.stream),
                      "ncclAllReduce");
  check_cuda(cudaStreamSynchronize(rank.stream), "cudaStreamSynchronize");
  check_cuda(cudaMemcpy(values.data(), buffer.data(), bytes, cudaMemcpyDeviceToHost), "cudaMemcpy");
}

void NcclRanks::meet(NcclRank& rank) {
  if (way_ == NcclWay::processes) {
    std::vector<float> unused(1);
    take_largest(rank, unused);
    return;
  }
  meeting_.arrive_and_wait();
  if (failed_) throw std::runtime_error("another rank failed");
}

void NcclRanks::on_each(const std::function<void(NcclRank&)>& work) {
  const auto round = std::make_shared<Round>(work);
  std::vector<std::thread> threads;
  for (NcclRank& rank : ranks_) {
    threads.emplace_back([this, round, &rank] {
      std::exception_ptr failure;
      try {
        if (rank.network) rank.network->enter();  // threads that NCCL starts in `work` belong there, too
        check_cuda(cudaSetDevice(rank.device), "cudaSetDevice");
        round->work(rank);
      } catch (...) {
        failure = std::current_exception();
        failed_ = true;
        meeting_.arrive_and_drop();
      }
      round->end(failure);
    });
  }
  left_behind_ = !round->wait(threads.size(), limit_);
  for (std::thread& thread : threads) left_behind_ ? thread.detach() : thread.join();
  if (const auto failure = round->failure()) std::rethrow_exception(failure);
}

}  // namespace calibrate::probes
#endif
