// A libnccl of our own: ranks of one or several processes meet in a file of the folder STUB_NCCL_FOLDER, or,
// with STUB_NCCL_TCP=1, in a ring over TCP on the interface that NCCL_SOCKET_IFNAME names. Where
// STUB_NCCL_HANG names a call, that call never returns; where STUB_NCCL_CRASH does, it ends the process;
// where STUB_NCCL_WRONG does, what it gives is wrong. On an emulated device a collective waits in its stream
// for the work before it, as NCCL's do.
#include <algorithm>
#include <atomic>
#include <csignal>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <fcntl.h>
#include <functional>
#include <memory>
#include <nccl.h>
#include <sched.h>
#include <string>
#include <unistd.h>

#include <sys/mman.h>

#include "tests/nccl_stub/stub_ring.hpp"

/// Of the program; null where its streams do everything at once.
extern "C" [[gnu::weak]] void stub_put_into_stream(cudaStream_t stream, const std::function<void()>& work);

namespace {

ncclResult_t success_if(bool done) { return done ? ncclSuccess : ncclSystemError; }

ncclResult_t in_stream(cudaStream_t stream, const std::function<void()>& work) {
  stub_put_into_stream == nullptr ? work() : stub_put_into_stream(stream, work);
  return ncclSuccess;
}

constexpr std::size_t most_ranks = 4, slot_bytes = 1 << 20;

/// In the file.
struct Meeting {
  std::atomic<std::uint32_t> arrived;
  std::atomic<std::uint32_t> round;
  std::atomic<std::uint32_t> full[most_ranks];  ///< messages of a rank that nobody has taken
  char slots[most_ranks][slot_bytes];
};

bool is_named(const char* variable, const char* call) {
  const char* named = std::getenv(variable);
  return named != nullptr && std::strcmp(named, call) == 0;
}

void misbehave(const char* call) {
  if (is_named("STUB_NCCL_CRASH", call)) std::raise(SIGKILL);
  while (is_named("STUB_NCCL_HANG", call)) pause();
}

bool over_tcp() { return is_named("STUB_NCCL_TCP", "1"); }

}  // namespace

struct ncclComm {
  int rank, ranks;
  Meeting* meeting;                  ///< null over TCP
  std::unique_ptr<stub::Ring> ring;  ///< null in a file

  void wait() const {
    const std::uint32_t round = meeting->round;
    if (++meeting->arrived == static_cast<std::uint32_t>(ranks)) {
      meeting->arrived = 0;
      ++meeting->round;
      return;
    }
    while (meeting->round == round) sched_yield();
  }
  [[nodiscard]] char* slot(int of) const { return meeting->slots[of]; }
  /// Every rank's bytes are in its slot.
  void put(const void* data, std::size_t bytes) const {
    std::memcpy(slot(rank), data, bytes);
    wait();
  }
};

namespace {

float reduced(const ncclComm& comm, std::size_t index, ncclRedOp_t operation) {
  float result = 0;
  for (int rank = 0; rank < comm.ranks; ++rank) {
    float value = 0;
    std::memcpy(&value, comm.slot(rank) + 4 * index, 4);
    result = rank == 0 ? value : operation == ncclMax ? std::max(result, value) : result + value;
  }
  return result;
}

}  // namespace

