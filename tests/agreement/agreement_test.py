"""Repeats trainings of `sim run` in PyTorch, end to end: data order, first weights, optimizers and methods.

    agreement_test.py SIM

Methods are written here from their publications, not from gradsim's sources; PyTorch computes gradients. Deterministic
methods must agree in every step's loss; QSGD, whose rounding draws other random numbers, in its mean over seeds.
"""
import math
import sys
import unittest

import numpy as np
import torch

import compressors
import methods
import onebit
import optimizers
import sharded
import simulated
from job import job
from methods import Eager, Every, Fragments, Outer, OuterAdam, constant, scheduled, train_locally, train_together

SIM = sys.argv.pop(1) if len(sys.argv) > 1 else ""

# Both sides compute in single precision and sum in different orders: rounding of 6e-8 in each value. Losses, printed with
# all their digits, then differ by up to 8e-7. Where a method chooses (top-k, a sign, rounding, ReLU) two values may be so
# near each other that rounding decides; from there on differences grow. Seeds and lengths are such that they do not grow
# here: first weights nudged by 1e-7, more than rounding, move losses by up to 1.4e-5 (four draws). Errors in a method move
# them by at least 100 tolerances: see Sensitivity.
TOLERANCE = 5e-5

TEXT = "LICENSE"  # any text that the repository holds
ADAMW = {"method": "adamw", "learning_rate": 0.003}
TWO_NODES = {"workers": 4, "workers_per_node": 2, "link": {"latency": "50 us", "bandwidth": "1 Gbit/s"},
             "inner_link": {"latency": "5 us", "bandwidth": "100 Gbit/s"}}
SHARDED = {"model": "gpt2_small", "device": "a100_sxm4_80gb_datasheet", "stack": "pytorch-fsdp-2023", "batch": 4}


def differences(ours, theirs):
    """Of each step's loss, as a share of PyTorch's, at least of 0.1 nats."""
    return np.abs(np.subtract(ours, theirs)) / np.maximum(theirs, 0.1)


def adamw_steps(task, rule, averaging, rate=constant(0.003)):
    return train_locally(task, lambda: optimizers.AdamW(task), rate, rule, averaging)


def sgd_steps(task, mean, rate=0.05):
    return train_together(task, optimizers.Sgd(task), constant(rate), mean)


def sgd_scenario(task, rate=0.05, **keys):
    return task.scenario({"method": "sgd", "learning_rate": rate, "momentum": 0.9}, **keys)


def demo_scenario(**compression):
    return job().scenario({"method": "sign", "learning_rate": 0.003}, {"residual_decay": 0.999},
                          compression={"method": "dct_topk", "ratio": 1 / 128, **compression})


class Agreement(unittest.TestCase):
    def check(self, scenario, repeated):
        losses, exchanged = simulated.run(SIM, scenario)
        off = differences(losses, repeated[0]).max()
        print(f"{self.name()}: {len(losses)} losses differ by up to {off:.1e}, {sum(exchanged)} steps exchange, "
              f"loss {losses[0]:.3f} -> {losses[-1]:.3f}")
        self.assertEqual(exchanged, repeated[1], "which steps exchange")
        self.assertLess(off, TOLERANCE)

    def name(self):
        return self.id().rpartition("test_")[2]


class Networks(Agreement):
    def test_perceptron_with_a_scheduled_rate(self):
        rate = {"warmup_steps": 10, "decay": {"shape": "cosine", "until": "step 48"}}
        self.check(job().scenario(ADAMW, {"rate": rate}),
                   train_together(job(), optimizers.AdamW(job()), scheduled(0.003, warm_up=10, until=48)))

    def check_residual(self, model, **settings):
        task = job(model=model, batch=8, **settings)
        self.check(sgd_scenario(task), train_together(task, optimizers.Sgd(task), constant(0.05)))

    def test_residual_network_with_batch_norm(self):
        self.check_residual("resnet_8_bn", steps=16, seed=4)

    def test_residual_network_with_group_norm(self):
        self.check_residual("resnet_14_gn", steps=16)

    def check_transformer(self, model, optimizer, rate, method, **settings):
        task = job(model=model, path=TEXT, **settings)
        self.check(task.scenario({"method": method, "learning_rate": rate}),
                   train_together(task, optimizer(task), constant(rate)))

    def test_transformer(self):
        self.check_transformer("gpt_1_32_2", optimizers.AdamW, 0.01, "adamw", window=32, batch=8)

    def test_transformer_of_two_layers(self):
        self.check_transformer("gpt_2_64_4", optimizers.AdamW, 0.003, "adamw", window=48, batch=4, steps=16)

    def test_muon(self):
        self.check_transformer("gpt_1_32_2", optimizers.Muon, 0.03, "muon", window=32, batch=8)

    def test_lamb(self):
        self.check(job().scenario({"method": "lamb", "learning_rate": 0.01}),
                   train_together(job(), optimizers.Lamb(job()), constant(0.01)))


