// The minimum of a function of several variables, by its values alone.
#include "calibrate/fits/simplex_search.hpp"

#include <algorithm>

namespace calibrate::fits {
namespace {

using Variables = std::vector<double>;
using Function = std::function<double(const Variables&)>;

struct Corner {
  Variables at;
  double value = 0;
};

class Simplex {
 public:
  Simplex(const Function& value, const Variables& start, double step) : value_(value) {
    corners_.push_back({start, value(start)});
    for (std::size_t i = 0; i < start.size(); ++i) {
      Variables beside = start;
      beside[i] += step;
      corners_.push_back({beside, value(beside)});
    }
    sort();
  }

  [[nodiscard]] const Corner& best() const { return corners_.front(); }
  [[nodiscard]] bool is_flat() const { return corners_.back().value - corners_.front().value < 1e-12; }

  void step() {
    const Corner reflected = from_worst(2);
    if (reflected.value < corners_.front().value) {
      const Corner expanded = from_worst(3);
      corners_.back() = expanded.value < reflected.value ? expanded : reflected;
    } else if (reflected.value < corners_[corners_.size() - 2].value) {
      corners_.back() = reflected;
    } else if (const Corner contracted = from_worst(0.5); contracted.value < corners_.back().value) {
      corners_.back() = contracted;
    } else {
      shrink();
    }
    sort();
  }

 private:
  void sort() { std::ranges::stable_sort(corners_, {}, &Corner::value); }

  /// The point `share` of the way from the worst corner to the middle of the others (1 is that middle).
  [[nodiscard]] Corner from_worst(double share) const {
    Variables at = corners_.back().at;
    for (std::size_t i = 0; i < at.size(); ++i) {
      double middle = 0;
      for (std::size_t corner = 0; corner + 1 < corners_.size(); ++corner) middle += corners_[corner].at[i];
      middle /= static_cast<double>(corners_.size() - 1);
      at[i] += share * (middle - at[i]);
    }
    return {at, value_(at)};
  }

  void shrink() {
    for (std::size_t corner = 1; corner < corners_.size(); ++corner) {
      Variables& at = corners_[corner].at;
      for (std::size_t i = 0; i < at.size(); ++i) at[i] = (at[i] + corners_.front().at[i]) / 2;
      corners_[corner].value = value_(at);
    }
  }

  const Function& value_;
  std::vector<Corner> corners_;
};

}  // namespace

std::vector<double> minimise(const Function& value, std::vector<double> start, double step, int steps) {
  for (int search = 0; search < 2; ++search) {
    Simplex simplex(value, start, step);
    for (int i = 0; i < steps && !simplex.is_flat(); ++i) simplex.step();
    start = simplex.best().at;
  }
  return start;
}

}  // namespace calibrate::fits
