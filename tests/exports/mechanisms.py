"""Mechanisms that exported code is tried on, compiled once for all tests; and long ones, whose functions are loops."""

from __future__ import annotations

from functools import cache

import numpy as np

import lagrangian as lg
from lagrangian.exports.samples import states
from tests.exports.quadruped import quadruped
from tests.exports.reference import applicable

SIX = ("puma560", "panda", "four_bar", "stewart", "rolling_disc", "quadruped")
# functions of mechanisms that are tens of thousands of operations
LONG = {"stewart": ("forward_dynamics_derivatives", "project", "step"), "quadruped": ("forward_dynamics_derivatives",)}
# mechanisms whose functions are loops, with as many links that turn and slide; they branch, and float, or do not
CHAINS = {"row": (80, False, False), "branched": (81, True, False), "floating": (70, True, True)}
LOOPS = [
    *("inverse_dynamics", "forward_dynamics", "mass_matrix", "coriolis_matrix", "gravity", "bias"),
    *("kinetic_energy", "potential_energy", "center_of_mass", "momentum", "step"),
]


@cache
def mechanism(name: str) -> lg.Mechanism:
    if name == "quadruped":
        return quadruped()
    return chain(name, *CHAINS[name]) if name in CHAINS else lg.library(name)


@cache
def dynamics(name: str) -> lg.Dynamics:
    return lg.compile(mechanism(name))


def functions(name: str, all_of_them: bool = False) -> list[str]:
    """Those that can be exported; without the long ones, unless all are asked for."""
    if name in CHAINS:
        return LOOPS
    left_out = () if all_of_them else LONG.get(name, ())
    return [each for each in applicable(mechanism(name)) if each not in left_out]


def trials(name: str, count: int = 3) -> list[dict[str, np.ndarray]]:
    """States at random; those of a mechanism with constraints are near its start, and keep them."""
    m, rng = mechanism(name), np.random.default_rng(3)
    found = list(states(m, count))
    if m.equations:
        for state in found[1:]:
            state["q"] = np.asarray(lg.assemble(m, state["q"] + rng.uniform(-0.1, 0.1, m.nq)))
            state["qd"] = np.asarray(lg.consistent_speeds(m, state["q"], state["qd"]))
    return found


def chain(name: str, count: int, branched: bool = False, floating: bool = False, alike: bool = False) -> lg.Mechanism:
    rng = np.random.default_rng(1)
    masses = [1.0 if alike else 1.0 + rng.random() for _ in range(count)]
    bodies = [lg.Body(f"b{i}", mass, (0.1, 0.02, 0), (0.01, 0.02, 0.03)) for i, mass in enumerate(masses)]
    joints = []
    for i in range(count):
        parent = "ground" if i == 0 else f"b{(i - 1) // 2 if branched else i - 1}"
        kind = "prismatic" if i % 7 == 3 and not alike else "revolute"
        more = {"axis": "z" if i % 2 else "x", "friction": {"viscous": 0.1, "coulomb": 0.2}}
        if floating and i % 9 == 0:
            kind, more = "free" if i == 0 else "ball", {}
        joints.append(lg.Joint(f"j{i}", kind, parent, f"b{i}", placement=(0.2, 0, 0), **more))
    return lg.Mechanism(name, bodies, joints)
