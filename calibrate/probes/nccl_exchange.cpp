// The exchanges that can be measured.
#if GRADSIM_HAS_NCCL
#include <algorithm>
#include <cassert>
#include <cmath>

#include "calibrate/probes/nccl_ranks.hpp"
#include "kernels/magnitude.hpp"

namespace calibrate::probes {
namespace {

constexpr std::size_t word = 4;  // bytes of a value, and of an index

float value_of(int rank, std::size_t place) {
  constexpr std::size_t period = 17;
  return static_cast<float>(static_cast<std::size_t>(rank) + 1 + place % period);
}

float* floats(const DeviceBuffer& buffer) { return static_cast<float*>(buffer.data()); }

/// Words of one rank's part of a size: at least one.
std::size_t words_of(netmodels::Bytes size, int parts) {
  return std::max<std::size_t>(1, static_cast<std::size_t>(std::llround(size.count / word / parts)));
}

/// Each rank sends `words` and the results are found place by place.
class Plain : public NcclExchange {
 public:
  Plain(int ranks, std::size_t words) : ranks_(ranks), words_(words) {}

  [[nodiscard]] std::size_t send_words() const override { return words_; }
  [[nodiscard]] std::size_t receive_words() const override { return words_; }
  [[nodiscard]] std::vector<float> sent(int rank) const override {
    std::vector<float> values(send_words());
    for (std::size_t i = 0; i < values.size(); ++i) values[i] = value_of(rank, i);
    return values;
  }

 protected:
  [[nodiscard]] float sum_at(std::size_t place) const {
    float sum = 0;
    for (int rank = 0; rank < ranks_; ++rank) sum += value_of(rank, place);
    return sum;
  }
  [[nodiscard]] netmodels::Bytes bytes(std::size_t words) const {
    return netmodels::Bytes{static_cast<double>(words * word)};
  }
  [[nodiscard]] std::size_t ranks() const { return static_cast<std::size_t>(ranks_); }
  [[nodiscard]] std::size_t words() const { return words_; }

 private:
  int ranks_;
  std::size_t words_;
};

class AllReduce final : public Plain {
 public:
  AllReduce(int ranks, netmodels::Bytes size) : Plain(ranks, words_of(size, 1)) {}
  [[nodiscard]] netmodels::Bytes size() const override { return bytes(words()); }
  [[nodiscard]] std::vector<float> expected(int) const override {
    std::vector<float> sums(words());
    for (std::size_t i = 0; i < sums.size(); ++i) sums[i] = sum_at(i);
    return sums;
  }
  void call(const NcclRank& rank) const override {
    rank.library->check(rank.library->all_reduce(rank.send.data(), rank.receive.data(), words(), ncclFloat,
                                                 ncclSum, rank.communicator, rank.stream),
                        "ncclAllReduce");
  }
};

class AllGather final : public Plain {
 public:
  AllGather(int ranks, netmodels::Bytes size) : Plain(ranks, words_of(size, ranks)) {}
  [[nodiscard]] netmodels::Bytes size() const override { return bytes(words() * ranks()); }
  [[nodiscard]] std::size_t receive_words() const override { return words() * ranks(); }
  [[nodiscard]] std::vector<float> expected(int) const override {
    std::vector<float> all;
    for (std::size_t rank = 0; rank < ranks(); ++rank)
      std::ranges::copy(sent(static_cast<int>(rank)), std::back_inserter(all));
    return all;
  }
  void call(const NcclRank& rank) const override {
    rank.library->check(rank.library->all_gather(rank.send.data(), rank.receive.data(), words(), ncclFloat,
                                                 rank.communicator, rank.stream),
                        "ncclAllGather");
  }
};

class ReduceScatter final : public Plain {
 public:
  ReduceScatter(int ranks, netmodels::Bytes size) : Plain(ranks, words_of(size, ranks)) {}
  [[nodiscard]] netmodels::Bytes size() const override { return bytes(words() * ranks()); }
  [[nodiscard]] std::size_t send_words() const override { return words() * ranks(); }
  [[nodiscard]] std::vector<float> expected(int rank) const override {
    std::vector<float> part(words());
    for (std::size_t i = 0; i < part.size(); ++i)
      part[i] = sum_at(static_cast<std::size_t>(rank) * words() + i);
    return part;
  }
  void call(const NcclRank& rank) const override {
    rank.library->check(rank.library->reduce_scatter(rank.send.data(), rank.receive.data(), words(),
                                                     ncclFloat, ncclSum, rank.communicator, rank.stream),
                        "ncclReduceScatter");
  }
};

class Broadcast final : public Plain {
 public:
  Broadcast(int ranks, netmodels::Bytes size) : Plain(ranks, words_of(size, 1)) {}
  [[nodiscard]] netmodels::Bytes size() const override { return bytes(words()); }
  [[nodiscard]] std::vector<float> expected(int) const override { return sent(0); }
  void call(const NcclRank& rank) const override {
    rank.library->check(rank.library->broadcast(rank.send.data(), rank.receive.data(), words(), ncclFloat, 0,
                                                rank.communicator, rank.stream),
                        "ncclBroadcast");
  }
};

/// A message from rank 0 to rank 1 and back; the time is of one way.
class PingPong final : public Plain {
 public:
  explicit PingPong(netmodels::Bytes size) : Plain(2, words_of(size, 1)) {}
  [[nodiscard]] netmodels::Bytes size() const override { return bytes(words()); }
  [[nodiscard]] std::vector<float> expected(int) const override { return sent(0); }
  [[nodiscard]] int rounds() const override { return 2; }
  void call(const NcclRank& rank) const override {
    if (rank.rank == 0) send(rank, rank.send, 1);
    const int other = 1 - rank.rank;
    rank.library->check(
        rank.library->receive(rank.receive.data(), words(), ncclFloat, other, rank.communicator, rank.stream),
        "ncclRecv");
    if (rank.rank == 1) send(rank, rank.receive, 0);
  }

