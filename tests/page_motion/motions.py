"""Motions that pages compute: made once, as compiling them takes most of the time."""

from __future__ import annotations

from functools import cache
from typing import Any

import numpy as np

import lagrangian as lg

SECONDS = {"two_r": 5.0, "four_bar": 3.0, "stewart": 2.0, "scara": 2.0, "puma560": 2.0}
BEGIN = np.array([0.05, 0.835, 3.19, 0.05, 0.835, 0.05])


@cache
def path() -> Any:
    start = BEGIN - 0.05
    return lg.paths.joint_line(start, start + np.array([0.8, -0.5, -0.7, 0.4, 0.3, 0.5]), 1.5)


@cache
def mechanism(name: str) -> lg.Mechanism:
    return lg.library(name)


def controller(**gains: float) -> Any:
    return lg.control.ComputedTorque(mechanism("puma560"), path(), **gains)


def simulate(name: str, model: lg.Mechanism | None = None, **more: Any) -> lg.Motion:
    """A motion of a mechanism of the library, which may have other numbers."""
    if name == "puma560":
        more = {"q0": BEGIN, "torque": controller(), **more}
    return lg.simulate(mechanism(name) if model is None else model, SECONDS[name], **more)


@cache
def motion(name: str) -> lg.Motion:
    return simulate(name)
