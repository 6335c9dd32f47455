// Ranks by the variables of launchers; a text for all, by file and by TCP.
#include "calibrate/probes/job_rank.hpp"

#include <map>
#include <string>
#include <thread>
#include <unistd.h>
#include <vector>

#include <arpa/inet.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <netinet/in.h>
#include <sys/socket.h>

#include "tests/scratch_folder.hpp"

namespace calibrate::probes {
namespace {

using testing::StartsWith;

constexpr netmodels::Seconds patience{200};

std::string rank_of(const std::map<std::string, std::string>& variables) {
  const auto job = read_job_rank([&](const char* name) {
    const auto found = variables.find(name);
    return found == variables.end() ? nullptr : found->second.c_str();
  });
  if (!job) return job.error().text();
  if (!*job) return "none";
  const JobRank& rank = **job;
  return rank.launcher + " " + std::to_string(rank.rank) + "/" + std::to_string(rank.ranks) + " " +
         std::to_string(rank.local_rank) + "/" + (rank.local_ranks ? std::to_string(*rank.local_ranks) : "?");
}

TEST(JobRank, IsReadFromTheVariablesOfEachLauncher) {
  EXPECT_EQ(rank_of({}), "none");
  EXPECT_EQ(rank_of({{"RANK", "5"}, {"WORLD_SIZE", "8"}, {"LOCAL_RANK", "1"}, {"LOCAL_WORLD_SIZE", "4"}}),
            "torchrun 5/8 1/4");
  EXPECT_EQ(rank_of({{"OMPI_COMM_WORLD_RANK", "3"},
                     {"OMPI_COMM_WORLD_SIZE", "4"},
                     {"OMPI_COMM_WORLD_LOCAL_RANK", "0"},
                     {"OMPI_COMM_WORLD_LOCAL_SIZE", "1"}}),
            "mpirun 3/4 0/1");
  EXPECT_EQ(rank_of({{"PMI_RANK", "1"}, {"PMI_SIZE", "2"}, {"MPI_LOCALRANKID", "1"}}), "mpirun 1/2 1/?");
  EXPECT_EQ(rank_of({{"SLURM_PROCID", "7"}, {"SLURM_NTASKS", "16"}, {"SLURM_LOCALID", "3"}}),
            "srun 7/16 3/?");
}

TEST(JobRank, NamesTheVariableThatIsWrong) {
  EXPECT_EQ(rank_of({{"RANK", "8"}, {"WORLD_SIZE", "8"}, {"LOCAL_RANK", "0"}}),
            "RANK: `8`; accepted: 0 to 7; start all ranks by one launcher");
  EXPECT_EQ(rank_of({{"RANK", "0"}, {"WORLD_SIZE", "two"}, {"LOCAL_RANK", "0"}}),
            "WORLD_SIZE: `two`; accepted: 1 to 1000000; start all ranks by one launcher");
  EXPECT_EQ(rank_of({{"RANK", "0"}, {"WORLD_SIZE", "2"}}),
            "LOCAL_RANK: it is not set; accepted: 0 to 1; start all ranks by one launcher");
}

std::string place_of(std::string_view text) {
  const auto place = read_meeting_place(text);
  if (!place) return place.error().text();
  return place->file.empty() ? place->host + " " + std::to_string(place->port) : "file " + place->file;
}

TEST(MeetingPlace, IsAFileOrAnAddress) {
  EXPECT_EQ(place_of("/shared/id"), "file /shared/id");
  EXPECT_EQ(place_of("id"), "file id");
  EXPECT_EQ(place_of("node1:29500"), "node1 29500");
  EXPECT_EQ(place_of("/a:b/id"), "file /a:b/id");
  EXPECT_EQ(place_of("node1:0"),
            "--id: `node1:0`; write HOST:PORT with a port from 1 to 65535, or a file with its folder");
  EXPECT_EQ(place_of(""), "--id: an empty place; write a file that all ranks see, or HOST:PORT of rank 0");
}

/// What each of three ranks gets in two rounds.
std::vector<std::string> shared_texts(const MeetingPlace& place) {
  std::vector<std::string> got(6);
  std::vector<std::jthread> threads;
  for (int rank = 0; rank < 3; ++rank) {
    threads.emplace_back([&, rank] {
      for (const std::uint64_t round : {0U, 1U}) {
        const std::string text(128, round == 0 ? 'a' : '\0');
        const std::string own = rank == 0 ? text : "";
        got[static_cast<std::size_t>(rank) * 2 + round] =
            share_text(place, {"torchrun", rank, 3, rank, 3}, round, own, patience);
      }
    });
  }
  threads.clear();
  return got;
}

const std::vector<std::string> expected_texts{std::string(128, 'a'), std::string(128, '\0'),
                                              std::string(128, 'a'), std::string(128, '\0'),
                                              std::string(128, 'a'), std::string(128, '\0')};

TEST(SharedText, ComesByFileRoundByRound) {
  const tests::ScratchFolder scratch;
  EXPECT_EQ(shared_texts({(scratch / "id").string(), "", 0}), expected_texts);
}

/// A port that nobody listens on.
int free_port() {
  const int made = socket(AF_INET, SOCK_STREAM, 0);
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  socklen_t length = sizeof address;
  EXPECT_EQ(bind(made, reinterpret_cast<sockaddr*>(&address), length), 0);
  EXPECT_EQ(getsockname(made, reinterpret_cast<sockaddr*>(&address), &length), 0);
  close(made);
  return ntohs(address.sin_port);
}

TEST(SharedText, ComesByTcpRoundByRound) {
  EXPECT_EQ(shared_texts({"", "localhost", free_port()}), expected_texts);
}

TEST(SharedText, ThatDoesNotComeIsAnError) {
  const tests::ScratchFolder scratch;
  const auto why = [](const MeetingPlace& place, int rank) {
    try {
      share_text(place, {"torchrun", rank, 2, rank, 2}, 0, "", netmodels::Seconds{0.05});
    } catch (const std::runtime_error& error) {
      return std::string(error.what());
    }
    return std::string("came");
  };
  EXPECT_THAT(why({(scratch / "id").string(), "", 0}, 1), StartsWith("rank 0 did not write "));
  scratch.write("old.0", "an earlier job's");
  EXPECT_THAT(why({(scratch / "old").string(), "", 0}, 0),
              testing::EndsWith("old.0 is there already; name a new file for each job"));
  const int port = free_port();
  EXPECT_EQ(why({"", "localhost", port}, 1), "rank 0 did not answer at localhost:" + std::to_string(port));
  EXPECT_EQ(why({"", "localhost", port}, 0),
            "1 of 1 other ranks did not come to port " + std::to_string(port));
}

}  // namespace
}  // namespace calibrate::probes
