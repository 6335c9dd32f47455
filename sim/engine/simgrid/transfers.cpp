// Messages become flows, and their latencies timers.
#include "sim/engine/simgrid/transfers.hpp"

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <map>
#include <optional>
#include <utility>
#include <vector>

#include <simgrid/kernel/Timer.hpp>
#include <simgrid/kernel/resource/Action.hpp>
#include <simgrid/kernel/resource/Model.hpp>
#include <simgrid/kernel/resource/NetworkModelIntf.hpp>
#include <simgrid/s4u.hpp>

#include "netmodels/link_history.hpp"
#include "sim/engine/simgrid/message_order.hpp"

namespace sim::engine {

namespace sg4 = simgrid::s4u;
using netmodels::Bandwidth;
using netmodels::Evaluation;
using netmodels::LinkId;
using netmodels::NetworkState;
using netmodels::Result;
using netmodels::Seconds;

namespace {

// SimGrid counts payload in whole bytes; counted in 2^-20 bytes, chunks of fractional bytes keep nine
// digits.
constexpr double finest_grain = 1048576;
constexpr double most_payload = 4e18;  // below 2^63
// Above every bandwidth; the solver reads the actual table through the links' callbacks.
constexpr double peak = 1e24;
constexpr double slowest = 1e-6;  // bound of a flow on links that are down, above 0 for SimGrid

/// Completion callbacks cannot be taken back, so one stays registered and looks up the running schedule.
class Completions {
 public:
  using Listener = std::function<void(const sg4::Activity&)>;

  static void listen(Listener listener) {
    static const bool registered = [] {
      sg4::Activity::on_completion_cb([](const sg4::Activity& activity) {
        if (current()) current()(activity);
      });
      return true;
    }();
    (void)registered;
    current() = std::move(listener);
  }

 private:
  static Listener& current() {
    static Listener listener;
    return listener;
  }
};

}  // namespace

/// The bandwidths that the solver sees, in grains per second.
class EngineTransfers::Links {
 public:
  Links(const EngineNetwork& network, const SimGridFlowModel& model)
      : network_(network), tcp_(model.tcp), bandwidth_(model.nominal.size()) {
    for (LinkId id = 0; id < bandwidth_.size(); ++id) {
      sg4::Link* link = network.link(id);
      bandwidth_[id] = model.nominal[id].count * grain_;
      if (link->get_sharing_policy() == sg4::Link::SharingPolicy::FATPIPE) continue;
      link->set_bandwidth(peak);
      link->set_sharing_policy(sg4::Link::SharingPolicy::NONLINEAR,
                               [this, id](double, int) { return bandwidth_[id]; });
    }
  }

  /// Chooses the grain for a schedule, as fine as its largest message allows.
  void choose_grain(const netmodels::Schedule& schedule) {
    double largest = 0;
    for (const netmodels::Phase& phase : schedule.phases) {
      for (const netmodels::Round& round : phase.rounds) {
        for (const netmodels::Transfer& transfer : round) largest = std::max(largest, transfer.size.count);
      }
    }
    grain_ = finest_grain;
    while (largest * grain_ > most_payload) grain_ /= 2;
    SimGridEngine::set_tcp(tcp_, grain_);
  }
  [[nodiscard]] double grain() const { return grain_; }

  void set(LinkId id, Bandwidth bandwidth, bool in_flight) {
    const double value = bandwidth.count * grain_;
    if (value == bandwidth_[id] && !is_fat(id)) return;
    bandwidth_[id] = value;
    if (is_fat(id))
      network_.link(id)->set_bandwidth(value);
    else if (in_flight)
      network_.link(id)->set_bandwidth(peak);  // makes the solver look again
  }

 private:
  [[nodiscard]] bool is_fat(LinkId id) const {
    return network_.link(id)->get_sharing_policy() == sg4::Link::SharingPolicy::FATPIPE;
  }

