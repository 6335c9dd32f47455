// How much longer a GPU computes while a collective runs beside it.
#pragma once

namespace netmodels {

/// A collective of c channels holds c of a GPU's S multiprocessors (NCCL: one block of threads a channel), so
/// that matrix products take S / (S - c) times as long in the mean over their shapes; at most twice, as where
/// the blocks of one no longer fit beside it at once.
/// @param multiprocessors  S, at least 1
/// @param channels         c, at least 0
/// @returns the share by which computing takes longer
/// Leaves out: memory traffic of the collective, which slows other operations (a ring at 370 GB/s takes a
/// third of an H100's); lower clocks; how much longer the collective takes; copy engines, which hold none.
double overlap_slowdown(int multiprocessors, int channels);

/// Slowdowns of computing while a collective runs, as published.
struct PublishedOverlap {
  double mean = 0;
  double most = 0;
};

/// Slow-down by overlap in training steps of GPT and LLaMA on 4 A100, H100, MI250 and MI210, by FSDP and
/// pipelines.
/// Source: Lee et al., arXiv 2507.03114, abstract.
inline constexpr PublishedOverlap published_overlap{.mean = .189, .most = .4};

}  // namespace netmodels
