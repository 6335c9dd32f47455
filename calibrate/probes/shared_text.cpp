// Places of a shared text, and the way by files.
//
// By file, rank R asks by FILE.ROUND.askR, which holds the job's name and a random number of its own, and
// takes the text from FILE.ROUND once that lists this number. It removes its question then, and by that rank
// 0 knows. Nothing depends on clocks of several machines, nor on what an earlier job left.
#include "calibrate/probes/shared_text.hpp"

#include <filesystem>
#include <fstream>
#include <optional>
#include <random>
#include <stdexcept>
#include <system_error>
#include <thread>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "files/output_file.hpp"
#include "files/text_file.hpp"

namespace calibrate::probes {
namespace {

namespace fs = std::filesystem;
using Clock = std::chrono::steady_clock;
using netmodels::refuse;
using netmodels::Result;

constexpr std::chrono::milliseconds between_looks(20);
constexpr std::string_view first_words = "gradsim id of job";

fs::path file_of_answer(const SharedRound& shared) {
  return fmt::format("{}.{}", shared.place.file, shared.round);
}

fs::path file_of_question(const SharedRound& shared, int rank) {
  return fmt::format("{}.{}.ask{}", shared.place.file, shared.round, rank);
}

/// Rank 0 and the others write the same line.
std::string line_of_job(const JobRank& rank) {
  return fmt::format("{} `{}` of {} ranks", first_words, rank.job, rank.ranks);
}

/// Nothing where there is none; cut where no answer can be so long.
std::optional<std::string> contents(const fs::path& file) {
  constexpr std::size_t most_numbers = 1 << 22;
  std::ifstream found(file, std::ios::binary);
  if (!found) return std::nullopt;
  std::string text(most_shared_bytes + most_numbers, '\0');
  found.read(text.data(), static_cast<std::streamsize>(text.size()));
  text.resize(static_cast<std::size_t>(found.gcount()));
  return text;
}

void remove_quietly(const fs::path& file) {
  std::error_code ignored;
  fs::remove(file, ignored);
}

std::string random_number() {
  std::random_device device;
  return fmt::format("{:08x}{:08x}", device(), device());
}

/// The number of a question of this job; nothing where there is no such question.
std::optional<std::string> read_question(const SharedRound& shared, int rank) {
  const auto text = contents(file_of_question(shared, rank));
  if (!text) return std::nullopt;
  const std::string line = line_of_job(shared.rank) + "\n";
  if (!text->starts_with(line)) return std::nullopt;
  return text->substr(line.size());
}

/// The questions that rank 0 has answered.
class Answers {
 public:
  Answers(const SharedRound& shared, const std::string& text)
      : shared_(shared), text_(text), numbers_(static_cast<std::size_t>(shared.rank.ranks)) {}

  /// Looks at every question once. @returns how many ranks have not taken the text
  std::size_t look() {
    std::size_t missing = 0;
    bool is_new = false;
    for (int rank = 1; rank < shared_.rank.ranks; ++rank) {
      std::string& number = numbers_[static_cast<std::size_t>(rank)];
      const auto now = read_question(shared_, rank);
      if (!now && !number.empty()) continue;  // answered: it has removed its question
      ++missing;
      if (!now || *now == number) continue;
      number = *now;
      is_new = true;
    }
    if (is_new)
      files::write_file(file_of_answer(shared_), fmt::format("{}\n{}\n{}", line_of_job(shared_.rank),
                                                             fmt::join(numbers_, " "), text_));
    return missing;
  }

 private:
  const SharedRound& shared_;
  const std::string& text_;
  std::vector<std::string> numbers_;  ///< random numbers by rank; empty: not asked
};

void give_by_file(const SharedRound& shared, const std::string& text) {
  const fs::path file = file_of_answer(shared);
  const auto there = contents(file);
  if (there && !there->starts_with(first_words))
    throw std::runtime_error(
        fmt::format("{} is there already and is not a file of ids; name another by --id", file.string()));
  remove_quietly(file);
  Answers answers(shared, text);
  for (std::size_t missing = answers.look(); missing > 0; missing = answers.look()) {
    if (Clock::now() >= shared.until)
      throw std::runtime_error(fmt::format("{} of {} other ranks did not come to {}", missing,
                                           shared.rank.ranks - 1, file.string()));
    std::this_thread::sleep_for(between_looks);
  }
  remove_quietly(file);
}

/// The text, where this is an answer to this question.
std::optional<std::string> text_answering(const SharedRound& shared, const std::string& number) {
  const auto text = contents(file_of_answer(shared));
  const std::string line = line_of_job(shared.rank) + "\n";
  if (!text || !text->starts_with(line)) return std::nullopt;
  const std::size_t end = text->find('\n', line.size());
  if (end == std::string::npos) return std::nullopt;
  const std::string numbers = text->substr(line.size(), end - line.size());
  if (numbers.find(number) == std::string::npos) return std::nullopt;
  return text->substr(end + 1);
}

std::string take_by_file(const SharedRound& shared) {
  const std::string number = random_number();
  const fs::path question = file_of_question(shared, shared.rank.rank);
  files::write_file(question, line_of_job(shared.rank) + "\n" + number);
  for (; Clock::now() < shared.until; std::this_thread::sleep_for(between_looks)) {
    if (auto text = text_answering(shared, number)) {
      remove_quietly(question);
      return std::move(*text);
    }
  }
  remove_quietly(question);
  throw std::runtime_error(fmt::format("rank 0 did not write {}", file_of_answer(shared).string()));
}

/// `HOST:PORT`; text in brackets is an address whose colons belong to it.
Result<MeetingPlace> read_address(std::string_view text) {
  constexpr long long most_port = 65535;
  const auto wrong = [&] {
    return refuse("--id", fmt::format("`{}`", text),
                  "write HOST:PORT, or [ADDRESS]:PORT for an IPv6 address, with a port from 1 to 65535, or a "
                  "file with its folder");
  };
  const std::size_t colon = text.rfind(':');
  std::string_view host = text.substr(0, colon);
  const auto port = files::read_integer(text.substr(colon + 1));
  if (!port || *port < 1 || *port > most_port) return wrong();
  if (host.size() > 2 && host.front() == '[' && host.back() == ']')
    host = host.substr(1, host.size() - 2);
  else if (host.find_first_of(":[]") != std::string_view::npos)
    return wrong();
  if (host.empty()) return wrong();
  return MeetingPlace{"", std::string(host), static_cast<int>(*port)};
}

}  // namespace

Result<MeetingPlace> read_meeting_place(std::string_view text) {
  if (text.empty())
    return refuse("--id", "an empty place", "write a file that all ranks see, or HOST:PORT of rank 0");
  if (text.find(':') != std::string_view::npos && text.find('/') == std::string_view::npos)
    return read_address(text);
  return MeetingPlace{std::string(text), "", 0};
}

std::string share_text(const MeetingPlace& place, const JobRank& rank, std::uint64_t round,
                       const std::string& text, netmodels::Seconds limit) {
  const auto duration = std::chrono::duration<double>(limit.count);
  const SharedRound shared{place, rank, round,
                           Clock::now() + std::chrono::duration_cast<Clock::duration>(duration)};
  const bool by_file = !place.file.empty();
  if (rank.rank != 0) return by_file ? take_by_file(shared) : take_by_tcp(shared);
  if (text.size() > most_shared_bytes)
    throw std::runtime_error(
        fmt::format("a shared text of {} bytes; accepted: at most {}", text.size(), most_shared_bytes));
  by_file ? give_by_file(shared, text) : give_by_tcp(shared, text);
  return text;
}

}  // namespace calibrate::probes