  const EngineNetwork& network_;
  bool tcp_;
  double grain_ = finest_grain;
  std::vector<double> bandwidth_;
};

/// One schedule on its way through SimGrid.
class EngineTransfers::Run {
 public:
  Run(const EngineNetwork& network, const SimGridFlowModel& model, Links& links,
      const netmodels::Schedule& schedule, const std::vector<std::uint32_t>& workers,
      const NetworkState& state)
      : network_(network),
        model_(model),
        table_(links),
        workers_(workers),
        state_(state),
        links_(state.links),
        schedule_(schedule),
        order_(schedule),
        live_(schedule.messages()),
        origin_(sg4::Engine::get_clock()) {}

  /// @returns nothing where a stop was requested
  std::optional<Seconds> simulate() {
    Completions::listen([this](const sg4::Activity& activity) { completed(activity); });
    for (LinkId id = 0; id < links_.size(); ++id) {
      table_.set(id, links_[id].bandwidth, false);
      if (model_.tcp) network_.link(id)->set_latency(links_[id].latency.count);
    }
    start_background(state_.background);
    announce(order_.begin());
    arm_next_change();
    sg4::Engine::get_instance()->run();
    Completions::listen({});
    if (is_abandoned_) return std::nullopt;
    return Seconds{finish_ - origin_};
  }

 private:
  struct Background {
    sg4::CommPtr flow;
    netmodels::BackgroundFlow ends;
  };

  using Timer = simgrid::kernel::timer::Timer;

  [[nodiscard]] static double now() { return sg4::Engine::get_clock(); }
  [[nodiscard]] bool over() const { return order_.unfinished() == 0 || is_abandoned_; }

  /// Whether a stop was requested. Then nothing more is started, and the flows under way are cancelled as
  /// soon as SimGrid has come back from this callback, so that its run ends as after the last message.
  bool should_stop() {
    if (!is_abandoned_ && model_.stop != nullptr && model_.stop->load()) {
      is_abandoned_ = true;
      Timer::set(now(), [this] { abandon(); });
    }
    return is_abandoned_;
  }

  void abandon() {
    waiting_.clear();
    remove(start_);
    stop_background();
    for (const sg4::CommPtr& flow : live_) {
      if (flow) flow->cancel();
    }
  }

  /// Pays the latency of each message from when its ends were ready, then starts its flow.
  void announce(const std::vector<std::uint32_t>& ready) {
    for (const std::uint32_t id : ready) {
      const MessageOrder::Message& message = order_.message(id);
      double since = std::max(origin_, order_.ready_at(message.from));
      if (!message.ahead) since = std::max(since, order_.ready_at(message.to));
      waiting_[std::max(now(), since + latency(id, since))].push_back(id);
    }
    arm_next_start();
  }

  /// Sets the timer for the earliest start. A later one is removed first: when due, it would start nothing,
  /// but set a timer of its own, and timers would outnumber the messages.
  void arm_next_start() {
    if (waiting_.empty()) return;
    const double earliest = waiting_.begin()->first;
    if (start_ != nullptr && start_->get_date() <= earliest) return;
    remove(start_);
    start_ = Timer::set(earliest, [this] { start_due(); });
  }

  void start_due() {
    start_ = nullptr;  // SimGrid has taken it off its list
    while (!waiting_.empty() && waiting_.begin()->first <= now()) {
      const std::vector<std::uint32_t> due = std::move(waiting_.begin()->second);
      waiting_.erase(waiting_.begin());
      for (const std::uint32_t id : due) {
        if (should_stop()) return;
        start_flow(id);
      }
    }
    arm_next_start();
  }

  [[nodiscard]] const netmodels::Route& route(std::uint32_t id) const {
    const MessageOrder::Message& message = order_.message(id);
    return model_.routes(worker(message.from), worker(message.to));
  }

  [[nodiscard]] std::uint32_t worker(std::uint32_t end) const { return workers_[schedule_.rank_of(end)]; }

  /// What is paid before the flow starts, as it was at a time up to now; under a TCP preset SimGrid itself
  /// charges it.
  [[nodiscard]] double latency(std::uint32_t id, double at) const {
    double sum = 0;
    if (model_.tcp) return sum;
    for (const LinkId link : route(id)) sum += link_latency(link, at);
    return sum;
  }

