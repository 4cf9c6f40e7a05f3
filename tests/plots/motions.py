"""Motions that the tests of figures share; made once."""

from __future__ import annotations

from functools import cache

import numpy as np

import lagrangian as lg
from lagrangian.motion.status import Ending, Status


@cache
def run(name: str) -> lg.Motion:
    """A packaged mechanism as it is described, over a short time."""
    m = lg.library(name)
    return lg.simulate(m, 0.4, t_eval=np.linspace(0, 0.4, 81))


@cache
def stopped_motion() -> lg.Motion:
    """The deployable four-bar until it locks."""
    return lg.simulate(lg.library("deployable_four_bar"), 13, t_eval=np.linspace(0, 13, 200))


@cache
def floating() -> lg.Motion:
    """A body that nothing holds."""
    body = lg.Body("brick", 1.0, (0, 0, 0), (0.01, 0.03, 0.035))
    m = lg.Mechanism("floating", [body], [lg.Joint("float", "free", "ground", "brick")])
    return lg.simulate(m, 0.5, t_eval=np.linspace(0, 0.5, 51), qd0=[0.05, 6, 0.05, 0.5, 0, 5])


@cache
def crane() -> lg.Motion:
    """A turning slide that is driven: angles and lengths, both of which move."""
    bodies = [lg.Body("boom", 2.0, (0.5, 0, 0), (0.1, 0.1, 0.1)), lg.Body("trolley", 1.0, (0, 0, 0), (0.01, 0.01, 0.01))]
    joints = [
        lg.Joint("turn", "revolute", "ground", "boom", axis=(0, 1, 0)),
        lg.Joint("slide", "prismatic", "boom", "trolley", axis=(1, 0, 0)),
    ]
    m = lg.Mechanism("crane", bodies, joints)
    return lg.simulate(m, 0.4, t_eval=np.linspace(0, 0.4, 81), q0=[0.3, 1.0], qd0=[0.5, 0.2], torque=[3.0, 4.0])


@cache
def resting() -> lg.Motion:
    """Nothing moves, and nothing acts."""
    m = lg.library("two_r").replace(gravity=(0, 0, 0))
    return lg.simulate(m, 1.0, t_eval=np.linspace(0, 1, 11), q0=[0.1, 0.2], qd0=[0, 0])


def chain(links: int, rows: int = 50) -> lg.Motion:
    """A long chain with made-up rows: what figures show of it is of no physical meaning."""
    bodies = [lg.Body(f"b{k}", 1.0, (0.5, 0, 0), (0.1, 0.1, 0.1)) for k in range(links)]
    joints = [lg.Joint(f"j{k}", "revolute", f"b{k - 1}" if k else "ground", f"b{k}") for k in range(links)]
    m = lg.Mechanism("chain", bodies, joints)
    t = np.linspace(0, 1, rows)
    q = np.sin(np.outer(t, 1 + np.arange(links) / links))
    none = np.zeros((rows, links))
    return lg.Motion(
        mechanism=m, name="chain", t=t, q=q, qd=np.cos(q), qdd=none, tau=none, friction=none, multipliers=np.zeros((rows, 0)),
        constraint_forces=none, kinetic_energy=t**2, potential_energy=-(t**2), work={}, drift=0 * t, rate_drift=0 * t,
        coordinate_names=m.coordinate_names, speed_names=m.speed_names, constraint_names=(),
        ending=Ending(Status.FINISHED, 1.0), statistics={"method": "made up", "adaptive": False},
    )  # fmt: skip
