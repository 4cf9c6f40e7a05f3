"""Long chains: one state in pieces against one sweep over the links; accuracy, work and span, and what more cores would bring.

`python benchmarks/long_chains.py`, or `--only times|threads|accuracy|cores`. Sweeps and pieces take turns, best of many; the
machine may be shared, so the least time counts.
"""

from __future__ import annotations

import argparse
import math
import time
from collections.abc import Callable
from dataclasses import replace
from functools import partial

import mpmath
import numpy as np

import lagrangian as lg
from kernels import chain
from lagrangian.algorithms import tree as trees
from lagrangian.algorithms.forward_dynamics import FORWARD_DYNAMICS
from lagrangian.algorithms.inverse_dynamics import INVERSE_DYNAMICS
from lagrangian.algorithms.link import CONSTANTS
from lagrangian.algorithms.nested import flatten, unflatten
from lagrangian.algorithms.sweep import Algorithm, run
from lagrangian.algorithms.tree import Tree
from lagrangian.kernels.kernel import Kernel, Threads
from lagrangian.kernels.llvm import target
from lagrangian.kernels.long_chains import runs
from lagrangian.kernels.long_chains.program import LongChainForwardDynamics, LongChainInverseDynamics, plan_if_faster
from lagrangian.kernels.program import Program
from lagrangian.kernels.programs.sweeps import TreeProgram, links_at_state
from lagrangian.kernels.rolled import trace as rolled_trace
from lagrangian.kernels.trace.node import Graph, Trace

CONSTANT = (300, 1000, 3000, 10_000, 30_000, 100_000)
CORES = (1, 2, 4, 8)
SIZES = (66, 80, 100, 150, 200, *CONSTANT)


class OneSweep(TreeProgram):
    """One state goes as several do."""

    def for_single_state(self, cpu_target: target.CPUTarget) -> Program:
        return self


def tree_of(n: int) -> Tree:
    """The tree of `chain(n)` of benchmarks/kernels.py, without n bodies in Python: two links repeat."""
    few = trees.build_tree(chain(4))
    rows = np.array([0, 1, *[2, 3] * n])[:n]
    constants = {name: array[rows] for name, array in few.constants.items()}
    order = tuple(range(n))
    return replace(
        few, kind=few.kind[:1] * n, parent=tuple(range(-1, n - 1)), iq=order, iv=order, nq=n, nv=n, constants=constants,
        body_places={}, joint_link={},
    )  # fmt: skip


def function(program: Program, threads: int = 1) -> Callable[..., np.ndarray]:
    kernel = Kernel(program, Threads(threads))
    return kernel.with_fast_entry(kernel, program.name, ", ".join(program.inputs), "")


def best(functions: list[Callable[[], object]], seconds: float) -> list[float]:
    """The least time of each, in turns of five calls, one after the other as in a run."""
    result, end = [math.inf] * len(functions), time.perf_counter() + seconds
    while time.perf_counter() < end:
        for k, f in enumerate(functions):
            for _ in range(5):
                start = time.perf_counter()
                f()
                result[k] = min(result[k], time.perf_counter() - start)
    return result


def times(seconds: float) -> None:
    print(f"{target.current().width} lanes a vector; ns a link, one state, called from Python")
    print(f"{'links':>8} | forward: sweep  pieces       | inverse: sweep  pieces")
    by_link, other_of_forward = [], 0.0
    for n in SIZES:
        tree = tree_of(n)
        rng = np.random.default_rng(0)
        q, qd, x = rng.normal(size=(3, n)) * 0.3
        line = f"{n:8} |"
        for algorithm in (FORWARD_DYNAMICS, INVERSE_DYNAMICS):
            values = [function(kind(algorithm, tree)) for kind in (OneSweep, TreeProgram)]
            results = [f(q, qd, x) for f in values]
            error = np.abs(results[1] - results[0]).max() / np.abs(results[0]).max()
            assert error < 1e-9
            calls = [partial(f, q, qd, x) for f in values]
            one, other = (t / n * 1e9 for t in best(calls, seconds))
            other_of_forward = other if algorithm is FORWARD_DYNAMICS else other_of_forward
            pieces = "in pieces" if plan_if_faster(algorithm, tree, target.current()) is not None else "not cut  "
            line += f" {one:14.1f} {other:7.1f} {pieces} |"
        if n in CONSTANT:
            by_link.append(other_of_forward)
        print(line, flush=True)
    ratio = max(by_link) / min(by_link)
    print(f"forward dynamics in pieces from {CONSTANT[0]} to {CONSTANT[-1]} links: the most is {ratio:.2f} times the least")