class GradientExchange(Agreement):
    def test_sign_sgd_with_majority(self):
        self.check(sgd_scenario(job(), 5e-4, compression={"method": "signsgd"}),
                   sgd_steps(job(), compressors.MajoritySign(), 5e-4))

    def test_top_k_with_error_feedback(self):
        self.check(sgd_scenario(job(), compression={"method": "topk", "ratio": 0.05}),
                   sgd_steps(job(), compressors.Mean(compressors.top_k(0.05))))

    def test_power_sgd(self):
        task = job(model="mlp_32", steps=16)
        self.check(sgd_scenario(task, compression={"method": "powersgd", "ratio": 0.12}),
                   sgd_steps(task, compressors.PowerSgd(task, rank=2)))

    def check_demo(self, count, **compression):
        self.check(demo_scenario(**compression),
                   train_together(job(), optimizers.Sign(), constant(0.003), compressors.DeMo(job(), count)))

    def test_demo_as_released(self):
        self.check_demo(lambda values: min(32, values))

    def test_demo_in_proportion_to_tiles(self):
        self.check_demo(lambda values: compressors.kept(1 / 128, values), topk_per_tile="proportional")

    def test_onebit_adam(self):
        warm_up = {"shape": "dense", "steps": 12}
        self.check(job().scenario({"method": "onebit_adam", "learning_rate": 0.001},
                                  compression={"method": "onebit_adam", "warm_up": warm_up}),
                   onebit.onebit_adam(job(), 0.001, dense=12))

    def test_onebit_lamb(self):
        warm_up = {"shape": "dense", "steps": 12}
        self.check(job().scenario({"method": "onebit_lamb", "learning_rate": 0.003},
                                  compression={"method": "onebit_adam", "warm_up": warm_up}),
                   onebit.OneBitLamb(job(), 0.003, dense=12).train())

    def test_zero_one_adam(self):
        task = job(seed=2)
        intervals = {"freeze_after": 8, "variance_doubles_every": 3, "local_doubles_every": 3, "local_limit": 4}
        self.check(task.scenario({"method": "zero_one_adam", "learning_rate": 0.001},
                                 synchronisation={"method": "zero_one", **intervals},
                                 compression={"method": "onebit_adam"}),
                   onebit.ZeroOneAdam(task, 0.001, **intervals).train())

    def check_sharded(self, task, compress, train):
        self.check(task.scenario(ADAMW, workload=SHARDED, cluster=TWO_NODES,
                                 parallelism={"data": "fsdp", "compress": compress}),
                   train(task, optimizers.AdamW(task), 0.003))

    def test_zero_plus_plus(self):
        self.check_sharded(job(steps=24), ["qwz", "hpz", "qgz"], sharded.zero_plus_plus)

    def test_loco(self):
        self.check_sharded(job(seed=2, steps=24), ["loco"], sharded.loco)

    def test_qsgd_agrees_in_the_mean_over_seeds(self):
        """Paired over seeds: batches and first weights are common, only the rounding differs."""
        apart, noise = [], []
        for seed in range(1, 13):
            task = job(steps=24, seed=seed)
            losses, _ = simulated.run(SIM, sgd_scenario(task, compression={"method": "qsgd"}))
            rounded, again = (sgd_steps(task, compressors.Qsgd(own))[0] for own in (seed, 1000 + seed))
            apart.append(np.mean(losses) - np.mean(rounded))
            noise.append(np.mean(again) - np.mean(rounded))
        spread, own = np.std(apart, ddof=1), np.std(noise, ddof=1)
        error = spread / math.sqrt(len(apart))
        print(f"{self.name()}: mean loss differs by {np.mean(apart):.1e} +- {error:.1e}, spread {spread:.1e}; "
              f"between two roundings of PyTorch {own:.1e}")
        self.assertLess(abs(np.mean(apart)), 3.11 * error)  # Student's t, 11 degrees of freedom, 99 %
        self.assertLess(max(spread, own) / min(spread, own), 2.31)  # F(11, 11) below 5.32: 99 %, two-sided