  [[nodiscard]] double link_latency(LinkId link, double at) const {
    if (at == now()) return links_[link].latency.count;
    for (std::size_t change = next_link_; change-- > 0;) {
      const netmodels::LinkChange& applied = state_.upcoming[change];
      if (applied.link == link && (applied.at - state_.now).count <= at - origin_)
        return applied.state.latency.count;
    }
    return state_.links[link].latency.count;
  }

  /// The bytes of the flow that is to start: all, all but the buffered ones, or these.
  [[nodiscard]] static netmodels::Bytes flow_size(const MessageOrder::Message& message) {
    const netmodels::Bytes buffered = std::min(message.size, message.buffered);
    return message.left ? buffered : message.size - buffered;
  }

  void start_flow(std::uint32_t id) {
    const MessageOrder::Message& message = order_.message(id);
    const auto payload =
        static_cast<std::uint64_t>(std::llround((flow_size(message) * table_.grain()).count));
    if (payload == 0) {
      flow_ended(id);
      return;
    }
    auto flow = sg4::Comm::sendto_init();
    flow->set_payload_size(payload);
    flow->set_data(reinterpret_cast<void*>(static_cast<std::uintptr_t>(id) + 1));
    live_[id] = flow;
    flow->set_source(network_.host(worker(message.from)));
    flow->set_destination(network_.host(worker(message.to)));  // starts it
    if (!message.half_rate) return;
    bounded_[id] = &latest_flow();
    bound(id);
  }

  /// Holds a flow to half of the narrowest link on its route.
  void bound(std::uint32_t id) {
    const double half = netmodels::narrowest(route(id), links_).count * table_.grain() / 2;
    if (std::isfinite(half)) bounded_[id]->set_bound(std::max(half, slowest));
  }

  /// The action that SimGrid has started last: the bound of a message between hosts cannot be set otherwise.
  [[nodiscard]] simgrid::kernel::resource::Action& latest_flow() const {
    return flows_.get_started_action_set()->back();
  }

  static simgrid::kernel::resource::Model& network_model() {
    const auto carries_messages = [](simgrid::kernel::resource::Model* model) {
      return dynamic_cast<simgrid::kernel::resource::NetworkModelIntf*>(model) != nullptr;
    };
    return **std::ranges::find_if(sg4::Engine::get_instance()->get_all_models(), carries_messages);
  }

  void completed(const sg4::Activity& activity) {
    if (should_stop()) return;
    const auto tag = reinterpret_cast<std::uintptr_t>(activity.get_data<void>());
    if (tag == 0) {
      renew_background(activity);
      return;
    }
    const auto id = static_cast<std::uint32_t>(tag - 1);
    if (live_[id].get() != &activity) return;
    bounded_.erase(id);
    grave_ = std::move(live_[id]);  // SimGrid still uses the object after this callback
    flow_ended(id);
  }

  void flow_ended(std::uint32_t id) {
    const MessageOrder::Message& message = order_.message(id);
    if (!message.leaves_early()) {
      ended(id);
      return;
    }
    std::vector<std::uint32_t> ready;
    order_.leave(id, ready);
    const bool buffered = flow_size(message) > netmodels::Bytes{};
    if (buffered) waiting_[now()].push_back(id);
    announce(ready);
    if (!buffered) ended(id);
  }

  void ended(std::uint32_t id) {
    std::vector<std::uint32_t> ready;
    order_.end(id, now(), ready);
    if (over()) {
      finish_ = now();
      Timer::set(now(), [this] { stop_background(); });
      return;
    }
    if (!ready.empty()) announce(ready);
  }

  /// Changes that fall into the operation are applied by timers, one at a time.
  void arm_next_change() {
    const double links_at =
        next_link_ < state_.upcoming.size() ? (state_.upcoming[next_link_].at - state_.now).count : never;
    const double flows_at = next_flows_ < state_.upcoming_background.size()
                                ? (state_.upcoming_background[next_flows_].at - state_.now).count
                                : never;
    const double at = std::min(links_at, flows_at);
    if (at == never) return;
    change_ = Timer::set(origin_ + at, [this, at] { apply_changes(at); });
  }

