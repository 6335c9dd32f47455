// Workers at their own pace whose models a server merges (Decoupled DiLoCo).
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "netmodels/result.hpp"
#include "policies/decoupled_diloco.hpp"
#include "sim/engine/cluster_cache.hpp"
#include "sim/engine/flows.hpp"
#include "sim/engine/membership.hpp"
#include "sim/engine/network_timeline.hpp"
#include "sim/engine/own_pace.hpp"
#include "sim/engine/step_settings.hpp"
#include "sim/engine/stragglers.hpp"

namespace sim::engine {

class StepSimulator;

/// The clocks of workers and merges as `policies::DecoupledDiLoCo` describes them. All messages share the
/// links max-min fairly. Messages to the server are compressed as the scenario says, which keeps the worker
/// from computing for as long; merged fragments are sent as they are, 4 bytes a value.
///
/// Workers leave and return by schedule and churn: one that leaves finishes its step, and its part of a
/// sharded server stays. One that returns first downloads parameters and optimizer states from the next
/// worker that takes part, as if there was no other traffic; where there is none, it resumes with its own.
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

  std::optional<Push> next(const PaceListener& listener) override;
  [[nodiscard]] netmodels::Seconds now() const override { return flows_.now(); }
  [[nodiscard]] NetworkTimeline& network() override { return network_; }
  [[nodiscard]] const Platform& platform() const override { return cluster_->platform(); }
  void arrive(std::int64_t step, double epoch) override {
    network_.advance(flows_.now(), step, epoch);
    stragglers_.arrive(flows_.now(), step, epoch);
  }
  void set_batches(const std::vector<int>& samples) override;
  [[nodiscard]] std::size_t workers() const override { return workers_.size(); }
  [[nodiscard]] std::size_t present() const override { return taking_part().size(); }
  [[nodiscard]] std::string_view exchange() const override { return "merge"; }
  [[nodiscard]] std::optional<MergingResult> merging() const override;

 private:
  enum class Doing { computing, stepped, downloading, away };
  struct Worker {
    Doing doing = Doing::stepped;
    std::int64_t steps = 0;          ///< made
    double progress_at_launch = 0;   ///< of the last merge
    netmodels::Seconds began;        ///< its step
    netmodels::Seconds until;        ///< it ends; or the download does
    Parts parts;                     ///< of its step
    netmodels::Seconds compute;      ///< of its passes
    netmodels::Seconds compressing;  ///< to do before the next step
    int samples = 1;                 ///< of its batch
    /// What it has of a fragment.
    struct Held {
      std::int64_t version = 0;  ///< merges of the fragment that it has
      std::int64_t steps = 0;    ///< since it received that
      std::int64_t samples = 0;
    };
    std::vector<Held> held;  ///< by fragment
    struct Arrived {
      std::int64_t fragment;
      std::int64_t version;
    };
    std::vector<Arrived> arrived;  ///< to be received after this step
    std::uint32_t source = 0;      ///< downloading: whose model
  };
  /// A merge from its launch until it is made.
  struct Round {
    std::int64_t fragment;
    netmodels::Seconds launched;
    std::size_t asked = 0;                            ///< workers
    std::vector<learning::learners::Offered> offers;  ///< that have arrived whole
    std::optional<netmodels::Seconds> closes;         ///< once the quorum is there
  };
  /// A worker's message to the server, in one part for each host of it that is not the worker's own.
  struct Offer {
    std::size_t parts;
    double weight;
  };
  /// A merged fragment on its way to a worker, likewise.
  struct Answer {
    std::uint64_t number;  ///< of this answer, among all
    std::int64_t version;
    std::size_t parts;
  };
  struct Message {
    enum class Kind { offer, answer } kind;
    std::uint32_t worker;
    std::int64_t round = 0;     ///< offer: its number
    std::int64_t fragment = 0;  ///< answer
    std::uint64_t number = 0;   ///< answer
  };
  /// The step of a site whose workers all have nominal speed.
  struct SiteStep {
    netmodels::Seconds compute;
    Parts exposed;          ///< of its own exchanges
    netmodels::Bytes sent;  ///< by all of its workers
  };
  /// The last merge, for the time that it takes to reach the quorum.
  struct LastMerge {
    std::int64_t fragment = 0;
    std::int64_t version = 0;
    netmodels::Seconds at;
    std::int64_t reached = 0;  ///< workers
  };

  /// @param simulator  of the sites' own steps
  static netmodels::Result<SiteStep> site_step_of(StepSimulator& simulator);
  Decoupled(const StepSettings& settings, const SiteStep& step, Stragglers stragglers, Membership membership,
            RunNetwork network);

