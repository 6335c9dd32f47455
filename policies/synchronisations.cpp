// The rows of the synchronisation policies.
#include <array>
#include <concepts>

#include "policies/adacomm.hpp"
#include "policies/decoupled_diloco.hpp"
#include "policies/diloco.hpp"
#include "policies/dynamic_averaging.hpp"
#include "policies/easgd.hpp"
#include "policies/external_policy.hpp"
#include "policies/local_steps.hpp"
#include "policies/post_local.hpp"
#include "policies/qsr.hpp"
#include "policies/selsync.hpp"
#include "policies/synchronisation_row.hpp"
#include "policies/zero_one.hpp"

namespace policies {
namespace {

/// Needs of what a policy looks at.
consteval settings::Demands demands_of(Looks looks) {
  for (const settings::Named<Looks>& named : names_of(looks)) {
    if (named.value == looks) return named.demands;
  }
  return {};
}

/// Declarations of a policy whose workers exchange with a server by themselves.
consteval settings::Demands demands_of_server(const SynchronisationRow& row) {
  using enum settings::Capability;
  settings::Demands demands{
      .needs = {trained_effects},
      .denies = {common_step, collectives, mean_model, weighted_mean, common_selection}};
  if (row.merging_server != nullptr) demands.denies |= {second_round};
  if (row.server != nullptr) demands.denies |= {worker_model, steps_to_leave_after};
  return demands;
}

/// The declarations that follow from how workers step and exchange.
/// @param always_models  exchanges models whatever its settings are
consteval settings::Demands demands_of(const SynchronisationRow& row, bool always_models) {
  using enum settings::Capability;
  const SynchronisationTraits& traits = row.traits;
  settings::Demands demands = demands_of(traits.looks);
  if (always_models) demands |= models_demands;
  if (!traits.every_step) {
    demands.needs |= {whole_states, composed_step};
    demands.denies |= {gradients_every_step};
  }
  if (traits.switches_to_models) demands.denies |= {gradient_exchange};
  if (traits.exchanges_momenta) {
    demands.needs |= {compressed, recoded_sum, momentum_optimizer};
    demands.denies |= {stated_warm_up};
    demands.offers |= {momentum_steps};
  }
  if (row.server != nullptr || row.merging_server != nullptr) {
    demands |= demands_of_server(row);
    return demands;
  }
  demands.offers |= {some_collectives};
  if (row.exchanges_models == nullptr || traits.switches_to_models || traits.flags)
    demands.offers |= {bucketed_gradients};
  return demands;
}

/// The members of a policy's settings set further facts of its row.
/// @param own  declarations of this policy alone
template <class Policy, class S>
consteval SynchronisationRow synchronisation_row(const settings::Row& facts,
                                                 const SynchronisationTraits& traits = {},
                                                 const settings::Demands& own = {}) {
  SynchronisationRow made{facts, traits};
  made.settings = &settings::owned<S>;
  made.make = [](const void* settings) -> std::unique_ptr<SynchronisationPolicy> {
    if constexpr (std::constructible_from<Policy, const S&>)
      return std::make_unique<Policy>(*static_cast<const S*>(settings));
    else
      return std::make_unique<Policy>();
  };
  if constexpr (requires(const S& s) { s.period(); })
    made.period = [](const void* settings) { return static_cast<const S*>(settings)->period(); };
  if constexpr (requires(const S& s) { s.exchanges_models(); })
    made.exchanges_models = [](const void* settings) {
      return static_cast<const S*>(settings)->exchanges_models();
    };
  if constexpr (requires(const S& s) { s.drawn_share(); })
    made.drawn_share = [](const void* settings) { return static_cast<const S*>(settings)->drawn_share(); };
  if constexpr (requires(const S& s) { s.streaming(); })
    made.streaming = [](const void* settings) { return static_cast<const S*>(settings)->streaming(); };
  if constexpr (requires(const S& s) { s.local_from; })
    made.local_from = [](const void* settings) { return static_cast<const S*>(settings)->local_from; };
  if constexpr (requires(const S& s) { s.local_from(); })
    made.local_from = [](const void* settings) { return static_cast<const S*>(settings)->local_from(); };
  if constexpr (requires(const S& s) { s.kinds(); })
    made.kinds = [](const void* settings) { return static_cast<const S*>(settings)->kinds(); };
  if constexpr (requires(const S& s) { s.deciding_time(); })
    made.deciding_time = [](const void* settings) {
      return static_cast<const S*>(settings)->deciding_time();
    };
  if constexpr (requires(const S& s) { s.parameter_server(); })
    made.server = [](const void* settings) { return static_cast<const S*>(settings)->parameter_server(); };
  if constexpr (requires(const S& s) { s.merging_server(); })
    made.merging_server = [](const void* settings) {
      return static_cast<const S*>(settings)->merging_server();
    };
  if constexpr (requires(const S& s) { s.problem_with(1); })
    made.problem_with = [](const void* settings, int workers) {
      return static_cast<const S*>(settings)->problem_with(workers);
    };
  constexpr bool always_models = requires(const S& s) { s.exchanges_models(); }
  &&!requires(const S& s) { s.averaged; };
  made.demands = demands_of(made, always_models);
  made.demands |= own;
  return made;
}

/// A centre is tested, and after an exchange each worker has a model of its own still.
constexpr settings::Demands centre_demands{.denies = {settings::Capability::common_model,
                                                      settings::Capability::mean_model,
                                                      settings::Capability::worker_model}};

constexpr std::array synchronisation_rows{
    synchronisation_row<EveryStep, settings::None>(
        {"bsp", "all workers average gradients in every step", "Valiant 1990", "{method: bsp}"},
        {.every_step = true, .steps_assumed = true}),
    synchronisation_row<Periodic, Periodic::Settings>(
        {"periodic", "local steps, an exchange in every H-th (local SGD)", "Stich 2019",
         "{method: periodic, every: 20}"},
        {.steps_assumed = true}),
    synchronisation_row<FedAvg, FedAvg::Settings>(
        {"fedavg", "local epochs, then a mean over some of the workers", "McMahan et al. 2017",
         "{method: fedavg, every_epochs: 0.25}"}),
    synchronisation_row<PostLocal, PostLocal::Settings>(
        {"post_local", "gradients in every step at first, then local steps", "Lin et al., ICLR 2020",
         "{method: post_local, every: 20, local_from: epoch 1}"},
        {.steps_assumed = true, .switches_to_models = true}),
    synchronisation_row<Qsr, Qsr::Settings>(
        {"qsr", "local steps, more between two exchanges as the square of the learning rate falls",
         "Gu et al., ICLR 2024", "{method: qsr, every: 20, alpha: 0.4}"},
        {.looks = Looks::learning_rate}),
    synchronisation_row<AdaComm, AdaComm::Settings>(
        {"adacomm", "local steps, fewer between two exchanges as the loss falls", "Wang & Joshi, MLSys 2019",
         "{method: adacomm, every: 20}"},
        {.looks = Looks::loss}),
    synchronisation_row<Easgd, Easgd::Settings>({"easgd",
                                                 "local steps of workers with an elastic pull "
                                                 "towards a centre",
                                                 "Zhang et al., NIPS 2015", "{method: easgd, every: 20}"},
                                                {.steps_assumed = true}, centre_demands),
    synchronisation_row<DiLoCo, DiLoCo::Settings>(
        {"diloco", "local steps, then an outer momentum step on their mean change", "Douillard et al. 2023",
         "{method: diloco, every: 20}"},
        {.steps_assumed = true, .keeps_outer_model = true}),
    synchronisation_row<EveryStep, DecoupledDiLoCo>(
        {"decoupled_diloco",
         "local steps at each worker's own pace; a server merges the models of those who answer in time",
         "Douillard et al. 2026", "{method: decoupled_diloco, every: 24, fragments: 24}"},
        {.steps_assumed = true}),
    synchronisation_row<ZeroOne, ZeroOne::Settings>(
        {"zero_one", "0/1 Adam: whole gradients ever more rarely, else compressed ones; then local steps",
         "Lu et al., ICLR 2023", "{method: zero_one, freeze_after: 300}"},
        {.steps_assumed = true,
         .switches_to_models = true,
         .exchanges_momenta = true,
         .local_steps_key = "freeze_after"}),
    synchronisation_row<SelSync, SelSync::Settings>(
        {"selsync", "an exchange when any worker's gradient has changed enough",
         "Tyagi & Swany, IEEE CLUSTER 2023", "{method: selsync, threshold: 0.2}"},
        {.looks = Looks::gradients, .flags = true}),
    synchronisation_row<DynamicAveraging, DynamicAveraging::Settings>(
        {"dynamic_averaging", "local steps until any worker's model is far from the one that all had last",
         "Kamp et al., ECML PKDD 2018", "{method: dynamic_averaging, threshold: 0.5}"},
        {.looks = Looks::models, .flags = true}),
    synchronisation_row<EveryStep, StaleSynchronous>(
        {"ssp", "a parameter server; the fastest worker waits when it is too far ahead of the slowest",
         "Ho et al., NeurIPS 2013", "{method: ssp, staleness: 10}"}),
    synchronisation_row<EveryStep, Asynchronous>({"asp", "a parameter server; no worker waits for another",
                                                  "Recht et al., NeurIPS 2011", "{method: asp}"}),
    synchronisation_row<External, External::Settings>(
        {"external", "an object of a Python program decides in each step", "",
         "{method: external, name: Mine, sha256: 5feceb66ffc86f38}"}),
};

}  // namespace

std::span<const SynchronisationRow> synchronisations() { return synchronisation_rows; }

const SynchronisationRow* find_synchronisation(std::string_view name) {
  return settings::find_row(synchronisations(), name);
}

void describe(settings::Fields& fields, SynchronisationChoice& choice) {
  choice.describe_choice(fields,
                         {.name = "method",
                          .doc = "When workers exchange gradients or parameters: a row of `sim list "
                                 "policies`.",
                          .fallback = "bsp"},
                         synchronisations(), settings::Layout::beside);
}

}  // namespace policies