  void apply_changes(double at) {
    change_ = nullptr;
    if (over()) return;
    const std::size_t applied = next_link_;
    for (; next_link_ < state_.upcoming.size() && (state_.upcoming[next_link_].at - state_.now).count <= at;
         ++next_link_) {
      const netmodels::LinkChange& change = state_.upcoming[next_link_];
      links_[change.link] = change.state;
      table_.set(change.link, change.state.bandwidth, true);
    }
    if (next_link_ > applied) {
      for (const auto& [id, flow] : bounded_) bound(id);
    }
    for (; next_flows_ < state_.upcoming_background.size() &&
           (state_.upcoming_background[next_flows_].at - state_.now).count <= at;
         ++next_flows_) {
      stop_flows();
      start_background(state_.upcoming_background[next_flows_].flows);
    }
    arm_next_change();
  }

  /// A background flow has no end: when its payload is through, it starts again.
  void renew_background(const sg4::Activity& activity) {
    const auto ended = std::ranges::find(
        background_, &activity, [](const Background& one) -> const sg4::Activity* { return one.flow.get(); });
    if (over() || ended == background_.end() || activity.get_state() != sg4::Activity::State::FINISHED)
      return;
    const netmodels::BackgroundFlow again = ended->ends;
    stopped_.push_back(ended->flow);
    background_.erase(ended);
    Timer::set(now(), [this, again] {
      if (!over()) start_background({again});
    });
  }

  void start_background(const std::vector<netmodels::BackgroundFlow>& flows) {
    for (const netmodels::BackgroundFlow& background : flows) {
      auto flow = sg4::Comm::sendto_init();
      flow->set_payload_size(static_cast<std::uint64_t>(most_payload));
      flow->set_source(network_.host(background.from));
      flow->set_destination(network_.host(background.to));
      background_.push_back({flow, background});
    }
  }

  void stop_flows() {
    const std::vector<Background> stopping = std::exchange(background_, {});
    for (const Background& background : stopping) {
      background.flow->cancel();
      stopped_.push_back(background.flow);  // SimGrid looks at it once more before the run ends
    }
  }

  void stop_background() {
    stop_flows();
    remove(change_);
  }

  /// Removes a timer that is still to come, if there is one.
  static void remove(Timer*& timer) {
    if (timer != nullptr) timer->remove();
    timer = nullptr;
  }

  static constexpr double never = std::numeric_limits<double>::infinity();

  const EngineNetwork& network_;
  const SimGridFlowModel& model_;
  Links& table_;
  bool is_abandoned_ = false;
  const std::vector<std::uint32_t>& workers_;
  const NetworkState& state_;
  std::vector<netmodels::LinkState> links_;
  const netmodels::Schedule& schedule_;
  MessageOrder order_;
  std::vector<sg4::CommPtr> live_;
  simgrid::kernel::resource::Model& flows_ = network_model();
  std::map<std::uint32_t, simgrid::kernel::resource::Action*> bounded_;  ///< flows at half rate, of `live_`
  sg4::CommPtr grave_;
  std::vector<Background> background_;
  std::vector<sg4::CommPtr> stopped_;
  std::map<double, std::vector<std::uint32_t>> waiting_;  ///< by the date on which their latency is paid
  Timer* start_ = nullptr;                                ///< the next `start_due`
  Timer* change_ = nullptr;                               ///< the next `apply_changes`
  std::size_t next_link_ = 0;
  std::size_t next_flows_ = 0;
  double origin_;
  double finish_ = 0;
};

EngineTransfers::EngineTransfers(const EngineNetwork& network, SimGridFlowModel model)
    : network_(network), model_(std::move(model)), links_(std::make_unique<Links>(network, model_)) {}
EngineTransfers::~EngineTransfers() = default;

Result<Evaluation> EngineTransfers::evaluate(const netmodels::Schedule& schedule,
                                             const std::vector<std::uint32_t>& workers,
                                             const NetworkState& state) {
  if (schedule.messages() == 0) return Evaluation{{}, true};
  links_->choose_grain(schedule);
  const auto duration = Run(network_, model_, *links_, schedule, workers, state).simulate();
  if (!duration) return netmodels::refuse("", "interrupted");
  return Evaluation{*duration, state.now + *duration <= state.horizon()};
}

}  // namespace sim::engine
