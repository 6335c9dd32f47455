// The entry of the module with SimGrid.
#include "sim/engine/simgrid/network.hpp"

namespace sim::engine {
namespace {

class LoadedSimGrid : public SimGrid {
 public:
  [[nodiscard]] std::unique_ptr<SimGridNetwork> build(const ZonePlan& plan) const override {
    return std::make_unique<EngineNetwork>(plan);
  }
  [[nodiscard]] std::unique_ptr<SimGridNetwork> load(const std::string& path) const override {
    return std::make_unique<EngineNetwork>(path);
  }
  [[nodiscard]] netmodels::Result<void> try_file(const std::string& path,
                                                 const ChooseHosts& choose_hosts) const override {
    return try_platform_file(path, choose_hosts);
  }
};

}  // namespace
}  // namespace sim::engine

extern "C" const sim::engine::SimGrid* gradsim_module();
extern "C" const sim::engine::SimGrid* gradsim_module() {
  static const sim::engine::LoadedSimGrid module;
  return &module;
}