 private:
  void send(const NcclRank& rank, const DeviceBuffer& from, int to) const {
    rank.library->check(
        rank.library->send(from.data(), words(), ncclFloat, to, rank.communicator, rank.stream), "ncclSend");
  }
};

/// Messages of k values and k indices; the size is the dense gradient's.
class Sparse : public Plain {
 public:
  Sparse(int ranks, netmodels::Bytes size, double ratio)
      : Plain(ranks, words_of(size, 1)),
        kept_(static_cast<std::size_t>(kernels::kept(ratio, static_cast<std::int64_t>(words())))) {}
  [[nodiscard]] netmodels::Bytes size() const override { return bytes(words()); }
  [[nodiscard]] std::size_t send_words() const override { return 2 * kept_; }

 protected:
  [[nodiscard]] std::size_t kept() const { return kept_; }

 private:
  std::size_t kept_;
};

/// All ranks' values, then all ranks' indices, gathered by all.
class TopKAllGather final : public Sparse {
 public:
  using Sparse::Sparse;
  [[nodiscard]] std::size_t receive_words() const override { return 2 * kept() * ranks(); }
  [[nodiscard]] std::vector<float> expected(int) const override {
    std::vector<float> all(receive_words());
    for (std::size_t rank = 0; rank < ranks(); ++rank) {
      const std::vector<float> own = sent(static_cast<int>(rank));
      for (std::size_t half = 0; half < 2; ++half) {
        const auto from = own.begin() + static_cast<std::ptrdiff_t>(half * kept());
        std::copy_n(from, kept(),
                    all.begin() + static_cast<std::ptrdiff_t>((half * ranks() + rank) * kept()));
      }
    }
    return all;
  }
  void call(const NcclRank& rank) const override {
    for (std::size_t half = 0; half < 2; ++half) {
      rank.library->check(
          rank.library->all_gather(floats(rank.send) + half * kept(),
                                   floats(rank.receive) + half * kept() * ranks(), kept(),
                                   half == 0 ? ncclFloat : ncclInt32, rank.communicator, rank.stream),
          "ncclAllGather");
    }
  }
};

/// Rank 0's indices to all, then the sum of all ranks' values there.
class ArTopK final : public Sparse {
 public:
  using Sparse::Sparse;
  [[nodiscard]] std::size_t receive_words() const override { return 2 * kept(); }
  [[nodiscard]] std::vector<float> expected(int) const override {
    std::vector<float> result = sent(0);
    for (std::size_t i = 0; i < kept(); ++i) result[kept() + i] = sum_at(kept() + i);
    return result;
  }
  void call(const NcclRank& rank) const override {
    rank.library->check(rank.library->broadcast(rank.send.data(), rank.receive.data(), kept(), ncclInt32, 0,
                                                rank.communicator, rank.stream),
                        "ncclBroadcast");
    rank.library->check(rank.library->all_reduce(floats(rank.send) + kept(), floats(rank.receive) + kept(),
                                                 kept(), ncclFloat, ncclSum, rank.communicator, rank.stream),
                        "ncclAllReduce");
  }
};

}  // namespace

std::unique_ptr<NcclExchange> make_exchange(std::string_view operation, int ranks, netmodels::Bytes size,
                                            double ratio) {
  if (operation == "all_reduce") return std::make_unique<AllReduce>(ranks, size);
  if (operation == "all_gather") return std::make_unique<AllGather>(ranks, size);
  if (operation == "reduce_scatter") return std::make_unique<ReduceScatter>(ranks, size);
  if (operation == "broadcast") return std::make_unique<Broadcast>(ranks, size);
  if (operation == "point_to_point") return std::make_unique<PingPong>(size);
  if (operation == "topk_all_gather_messages") return std::make_unique<TopKAllGather>(ranks, size, ratio);
  if (operation == "ar_topk_messages") return std::make_unique<ArTopK>(ranks, size, ratio);
#if GRADSIM_NCCL_COMPRESSES
  if (auto compressed = make_compressed_exchange(operation, ranks, size, ratio)) return compressed;
#endif
  assert(false && "the plan has been checked");
  return nullptr;
}

}  // namespace calibrate::probes
#endif
