// Begin of a worker's passes.
#include "learning/datasets/sampler.hpp"

#include <cassert>
#include <span>
#include <utility>

#include "learning/datasets/streams.hpp"

namespace learning::datasets {

Sampler::Sampler(std::shared_ptr<const Shards> shards, std::uint32_t worker, std::uint64_t seed)
    : shards_(std::move(shards)), worker_(worker), seed_(seed) {
  assert(worker_ < shards_->workers());
  begin_pass(0);
}

void Sampler::begin_pass(std::uint64_t pass) {
  const std::uint64_t number = shards_->circular() ? (worker_ + pass) % shards_->workers() : worker_;
  const std::span<const std::uint32_t> chunk = shards_->chunk(static_cast<std::uint32_t>(number));
  std::vector<std::uint32_t> order(chunk.begin(), chunk.end());
  shuffle(order, stream_for(Purpose::order, seed_, worker_, pass));
  order_ = std::make_shared<const std::vector<std::uint32_t>>(std::move(order));
  pass_ = pass;
  place_ = 0;
}

}  // namespace learning::datasets
