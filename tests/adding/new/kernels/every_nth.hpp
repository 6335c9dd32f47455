// Sends every n-th value.
#pragma once

#include "kernels/compressor.hpp"
#include "kernels/workspace.hpp"

namespace kernels {

/// k = kept(ratio, n) values at equal distances.
class EveryNth : public Sparsifier {
 public:
  struct Settings {
    double ratio = 0.01;
    int index_bytes = 4;
  };
  explicit EveryNth(const Settings& settings) : Sparsifier(settings.index_bytes), ratio_(settings.ratio) {}

  Message compress(std::span<const float> vector) override;

 private:
  double ratio_;
  Workspace<Index> indices_;
};

}  // namespace kernels
