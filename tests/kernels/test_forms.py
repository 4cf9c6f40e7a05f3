"""Every algorithm gives the same numbers unrolled and rolled, for one state and for many, on every target this machine has.

The reference is the algorithm itself run in plain Python on floats.
"""

from __future__ import annotations

import math

import numpy as np
import pytest

import lagrangian as lg
from lagrangian.algorithms import energy, kinematics
from lagrangian.algorithms import tree as trees
from lagrangian.algorithms.coriolis import CORIOLIS_MATRIX
from lagrangian.algorithms.forward_dynamics import FORWARD_DYNAMICS
from lagrangian.algorithms.inverse_dynamics import BIAS, GRAVITY, INVERSE_DYNAMICS, REACTIONS
from lagrangian.algorithms.mass_matrix import MASS_MATRIX
from lagrangian.algorithms.regressor import REGRESSOR
from lagrangian.algorithms.sweep import Algorithm, run
from lagrangian.errors import ArgumentError
from lagrangian.kernels import kernel
from lagrangian.kernels.llvm import target
from lagrangian.kernels.programs import sweeps
from tests.mechanisms import random_mechanism

WHOLE = (
    INVERSE_DYNAMICS, BIAS, GRAVITY, REACTIONS, FORWARD_DYNAMICS, MASS_MATRIX, CORIOLIS_MATRIX, REGRESSOR,
    energy.KINETIC_ENERGY, energy.POTENTIAL_ENERGY, energy.CENTER_OF_MASS, energy.MOMENTUM,
)  # fmt: skip
ALONG_PATH = (
    kinematics.POSE_OF_FRAME, kinematics.VELOCITY, kinematics.ACCELERATION, kinematics.JACOBIAN, kinematics.JACOBIAN_DOT_QD,
    kinematics.EXTERNAL_TORQUE, kinematics.LINK_POSES,
)  # fmt: skip
MECHANISMS = {
    "chain of revolutes": (["revolute"] * 5, True, False),
    "chain of two kinds": (["revolute", "prismatic"] * 3, True, False),
    "tree of all kinds": (
        ["revolute", "helical", "universal", "ball", "planar", "free", "prismatic", "continuous"],
        False,
        False,
    ),
    "with rotors, friction and springs": (["revolute", "prismatic", "ball", "revolute"], False, True),
}


def targets() -> list[str]:
    results = []
    for name in ("native", "avx512", "avx2", "sse2"):
        try:
            target._select_target(name)
            results.append(name)
        except ArgumentError:
            pass
    return results


def reference(algorithm: Algorithm, tree: trees.Tree, inputs: dict[str, np.ndarray]) -> np.ndarray:
    state = sweeps.links_at_state(tree, algorithm.inputs, lambda name, k: float(inputs[name][k]), math.cos, math.sin)
    return np.array(run(algorithm, tree, state), dtype=float)


def compare(algorithm: Algorithm, mechanism: lg.Mechanism, tree: trees.Tree, batch: int | None) -> None:
    rng = np.random.default_rng(4)
    sizes = {"q": mechanism.nq, "wrench": 6}
    rows = batch or 1
    inputs = {
        name: np.array([mechanism.random_configuration(rng) for _ in range(rows)])
        if name == "q"
        else rng.normal(size=(rows, sizes.get(name, mechanism.nv)))
        for name in algorithm.inputs
    }
    compiled = kernel.Kernel(sweeps.TreeProgram(algorithm, tree))
    arguments = [x if batch else x[0] for x in inputs.values()]
    got = np.reshape(compiled(*arguments), (rows, -1))
    for k in range(rows):
        expected = reference(algorithm, tree, {name: x[k] for name, x in inputs.items()})
        scale = max(1.0, np.abs(expected).max(initial=0.0))
        np.testing.assert_allclose(got[k] / scale, expected / scale, atol=1e-11, rtol=0, err_msg=algorithm.name)


