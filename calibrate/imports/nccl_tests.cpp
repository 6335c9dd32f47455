// Reads the text of nccl-tests in its two forms.
#include "calibrate/imports/nccl_tests.hpp"

#include <algorithm>
#include <array>
#include <vector>

#include <fmt/format.h>

#include "files/text_file.hpp"

namespace calibrate::imports {

// Splits the text of nccl-tests into rows, ranks and facts.

namespace {

using netmodels::refuse;
using netmodels::Result;

/// The line behind the prefixes of launchers.
std::string_view without_prefix(std::string_view line) { return line.substr(nccl_tests_prefix(line)); }

/// The line behind words that end as a prefix does, for a row whose begin alone is there.
std::string_view without_marked_words(std::string_view line) {
  for (const files::Word& word : files::words_of(line)) {
    if (std::string_view(":>|]").find(word.text.back()) == std::string_view::npos)
      return line.substr(static_cast<std::size_t>(word.column - 1));
  }
  return {};
}

// What programs print when a run fails: nccl-tests, mpirun, srun, the shell.
constexpr std::array failure_marks{"Test NCCL failure",
                                   "Test CUDA failure",
                                   "Test HIP failure",
                                   "Test failure",
                                   "unhandled cuda error",
                                   "unhandled system error",
                                   "exited on signal",
                                   "exited with non-zero status",
                                   "process returned a non-zero exit code",
                                   "srun: error:",
                                   "DUE TO TIME LIMIT",
                                   "Segmentation fault",
                                   "Aborted (core dumped)",
                                   "Out Of Memory",
                                   "out of memory"};

bool reports_failure(std::string_view line) {
  const auto has = [line](const char* mark) { return line.find(mark) != std::string_view::npos; };
  return std::ranges::any_of(failure_marks, has);
}

bool reports_wrong_results(std::string_view line) {
  return line.find("Out of bounds values") != std::string_view::npos &&
         line.find("FAILED") != std::string_view::npos;
}

/// Position where NCCL's own line begins (`host:pid:thread [device] NCCL INFO`, `NCCL version`) in a line;
/// its size where none.
std::size_t nccl_line(std::string_view line) {
  std::size_t at = line.size();
  for (const std::string_view mark : {" NCCL INFO ", " NCCL WARN ", "NCCL version "})
    at = std::min(at, line.find(mark));
  if (at == line.size()) return at;
  const std::size_t device = line.substr(0, at).rfind(" [");
  const std::size_t end = device == std::string_view::npos ? at : device;
  const std::size_t blank = line.substr(0, end).find_last_of(" \t");
  return blank == std::string_view::npos ? 0 : blank + 1;
}

/// The first word after `mark`; nothing where the line does not hold it.
std::optional<std::string> word_after(std::string_view line, std::string_view mark) {
  const std::size_t found = line.find(mark);
  if (found == std::string_view::npos) return std::nullopt;
  const auto words = files::words_of(line.substr(found + mark.size()));
  return words.empty() ? std::nullopt : std::optional(std::string(words.front().text));
}

/// `Rank  0 Group  0 Pid 7 on host device  0 [0000:19:00] NVIDIA H100`; older ones without Group.
std::optional<NcclTestsRank> read_rank(std::string_view line) {
  const auto words = files::words_of(line);
  const auto behind = [&](std::string_view name) -> const files::Word* {
    const auto found = std::ranges::find(words, name, &files::Word::text);
    return words.end() - found < 2 ? nullptr : &*(found + 1);
  };
  const files::Word* rank = behind("Rank");
  const files::Word* host = behind("on");
  const std::size_t bracket = line.rfind(']');
  if (rank == nullptr || host == nullptr || behind("device") == nullptr || bracket == std::string_view::npos)
    return {};
  const auto number = files::read_integer(rank->text);
  if (!number || *number < 0 || *number > 1'000'000) return std::nullopt;
  return NcclTestsRank{static_cast<int>(*number), std::string(host->text),
                       std::string(files::trimmed(line.substr(bracket + 1)))};
}

/// Reads line by line; a row may be pending while NCCL's lines cut it.
class NcclTestsReader {
 public:
  explicit NcclTestsReader(std::string source) { log_.source = std::move(source); }

  Result<void> line(std::string_view text) {
    ++line_;
    const std::string_view bare = without_prefix(text);
    note_failure(text);
    program_facts(bare);
    prefix_width_ = static_cast<std::size_t>(bare.data() - text.data());
    const std::size_t foreign = nccl_line(bare);
    if (foreign < bare.size() && !bare.starts_with('#')) {
      nccl_facts(bare.substr(foreign));
      return own(bare.substr(0, foreign), true);
    }
    return own(bare, false);
  }

  /// @param last_line  of the log, where it does not end in `\n`
  Result<NcclTestsLog> finish(std::string_view last_line) {
    if (auto closed = close(); !closed) return tl::unexpected(closed.error());
    const auto words = files::words_of(without_marked_words(last_line));
    const bool numbers = !words.empty() && words.size() <= 3 && files::read_integer(words[0].text) &&
                         (words.size() < 2 || files::read_integer(words[1].text));
    if (numbers && !begins_nccl_tests_row(without_prefix(last_line)))
      return refuse(files::place(log_.source, line_, 1), "the row is truncated: the log ends inside it",
                    "use the complete log");
    return std::move(log_);
  }