def threads(seconds: float) -> None:
    """One state by one thread and by two, in turns; helpers are asked again ever less often where others use the machine."""
    print("\nforward and inverse dynamics, ns a link: one thread, two threads")
    for n in (3000, 6000, 10_000, 30_000, 100_000):
        tree, line = tree_of(n), f"{n:8} |"
        q, qd, x = np.random.default_rng(0).normal(size=(3, n)) * 0.3
        for algorithm in (FORWARD_DYNAMICS, INVERSE_DYNAMICS):
            results = [function(TreeProgram(algorithm, tree), count) for count in (1, 2)]
            assert np.array_equal(results[0](q, qd, x), results[1](q, qd, x))
            one, other = (t / n * 1e9 for t in best([partial(f, q, qd, x) for f in results], seconds))
            line += f" {one:6.1f} {other:6.1f} {one / other:5.2f} times |"
        print(line, flush=True)


# -- accuracy --------------------------------------------------------------------------------------------------------------


def hinged_chain(n: int, masses: np.ndarray, inertias: np.ndarray) -> lg.Mechanism:
    """`chain` of benchmarks/kernels.py with other bodies."""
    one = chain(n)
    bodies = [
        replace(body, mass=m, inertia=tuple(k * float(x) for x in body.inertia))
        for body, m, k in zip(one.bodies, masses.tolist(), inertias.tolist(), strict=True)
    ]
    return replace(one, bodies=bodies)


def accuracy(n: int) -> None:
    rng = np.random.default_rng(0)
    q, qd, tau = rng.normal(size=(3, n)) * 0.3
    one, heavy, uneven = np.ones(n), np.ones(n), np.where(np.arange(n) % 2, 1.0, 1e-6)
    heavy[-1] = 1e6
    cases = {
        "plain": (hinged_chain(n, one, one), q),
        "heavy tip, 1e6": (hinged_chain(n, heavy, heavy), q),
        "masses 1 : 1e-6": (hinged_chain(n, uneven, uneven), q),
        "straight": (hinged_chain(n, one, one), 0 * q),
        "inertias of 1e-9": (hinged_chain(n, one, 1e-9 * one), q),
    }
    print(f"\nforward dynamics of {n} links, largest error over largest qdd, against 60 digits")
    for name, (mechanism, angles) in cases.items():
        tree = trees.build_tree(mechanism)
        results = [function(kind(FORWARD_DYNAMICS, tree))(angles, qd, tau) for kind in (OneSweep, TreeProgram)]
        with mpmath.workdps(60):
            state = dict(zip(FORWARD_DYNAMICS.inputs, (angles, qd, tau), strict=True))
            number = lambda name, k: mpmath.mpf(float(state[name][k]))  # noqa: E731, B023
            exact_links = links_at_state(tree, FORWARD_DYNAMICS.inputs, number, mpmath.cos, mpmath.sin)
            for link in exact_links:
                for constant, template in CONSTANTS.items():
                    flat = (mpmath.mpf(x) if x else 0 for x in flatten(getattr(link, constant)))
                    setattr(link, constant, unflatten(template, flat))
            exact = np.array(run(FORWARD_DYNAMICS, tree, exact_links))
            errors = [float(max(abs(x - exact)) / max(abs(exact))) for x in results]
        print(f"  {name:18} sweep {errors[0]:.1e}   pieces {errors[1]:.1e}   {errors[1] / errors[0]:.2f} times", flush=True)