@pytest.mark.slow
@pytest.mark.parametrize("batch", [None, 11], ids=["one", "many"])
@pytest.mark.parametrize("form", ["unrolled", "rolled"])
@pytest.mark.parametrize("name", MECHANISMS)
def test_all_algorithms(name: str, form: str, batch: int | None, monkeypatch: pytest.MonkeyPatch) -> None:
    if form == "rolled":
        monkeypatch.setattr(sweeps, "MAX_UNROLLED_LINKS", -1)
    else:
        monkeypatch.setattr(sweeps, "MAX_UNROLLED_OPERATIONS", 10**9)
    types, chain, passive = MECHANISMS[name]
    mechanism = random_mechanism(types, 2, chain=chain, passive=passive)
    tree = trees.build_tree(mechanism)
    link, placement = tree.body_places[mechanism.bodies[-1].name]
    path = tree.path_to_frame(link, placement)
    for algorithm in WHOLE:
        compare(algorithm, mechanism, tree, batch)
    for algorithm in ALONG_PATH:
        compare(algorithm, mechanism, path, batch)


@pytest.mark.parametrize("form", ["unrolled", "rolled"])
@pytest.mark.parametrize("name", targets())
def test_every_target_gives_the_same_results(name: str, form: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(target.VARIABLE, name)
    if form == "rolled":
        monkeypatch.setattr(sweeps, "MAX_UNROLLED_LINKS", -1)
    mechanism = random_mechanism(["revolute", "prismatic", "ball", "revolute"], 5)
    tree = trees.build_tree(mechanism)
    for algorithm in (INVERSE_DYNAMICS, FORWARD_DYNAMICS, MASS_MATRIX):
        for batch in (None, 11):
            compare(algorithm, mechanism, tree, batch)


def test_an_unknown_target_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(target.VARIABLE, "avx3")
    with pytest.raises(ArgumentError, match="Did you mean 'avx2'"):
        lg.compile(lg.library("two_r")).gravity([0.0, 0.0])


def test_forward_dynamics_takes_the_cheaper_way() -> None:
    """Through the mass matrix for a short arm, articulated bodies for a long one."""

    def operations(n: int) -> tuple[int, int]:
        tree = trees.build_tree(random_mechanism(["revolute"] * n, 1, chain=True))
        chosen = sweeps.trace_unrolled(FORWARD_DYNAMICS, sweeps.TreeProgram(FORWARD_DYNAMICS, tree).structure).operations
        before = sweeps.MAX_FACTORISED_SPEEDS
        try:
            sweeps.MAX_FACTORISED_SPEEDS = 0
            return chosen, sweeps.trace_unrolled(
                FORWARD_DYNAMICS, sweeps.TreeProgram(FORWARD_DYNAMICS, tree).structure
            ).operations
        finally:
            sweeps.MAX_FACTORISED_SPEEDS = before

    short, articulated_short = operations(3)
    long, articulated_long = operations(20)
    assert short < articulated_short
    assert long == articulated_long


def test_a_planar_chain_stays_planar_in_the_loop() -> None:
    """The fixpoint over the carries finds that nothing leaves the plane: most of a spatial step folds away."""
    from lagrangian.kernels.rolled import trace as rolled_trace

    def operations(axis: tuple[float, float, float]) -> int:
        bodies = [lg.Body(f"b{i}", 1.0 + 0.1 * i, (0.5, 0, 0), (0.1, 0, 0, 0.1, 0, 0.1)) for i in range(5)]
        joints = [
            lg.Joint(f"j{i}", "revolute", f"b{i - 1}" if i else "ground", f"b{i}", lg.Transform.from_rpy((1.0, 0, 0), axis))
            for i in range(5)
        ]
        arm = lg.Mechanism("arm", bodies, joints, gravity=(0, -9.81, 0))
        program = rolled_trace.trace_algorithm(INVERSE_DYNAMICS, trees.build_tree(arm))
        return sum(step.trace.operations for p in program.passes for step in p.steps.values())

    planar, spatial = operations((0, 0, 0)), operations((0.3, 0.2, 0.1))
    assert planar < spatial / 2
