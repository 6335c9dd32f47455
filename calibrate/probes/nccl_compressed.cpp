// Gradient exchanges over NCCL with their compression in line, on the rank's device and stream.
#if GRADSIM_HAS_NCCL && GRADSIM_NCCL_COMPRESSES
#include <algorithm>
#include <array>
#include <cmath>

#include "calibrate/probes/mpi_exchange.hpp"
#include "calibrate/probes/nccl_ranks.hpp"
#include "kernels/device_steps.hpp"
#include "kernels/magnitude.hpp"

namespace calibrate::probes {
namespace {

using kernels::DeviceMessage;
using kernels::Index;
using netmodels::Bytes;

constexpr std::size_t bytes_of_value = sizeof(float);

/// State that one rank keeps on its device from call to call.
struct CompressingRank {
  explicit CompressingRank(double ratio) : compressor({.ratio = ratio}) {}

  kernels::DeviceArTopK compressor;  ///< top-k compressor, by its `compress`
  kernels::DeviceWorkspace<float> values;
  kernels::DeviceWorkspace<Index> indices;
};

/// Exchange from a gradient of whole numbers (see `gradient_value`) in the send buffer to the sum in the
/// receive buffer. Error feedback is left out, as in the operations of the same names over MPI.
class Compressed : public NcclExchange {
 public:
  Compressed(int ranks, Bytes size, double ratio)
      : elements_(std::max<std::int64_t>(1, std::llround(size.count / bytes_of_value))),
        kept_(kernels::kept(ratio, elements_)),
        ratio_(ratio),
        on_(static_cast<std::size_t>(ranks)) {}

  [[nodiscard]] Bytes size() const override { return Bytes{static_cast<double>(words() * bytes_of_value)}; }
  [[nodiscard]] std::size_t send_words() const override { return words(); }
  [[nodiscard]] std::size_t receive_words() const override { return words(); }
  [[nodiscard]] std::vector<float> sent(int rank) const override { return gradient_of(rank, words()); }

  /// All memory is allocated here: an allocation waits for the device, and so for the messages of ranks on it
  /// that wait for this one.
  void prepare(const NcclRank& rank) override {
    auto& state = on_[static_cast<std::size_t>(rank.rank)];
    state = std::make_unique<CompressingRank>(ratio_);
    const auto gathered = kept_ * static_cast<std::int64_t>(on_.size());
    state->values.reserve(gathered);
    state->indices.reserve(gathered);
    const DeviceMessage own = state->compressor.compress(gradient(rank), rank.stream);
    copy(own.indices, state->indices.data(), rank);
    (void)state->compressor.compress_at(gradient(rank), state->indices.first(kept_), rank.stream);
    kernels::clear_bytes(rank.receive.data(), receive_words() * bytes_of_value, rank.stream);
    kernels::synchronise(rank.stream);
  }

 protected:
  [[nodiscard]] CompressingRank& state_of(const NcclRank& rank) const {
    return *on_[static_cast<std::size_t>(rank.rank)];
  }
  [[nodiscard]] std::span<const float> gradient(const NcclRank& rank) const {
    return {static_cast<const float*>(rank.send.data()), words()};
  }
  [[nodiscard]] std::span<float> sum(const NcclRank& rank) const {
    return {static_cast<float*>(rank.receive.data()), words()};
  }
  void clear_sum(const NcclRank& rank) const {
    kernels::clear_bytes(rank.receive.data(), words() * bytes_of_value, rank.stream);
  }
  template <class T>
  static void copy(std::span<const T> from, T* to, const NcclRank& rank) {
    kernels::copy_bytes_on_device(from.data(), to, from.size_bytes(), rank.stream);
  }

  [[nodiscard]] std::size_t words() const { return static_cast<std::size_t>(elements_); }
  [[nodiscard]] std::int64_t elements() const { return elements_; }
  [[nodiscard]] std::int64_t kept() const { return kept_; }
  [[nodiscard]] int ranks() const { return static_cast<int>(on_.size()); }
  [[nodiscard]] double ratio() const { return ratio_; }

 private:
  std::int64_t elements_;
  std::int64_t kept_;
  double ratio_;
  std::vector<std::unique_ptr<CompressingRank>> on_;  ///< compressors by rank; those of this process
};

/// Top-k of each rank, all ranks' values and indices gathered by all, and all added.
class CompressedAllGather : public Compressed {
 public:
  using Compressed::Compressed;

  [[nodiscard]] std::vector<float> expected(int) const override {
    return top_k_sum(ranks(), words(), ratio());
  }

  void call(const NcclRank& rank) const override {
    CompressingRank& state = state_of(rank);
    const DeviceMessage own = state.compressor.compress(gradient(rank), rank.stream);
    send(own, state, rank);
    clear_sum(rank);
    for (int from = 0; from < ranks(); ++from) {
      DeviceMessage message = own;  // as many values as this rank's
      message.values = {state.values.data() + from * kept(), own.values.size()};
      message.indices = {state.indices.data() + from * kept(), own.indices.size()};
      state.compressor.accumulate(message, sum(rank), rank.stream);
    }
  }

