// Every key under `synchronisation`.
#pragma once

#include "sim/scenario/field.hpp"
#include "sim/scenario/learner.hpp"

namespace sim::scenario {

template <>
inline constexpr auto names_of<SynchronisationMethod> = std::to_array<Named<SynchronisationMethod>>({
    {"bsp", SynchronisationMethod::bsp},
    {"periodic", SynchronisationMethod::periodic},
    {"fedavg", SynchronisationMethod::fedavg},
    {"adacomm", SynchronisationMethod::adacomm},
    {"easgd", SynchronisationMethod::easgd},
    {"diloco", SynchronisationMethod::diloco},
    {"selsync", SynchronisationMethod::selsync},
    {"ssp", SynchronisationMethod::ssp},
    {"asp", SynchronisationMethod::asp},
});

template <>
inline constexpr auto names_of<Averaged> = std::to_array<Named<Averaged>>(
    {{"parameters", Averaged::parameters}, {"gradients", Averaged::gradients}});

template <>
inline constexpr auto names_of<AverageMoment> = std::to_array<Named<AverageMoment>>(
    {{"after_step", AverageMoment::after_step}, {"before_step", AverageMoment::before_step}});

template <>
inline constexpr auto names_of<GradientNorm> =
    std::to_array<Named<GradientNorm>>({{"squared", GradientNorm::squared}, {"plain", GradientNorm::plain}});

template <>
inline constexpr auto names_of<ServerHost> =
    std::to_array<Named<ServerHost>>({{"own", ServerHost::own}, {"first_worker", ServerHost::first_worker}});

template <>
inline constexpr std::string_view choice_key<Synchronisation> = "method";

template <class V>
void describe_selsync(V& v, Synchronisation& selsync) {
  v.field(
      {.name = "threshold",
       .doc = "Relative change of a worker's smoothed ||g||^2 from which on all exchange (delta); or write "
              "`quantile`.",
       .bounds = between(0, 1e9),
       .example = "0.2"},
      selsync.threshold);
  v.field(
      {.name = "quantile",
       .doc = "The threshold is this quantile of the changes of the last 200 steps: about so many steps stay "
              "local.",
       .bounds = {.least = 0, .most = 1, .open_below = true, .open_above = true},
       .example = "80 %",
       .share = true},
      selsync.quantile);
  v.field({.name = "smoothing",
           .doc = "Weight of a new ||g||^2 in its moving average; without it, workers / 100.",
           .bounds = above_up_to(0, 1),
           .example = "0.16"},
          selsync.smoothing);
  v.field({.name = "window",
           .doc = "Steps that the moving average spans.",
           .fallback = "25",
           .bounds = between(1, 100000)},
          selsync.window);
  v.field({.name = "absolute",
           .doc = "Whether a norm that falls asks as one that rises does, as in the released code.",
           .fallback = "false"},
          selsync.absolute);
  v.field({.name = "norm",
           .doc = "What is smoothed: ||g||^2 as printed, or ||g|| as in the released code.",
           .fallback = "squared"},
          selsync.norm);
  v.field({.name = "warmup_steps",
           .doc = "Steps at the beginning that all exchange; in the released code as many as the window.",
           .fallback = "0",
           .bounds = between(0, 1e9)},
          selsync.warmup_steps);
  v.field({.name = "average",
           .doc = "Whether parameters are averaged after the local step as printed, or before it as in the "
                  "released code.",
           .fallback = "after_step"},
          selsync.average);
}

template <class V>
void describe_fedavg(V& v, Synchronisation& fedavg) {
  v.field({.name = "participants",
           .doc = "Share of the workers that a mean is of, drawn for each exchange (C).",
           .fallback = "100 %",
           .bounds = above_up_to(0, 1),
           .share = true},
          fedavg.participants);
  v.field({.name = "every_epochs",
           .doc = "Epochs from one exchange to the next (E).",
           .bounds = above_up_to(0, 1e6),
           .example = "0.25"},
          fedavg.every_epochs);
}

/// Of workers that are tied to a centre.
template <class V>
void describe_centre(V& v, Synchronisation& synchronisation) {
  v.when(SynchronisationMethod::easgd, synchronisation.method, [&](auto& inner) {
    inner.field(
        {.name = "moving_rate",
         .doc = "How far workers and centre move towards each other (alpha); without it, 0.9/workers.",
         .bounds = above_up_to(0, 1),
         .example = "0.1125"},
        synchronisation.moving_rate);
  });
  v.when(SynchronisationMethod::diloco, synchronisation.method, [&](auto& inner) {
    inner.field({.name = "outer_rate",
                 .doc = "Learning rate of the outer step, on the mean change of the parameters.",
                 .fallback = "0.7",
                 .bounds = above_up_to(0, 1000)},
                synchronisation.outer_rate);
    inner.field({.name = "outer_momentum",
                 .doc = "Nesterov momentum of the outer step.",
                 .fallback = "0.9",
                 .bounds = from_to_below(0, 1)},
                synchronisation.outer_momentum);
  });
}

template <class V>
void describe(V& v, Synchronisation& synchronisation) {
  v.choice({.name = "method",
            .doc = "When workers exchange what they learned: a row of `sim list policies`.",
            .fallback = "bsp"},
           synchronisation.method);
  for (const auto method : {SynchronisationMethod::periodic, SynchronisationMethod::adacomm,
                            SynchronisationMethod::easgd, SynchronisationMethod::diloco}) {
    v.when(method, synchronisation.method, [&](auto& inner) {
      inner.field({.name = "every",
                   .doc = method == SynchronisationMethod::adacomm
                              ? "Steps from one exchange to the next at first (H_0); fewer as the loss falls."
                              : "Steps from one exchange to the next.",
                   .bounds = between(1, 1e12),
                   .example = "20"},
                  synchronisation.every);
    });
  }
  v.when(SynchronisationMethod::fedavg, synchronisation.method,
         [&](auto& inner) { describe_fedavg(inner, synchronisation); });
  describe_centre(v, synchronisation);
  v.when(SynchronisationMethod::selsync, synchronisation.method,
         [&](auto& inner) { describe_selsync(inner, synchronisation); });
  for (const auto method :
       {SynchronisationMethod::periodic, SynchronisationMethod::adacomm, SynchronisationMethod::selsync}) {
    v.when(method, synchronisation.method, [&](auto& inner) {
      inner.field({.name = "averaged",
                   .doc = "What is exchanged: parameters after the local step, or gradients.",
                   .fallback = "parameters"},
                  synchronisation.averaged);
    });
  }
  v.when(SynchronisationMethod::ssp, synchronisation.method, [&](auto& inner) {
    inner.field({.name = "staleness",
                 .doc = "Steps that the fastest worker may be ahead of the slowest.",
                 .bounds = between(0, 1e9),
                 .example = "10"},
                synchronisation.staleness);
  });
  for (const auto method : {SynchronisationMethod::ssp, SynchronisationMethod::asp}) {
    v.when(method, synchronisation.method, [&](auto& inner) {
      inner.field({.name = "server",
                   .doc = "Where the parameter server runs: on a host of its own, with a link like the "
                          "workers', or beside the first worker, whose messages then take no time.",
                   .fallback = "own"},
                  synchronisation.server);
      inner.field(
          {.name = "push_share",
           .doc = "Share of the learning rate for each pushed gradient; without it, 1/workers, so that a "
                  "round of pushes is one step.",
           .bounds = above_up_to(0, 1),
           .example = "12.5 %",
           .share = true},
          synchronisation.push_share);
    });
  }
}

}  // namespace sim::scenario
