// Workers at their own pace whose models a server merges (Decoupled DiLoCo).
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "netmodels/result.hpp"
#include "policies/decoupled_diloco.hpp"
#include "sim/engine/cluster_cache.hpp"
#include "sim/engine/flows.hpp"
#include "sim/engine/membership.hpp"
#include "sim/engine/network_timeline.hpp"
#include "sim/engine/own_pace.hpp"
#include "sim/engine/stragglers.hpp"

namespace sim::engine {

/// The clocks of workers and merges as `policies::DecoupledDiLoCo` describes them. All messages share the
/// links max-min fairly. Messages to the server are compressed as the scenario says, which keeps the worker
/// from computing for as long; merged fragments are sent as they are, 4 bytes a value.
///
/// Workers leave and return by schedule and churn: one that leaves finishes its step, and its part of a
/// sharded server stays; one that returns first downloads parameters and optimizer states from another,
/// beside all other traffic, and then takes part.
///
/// With `parallelism.site` a worker here is a site: its workers take a step together, as long as the slowest
/// of them and what nothing hides of their own exchanges, and its first worker's link carries its messages,
/// of which each worker codes a share.
///
/// Leaves out: the server's own additions; the few bytes by which workers say how far they are; how what is
/// merged spreads inside a site.
class Decoupled final : public OwnPace {
 public:
  /// @param scenario  outlives this
  /// @returns the training, or an Error when the cluster cannot be built as stated
  static netmodels::Result<std::unique_ptr<Decoupled>> make(const scenario::Scenario& scenario,
                                                            ClusterCache& clusters);

  std::optional<Push> next(const Told& told) override;
  [[nodiscard]] netmodels::Seconds now() const override { return flows_.now(); }
  [[nodiscard]] NetworkTimeline& network() override { return network_; }
  [[nodiscard]] const Platform& platform() const override { return cluster_->platform(); }
  void arrive(std::int64_t step, double epoch) override {
    network_.advance(flows_.now(), step, epoch);
    stragglers_.arrive(flows_.now(), step, epoch);
  }
  void set_batches(const std::vector<int>& samples) override;
  [[nodiscard]] std::size_t workers() const override { return workers_.size(); }
  [[nodiscard]] std::string_view exchange() const override { return "merge"; }
  [[nodiscard]] std::string summary() const override;

 private:
  enum class Doing { computing, stepped, downloading, away };
  struct Worker {
    Doing doing = Doing::stepped;
    std::int64_t steps = 0;          ///< made
    double progress_at_launch = 0;   ///< of the last merge
    netmodels::Seconds began;        ///< its step
    netmodels::Seconds until;        ///< it ends
    Parts parts;                     ///< since the step before
    netmodels::Seconds compute;      ///< of its passes
    netmodels::Seconds compressing;  ///< to do before the next step
    int samples = 1;                 ///< of its batch
    /// Since it last took each fragment.
    struct Since {
      std::int64_t steps = 0;
      std::int64_t samples = 0;
    };
    std::vector<Since> since;
    std::vector<std::int64_t> arrived;  ///< fragments, to be taken after this step
  };
  /// Messages of one worker that are under way: one to or from each host of the server that is not its own.
  struct Sent {
    std::uint32_t worker;
    std::size_t messages;
    double weight = 0;  ///< of its change
  };
  struct Round {
    std::int64_t fragment;
    netmodels::Seconds launched;
    std::vector<Sent> asked;
    std::vector<learning::learners::Offered> offers;  ///< that have arrived whole
    std::optional<netmodels::Seconds> closes;         ///< once the quorum is there
    std::optional<netmodels::Seconds> merged;
    std::vector<Sent> receiving;  ///< the workers that do not have it yet
    std::size_t to_be_taken = 0;  ///< by workers that have it
  };
  struct Message {
    enum class Kind { offer, result, download } kind;
    std::uint32_t worker;
    std::int64_t round = 0;  ///< its number
  };

  /// The step of a site whose workers all have nominal speed.
  struct SiteStep {
    netmodels::Seconds compute;
    Parts exchange;         ///< inside it that nothing hides, with compressing
    netmodels::Bytes sent;  ///< by all of its workers
  };

  static netmodels::Result<SiteStep> site_step_of(const scenario::Scenario& scenario, ClusterCache& clusters);
  Decoupled(const scenario::Scenario& scenario, const SiteStep& step, std::shared_ptr<SharedCluster> cluster,
            NetworkTimeline network);

  void start_step(std::uint32_t worker);
  Push finish_step(std::uint32_t worker);
  /// What follows a step whose gradient the caller has seen to.
  void go_on(const Told& told);
  void take_arrived(std::uint32_t worker, const Told& told);
  void leave(std::uint32_t worker, const Told& told);
  void welcome_returned(const Told& told);
  void join(std::uint32_t worker, const Told& told);
  void launch(const Told& told);
  [[nodiscard]] bool is_due() const;
  /// Steps made, with the part that is made of the one under way.
  [[nodiscard]] double progress(const Worker& worker) const;
  void offer(std::uint32_t worker, std::int64_t number, Round& round, const Told& told);
  void receive(const Message& message, const Told& told);
  void receive_offer(std::uint32_t worker, std::int64_t number, Round& round, const Told& told);
  void merge(std::int64_t number, Round& round, const Told& told);
  void close_due_rounds(const Told& told);
  void forget_finished_rounds();
  [[nodiscard]] netmodels::Seconds grace(const Round& round) const;

  [[nodiscard]] bool takes_part(const Worker& worker) const {
    return worker.doing == Doing::computing || worker.doing == Doing::stepped;
  }
  [[nodiscard]] std::vector<std::uint32_t> taking_part() const;
  [[nodiscard]] std::int64_t values_of(std::int64_t fragment) const;
  [[nodiscard]] netmodels::Bytes offered_bytes(std::int64_t fragment) const;
  /// The hosts of the server other than the worker's.
  [[nodiscard]] std::vector<std::uint32_t> hosts_beside(std::uint32_t worker) const;
  void send(const Message& message, std::uint32_t from, std::uint32_t to, netmodels::Bytes size,
            netmodels::Seconds after = {});
  /// The next moment at which anything but a message happens; nothing where nothing does.
  [[nodiscard]] std::optional<netmodels::Seconds> next_moment() const;
  [[nodiscard]] std::optional<std::uint32_t> next_to_step() const;

  const scenario::Scenario& scenario_;
  policies::MergingServer server_;
  scenario::Training training_;  ///< with the batches of now
  std::shared_ptr<SharedCluster> cluster_;
  NetworkTimeline network_;
  Stragglers stragglers_;
  Membership membership_;
  Flows flows_;
  std::uint32_t site_;                ///< workers of the cluster that are one here
  std::vector<std::uint32_t> hosts_;  ///< of the server, in the numbers of workers here
  SiteStep step_;
  std::vector<Worker> workers_;
  std::map<std::int64_t, Round> rounds_;  ///< that are not over, by number
  std::int64_t launched_ = 0;
  std::map<std::uint64_t, Message> messages_;  ///< under way, by key
  std::uint64_t keys_ = 0;
  netmodels::Bytes sent_;                        ///< that no gradient has counted yet
  std::optional<netmodels::Seconds> last_sync_;  ///< from a merge until all had it
  std::int64_t merges_ = 0;
  std::int64_t merged_messages_ = 0;
  std::int64_t late_messages_ = 0;
};

}  // namespace sim::engine
