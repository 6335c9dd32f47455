// Whole trainings that follow a model exactly, for tests of fits.
#pragma once

#include <vector>

#include "calibrate/fits/statistical_run.hpp"

namespace calibrate::fits {

/// Reaches 0.9 after this many steps, evenly.
inline TrainingRun even_run(double batch, double steps) {
  TrainingRun run;
  run.file = "even.csv";
  run.batch = batch;
  for (int i = 1; i <= 20; ++i) {
    run.rows.emplace_back();
    run.rows.back().step = steps * i / 18;
    run.rows.back().metric = i / 20.0;
  }
  return run;
}

/// S(B) = 100 (1 + 200 / B)
inline std::vector<TrainingRun> even_runs() {
  return {even_run(50, 500), even_run(100, 300), even_run(400, 150)};
}

}  // namespace calibrate::fits