  void start_step(std::uint32_t worker);
  Push finish_step(std::uint32_t worker);
  /// What follows a step whose gradient the caller has seen to.
  void go_on(const PaceListener& listener);
  void receive_arrived(std::uint32_t worker, const PaceListener& listener);
  void leave(std::uint32_t worker, const PaceListener& listener);
  void welcome_returned(const PaceListener& listener);
  void end_downloads(const PaceListener& listener);
  [[nodiscard]] netmodels::Seconds download_time(std::uint32_t from, std::uint32_t to);
  /// @param source  whose model it has; nothing: its own
  void join(std::uint32_t worker, std::optional<std::uint32_t> source, const PaceListener& listener);
  void launch(const PaceListener& listener);
  [[nodiscard]] bool is_due() const;
  /// Whether the worker can send a change of the fragment since its last merge.
  [[nodiscard]] bool can_offer(const Worker& worker, std::int64_t fragment) const;
  /// Steps made, with the part that is made of the one under way.
  [[nodiscard]] double progress(const Worker& worker) const;
  void offer(std::uint32_t worker, std::int64_t round, const PaceListener& listener);
  void receive(const Message& message, const PaceListener& listener);
  void receive_offer(std::uint32_t worker, std::int64_t round, double weight, const PaceListener& listener);
  void merge(std::int64_t round, const PaceListener& listener);
  /// Sends the worker what was merged last, unless an earlier answer is still under way or not yet received.
  void answer(std::uint32_t worker, std::int64_t fragment, const PaceListener& listener);
  void arrive_at(std::uint32_t worker, std::int64_t fragment, std::int64_t version);
  void close_due_rounds(const PaceListener& listener);
  [[nodiscard]] netmodels::Seconds grace(const Round& round) const;

  [[nodiscard]] bool takes_part(const Worker& worker) const {
    return worker.doing == Doing::computing || worker.doing == Doing::stepped;
  }
  [[nodiscard]] std::vector<std::uint32_t> taking_part() const;
  [[nodiscard]] std::int64_t values_of(std::int64_t fragment) const;
  /// Event of a worker that left or returned.
  [[nodiscard]] Reason note_of(ReasonKind kind, std::uint32_t number) const;
  [[nodiscard]] netmodels::Bytes offered_bytes(std::int64_t fragment) const;
  /// The hosts of the server other than the worker's.
  [[nodiscard]] std::vector<std::uint32_t> hosts_beside(std::uint32_t worker) const;
  void send(const Message& message, std::uint32_t from, std::uint32_t to, netmodels::Bytes size,
            netmodels::Seconds after = {});
  /// The next moment at which anything but a message happens; nothing where nothing does.
  [[nodiscard]] std::optional<netmodels::Seconds> next_moment() const;
  [[nodiscard]] std::optional<std::uint32_t> next_to_step() const;

  policies::MergingServer server_;
  CompressionCosts costs_;        ///< size of what workers send
  std::int64_t parameters_;       ///< values of the model
  netmodels::Bytes states_;       ///< size of a model that a worker downloads when it returns
  std::string_view member_name_;  ///< name of a worker here: "worker" or "node"
  scenario::Training training_;   ///< with the batches of now
  std::shared_ptr<SharedCluster> cluster_;
  NetworkTimeline network_;
  Stragglers stragglers_;
  Membership membership_;
  Flows flows_;
  std::uint32_t site_;                ///< workers of the cluster that are one here
  std::vector<std::uint32_t> hosts_;  ///< of the server, in the numbers of workers here
  SiteStep step_;
  std::vector<Worker> workers_;
  std::vector<std::int64_t> versions_;    ///< merges of each fragment
  std::map<std::int64_t, Round> rounds_;  ///< that are not merged, by number
  std::int64_t launched_ = 0;
  std::map<std::pair<std::int64_t, std::uint32_t>, Offer> offers_;    ///< under way, by round and worker
  std::map<std::pair<std::uint32_t, std::int64_t>, Answer> answers_;  ///< likewise, by worker and fragment
  std::map<std::uint64_t, Message> messages_;                         ///< likewise, by key
  std::uint64_t keys_ = 0;
  std::uint64_t answered_ = 0;
  netmodels::Bytes sent_;    ///< that no gradient has counted yet
  netmodels::Seconds busy_;  ///< likewise: the network at work
  LastMerge last_merge_;
  netmodels::Seconds last_sync_;  ///< from a merge until the quorum had it
  std::int64_t merges_ = 0;
  std::int64_t merged_offers_ = 0;
  std::int64_t late_offers_ = 0;
  double steps_ = 0;  ///< of a worker that takes part, on average
};

}  // namespace sim::engine
