"""Mechanisms that exported code is tried on, compiled once for all tests; and long ones, whose functions are loops."""

from __future__ import annotations

from functools import cache

import numpy as np

import lagrangian as lg
from lagrangian.exports.reference_values import sample_states
from tests.exports.quadruped import quadruped_mechanism
from tests.exports.reference import applicable

SIX = ("puma560", "panda", "four_bar", "stewart", "rolling_disc", "quadruped")
# functions of mechanisms that are tens of thousands of operations
LONG = {"stewart": ("forward_dynamics_derivatives", "project", "step"), "quadruped": ("forward_dynamics_derivatives",)}
# mechanisms whose functions are loops: how many links, whether they branch, and whether they differ
CHAINS = {"row": (80, False, True), "branched": (80, True, True), "alike": (70, False, False)}
ROLLED = (
    "inverse_dynamics", "forward_dynamics", "mass_matrix", "coriolis_matrix", "gravity", "bias", "kinetic_energy",
    "potential_energy", "center_of_mass", "momentum",
)  # fmt: skip


@cache
def mechanism(name: str) -> lg.Mechanism:
    if name == "quadruped":
        return quadruped_mechanism()
    return long_mechanism(*CHAINS[name]) if name in CHAINS else lg.library(name)


@cache
def dynamics(name: str) -> lg.Dynamics:
    return lg.compile(mechanism(name))


def functions(name: str, every: bool = True) -> list[str]:
    """Those that can be exported, or those of them that are not long."""
    if name in CHAINS:
        return [*ROLLED, "step"] if every else ["inverse_dynamics", "forward_dynamics", "coriolis_matrix", "momentum", "step"]
    left_out = () if every else LONG.get(name, ())
    return [each for each in applicable(mechanism(name)) if each not in left_out]


def trials(name: str, count: int = 3) -> list[dict[str, np.ndarray]]:
    """States at random; those of a mechanism with constraints are near its start, and keep them."""
    m, rng = mechanism(name), np.random.default_rng(3)
    states = list(sample_states(m, count))
    if m.equation_count:
        for state in states[1:]:
            state["q"] = np.asarray(lg.assemble(m, state["q"] + rng.uniform(-0.1, 0.1, m.nq)))
            state["qd"] = np.asarray(lg.consistent_speeds(m, state["q"], state["qd"]))
    return states


def long_mechanism(n: int, branched: bool, mixed: bool) -> lg.Mechanism:
    rng = np.random.default_rng(1)
    bodies, joints = [], []
    for i in range(n):
        bodies.append(lg.Body(f"b{i}", 1.0 + (rng.random() if mixed else 0.0), (0.1, 0.02, 0), (0.01, 0.02, 0.03)))
        parent = "ground" if i == 0 else f"b{(i - 1) // 2 if branched else i - 1}"
        kind = "prismatic" if mixed and i % 7 == 3 else "ball" if mixed and i % 11 == 5 else "revolute"
        axis = {} if kind == "ball" else {"axis": "z" if i % 2 else "x"}
        friction = {"viscous": 0.1, **({"coulomb": 0.2} if kind == "prismatic" else {})}
        joints.append(lg.Joint(f"j{i}", kind, parent, f"b{i}", placement=(0.2, 0, 0), friction=friction, **axis))
    return lg.Mechanism("chain", bodies, joints)


def rigid() -> lg.Mechanism:
    """One that cannot move: its arrays have no entries."""
    body = lg.Body("block", 1.0, (0.1, 0, 0), (0.1, 0.1, 0.1))
    return lg.Mechanism("rigid", [body], [lg.Joint("weld", "fixed", "ground", "block")])