 protected:
  virtual void send(const DeviceMessage& own, CompressingRank& state, const NcclRank& rank) const {
    gather(own.values.data(), state.values.data(), ncclFloat, rank);
    gather(own.indices.data(), state.indices.data(), ncclUint32, rank);
  }

 private:
  void gather(const void* from, void* to, ncclDataType_t type, const NcclRank& rank) const {
    rank.library->check(rank.library->all_gather(from, to, static_cast<std::size_t>(kept()), type,
                                                 rank.communicator, rank.stream),
                        "ncclAllGather");
  }
};

/// Computing of the same exchange, without messages: the rank's own in place of all ranks'.
class CompressedLocally final : public CompressedAllGather {
 public:
  using CompressedAllGather::CompressedAllGather;

  [[nodiscard]] std::vector<float> expected(int rank) const override {
    const std::vector<float> given = gradient_of(rank, words());
    std::vector<float> found(words());
    kernels::TopK top_k({.ratio = ratio()});
    const kernels::Message message = top_k.compress(given);
    for (int i = 0; i < ranks(); ++i) top_k.accumulate(message, found);
    return found;
  }

 protected:
  void send(const DeviceMessage& own, CompressingRank& state, const NcclRank& rank) const override {
    for (int to = 0; to < ranks(); ++to) {
      copy(own.values, state.values.data() + to * kept(), rank);
      copy(own.indices, state.indices.data() + to * kept(), rank);
    }
  }
};

/// AR-Topk with rank 0 as the broadcaster.
class CompressedArTopK : public Compressed {
 public:
  using Compressed::Compressed;

  [[nodiscard]] std::vector<float> expected(int) const override {
    return ar_top_k_sum(ranks(), words(), ratio());
  }

  void call(const NcclRank& rank) const override {
    CompressingRank& state = state_of(rank);
    const auto count = static_cast<std::size_t>(kept());
    const void* chosen = state.indices.data();
    if (rank.rank == 0) chosen = state.compressor.compress(gradient(rank), rank.stream).indices.data();
    rank.library->check(rank.library->broadcast(chosen, state.indices.data(), count, ncclUint32, 0,
                                                rank.communicator, rank.stream),
                        "ncclBroadcast");
    apply(rank, [&](const float* values) {
      rank.library->check(rank.library->all_reduce(values, state.values.data(), count, ncclFloat, ncclSum,
                                                   rank.communicator, rank.stream),
                          "ncclAllReduce");
    });
  }

 protected:
  /// Values out of the gradient at the indices, and what `reduce` makes of them into the sum.
  template <class Reduce>
  void apply(const NcclRank& rank, const Reduce& reduce) const {
    CompressingRank& state = state_of(rank);
    DeviceMessage message =
        state.compressor.compress_at(gradient(rank), state.indices.first(kept()), rank.stream);
    reduce(message.values.data());
    message.values = state.values.first(kept());
    clear_sum(rank);
    state.compressor.accumulate(message, sum(rank), rank.stream);
  }
};

/// The broadcaster's selection alone.
class SelectedByFirst final : public Compressed {
 public:
  using Compressed::Compressed;

  [[nodiscard]] std::size_t receive_words() const override { return 1; }  // stays 0: there is no result
  [[nodiscard]] std::vector<float> expected(int) const override { return {0}; }
  void call(const NcclRank& rank) const override {
    if (rank.rank == 0) (void)state_of(rank).compressor.compress(gradient(rank), rank.stream);
  }
};

/// Computing of AR-Topk besides the selection, without messages, at each rank's own indices.
class AppliedAlone final : public CompressedArTopK {
 public:
  using CompressedArTopK::CompressedArTopK;

  [[nodiscard]] std::vector<float> expected(int rank) const override {
    const std::vector<float> given = gradient_of(rank, words());
    std::vector<float> found(words());
    kernels::TopK top_k({.ratio = ratio()});
    top_k.accumulate(top_k.compress(given), found);
    return found;
  }
  void call(const NcclRank& rank) const override {
    apply(rank, [&](const float* values) {
      copy(std::span(values, static_cast<std::size_t>(kept())), state_of(rank).values.data(), rank);
    });
  }
};

template <class Made>
std::unique_ptr<NcclExchange> make_one(int ranks, Bytes size, double ratio) {
  return std::make_unique<Made>(ranks, size, ratio);
}

struct CompressedRow {
  std::string_view name;
  std::unique_ptr<NcclExchange> (*make)(int ranks, Bytes size, double ratio);
};

constexpr std::array compressed_rows{
    CompressedRow{"topk_all_gather", make_one<CompressedAllGather>},
    CompressedRow{"ar_topk", make_one<CompressedArTopK>},
    CompressedRow{"topk_all_gather_local", make_one<CompressedLocally>},
    CompressedRow{"ar_topk_select", make_one<SelectedByFirst>},
    CompressedRow{"ar_topk_apply", make_one<AppliedAlone>},
};

}  // namespace

std::unique_ptr<NcclExchange> make_compressed_exchange(std::string_view operation, int ranks, Bytes size,
                                                       double ratio) {
  const auto* row = std::ranges::find(compressed_rows, operation, &CompressedRow::name);
  return row == compressed_rows.end() ? nullptr : row->make(ranks, size, ratio);
}

}  // namespace calibrate::probes
#endif
