// Rank 0's table of assigned pieces, and the other ranks' loop.
#include "sim/sweep/rank_pool.hpp"

#include <algorithm>
#include <atomic>
#include <charconv>
#include <deque>
#include <limits>
#include <map>
#include <sstream>
#include <stdexcept>
#include <thread>

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <nlohmann/json.hpp>

#include "sim/sweep/rank_mail.hpp"

namespace sim::sweep {
namespace {

using netmodels::Seconds;
using Json = nlohmann::json;

constexpr std::size_t leader = 0;

/// Pauses between two looks into the box: MPI's own waiting would keep a core busy.
void sleep_briefly() { std::this_thread::sleep_for(std::chrono::milliseconds(1)); }

std::string pack_outcome(const WorkOutcome& outcome) {
  std::string bytes;
  Json::to_cbor(Json{{"text", Json::binary({outcome.text.begin(), outcome.text.end()})},
                     {"failure", outcome.failure ? Json(*outcome.failure) : Json()},
                     {"duration_s", outcome.duration.count}},
                bytes);
  return bytes;
}

/// As one letter: what is too long for one has failed.
std::string packed(const WorkOutcome& outcome) {
  std::string bytes = pack_outcome(outcome);
  if (bytes.size() <= static_cast<std::size_t>(std::numeric_limits<int>::max())) return bytes;
  return pack_outcome(
      {{}, "its results are larger than a message of 2 GiB; leave out --steps", outcome.duration});
}

WorkOutcome unpack_outcome(const std::string& bytes) {
  const Json json = Json::from_cbor(bytes);
  const auto& text = json.at("text").get_binary();
  WorkOutcome outcome{{text.begin(), text.end()}, {}, Seconds{json.at("duration_s").get<double>()}};
  if (!json.at("failure").is_null()) outcome.failure = json.at("failure").get<std::string>();
  return outcome;
}

std::size_t number_in(const std::string& text) {
  std::size_t number = 0;
  std::from_chars(text.data(), text.data() + text.size(), number);
  return number;
}

}  // namespace

class Ranks::Job {
 public:
  explicit Job(Seconds lost_after) : lost_after_(lost_after) {
    for (std::size_t rank = leader + 1; rank < mail->ranks(); ++rank) others.push_back(rank);
  }

  /// @returns how many pieces ended
  std::size_t hand_out(const PooledWork& all) {
    left_.assign(all.pieces.begin(), all.pieces.end());
    std::size_t ended = 0;
    while (ended < all.pieces.size() && !(all.stop != nullptr && all.stop->load())) {
      mail->say_alive(others);
      bool heard = false;
      while (const auto letter = mail->receive()) {  // all of them, before anybody's silence is judged
        heard = true;
        take_back(letter->from);
        if (letter->topic == Topic::idle) idle_.push_back(letter->from);
        if (letter->topic == Topic::ended) ended += take_in(*letter, all);
      }
      ended += reap(all);
      give();
      if (all.waiting) all.waiting();
      if (!heard) sleep_briefly();
    }
    return ended;
  }

  void serve(const std::function<std::string(std::size_t)>& work, std::optional<Seconds> timeout) {
    mail->send(leader, Topic::idle, {});
    while (!finished_) {
      const auto letter = hear();
      if (letter && letter->topic == Topic::piece) {
        const std::size_t piece = number_in(letter->text);
        if (const auto outcome = do_piece(piece, work, timeout)) {
          mail->send(leader, Topic::ended, packed(*outcome));
          mail->send(leader, Topic::idle, {});
        }
      }
      if (!letter) sleep_briefly();
    }
  }

  /// Asks, on rank 0, every rank to finish, waits for its answer or its loss, and then reports the lost ones
  /// to all: MPI's own end waits for every rank, and one that is lost never comes.
  void dismiss() {
    if (dismissed_) return;
    dismissed_ = true;
    for (const std::size_t rank : others) mail->send(rank, Topic::finish, {});
    std::vector<std::size_t> waited_for = others;
    while (!waited_for.empty()) {
      mail->say_alive(others);
      bool heard = false;
      while (const auto letter = mail->receive()) {
        heard = true;
        if (letter->topic == Topic::finish) std::erase(waited_for, letter->from);
      }
      if (!heard) sleep_briefly();
      for (const std::size_t rank : lose_silent()) std::erase(waited_for, rank);
    }
    for (std::size_t rank = leader + 1; rank < mail->ranks(); ++rank)  // a lost one may only have been slow
      mail->send(rank, Topic::leave, fmt::format("{}", fmt::join(lost, " ")));
    const auto until = RankMail::Clock::now() + std::chrono::seconds(1);
    while (!mail->delivered() && RankMail::Clock::now() < until) sleep_briefly();
  }

  /// Waits, on the other ranks, until rank 0 lets it go, or is lost itself.
  void leave() {
    while (!leaving_) {
      try {
        if (!hear()) sleep_briefly();
      } catch (const std::runtime_error&) {
        lost.push_back(leader);
        return;
      }
    }
  }

  std::unique_ptr<RankMail> mail = RankMail::join();
  std::vector<std::size_t> others;  ///< other ranks without those that are lost
  std::vector<std::size_t> lost;

