// MPI's collectives and the sparse gradient exchanges built of them, on separate buffers.
#include "calibrate/probes/mpi_exchange.hpp"

#if GRADSIM_HAS_MPI
#include <algorithm>
#include <array>
#include <cassert>
#include <cstring>
#include <memory>
#include <mpi.h>
#include <numeric>
#include <span>
#include <string_view>
#include <vector>

#include "kernels/ar_topk.hpp"
#include "kernels/magnitude.hpp"
#include "kernels/top_k.hpp"

namespace calibrate::probes {
namespace {

using netmodels::Bytes;
using netmodels::Result;

constexpr std::size_t value_bytes = sizeof(float);

std::size_t values_in(Bytes size) { return static_cast<std::size_t>(size.count) / value_bytes; }
Bytes bytes_of(std::size_t values) { return {static_cast<double>(values * value_bytes)}; }
int count_of(std::size_t values) {
  return static_cast<int>(values);
}  // values of 4 bytes: at most 2^28, see `read_sizes`

/// Buffers that the closures of one exchange share.
struct Buffers {
  std::vector<float> given;
  std::vector<float> got;
};

struct Request {
  std::size_t values;
  double ratio;
  MpiPlace place;
};

MpiExchange point_to_point(const Request& request) {
  auto buffers = std::make_shared<Buffers>();
  const auto [rank, ranks] = request.place;
  buffers->given = gradient_of(rank, request.values);
  buffers->got.resize(request.values);
  const int count = count_of(request.values);
  MpiExchange exchange{bytes_of(request.values), 2, {}, {}};
  exchange.run = [buffers, rank = rank, count] {
    if (rank > 1) return;
    const auto send = [&] { MPI_Send(buffers->given.data(), count, MPI_FLOAT, 1 - rank, 0, MPI_COMM_WORLD); };
    if (rank == 0) send();
    MPI_Recv(buffers->got.data(), count, MPI_FLOAT, 1 - rank, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    if (rank == 1) send();
  };
  exchange.verify = [buffers, rank = rank]() -> Result<void> {
    if (rank > 1) return {};
    return compare(gradient_of(1 - rank, buffers->got.size()), buffers->got);
  };
  return exchange;
}

MpiExchange all_reduce(const Request& request) {
  auto buffers = std::make_shared<Buffers>();
  buffers->given = gradient_of(request.place.rank, request.values);
  buffers->got.resize(request.values);
  MpiExchange exchange{bytes_of(request.values), 1, {}, {}};
  exchange.run = [buffers] {
    MPI_Allreduce(buffers->given.data(), buffers->got.data(), count_of(buffers->got.size()), MPI_FLOAT,
                  MPI_SUM, MPI_COMM_WORLD);
  };
  exchange.verify = [buffers, ranks = request.place.ranks] {
    return compare(dense_sum(ranks, buffers->got.size()), buffers->got);
  };
  return exchange;
}

/// The result of an all-gather of these parts on every rank.
std::vector<float> all_parts(std::span<const int> parts) {
  std::vector<float> whole;
  for (std::size_t rank = 0; rank < parts.size(); ++rank) {
    const auto part = gradient_of(static_cast<int>(rank), static_cast<std::size_t>(parts[rank]));
    whole.insert(whole.end(), part.begin(), part.end());
  }
  return whole;
}

MpiExchange all_gather(const Request& request) {
  auto buffers = std::make_shared<Buffers>();
  const auto ranks = static_cast<std::size_t>(request.place.ranks);
  const std::size_t part = std::max<std::size_t>(1, request.values / ranks);
  buffers->given = gradient_of(request.place.rank, part);
  buffers->got.resize(part * ranks);
  MpiExchange exchange{bytes_of(part * ranks), 1, {}, {}};
  exchange.run = [buffers, count = count_of(part)] {
    MPI_Allgather(buffers->given.data(), count, MPI_FLOAT, buffers->got.data(), count, MPI_FLOAT,
                  MPI_COMM_WORLD);
  };
  exchange.verify = [buffers, ranks, count = count_of(part)] {
    return compare(all_parts(std::vector<int>(ranks, count)), buffers->got);
  };
  return exchange;
}

MpiExchange all_gatherv(const Request& request) {
  auto buffers = std::make_shared<Buffers>();
  const std::vector<int> parts = unequal_parts(request.place.ranks, request.values);
  std::vector<int> starts(parts.size());
  std::exclusive_scan(parts.begin(), parts.end(), starts.begin(), 0);
  const auto own = static_cast<std::size_t>(parts[static_cast<std::size_t>(request.place.rank)]);
  buffers->given = gradient_of(request.place.rank, own);
  buffers->got.resize(static_cast<std::size_t>(starts.back() + parts.back()));
  MpiExchange exchange{bytes_of(buffers->got.size()), 1, {}, {}};
  exchange.run = [buffers, parts, starts] {
    MPI_Allgatherv(buffers->given.data(), count_of(buffers->given.size()), MPI_FLOAT, buffers->got.data(),
                   parts.data(), starts.data(), MPI_FLOAT, MPI_COMM_WORLD);
  };
  exchange.verify = [buffers, parts] { return compare(all_parts(parts), buffers->got); };
  return exchange;
}

MpiExchange broadcast(const Request& request) {
  auto buffers = std::make_shared<Buffers>();
  buffers->got = gradient_of(request.place.rank, request.values);
  MpiExchange exchange{bytes_of(request.values), 1, {}, {}};
  exchange.run = [buffers] {
    MPI_Bcast(buffers->got.data(), count_of(buffers->got.size()), MPI_FLOAT, 0, MPI_COMM_WORLD);
  };
  exchange.verify = [buffers] { return compare(gradient_of(0, buffers->got.size()), buffers->got); };
  return exchange;
}

MpiExchange reduce(const Request& request) {
  auto buffers = std::make_shared<Buffers>();
  buffers->given = gradient_of(request.place.rank, request.values);
  buffers->got.resize(request.values);
  MpiExchange exchange{bytes_of(request.values), 1, {}, {}};
  exchange.run = [buffers] {
    MPI_Reduce(buffers->given.data(), buffers->got.data(), count_of(buffers->got.size()), MPI_FLOAT, MPI_SUM,
               0, MPI_COMM_WORLD);
  };
  exchange.verify = [buffers, place = request.place]() -> Result<void> {
    if (place.rank != 0) return {};
    return compare(dense_sum(place.ranks, buffers->got.size()), buffers->got);
  };
  return exchange;
}

MpiExchange gather(const Request& request) {
  auto buffers = std::make_shared<Buffers>();
  const auto ranks = static_cast<std::size_t>(request.place.ranks);
  const std::size_t part = std::max<std::size_t>(1, request.values / ranks);
  buffers->given = gradient_of(request.place.rank, part);
  buffers->got.resize(part * ranks);
  MpiExchange exchange{bytes_of(part * ranks), 1, {}, {}};
  exchange.run = [buffers, count = count_of(part)] {
    MPI_Gather(buffers->given.data(), count, MPI_FLOAT, buffers->got.data(), count, MPI_FLOAT, 0,
               MPI_COMM_WORLD);
  };
  exchange.verify = [buffers, ranks, rank = request.place.rank, count = count_of(part)]() -> Result<void> {
    if (rank != 0) return {};
    return compare(all_parts(std::vector<int>(ranks, count)), buffers->got);
  };
  return exchange;
}

MpiExchange scatter(const Request& request) {
  auto buffers = std::make_shared<Buffers>();
  const auto ranks = static_cast<std::size_t>(request.place.ranks);
  const std::size_t part = std::max<std::size_t>(1, request.values / ranks);
  if (request.place.rank == 0) buffers->given = all_parts(std::vector<int>(ranks, count_of(part)));
  buffers->got.resize(part);
  MpiExchange exchange{bytes_of(part * ranks), 1, {}, {}};
  exchange.run = [buffers, count = count_of(part)] {
    MPI_Scatter(buffers->given.data(), count, MPI_FLOAT, buffers->got.data(), count, MPI_FLOAT, 0,
                MPI_COMM_WORLD);
  };
  exchange.verify = [buffers, rank = request.place.rank] {
    return compare(gradient_of(rank, buffers->got.size()), buffers->got);
  };
  return exchange;
}

/// Top-k of each rank as one all-gather of k values followed by k indices.
class TopKExchange {
 public:
  TopKExchange(const Request& request, bool sends)
      : gradient_(gradient_of(request.place.rank, request.values)),
        sum_(request.values),
        top_k_({.ratio = request.ratio}),
        kept_(static_cast<std::size_t>(
            kernels::kept(request.ratio, static_cast<std::int64_t>(request.values)))),
        own_(kept_ * pair_bytes),
        all_(own_.size() * static_cast<std::size_t>(request.place.ranks)),
        sends_(sends) {}

  void run() {
    const kernels::Message message = top_k_.compress(gradient_);
    std::memcpy(own_.data(), message.values.data(), kept_ * value_bytes);
    std::memcpy(own_.data() + kept_ * value_bytes, message.indices.data(), kept_ * sizeof(kernels::Index));
    if (sends_) {
      const int count = pair_words(kept_);  // bytes would be too many for an int from 1 GiB of pairs on
      MPI_Allgather(own_.data(), count, MPI_UINT32_T, all_.data(), count, MPI_UINT32_T, MPI_COMM_WORLD);
    } else {
      for (std::size_t at = 0; at < all_.size(); at += own_.size())
        std::memcpy(all_.data() + at, own_.data(), own_.size());
    }
    std::ranges::fill(sum_, 0.0F);
    for (std::size_t at = 0; at < all_.size(); at += own_.size()) scatter_add(all_.data() + at);
  }

  [[nodiscard]] const std::vector<float>& sum() const { return sum_; }

 private:
  static constexpr std::size_t pair_bytes = value_bytes + sizeof(kernels::Index);

  void scatter_add(const std::byte* pairs) {
    kernels::Message message;
    message.elements = static_cast<std::int64_t>(sum_.size());
    message.values = {reinterpret_cast<const float*>(pairs), kept_};
    message.indices = {reinterpret_cast<const kernels::Index*>(pairs + kept_ * value_bytes), kept_};
    top_k_.accumulate(message, sum_);
  }

  std::vector<float> gradient_;
  std::vector<float> sum_;
  kernels::TopK top_k_;
  std::size_t kept_;
  std::vector<std::byte> own_;
  std::vector<std::byte> all_;
  bool sends_;
};

/// AR-Topk with rank 0 as the broadcaster.
class ArTopKExchange {
 public:
  ArTopKExchange(const Request& request, bool sends)
      : gradient_(gradient_of(request.place.rank, request.values)),
        sum_(request.values),
        ar_top_k_({.ratio = request.ratio}),
        broadcaster_(request.place.rank == 0) {
    const auto first = gradient_of(0, request.values);
    const auto chosen = ar_top_k_.compress(first).indices;
    indices_.assign(chosen.begin(), chosen.end());  // for runs that do not select
    if (sends) std::ranges::fill(indices_, 0U);
    values_.resize(indices_.size());
  }

  void run() {
    select();
    MPI_Bcast(indices_.data(), count_of(indices_.size()), MPI_UINT32_T, 0, MPI_COMM_WORLD);
    kernels::Message message = ar_top_k_.compress_at(gradient_, indices_);
    MPI_Allreduce(message.values.data(), values_.data(), count_of(indices_.size()), MPI_FLOAT, MPI_SUM,
                  MPI_COMM_WORLD);
    write_sums(message, values_);
  }

  void select() {
    if (!broadcaster_) return;
    std::ranges::copy(ar_top_k_.compress(gradient_).indices, indices_.begin());
  }

  /// Does what is left besides the selection: values out of the gradient, sums into it.
  void apply() {
    kernels::Message message = ar_top_k_.compress_at(gradient_, indices_);
    std::ranges::copy(message.values, values_.begin());
    write_sums(message, values_);
  }

  [[nodiscard]] const std::vector<float>& sum() const { return sum_; }

 private:
  void write_sums(kernels::Message& message, std::span<const float> sums) {
    std::ranges::fill(sum_, 0.0F);
    message.values = sums;
    message.indices = indices_;
    ar_top_k_.accumulate(message, sum_);
  }

  std::vector<float> gradient_;
  std::vector<float> sum_;
  kernels::ArTopK ar_top_k_;
  std::vector<kernels::Index> indices_;
  std::vector<float> values_;
  bool broadcaster_;
};

MpiExchange top_k_all_gather(const Request& request) {
  auto sparse = std::make_shared<TopKExchange>(request, true);
  MpiExchange exchange{bytes_of(request.values), 1, [sparse] { sparse->run(); }, {}};
  exchange.verify = [sparse, request] {
    return compare(top_k_sum(request.place.ranks, request.values, request.ratio), sparse->sum());
  };
  return exchange;
}

MpiExchange ar_top_k(const Request& request) {
  auto sparse = std::make_shared<ArTopKExchange>(request, true);
  MpiExchange exchange{bytes_of(request.values), 1, [sparse] { sparse->run(); }, {}};
  exchange.verify = [sparse, request] {
    return compare(ar_top_k_sum(request.place.ranks, request.values, request.ratio), sparse->sum());
  };
  return exchange;
}

/// An operation that sends nothing has no sum over ranks to verify.
MpiExchange unverified(const Request& request, std::function<void()> run) {
  return {bytes_of(request.values), 1, std::move(run), [] { return Result<void>(); }};
}

MpiExchange top_k_all_gather_local(const Request& request) {
  auto sparse = std::make_shared<TopKExchange>(request, false);
  return unverified(request, [sparse] { sparse->run(); });
}

MpiExchange ar_top_k_select(const Request& request) {
  auto sparse = std::make_shared<ArTopKExchange>(request, false);
  return unverified(request, [sparse] { sparse->select(); });
}

MpiExchange ar_top_k_apply(const Request& request) {
  auto sparse = std::make_shared<ArTopKExchange>(request, false);
  return unverified(request, [sparse] { sparse->apply(); });
}

struct Maker {
  std::string_view name;
  MpiExchange (*make)(const Request&);
};

constexpr std::array makers{
    Maker{"point_to_point", point_to_point},
    Maker{"all_reduce", all_reduce},
    Maker{"all_gather", all_gather},
    Maker{"all_gatherv", all_gatherv},
    Maker{"broadcast", broadcast},
    Maker{"reduce", reduce},
    Maker{"gather", gather},
    Maker{"scatter", scatter},
    Maker{"topk_all_gather", top_k_all_gather},
    Maker{"ar_topk", ar_top_k},
    Maker{"topk_all_gather_local", top_k_all_gather_local},
    Maker{"ar_topk_select", ar_top_k_select},
    Maker{"ar_topk_apply", ar_top_k_apply},
};

}  // namespace

MpiExchange make_mpi_exchange(const MpiRow& row, Bytes size, double ratio, MpiPlace place) {
  const auto* maker = std::ranges::find(makers, row.name, &Maker::name);
  assert(maker != makers.end());
  return maker->make({values_in(size), ratio, place});
}

}  // namespace calibrate::probes
#endif
