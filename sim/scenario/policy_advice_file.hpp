// Reads the question about policies, and every combination of them that can be simulated.
#pragma once

#include <cstddef>
#include <filesystem>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "netmodels/result.hpp"
#include "policies/rental.hpp"
#include "sim/language/value.hpp"
#include "sim/scenario/policy_advice.hpp"
#include "sim/scenario/scenario.hpp"

namespace sim::scenario {

/// One combination, on every network.
struct PolicyCandidate {
  std::string synchronisation;   ///< "bsp", "periodic every 20"
  std::string compression;       ///< "topk", "gravac", "ar_topk selection variance"
  std::optional<double> ratio;   ///< kept / original; nothing where the method has none, or a policy decides
  std::string collective;        ///< a name, or `auto`
  int batch = 1;                 ///< samples per worker and step
  std::vector<Scenario> worlds;  ///< one per network
  std::size_t synchronisation_entry = 0;  ///< of `advice.synchronisation`, from 0
  std::size_t compression_entry = 0;      ///< of `advice.compression`, from 0

  /// Whether something else than whole gradients or models is sent.
  [[nodiscard]] bool compresses() const { return compression != kernels::Method().name(); }
};

/// Whether two candidates of one question learn the same, and differ only in their collective.
bool same_course(const PolicyCandidate& one, const PolicyCandidate& other);

/// Combinations that the same reason keeps out.
struct LeftOut {
  std::size_t combinations = 0;
  std::string reason;  ///< of the first of them
};

/// One file for `sim advise`, with everything that it names.
struct PolicyQuestion {
  std::string question;
  PolicyAdvice advice;
  std::vector<std::string> networks;        ///< names; one, "as stated", where none are given
  std::vector<PolicyCandidate> candidates;  ///< at least one, in the order of the lists
  std::vector<LeftOut> left_out;            ///< the largest first
  std::optional<policies::Rental> rental;   ///< by worker; nothing without a price
  std::vector<PolicyBound> bounds;
  std::vector<std::string> warnings;
  language::Value resolved;  ///< `advice` with its defaults
};

/// More candidates than this are a mistake in a product.
inline constexpr std::size_t most_policy_candidates = 2000;

/// Of these, most may be such as no scenario accepts; each is read.
inline constexpr std::size_t most_policy_combinations = 20'000;

/// The name of the only network.
inline constexpr std::string_view only_network = "as stated";

/// @param settings  as in `read_study`
/// @param data_dir  the folder `scenarios`
/// @returns the question, or the first Error, with place, key, value and what is accepted. A file without
///          `advice` asks about the whole catalogue.
netmodels::Result<PolicyQuestion> read_policy_question(const std::filesystem::path& file,
                                                       std::span<const std::string> settings,
                                                       const std::filesystem::path& data_dir);

/// `advice` with the whole paths of its networks' files: it means the same in any folder.
language::Value with_whole_paths(language::Value advice, const std::filesystem::path& data_dir);

}  // namespace sim::scenario
