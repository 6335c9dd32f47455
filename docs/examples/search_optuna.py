"""At which ratio and batch does top-k reach 95 % soonest on 1 Gbit/s? A search by Optuna: pip install optuna."""

import gradsim
import gradsim.optuna
import optuna

scenario = gradsim.Scenario.from_dict({
    "workload": "resnet50_v100",  # times and bytes; accuracy is that of a small network, really trained
    "cluster": {"workers": 8, "link": {"latency": "1 ms", "bandwidth": "1 Gbit/s"}},
    "training": {"batch": 16, "steps": 400},
    "compression": {"method": "topk", "ratio": "1 %", "time": "3 ms"},
    "learner": {"kind": "live", "model": "mlp_128", "dataset": "optdigits", "evaluate_every": 5, "target": "95 %",
                "optimizer": {"method": "sgd", "learning_rate": 0.05, "momentum": 0.9}},
})
space = {"compression.ratio": ("log", 0.0001, 0.3), "training.batch": [8, 16, 32]}

optuna.logging.set_verbosity(optuna.logging.WARNING)
study = optuna.create_study(sampler=optuna.samplers.TPESampler(seed=1))
study.optimize(gradsim.optuna.objective(scenario, space, ["target_time_s"]), n_trials=20)

pruned = [one for one in study.trials if one.state == optuna.trial.TrialState.PRUNED]
best = study.best_params
print(f"best of {len(study.trials)} trials: {study.best_value:.1f} s to 95 %, at a ratio of {best['compression.ratio']:.2%}"
      f" and batches of {best['training.batch']}")
print(f"{len(pruned)} trials pruned: they end below 95 %")
