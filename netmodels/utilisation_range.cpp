// The factors by which ranges widen, and the words for it.
#include "netmodels/utilisation_range.hpp"

#include <cmath>

#include <fmt/format.h>

namespace netmodels {
namespace {

double combined(double within, const std::vector<Widening>& outside, double Widening::*side) {
  const double inside = std::log1p(within);
  double squares = inside * inside;
  for (const Widening& one : outside) squares += std::log(one.*side) * std::log(one.*side);
  return std::exp(std::sqrt(squares));
}

/// Doublings from `least` to `most`, at least 0.
double doublings(double least, double most) { return most > least ? std::log2(most / least) : 0; }

}  // namespace

std::vector<Widening> UtilisationRange::all_outside() const {
  std::vector<Widening> all = outside;
  if (devices) all.push_back(*devices);
  return all;
}

double UtilisationRange::slower() const { return combined(within, all_outside(), &Widening::slower); }

double UtilisationRange::faster() const { return combined(within, all_outside(), &Widening::faster); }

std::optional<Widening> outside_kind(const PublishedRuns& runs, bool experts) {
  constexpr double least_of_dense = 4.0;
  if (!experts || runs.experts) return std::nullopt;
  return Widening{
      .reason = "a mixture of experts, dense models were measured",
      .slower = least_of_dense,
      .source = "8 published runs of mixtures of experts reach a quarter to three quarters of it"};
}

std::optional<Widening> outside_sequence(const PublishedRuns& runs, std::int64_t sequence) {
  constexpr double per_doubling = 1.08;
  const auto tokens = static_cast<double>(sequence);
  const auto least = static_cast<double>(runs.min_sequence);
  const auto most = static_cast<double>(runs.max_sequence);
  const double beyond = doublings(most, tokens) + doublings(tokens, least);
  if (beyond == 0) return std::nullopt;
  const double factor = std::pow(per_doubling, beyond);
  return Widening{
      .reason = tokens > most
                    ? fmt::format("sequence {}, at most {} was measured", sequence, runs.max_sequence)
                    : fmt::format("sequence {}, at least {} was measured", sequence, runs.min_sequence),
      .slower = factor,
      .faster = factor,
      .source = "8 % for each doubling, in nine of ten of 190 predictions for longer sequences"};
}

std::optional<Widening> outside_devices(const PublishedRuns& runs, std::uint32_t devices) {
  constexpr double per_doubling = 1.05;
  const double beyond = doublings(runs.max_devices, devices);
  if (beyond == 0) return std::nullopt;
  return Widening{.reason = fmt::format("{} GPUs, at most {} were measured", devices, runs.max_devices),
                  .slower = std::pow(per_doubling, beyond),
                  .source = "5 % for each doubling, the largest published loss of a series"};
}

Widening other_device(const std::string& device, const std::string& measured) {
  constexpr double between_devices = 2.1;
  return {.reason = fmt::format("{}, {} was measured", device, measured),
          .slower = between_devices,
          .faster = between_devices,
          .source = "a factor of 2.1 between the devices of pytorch-fsdp-2023"};
}

Widening other_precision(const std::string& precision, const std::string& measured) {
  constexpr double between_precisions = 1.53;
  return {.reason = fmt::format("{}, {} was measured", precision, measured),
          .slower = between_precisions,
          .faster = between_precisions,
          .source = "a factor of 1.53 between bf16 and fp8 of megatron-te-2025"};
}

Widening frozen_weights(double whole_over_frozen) {
  return {.reason = "frozen weights, trainings of all weights were measured",
          .slower = whole_over_frozen,
          .source = "at worst frozen weights save nothing"};
}

std::string describe_outside(const UtilisationRange& range) {
  const std::vector<Widening> outside = range.all_outside();
  if (outside.empty()) return "";
  std::string reasons;
  for (const Widening& one : outside) reasons += (reasons.empty() ? "" : "; ") + one.reason;
  return fmt::format(
      "outside of what was published: {}; range widened to {:.0f} to {:.0f} % of the predicted time", reasons,
      100 / range.faster(), 100 * range.slower());
}

}  // namespace netmodels