 private:
  /// Takes, on rank 0, the result of a rank. A letter of one that counted as lost is late: another does its
  /// piece.
  std::size_t take_in(const Letter& letter, const PooledWork& all) {
    const auto doing = doing_.find(letter.from);
    if (doing == doing_.end()) return 0;
    const std::size_t piece = doing->second;
    doing_.erase(doing);
    all.done(piece, unpack_outcome(letter.text));
    return 1;
  }

  /// Counts, on rank 0, ranks that are silent for too long as lost. @returns them
  std::vector<std::size_t> lose_silent() {
    std::vector<std::size_t> silent;
    for (const std::size_t rank : others)
      if (Seconds{mail->silence_s(rank)} >= lost_after_) silent.push_back(rank);
    for (const std::size_t rank : silent) {
      std::erase(others, rank);
      lost.push_back(rank);
    }
    std::ranges::sort(lost);
    return silent;
  }

  /// Counts, on rank 0, a rank as present again: it counted as lost and was only slow.
  void take_back(std::size_t rank) {
    if (std::erase(lost, rank) > 0) others.push_back(rank);
  }

  /// Looks, on rank 0, for lost ranks. @returns how many pieces failed by that
  std::size_t reap(const PooledWork& all) {
    std::size_t failed = 0;
    for (const std::size_t rank : lose_silent()) failed += reassign(rank, all);
    if (others.empty())
      throw std::runtime_error("all ranks but this one are lost; what they have finished is kept");
    return failed;
  }

  /// Takes back, on rank 0, the piece of a rank that is lost. @returns 1 where it has failed now
  std::size_t reassign(std::size_t rank, const PooledWork& all) {
    constexpr std::size_t tries = 2;
    const auto doing = doing_.extract(rank);
    if (!doing) return 0;
    const std::size_t piece = doing.mapped();
    if (++losses_[piece] < tries) {
      left_.push_front(piece);
      return 0;
    }
    all.done(piece, {{}, fmt::format("{} ranks were lost with it", tries), Seconds{}});
    return 1;
  }

  void give() {
    for (auto rank = idle_.begin(); rank != idle_.end() && !left_.empty();) {
      if (std::ranges::find(others, *rank) == others.end()) {
        ++rank;
        continue;
      }
      doing_[*rank] = left_.front();
      mail->send(*rank, Topic::piece, std::to_string(left_.front()));
      left_.pop_front();
      rank = idle_.erase(rank);
    }
  }

  /// Waits, on the other ranks, for the next letter, and watches whether rank 0 is still there.
  std::optional<Letter> hear() {
    mail->say_alive({leader});
    auto letter = mail->receive();
    if (letter && letter->topic == Topic::finish) {
      finished_ = true;
      mail->send(leader, Topic::finish, {});
    }
    if (letter && letter->topic == Topic::leave) {
      leaving_ = true;
      finished_ = true;
      std::istringstream numbers(letter->text);
      for (std::size_t rank = 0; numbers >> rank;) lost.push_back(rank);
    }
    if (Seconds{mail->silence_s(leader)} > lost_after_) throw std::runtime_error("rank 0 is lost");
    return letter;
  }

  /// @returns nothing where rank 0 ended meanwhile
  std::optional<WorkOutcome> do_piece(std::size_t piece, const std::function<std::string(std::size_t)>& work,
                                      std::optional<Seconds> timeout) {
    std::optional<WorkOutcome> outcome;
    PooledWork one;
    one.pieces = {piece};
    one.work = work;
    one.done = [&](std::size_t, WorkOutcome ended) { outcome = std::move(ended); };
    one.timeout = timeout;
    one.stop = &finished_;
    one.waiting = [this] { (void)hear(); };
    run_in_processes(one);
    return outcome;
  }

  Seconds lost_after_;
  std::deque<std::size_t> left_;               ///< pieces not assigned
  std::deque<std::size_t> idle_;               ///< ranks
  std::map<std::size_t, std::size_t> doing_;   ///< the piece of each rank
  std::map<std::size_t, std::size_t> losses_;  ///< number of lost ranks, by piece
  std::atomic<bool> finished_ = false;         ///< no more pieces are started
  bool leaving_ = false;
  bool dismissed_ = false;
};

Ranks::Ranks(Seconds lost_after) : job_(std::make_unique<Job>(lost_after)) {}

Ranks::~Ranks() {
  try {
    if (leads())
      job_->dismiss();
    else
      job_->leave();
    if (job_->lost.empty()) return;
  } catch (const std::exception&) {  // MPI itself has failed: errors cannot be reported
  }
  (void)job_.release();  // skips MPI's end
}

std::size_t Ranks::count() const { return job_->mail->ranks(); }
bool Ranks::leads() const { return job_->mail->rank() == leader; }
std::vector<std::size_t> Ranks::lost() const { return job_->lost; }
std::size_t Ranks::hand_out(const PooledWork& all) { return job_->hand_out(all); }
void Ranks::dismiss() { job_->dismiss(); }
void Ranks::serve(const std::function<std::string(std::size_t)>& work, std::optional<Seconds> timeout) {
  job_->serve(work, timeout);
}

}  // namespace sim::sweep
