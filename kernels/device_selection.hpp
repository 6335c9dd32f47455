// Selection by magnitude on the device: the k largest, or all above a threshold, in one pass over the vector.
#pragma once

#include <cstdint>
#include <functional>
#include <span>

#include "kernels/device_compressor.hpp"
#include "kernels/magnitude.hpp"
#include "kernels/philox.hpp"

namespace kernels {

/// A value that may be sent, and its index.
struct Candidate {
  Index index;
  float value;
};

/// State of one tile: a stretch of the vector that one block scans and one warp sends.
struct SelectionTile {
  std::uint64_t first;        ///< index of its first candidate in the list
  std::uint32_t count;        ///< number of its candidates
  std::uint32_t sure, band;   ///< number of its values from the cut's `high` on, and in [low, high)
  std::uint32_t band_before;  ///< how many of the band come before those of it that are sent
  std::uint32_t band_sent;
  std::uint64_t sent_before;  ///< values sent from all tiles before
  double energy_given, energy_sent;
};

/// State shared by the kernels of one selection; all zeros before the first.
struct SelectionState {
  unsigned long long collected;  ///< values at or above `listed`, whether there was room for them or not
  unsigned long long passing;    ///< values at or above the threshold of a search, as far as they are counted
  unsigned long long counts[2048];  ///< values by their next digit
  std::int64_t rank;  ///< rank, from the largest, among values with the known digits; 0: `enough`
  Magnitude listed;   ///< magnitude that candidates reach
  Magnitude known;    ///< digits found so far
  Cut cut;            ///< final cut, without `largest`
  bool is_cut;        ///< the cut is known and needs no search by digits
  unsigned blocks_done;
};

/// One selection as its kernels see it; held only in their parameters.
struct Selecting {
  const float* gradient;  ///< read by the scan
  float* residual;        ///< added and written by the scan; null: without error feedback
  const float* values;    ///< input of the selection: the residual, or the gradient itself
  std::int64_t elements;  ///< n
  std::int64_t enough;    ///< values that the list must hold for a search in it to be right; of top-k: k
  std::int64_t capacity;  ///< candidates there is room for; 0: nothing is listed
  int pair_bytes;         ///< bytes of a value and its index on the wire
  bool random_run;        ///< the run in the band begins at random: number 0 of `run`; else with the band
  RandomStream run;
  SelectionState* state;
  SelectionTile* tiles;
  Candidate* candidates;
  float* sent_values;
  Index* sent_indices;
  DeviceTotals* totals;
  unsigned long long* rescans;
};

/// The input of a method that searches for its cut, and how it searches.
struct CutSearch {
  std::int64_t enough = 0;  ///< the search stays correct for any count of thresholds that more values pass
  std::int64_t most = 0;    ///< values that may be sent
  bool random_run = false;  ///< see Selecting
  RandomStream run = {0, 0};
  /// Enqueues kernels, which decide (cut_search.cuh) when the values are fed and listed.
  std::function<void(const Selecting& work)> decide = {};
};

/// Values of a tile.
constexpr std::int64_t selection_tile = 8192;

/// Selects the values of exact top-k and the threshold methods without waiting for the host.
///
/// One pass reads the gradient (and residual), writes the residual, sums the energy, and lists the values
/// above a threshold that a sample suggests as candidates: tile by tile in any order, inside a tile by index.
/// A radix selection (11, 11 and 9 bits) over the candidates then finds the k-th largest magnitude, and a
/// last pass over them sends the first k of the order (|v| descending, index ascending) in ascending order of
/// index and zeroes the residual there. Where fewer than k passed, or more than there is room for (many equal
/// values), the same kernels look at the vector itself instead: that costs time, never exactness.
///
/// Methods that search for a threshold do so among the candidates, too: values below them are known to be
/// passed by enough values. What they begin with, as a mean, is their own further pass over the vector.
///
/// Memory: 8 bytes for each value that may be sent, 8 for each candidate there is room for (4
/// `enough`, which is k of top-k, and at least 16384; n above a threshold), and 56 for each tile of 8192
/// values.
class DeviceSelection {
 public:
  /// @param index_bytes  bytes of an index on the wire
  explicit DeviceSelection(int index_bytes) : pair_bytes_(static_cast<int>(sizeof(float)) + index_bytes) {}

