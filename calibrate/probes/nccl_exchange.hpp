// One exchange over NCCL: what each rank sends, which calls carry it, and what must come out.
#pragma once

#include <cstdint>
#include <memory>
#include <string_view>
#include <vector>

#include "calibrate/probes/nccl_ranks.hpp"

namespace calibrate::probes {

/// An exchange of one size among N ranks. Values are small whole numbers, so that sums are exact in any
/// order.
class NcclExchange {
 public:
  virtual ~NcclExchange() = default;
  NcclExchange(const NcclExchange&) = delete;
  NcclExchange& operator=(const NcclExchange&) = delete;
  NcclExchange(NcclExchange&&) = delete;
  NcclExchange& operator=(NcclExchange&&) = delete;

  /// As the operation counts it.
  [[nodiscard]] virtual netmodels::Bytes size() const = 0;
  /// 4-byte words of the buffers of one rank.
  [[nodiscard]] virtual std::size_t send_words() const = 0;
  [[nodiscard]] virtual std::size_t receive_words() const = 0;
  /// What a rank sends, and what it must have in the end.
  [[nodiscard]] virtual std::vector<float> sent(int rank) const = 0;
  [[nodiscard]] virtual std::vector<float> expected(int rank) const = 0;
  /// The calls, on the rank's stream.
  virtual void call(const NcclRank& rank) const = 0;

 protected:
  NcclExchange() = default;
};

/// @param operation  a row of `nccl_operations`
/// @param size       as the operation counts it; rounded to whole elements of every rank, at least one each
/// @param ratio      kept / original, of the sparse ones
std::unique_ptr<NcclExchange> make_exchange(std::string_view operation, int ranks, netmodels::Bytes size,
                                            double ratio);

}  // namespace calibrate::probes
