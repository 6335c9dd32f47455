// Sending and receiving by MPI's immediate operations.
#include "sim/sweep/mpi/mpi_mail.hpp"

#include <algorithm>
#include <utility>
#include <vector>

namespace sim::sweep {

namespace mpi = boost::mpi;

void MpiMail::send(std::size_t to, Topic topic, std::string text) {
  Sent& letter = sent_.emplace_back();
  letter.text = std::move(text);
  letter.request = world_.isend(static_cast<int>(to), static_cast<int>(topic), letter.text.data(),
                                static_cast<int>(letter.text.size()));
  (void)delivered();
}

std::optional<Letter> MpiMail::receive() {
  constexpr std::chrono::seconds pause{1};
  const auto now = Clock::now();
  if (now - looked_ > pause) looking_since_ = now;
  looked_ = now;
  (void)delivered();
  take_in();
  std::vector<std::size_t> waiting;  // senders whose earlier letter is on its way
  for (auto coming = coming_.begin(); coming != coming_.end(); ++coming) {
    const std::size_t from = coming->letter.from;
    if (std::ranges::find(waiting, from) != waiting.end()) continue;
    if (!coming->request.test()) {
      waiting.push_back(from);
      continue;
    }
    Letter letter = std::move(coming->letter);
    coming_.erase(coming);
    heard_[from] = Clock::now();
    return letter;
  }
  return std::nullopt;
}

void MpiMail::take_in() {
  while (const auto found = world_.iprobe(mpi::any_source, mpi::any_tag)) {
    Coming& coming = coming_.emplace_back();
    coming.letter = {static_cast<std::size_t>(found->source()), static_cast<Topic>(found->tag()), {}};
    std::string& text = coming.letter.text;
    text.resize(static_cast<std::size_t>(found->count<char>().value_or(0)));
    coming.request = world_.irecv(found->source(), found->tag(), text.data(), static_cast<int>(text.size()));
  }
}

void MpiMail::say_alive(const std::vector<std::size_t>& to) {
  constexpr std::chrono::seconds between{1};
  if (Clock::now() - said_alive_ < between) return;
  said_alive_ = Clock::now();
  for (const std::size_t rank : to) send(rank, Topic::alive, {});
}

double MpiMail::silence_s(std::size_t rank) const {
  return std::chrono::duration<double>(Clock::now() - std::max(heard_[rank], looking_since_)).count();
}

bool MpiMail::delivered() {
  sent_.remove_if([](Sent& letter) { return letter.request.test().has_value(); });
  return sent_.empty();
}

}  // namespace sim::sweep

extern "C" sim::sweep::RankMail* gradsim_module();
extern "C" sim::sweep::RankMail* gradsim_module() { return new sim::sweep::MpiMail; }