  /// The k largest.
  /// @param k  in [1, vector.size()], of an empty vector any
  DeviceMessage largest(std::span<const float> vector, std::int64_t k, StreamHandle stream);

  /// The k largest of gradient + residual; what is not sent is left in `residual`.
  DeviceMessage largest_fed(std::span<const float> gradient, std::span<float> residual, std::int64_t k,
                            StreamHandle stream);

  /// All with |v| >= threshold.
  DeviceMessage above(std::span<const float> vector, Magnitude threshold, StreamHandle stream);
  DeviceMessage above_fed(std::span<const float> gradient, std::span<float> residual, Magnitude threshold,
                          StreamHandle stream);

  /// All that a search cuts off, of the vector or of gradient + residual; what is not sent is left in
  /// `residual`.
  /// @param residual  empty: without error feedback
  DeviceMessage searched(std::span<const float> gradient, std::span<float> residual, const CutSearch& search,
                         StreamHandle stream);

  /// Calls that had a list but sent from the vector: whose sampled threshold was too high or far too low, or
  /// whose cut lay below the list; as known once the stream has done its work. Waits for the stream.
  [[nodiscard]] std::int64_t rescans(StreamHandle stream) const;

 private:
  Selecting prepared(std::span<const float> gradient, float* residual, std::int64_t most,
                     StreamHandle stream);
  void list(Selecting& work, StreamHandle stream);
  DeviceMessage find(Selecting work, StreamHandle stream);
  DeviceMessage pass(Selecting work, Magnitude threshold, StreamHandle stream);
  DeviceMessage nothing(StreamHandle stream);

  int pair_bytes_;
  DeviceWorkspace<SelectionState> state_;
  DeviceWorkspace<SelectionTile> tiles_;
  DeviceWorkspace<Candidate> candidates_;
  DeviceWorkspace<float> sent_values_;
  DeviceWorkspace<Index> sent_indices_;
  DeviceWorkspace<DeviceTotals> totals_;
  DeviceWorkspace<unsigned long long> rescans_;
};

/// Shared part of the methods that search for their threshold: feeds and lists candidates of a sampled
/// threshold in one pass, and searches among these.
class DeviceSearching : public DeviceSparsifier {
 public:
  /// The same as a step of error feedback without a residual.
  DeviceMessage compress(std::span<const float> vector, StreamHandle stream) final {
    return compress_fed(vector, {}, stream);
  }

  /// False, as values decide how many pass: only MSTopk sends a number that n decides.
  [[nodiscard]] bool count_is_fixed() const override { return false; }

  [[nodiscard]] std::int64_t rescans(StreamHandle stream) const override {
    return selection_.rescans(stream);
  }

 protected:
  /// @param index_bytes  bytes of an index on the wire
  explicit DeviceSearching(int index_bytes) : selection_(index_bytes) {}

  DeviceSelection selection_;
};

// --- the steps of a selection, each of them enqueued kernels

/// Whether a sample of `work.elements` values suggests a threshold that `enough` pass and little else.
bool sample_pays(const Selecting& work);

/// How many candidates the sampled threshold may let pass before it counts as far too low.
std::int64_t candidate_capacity(std::int64_t elements, std::int64_t enough);

/// state->listed = that of a sample; only speed depends on its luck.
void sample_threshold(const Selecting& work, StreamHandle stream);

/// Unless state->is_cut: cuts off the state->rank largest, or `enough` where that is 0.
void find_kth_largest(const Selecting& work, StreamHandle stream);

/// Sends values that pass work.state->cut: pairs in ascending order of index, zeros in the residual, totals.
void send_cut(const Selecting& work, StreamHandle stream);

}  // namespace kernels
