// Sending and receiving by MPI's immediate operations.
#if GRADSIM_HAS_RANKS

#include "sim/sweep/rank_mail.hpp"

#include <algorithm>

namespace sim::sweep {

namespace mpi = boost::mpi;

void RankMail::send(std::size_t to, Topic topic, std::string text) {
  Sent& letter = sent_.emplace_back();
  letter.text = std::move(text);
  letter.request = world_.isend(static_cast<int>(to), static_cast<int>(topic), letter.text.data(),
                                static_cast<int>(letter.text.size()));
  (void)delivered();
}

std::optional<Letter> RankMail::receive() {
  constexpr std::chrono::seconds pause{1};
  const auto now = Clock::now();
  if (now - looked_ > pause) looking_since_ = now;
  looked_ = now;
  (void)delivered();
  const auto found = world_.iprobe(mpi::any_source, mpi::any_tag);
  if (!found) return std::nullopt;
  const auto from = static_cast<std::size_t>(found->source());
  Letter letter{from, static_cast<Topic>(found->tag()), {}};
  letter.text.resize(static_cast<std::size_t>(found->count<char>().value_or(0)));
  world_.recv(found->source(), found->tag(), letter.text.data(), static_cast<int>(letter.text.size()));
  heard_[from] = Clock::now();
  return letter;
}

void RankMail::say_alive(const std::vector<std::size_t>& to) {
  constexpr std::chrono::seconds between{1};
  if (Clock::now() - said_alive_ < between) return;
  said_alive_ = Clock::now();
  for (const std::size_t rank : to) send(rank, Topic::alive);
}

double RankMail::silence_s(std::size_t rank) const {
  return std::chrono::duration<double>(Clock::now() - std::max(heard_[rank], looking_since_)).count();
}

bool RankMail::delivered() {
  sent_.remove_if([](Sent& letter) { return letter.request.test().has_value(); });
  return sent_.empty();
}

}  // namespace sim::sweep

#endif