# -- work and span -----------------------------------------------------------------------------------------------------------


def operations(algorithm: Algorithm, tree: Tree, code_constants: rolled_trace.CodeConstants | None) -> float:
    """Of a link."""
    passes = rolled_trace.trace_algorithm(algorithm, tree, code_constants).passes
    return sum(np.mean([step.trace.operations for step in result.steps.values()]) for result in passes)


def of_records(outputs: Callable[..., list[object]], *sizes: int) -> int:
    graph = Graph()
    arguments = [[graph.input(str(k), j) for j in range(size)] for k, size in enumerate(sizes)]
    return Trace(graph, outputs(*arguments)).operations


def cores() -> None:
    from lagrangian.kernels.long_chains.lanes import LaneLoopEmitter

    tree, chosen = tree_of(1000), target.current()
    join = of_records(runs._join, runs.NODE_SIZE, runs.NODE_SIZE)
    share = of_records(runs._share, runs.NODE_SIZE, runs.NODE_SIZE, runs.JOINT_SIZE, runs.STATE_SIZE)
    print("\nwork, in operations")
    for kind in (LongChainForwardDynamics, LongChainInverseDynamics):
        plan = plan_if_faster(kind.algorithm, tree, chosen)
        assert plan is not None
        swept = operations(kind.algorithm, tree, None)
        same = operations(kind.algorithm, replace(tree, kind=tuple(plan.link_variants)), plan.code_constants)  # type: ignore[arg-type]
        lanes = LaneLoopEmitter(kind.lanes_algorithm, plan, chosen)
        cut = sum(np.mean([step.trace.operations for step in result.steps.values()]) for result in lanes.program.passes)
        print(f"  {kind.algorithm.name}: a link of the sweep {swept:.0f} (by its own pattern {same:.0f}), of a piece {cut:.0f}")
    print(f"  two pieces joined {join}, and what they share handed back {share}")
    cost, handed = LongChainForwardDynamics.cost, 1000.0
    print(
        f"\nforward dynamics predicted, us: steps of {cost.step:.0f} ns by all cores, {cost.piece:.0f} ns to join a piece by one,"
    )
    print(f"{handed / 1000:.0f} us to hand over, three times. `span`: with a core for every group")
    print(f"{'links':>8} {'groups':>7} {'steps':>6} | " + " ".join(f"{count:3} cores" for count in CORES) + " |    span")
    for n in (1000, 3000, 10_000, 30_000, 100_000):
        plan = plan_if_faster(FORWARD_DYNAMICS, tree_of(n), chosen)
        assert plan is not None
        groups, steps = len(plan.groups), plan.groups[0].step_count
        alone = cost.piece * len(plan.pieces) + cost.link * len(plan.loose_links) + cost.rest

        def total(count: int, groups: int = groups, steps: int = steps, alone: float = alone) -> float:
            shared = cost.step * steps * math.ceil(groups / count) + (3 * handed if count > 1 else 0)
            return (shared + alone) / 1000

        line = " ".join(f"{total(min(count, groups)):9.1f}" for count in CORES)
        print(f"{n:8} {groups:7} {steps:6} | {line} | {total(groups):7.1f}")


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seconds", type=float, default=3.0, help="of each measurement")
    parser.add_argument("--only", choices=("times", "threads", "accuracy", "cores"), default=None)
    options = parser.parse_args()
    if options.only in (None, "times"):
        times(options.seconds)
    if options.only in (None, "threads"):
        threads(options.seconds)
    if options.only in (None, "accuracy"):
        accuracy(1000)
    if options.only in (None, "cores"):
        cores()