 private:
  Result<void> own(std::string_view text, bool cut) {
    const auto words = files::words_of(text);
    if (words.empty()) return {};
    if (text.starts_with('#')) {
      auto closed = close();
      return closed ? comment(text) : closed;
    }
    if (begins_nccl_tests_row(text)) {
      if (auto closed = close(); !closed) return closed;
      pending_ = std::string(prefix_width_, ' ') + std::string(text);  // columns count from the line's begin
      pending_line_ = line_;
      return cut ? Result<void>() : close();
    }
    if (!pending_.empty() && files::read_number(words.front().text)) {
      pending_ += " " + std::string(files::trimmed(text));
      return cut ? Result<void>() : close();
    }
    return {};
  }

  /// Reads the row that is pending, if any.
  Result<void> close() {
    if (pending_.empty()) return {};
    const std::string where = log_.source + ":" + std::to_string(pending_line_);
    GRADSIM_TRY(row, read_nccl_tests_row(pending_, header_, where));
    row->where = where;
    log_.rows.push_back(*row);
    pending_.clear();
    return {};
  }

  /// The begin of a line, without half of a character at its end.
  static std::string_view shortened(std::string_view text) {
    constexpr std::size_t most = 160;
    text = files::trimmed(text);
    if (text.size() <= most) return text;
    text = text.substr(0, most);
    while (!text.empty() && (static_cast<unsigned char>(text.back()) & 0x80U) != 0) text.remove_suffix(1);
    return text;
  }

  void note_failure(std::string_view text) {
    const bool failed = reports_failure(text);
    if (!failed && !reports_wrong_results(text)) return;
    std::optional<std::string>& kept = failed ? log_.failure : log_.wrong_results;
    if (!kept) kept = fmt::format("line {}: {}", line_, shortened(text));
  }

  /// rccl-tests writes its version without a `#`.
  void program_facts(std::string_view text) {
    if (auto version = word_after(text, "rccl-tests: Version ")) {
      log_.tool = "rccl-tests";
      log_.version = std::move(version);
    }
    if (auto value = word_after(text, "RCCL version : ")) log_.nccl = std::move(value);
  }

  Result<void> comment(std::string_view text) {
    log_.has_begin = log_.has_begin || log_.rows.empty();
    if (text.find("Avg bus bandwidth") != std::string_view::npos) log_.has_end = true;
    if (const auto header = read_nccl_tests_header(text)) header_ = *header;
    if (auto program = word_after(text, "Collective test starting: ")) log_.program = std::move(program);
    if (auto version = word_after(text, "nccl-tests version ")) log_.version = std::move(version);
    const auto rank = read_rank(text);
    if (!rank) return {};
    if (!log_.rows.empty())
      return refuse(files::place(log_.source, line_, 1), "second test in one file",
                    "use a separate file for each run of the tool");
    if (std::ranges::find(log_.ranks, *rank) == log_.ranks.end()) log_.ranks.push_back(*rank);
    return {};
  }

  void nccl_facts(std::string_view text) {
    if (auto value = word_after(text, "NCCL version ")) log_.nccl = std::move(value);
    if (auto value = word_after(text, "Using network ")) log_.network = std::move(value);
    if (auto value = word_after(text, "NCCL_ALGO set by environment to "))
      log_.algorithm = without_stop(*value);
    if (auto value = word_after(text, "NCCL_PROTO set by environment to "))
      log_.protocol = without_stop(*value);
  }

  static std::string without_stop(std::string text) {
    if (text.ends_with('.')) text.pop_back();
    return text;
  }

  NcclTestsLog log_;
  NcclTestsHeader header_;
  int line_ = 0;
  std::size_t prefix_width_ = 0;  // width of a launcher's prefix before the line proper
  std::string pending_;
  int pending_line_ = 0;
};

}  // namespace

Result<NcclTestsLog> read_nccl_tests_text(std::string_view text, const std::string& source) {
  NcclTestsReader reader(source);
  const auto lines = files::lines_of(text);
  for (const std::string_view line : lines) {
    if (const auto read = reader.line(line); !read) return tl::unexpected(read.error());
  }
  const bool cut = !lines.empty() && !text.ends_with('\n');
  return reader.finish(cut ? lines.back() : std::string_view{});
}

// Import of nccl-tests measurements, from text or JSON.

netmodels::Result<Imported> import_nccl_tests(std::string_view text, const std::string& source,
                                              const LogHints& hints) {
  const std::size_t first = text.find_first_not_of(" \t\r\n");
  const bool is_json = first != std::string_view::npos && text[first] == '{';
  GRADSIM_TRY(log, is_json ? read_nccl_tests_json(text, source) : read_nccl_tests_text(text, source));
  return to_measurements(*log, hints);
}

}  // namespace calibrate::imports
