"""Tasks that motors are chosen for: a wheel that turns to and fro, and an arm that reaches."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import numpy as np

import lagrangian as lg

J, M, A, W = 0.5, 20.0, 0.8, 3.0  # a load's inertia and mass, the amplitude and circular frequency of its motion


def wheel(gravity: Any = (0, 0, 0), rotor: Any = None, type: str = "revolute") -> lg.Mechanism:  # noqa: A002
    body = lg.Body("load", mass=M, center=(0, 0, 0), inertia=(J, J, J))
    joint = lg.Joint("axis", type, "ground", "load", axis=(0, 0, 1), rotor=rotor or lg.Rotor())
    return lg.Mechanism("wheel", (body,), (joint,), gravity=gravity)


def rows(mechanism: lg.Mechanism, t: np.ndarray, q: np.ndarray, qd: np.ndarray, qdd: np.ndarray) -> SimpleNamespace:
    q, qd, qdd = (np.reshape(x, (len(t), -1)) for x in (q, qd, qdd))
    return SimpleNamespace(t=t, q=q, qd=qd, qdd=qdd, tau=lg.compile(mechanism).inverse_dynamics(q, qd, qdd))


def sine(mechanism: lg.Mechanism, t: np.ndarray | None = None) -> SimpleNamespace:
    t = np.linspace(0, 2 * np.pi / W, 4001) if t is None else t
    return rows(mechanism, t, A * np.sin(W * t), A * W * np.cos(W * t), -A * W**2 * np.sin(W * t))


def reach(mechanism: lg.Mechanism, count: int = 200, seconds: float = 1.0) -> SimpleNamespace:
    """All joints along a quintic, from rest to rest."""
    t = np.linspace(0, seconds, count)
    s = t / seconds
    way = np.cos(np.arange(mechanism.nv))
    p, pd, pdd = (
        10 * s**3 - 15 * s**4 + 6 * s**5,
        (30 * s**2 - 60 * s**3 + 30 * s**4) / seconds,
        (60 * s - 180 * s**2 + 120 * s**3),
    )
    return rows(mechanism, t, 0.3 + np.outer(p, way), np.outer(pd, way), np.outer(pdd, way) / seconds**2)
