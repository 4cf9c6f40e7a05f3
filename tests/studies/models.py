"""What studies of the tests are about: a slider whose motion is known, and functions whose indices are."""

from __future__ import annotations

import math
import os
import signal
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np

import lagrangian as lg

# x = x0 + v0 t + F t^2 / (2 m)
SLIDER = lg.loads(
    """
    name = "slider"
    gravity = [0, 0, 0]
    [parameters]
    m = 2.0
    F = 3.0
    [[body]]
    name = "block"
    mass = "m"
    inertia = [1, 1, 1]
    [[joint]]
    name = "x"
    type = "prismatic"
    parent = "ground"
    child = "block"
    axis = "x"
    limits = { lower = -1000, upper = 1000 }
    [[frame]]
    name = "tip"
    body = "block"
    xyz = [0.5, 0, 0]
    [[event]]
    name = "half way"
    when = "x - 1"
    [initial]
    q = [0.0]
    qd = [0.0]
    t_span = [0, 2]
    torque = { x = "F" }
    """
)


class Tired:
    """A torque that remembers how often it was asked, and gives less every time."""

    def __init__(self) -> None:
        self.asked = 0

    def __call__(self, t: float, q: Any, qd: Any) -> list[float]:
        self.asked += 1
        return [1.0 / self.asked]


def ishigami(_: Any, x: Mapping[str, float]) -> dict[str, float]:
    """Ishigami and Homma (1990), with a = 7 and b = 0.1."""
    s = math.sin(x["x1"])
    return {"y": s + 7 * math.sin(x["x2"]) ** 2 + 0.1 * x["x3"] ** 4 * s}


def ishigami_indices() -> tuple[list[float], list[float]]:
    """First and total order, exactly."""
    a, b = 7.0, 0.1
    v1 = 0.5 * (1 + b * math.pi**4 / 5) ** 2
    v2 = a**2 / 8
    v13 = b**2 * math.pi**8 * (1 / 18 - 1 / 50)
    v = v1 + v2 + v13
    return [v1 / v, v2 / v, 0.0], [(v1 + v13) / v, v2 / v, v13 / v]


G = (0.0, 1.0, 4.5, 9.0)


def g_function(_: Any, x: Mapping[str, float]) -> float:
    """Sobol's g-function: the product of (|4 x - 2| + a) / (1 + a)."""
    return math.prod((abs(4 * x[f"x{k}"] - 2) + a) / (1 + a) for k, a in enumerate(G))


def g_indices() -> tuple[list[float], list[float]]:
    parts = [1 / (3 * (1 + a) ** 2) for a in G]
    v = math.prod(1 + p for p in parts) - 1
    total = [p * math.prod(1 + q for k, q in enumerate(parts) if k != i) for i, p in enumerate(parts)]
    return [p / v for p in parts], [t / v for t in total]


def touchy(_: Any, x: Mapping[str, float]) -> dict[str, Any]:
    """Fails for some, each kind in its way."""
    if x["a"] < 0.2:
        raise RuntimeError("too small")
    if x["a"] > 0.9:
        raise SystemExit("went away")
    return {"twice": 2 * x["a"], "line": np.array([x["a"], 1.0])}


def deadly(_: Any, x: Mapping[str, float]) -> float:
    """Kills its own process once; a second time the file is there."""
    mark = Path(os.environ["DEADLY_MARK"])
    if x["a"] > 0.9 and not mark.exists():
        mark.touch()
        os.kill(os.getpid(), signal.SIGKILL)
    return x["a"]


def always_deadly(_: Any, x: Mapping[str, float]) -> float:
    if x["a"] > 0.9:
        os.kill(os.getpid(), signal.SIGKILL)
    return x["a"]


def nothing(mechanism: Any, sample: Mapping[str, float]) -> None:
    """As a function that forgets to return its result."""


def gaps(mechanism: Any, sample: Mapping[str, float]) -> dict[str, float] | None:
    """No result at a = 1, and only one of two at a = 2."""
    if sample["a"] == 1:
        return None
    return {"twice": 2 * sample["a"], "odd": math.nan if sample["a"] == 2 else 1.0}


def interrupted_within_a_run(mechanism: Any, sample: Mapping[str, float]) -> float:
    """Ctrl-C while it simulates, which returns what there is of the motion."""
    if sample["F"] > 2.5:
        progress = lambda done, total: signal.raise_signal(signal.SIGINT)  # noqa: E731
        return float(lg.simulate(mechanism, progress=progress).q[-1, 0])
    return 1.0
