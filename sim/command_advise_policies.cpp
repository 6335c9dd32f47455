// `sim advise` on policies: reads the question, lets the candidates be played, prints the answer.
#include <iostream>
#include <utility>

#include "command_line/interruption.hpp"
#include "command_line/output_format.hpp"
#include "sim/advise/policy_advice.hpp"
#include "sim/advise/policy_text.hpp"
#include "sim/commands.hpp"
#include "sim/data_folder.hpp"
#include "sim/exit_code.hpp"

namespace sim {
namespace {

namespace policy_advice = advise;

int refuse(netmodels::Error error, const std::string& file, Progress& progress) {
  progress.clear();
  if (error.where.empty()) error.where = file;
  if (error.where == "--set learner.target") error.where = "--target-accuracy";
  if (error.where == "--set advice.objective") error.where = "--objective";
  std::cerr << error.text() << "\n";
  return exit_refused;
}

}  // namespace

int advise_policies_of_file(const AdviseRequest& request, const ScenarioOptions& options, std::size_t jobs,
                            Progress& progress) {
  auto question = options.read_policy_question(request.file, request.settings);
  if (!question) return refuse(std::move(question.error()), request.file, progress);
  for (const std::string& warning : question->warnings) progress.say("warning: " + warning);
  progress.begin_file(request.file, 1);
  progress.begin_arm("policies");
  advise::AdviceEffort effort;
  effort.jobs = jobs;
  effort.stop = &command_line::catch_interruptions();
  effort.said = [&progress](double share) { progress.show(share); };
  auto advised = advise::advise_policies(*question, data_folder(), effort);
  if (const auto signal = command_line::interrupted()) return *signal;
  if (!advised) return refuse(std::move(advised.error()), request.file, progress);
  progress.clear();
  std::cout << command_line::print(request.format, advise::policy_document(*advised, request.file))
            << std::flush;
  if (!request.strict) return exit_done;
  const std::vector<std::string> lines = advise::missed(judge(*advised));
  for (const std::string& line : lines) std::cerr << "missed: " + line + "\n";
  return lines.empty() ? exit_done : exit_refused;
}

}  // namespace sim
