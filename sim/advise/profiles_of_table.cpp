// Profiles and truths from measured figures.
#include <algorithm>

#include <fmt/format.h>

#include "sim/advise/profiles.hpp"

namespace sim::advise {
namespace {

using policies::Configuration;

netmodels::Seconds step_of(const inputs::ProfileRow& row, double samples) {
  if (row.step) return *row.step;
  return *row.time * (row.configuration.batch / (*row.epochs * samples));
}

policies::Profile profile_of(const inputs::ProfileRow& row, std::size_t index, double samples) {
  return {.index = index,
          .step = step_of(row, samples),
          .sync = row.sync,
          .noise = row.noise,
          .epochs = *row.epochs};
}

class TableProfiles final : public Profiles {
 public:
  explicit TableProfiles(const scenario::PlanArm& arm) : arm_(arm) {}

  netmodels::Result<Known> at(std::size_t index) override {
    const scenario::ProfileSource& source = arm_.planning.profiles;
    const auto row = std::ranges::find_if(arm_.table, [&](const inputs::ProfileRow& candidate) {
      return candidate.job == source.job && candidate.configuration == arm_.grid[index];
    });
    Known known{.profile = profile_of(*row, index, static_cast<double>(source.samples)), .truth = {}};
    known.truth = {*row->epochs, known.profile.step, row->time, row->cost};
    if (!row->time) return known;
    const int workers = row->configuration.workers;
    known.truth.time = arm_.rental.expected_time(*row->time, workers);
    known.truth.cost = row->cost ? *row->cost * (*known.truth.time / *row->time)  // lost work is paid, too
                                 : arm_.rental.cost(*known.truth.time, workers);
    return known;
  }

  [[nodiscard]] double samples() const override {
    return static_cast<double>(arm_.planning.profiles.samples);
  }

  [[nodiscard]] std::string origin() const override {
    return fmt::format("measured: rows `{}` of {}", arm_.planning.profiles.job, arm_.planning.profiles.file);
  }

 private:
  const scenario::PlanArm& arm_;
};

}  // namespace

std::unique_ptr<Profiles> profiles_of_table(const scenario::PlanArm& arm) {
  return std::make_unique<TableProfiles>(arm);
}

StoredJob stored_job(const scenario::PlanArm& arm, const std::string& job, double samples) {
  StoredJob stored;
  for (const inputs::ProfileRow& row : arm.table) {
    if (row.job != job || !row.epochs) continue;
    stored.profiles.push_back(profile_of(row, stored.grid.size(), samples));
    stored.grid.push_back(row.configuration);
  }
  return stored;
}

}  // namespace sim::advise