extern "C" {

ncclResult_t ncclGetVersion(int* version) {
  *version = 22809;
  return ncclSuccess;
}
const char* ncclGetErrorString(ncclResult_t) { return "stub error"; }

ncclResult_t ncclGetUniqueId(ncclUniqueId* id) {
  static std::atomic<int> count = 0;
  std::memset(id, 0, sizeof *id);
  if (over_tcp()) {
    const std::string root = stub::start_root();
    std::memcpy(id->internal, root.data(), root.size());
    return root.empty() ? ncclSystemError : ncclSuccess;
  }
  const std::string name = "meeting-" + std::to_string(getpid()) + "-" + std::to_string(count++) + "-" +
                           std::to_string(reinterpret_cast<std::uintptr_t>(&count));
  std::memcpy(id->internal, name.data(), name.size());
  return ncclSuccess;
}

ncclResult_t ncclCommInitRank(ncclComm_t* comm, int ranks, ncclUniqueId id, int rank) {
  if (over_tcp()) {
    std::unique_ptr<stub::Ring> ring = stub::Ring::join(id.internal, rank, ranks);
    if (ring == nullptr) return ncclSystemError;
    *comm = new ncclComm{rank, ranks, nullptr, std::move(ring)};
    return ncclSuccess;
  }
  const std::string file = std::string(std::getenv("STUB_NCCL_FOLDER")) + "/" + id.internal;
  const int opened = open(file.c_str(), O_RDWR | O_CREAT, 0600);
  if (opened < 0 || ftruncate(opened, sizeof(Meeting)) != 0) return ncclSystemError;
  void* shared = mmap(nullptr, sizeof(Meeting), PROT_READ | PROT_WRITE, MAP_SHARED, opened, 0);
  close(opened);
  if (shared == MAP_FAILED) return ncclSystemError;
  *comm = new ncclComm{rank, ranks, static_cast<Meeting*>(shared), nullptr};
  (*comm)->wait();
  return ncclSuccess;
}

ncclResult_t ncclCommDestroy(ncclComm_t comm) {
  if (comm->meeting != nullptr) munmap(comm->meeting, sizeof(Meeting));
  delete comm;
  return ncclSuccess;
}

ncclResult_t ncclAllReduce(const void* from, void* to, size_t count, ncclDataType_t, ncclRedOp_t operation,
                           ncclComm_t comm, cudaStream_t stream) {
  misbehave("ncclAllReduce");
  if (comm->ring)
    return success_if(comm->ring->all_reduce(static_cast<const float*>(from), static_cast<float*>(to), count,
                                             operation == ncclMax));
  return in_stream(stream, [=] {
    comm->put(from, 4 * count);
    for (std::size_t i = 0; i < count; ++i) static_cast<float*>(to)[i] = reduced(*comm, i, operation);
    comm->wait();
  });
}

ncclResult_t ncclAllGather(const void* from, void* to, size_t count, ncclDataType_t type, ncclComm_t comm,
                           cudaStream_t stream) {
  misbehave("ncclAllGather");
  if (comm->ring)
    return success_if(
        comm->ring->all_gather(static_cast<const char*>(from), static_cast<char*>(to), 4 * count));
  return in_stream(stream, [=] {
    comm->put(from, 4 * count);
    for (int rank = 0; rank < comm->ranks; ++rank)
      std::memcpy(static_cast<char*>(to) + 4 * count * static_cast<std::size_t>(rank), comm->slot(rank),
                  4 * count);
    if (type == ncclFloat && is_named("STUB_NCCL_WRONG", "ncclAllGather"))
      static_cast<unsigned char*>(to)[2] ^= 1;
    comm->wait();
  });
}

ncclResult_t ncclReduceScatter(const void* from, void* to, size_t count, ncclDataType_t,
                               ncclRedOp_t operation, ncclComm_t comm, cudaStream_t stream) {
  misbehave("ncclReduceScatter");
  if (comm->ring) return ncclInvalidUsage;  // no test needs it
  return in_stream(stream, [=] {
    comm->put(from, 4 * count * static_cast<std::size_t>(comm->ranks));
    const std::size_t first = count * static_cast<std::size_t>(comm->rank);
    for (std::size_t i = 0; i < count; ++i) static_cast<float*>(to)[i] = reduced(*comm, first + i, operation);
    comm->wait();
  });
}

ncclResult_t ncclBroadcast(const void* from, void* to, size_t count, ncclDataType_t, int root,
                           ncclComm_t comm, cudaStream_t stream) {
  misbehave("ncclBroadcast");
  if (comm->ring)
    return success_if(
        comm->ring->broadcast(static_cast<const char*>(from), static_cast<char*>(to), 4 * count, root));
  return in_stream(stream, [=] {
    if (comm->rank == root) std::memcpy(comm->slot(root), from, 4 * count);
    comm->wait();
    std::memcpy(to, comm->slot(root), 4 * count);
    comm->wait();
  });
}

ncclResult_t ncclSend(const void* from, size_t count, ncclDataType_t, int, ncclComm_t comm, cudaStream_t) {
  misbehave("ncclSend");
  if (comm->ring) return success_if(comm->ring->send(static_cast<const char*>(from), 4 * count));  // of two
  std::atomic<std::uint32_t>& full = comm->meeting->full[comm->rank];
  while (full != 0) sched_yield();
  std::memcpy(comm->slot(comm->rank), from, 4 * count);
  full = 1;
  return ncclSuccess;
}

ncclResult_t ncclRecv(void* to, size_t count, ncclDataType_t, int peer, ncclComm_t comm, cudaStream_t) {
  if (comm->ring) return success_if(comm->ring->receive(static_cast<char*>(to), 4 * count));
  std::atomic<std::uint32_t>& full = comm->meeting->full[peer];
  while (full == 0) sched_yield();
  std::memcpy(to, comm->slot(peer), 4 * count);
  full = 0;
  return ncclSuccess;
}

}  // extern "C"
