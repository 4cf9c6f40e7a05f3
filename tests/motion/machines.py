"""Small mechanisms that several tests of motion use."""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import numpy as np

import lagrangian as lg
from lagrangian.model.expression import Scalar, parse, symbol

G = 9.81


def reference(name: str) -> Any:
    """A file of reference values."""
    return json.loads((Path(__file__).parents[1] / "data" / f"{name}.json").read_text())


def formula(text: str, names: str) -> Scalar:
    """An expression of t and the coordinates named."""
    return parse(text, {name: symbol(name) for name in ["t", *names.split()]})


def bar(name: str, mass: float = 1.0, length: float = 1.0) -> lg.Body:
    """A uniform slender bar along x."""
    return lg.Body(name, mass, (length / 2, 0, 0), (0, mass * length**2 / 12, mass * length**2 / 12))


def slider(mass: float = 1.0, gravity: Any = (0, 0, 0), constraints: Sequence[Any] = (), **joint: Any) -> lg.Mechanism:
    """A block on a rail along x."""
    joints = [lg.Joint("x", "prismatic", "ground", "block", axis=(1, 0, 0), **joint)]
    return lg.Mechanism("slider", [lg.Body("block", mass)], joints, constraints=constraints, gravity=gravity)


def particle(constraints: Sequence[Any], mass: float = 1.0, gravity: Any = (0, 0, -G)) -> lg.Mechanism:
    """A point mass with coordinates x, y, z."""
    bodies = [lg.Body("along_x"), lg.Body("along_y"), lg.Body("point", mass)]
    joints = [
        lg.Joint("x", "prismatic", "ground", "along_x", axis=(1, 0, 0)),
        lg.Joint("y", "prismatic", "along_x", "along_y", axis=(0, 1, 0)),
        lg.Joint("z", "prismatic", "along_y", "point", axis=(0, 0, 1)),
    ]
    return lg.Mechanism("particle", bodies, joints, constraints=constraints, gravity=gravity)


def pendulum(**joint: Any) -> lg.Mechanism:
    """A uniform bar of 1 m and 1 kg, hanging at q = 0."""
    bodies = [lg.Body("bar", 1.0, (0, -0.5, 0), (1 / 12, 0, 1 / 12))]
    return lg.Mechanism("bar_pendulum", bodies, [lg.Joint("a", "revolute", "ground", "bar", **joint)], gravity=(0, -G, 0))


def chain(n: int, **joint: Any) -> lg.Mechanism:
    """Uniform bars of 1 m and 1 kg, all hanging down at q = 0; each angle is that to the link before."""
    bodies = [lg.Body(f"link{i}", 1.0, (0, -0.5, 0), (1 / 12, 0, 1 / 12)) for i in range(n)]
    joints = [
        lg.Joint(f"a{i}", "revolute", f"link{i - 1}" if i else "ground", f"link{i}", (0, -1, 0) if i else (0, 0, 0), **joint)
        for i in range(n)
    ]
    return lg.Mechanism(f"chain{n}", bodies, joints, gravity=(0, -G, 0))


def n_four_bar(n: int) -> lg.Mechanism:
    """n + 1 equal cranks joined by n couplers."""
    bodies, joints, loops = [], [], []
    end = lg.Transform(position=(1, 0, 0))
    for k in range(n + 1):
        bodies.append(bar(f"crank{k}"))
        joints.append(lg.Joint(f"theta{k}", "revolute", "ground", f"crank{k}", (float(k), 0, 0)))
        if k < n:
            bodies.append(bar(f"coupler{k}"))
            joints.append(lg.Joint(f"phi{k}", "revolute", f"crank{k}", f"coupler{k}", end))
            loops.append(lg.LoopJoint(f"closure{k}", "point", f"coupler{k}", f"crank{k + 1}", end, end, directions=("x", "y")))
    return lg.Mechanism(f"{n}_four_bar", bodies, joints, loops, gravity=(0, -G, 0))


def four_bar(kind: str = "point", lengths: Sequence[float] = (1.0, 0.3, 0.9, 0.6), copies: int = 1) -> lg.Mechanism:
    """Ground, crank, coupler, rocker; closed once or more by planar points, or by loop joints about z."""
    l0, l1, l2, l3 = lengths
    bodies = [bar("crank", 2 * l1, l1), bar("coupler", 2 * l2, l2), bar("rocker", 2 * l3, l3)]
    joints = [
        lg.Joint("theta1", "revolute", "ground", "crank"),
        lg.Joint("phi2", "revolute", "crank", "coupler", (l1, 0, 0)),
        lg.Joint("phi3", "revolute", "ground", "rocker", (l0, 0, 0)),
    ]
    ends = lg.Transform(position=(l2, 0, 0)), lg.Transform(position=(l3, 0, 0))
    more: dict[str, Any] = {"directions": ("x", "y")} if kind == "point" else {}
    loops = [lg.LoopJoint(f"closure{k}", kind, "coupler", "rocker", *ends, **more) for k in range(copies)]
    return lg.Mechanism("four_bar", bodies, joints, loops, gravity=(0, -G, 0))


def patience(seconds: float) -> Callable[[float, float], None]:
    """Something to tell the progress to, which interrupts a run that takes more of the processor's time."""
    began = time.process_time()

    def watch(done: float, total: float) -> None:
        if time.process_time() - began > seconds:
            raise KeyboardInterrupt

    return watch


def energy_error(motion: lg.Motion) -> float:
    """By what part of the energy moved the balance is off, at the worst row."""
    return float(np.abs(motion.energy_balance).max() / motion.energy_scale)
