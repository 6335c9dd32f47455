// Flows on SimGrid, started by timers when their latency is paid.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "sim/engine/simgrid/network.hpp"

namespace sim::engine {

/// See `SimGridEvaluator`.
class EngineTransfers : public SimGridTransfers {
 public:
  /// @param network  outlives this
  EngineTransfers(const EngineNetwork& network, SimGridFlowModel model);
  ~EngineTransfers() override;
  EngineTransfers(const EngineTransfers&) = delete;
  EngineTransfers& operator=(const EngineTransfers&) = delete;

  [[nodiscard]] netmodels::Result<netmodels::Evaluation> evaluate(
      const netmodels::Schedule& schedule, const std::vector<std::uint32_t>& workers,
      const netmodels::NetworkState& state) override;

 private:
  class Links;
  class Run;
  const EngineNetwork& network_;
  SimGridFlowModel model_;
  std::unique_ptr<Links> links_;
};

}  // namespace sim::engine