class ModelExchange(Agreement):
    def check_local(self, repeated, synchronisation, compression=None, learner=None):
        keys = {"synchronisation": synchronisation, **({"compression": compression} if compression else {})}
        self.check(job().scenario(ADAMW, learner, **keys), repeated)

    def check_averaging(self, averaging, learner=None, compression=None, **synchronisation):
        """Every 6 steps."""
        self.check_local(adamw_steps(job(), Every(6), averaging), {"every": 6, **synchronisation}, compression, learner)

    def test_local_steps(self):
        self.check_averaging(Outer(job()), method="periodic")

    def test_local_steps_with_top_k(self):
        mean = compressors.Mean(compressors.top_k(0.05))
        self.check_averaging(Outer(job(), mean=mean), compression={"method": "topk", "ratio": 0.05}, method="periodic")

    def check_diloco(self, mean=None, compression=None):
        self.check_averaging(Outer(job(), 0.7, 0.5, mean), None, compression, method="diloco", outer_momentum=0.5)

    def test_diloco(self):
        self.check_diloco()

    def test_diloco_in_four_bits(self):
        self.check_diloco(compressors.Mean(compressors.FOUR_BITS, recoded=True), {"method": "block_4bit"})

    def test_diloco_in_one_bit(self):
        self.check_diloco(compressors.Mean(compressors.ONE_BIT), {"method": "block_1bit"})

    def check_fragments(self, make_mean, compression=None):
        averaging = Fragments(job(), 12, 4, 2, 0.5, 0.7, 0.5, make_mean)
        self.check_local(adamw_steps(job(), averaging, averaging),
                         {"method": "diloco", "every": 12, "fragments": 4, "delay": 2, "mixing": 0.5,
                          "outer_momentum": 0.5}, compression)

    def test_streaming_diloco(self):
        self.check_fragments(lambda: compressors.Mean(feedback=False))

    def test_streaming_diloco_in_four_bits(self):
        self.check_fragments(lambda: compressors.Mean(compressors.FOUR_BITS, recoded=True), {"method": "block_4bit"})

    def test_eager_diloco(self):
        self.check_averaging(Eager(job(), 0.7, 0.5), method="diloco", outer_momentum=0.5, eager=True)

    def test_sparse_loco(self):
        mean = compressors.Mean(compressors.by_block(4096, compressors.top_k_in_two_bits(1 / 64)), decay=0.95)
        self.check_averaging(Outer(job(), mean=mean), {"residual_decay": 0.95},
                             {"method": "block_topk", "ratio": 1 / 64}, method="diloco", outer_rate=1, outer_momentum=0)

    def test_fed_adam(self):
        self.check_averaging(OuterAdam(job(), 0.01, 0.9), method="diloco", outer="adam", outer_rate=0.01,
                             outer_momentum=0.9)

    def test_quadratic_synchronisation_rule(self):
        rule = methods.QuadraticRule(job(), 2, 0.006)
        self.check_local(adamw_steps(job(), rule, Outer(job()), scheduled(0.003, until=48)),
                         {"method": "qsr", "every": 2, "alpha": 0.006},
                         learner={"rate": {"decay": {"shape": "cosine", "until": "step 48"}}})

    def test_dynamic_averaging(self):
        averaging = Outer(job())
        self.check_local(adamw_steps(job(), methods.Drift(averaging, 0.8), averaging),
                         {"method": "dynamic_averaging", "threshold": 0.8})

    def test_selsync(self):
        task = job()
        repeated = train_locally(task, lambda: optimizers.Sgd(task), constant(0.05), methods.SelSync(0.04), Outer(task))
        self.check(sgd_scenario(task, synchronisation={"method": "selsync", "threshold": 0.04}), repeated)


class Sensitivity(Agreement):
    """A method that is a little wrong is at least 100 tolerances off."""

    def check_wrong(self, scenario, repeated):
        off = differences(simulated.run(SIM, scenario)[0], repeated[0]).max()
        print(f"{self.name()}: losses differ by up to {off:.1e}")
        self.assertGreater(off, 100 * TOLERANCE)

    def test_small_errors_show_in_momentum(self):
        self.check_wrong(sgd_scenario(job()),
                         train_together(job(), optimizers.Sgd(job(), 0.89), constant(0.05)))

    def test_small_errors_show_in_moments(self):
        self.check_wrong(job().scenario(ADAMW),
                         train_together(job(), optimizers.AdamW(job(), beta1=0.89), constant(0.003)))

    def test_small_errors_show_in_outer_momentum(self):
        diloco = {"method": "diloco", "every": 6, "outer_momentum": 0.5}
        self.check_wrong(job().scenario(ADAMW, synchronisation=diloco),
                         adamw_steps(job(), Every(6), Outer(job(), 0.7, 0.49)))

    def check_wrong_top_k(self, mean):
        top_k = {"method": "topk", "ratio": 0.05}
        self.check_wrong(sgd_scenario(job(), compression=top_k), sgd_steps(job(), mean))

    def test_small_errors_show_in_a_ratio(self):
        self.check_wrong_top_k(compressors.Mean(compressors.top_k(0.049)))

    def test_small_errors_show_without_error_feedback(self):
        self.check_wrong_top_k(compressors.Mean(compressors.top_k(0.05), feedback=False))

    def test_small_errors_show_in_coefficients_of_a_tile(self):
        mean = compressors.DeMo(job(), lambda values: min(31, values))
        self.check_wrong(demo_scenario(), train_together(job(), optimizers.Sign(), constant(0.003), mean))


if __name__ == "__main__":
    torch.set_num_threads(1)
    unittest.main()
