"""How a drawn linkage moves by its forces: where its pins go, and what the links exert on each other at them."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from lagrangian.errors import ArgumentError, SimulationError, is_number, shown
from lagrangian.studio.drawing.describe import describe
from lagrangian.studio.drawing.drawing import GROUND, Drawing
from lagrangian.studio.drawing.links import Connection, tree

ROWS = 120  # a second: two of each picture
MOST_ROWS = 2400
LONGEST = 60.0  # seconds
FASTER = 3.0  # times the speed at the start: just before a dead centre the links have more, and ever more
FEWEST = 60  # rows of a motion that ends at one
Progress = Callable[[float, float], None]


def move(drawing: Drawing, seconds: float, progress: Progress | None = None) -> dict[str, Any]:
    """The motion from the drawing as it stands; arrays are lists, as a page reads them."""
    import lagrangian as lg

    if not is_number(seconds) or not 0 < seconds <= LONGEST:
        raise ArgumentError(f"is {shown(seconds)}", argument="seconds", remedy=f"a number up to {LONGEST:g} is needed")
    mechanism = lg.loads(describe(drawing))
    rows = int(min(MOST_ROWS, max(2, round(ROWS * seconds)))) + 1
    ended: list[str] = []
    with warnings.catch_warnings(record=True) as told:
        warnings.simplefilter("always")
        try:
            motion = lg.simulate(mechanism, float(seconds), t_eval=rows, progress=progress)
        except SimulationError as error:
            if error.motion is None or len(error.motion.t) < 2:
                raise
            motion, ended = error.motion, [str(error)]
    from lagrangian.configuration.poses import body_poses

    if not motion.success:
        if _turned(drawing):
            ended, told = [_stuck(drawing, motion)], []  # what else is said of it speaks of solvers
        motion = _before_the_end(motion)
    poses = body_poses(mechanism, motion.q)
    return {
        "t": _listed(motion.t),
        "ended": bool(motion.success),
        "pins": {pin.name: path_of(drawing, poses, pin.name) for pin in drawing.pins},
        "forces": list(_forces(drawing, motion, poses)),
        "motors": list(_motors(drawing, motion)),
        "energy": {"kinetic": _listed(motion.kinetic_energy), "potential": _listed(motion.potential_energy)},
        "warnings": [*ended, *(str(x.message) for x in told)],
    }


def _turned(drawing: Drawing) -> bool:
    return any(x.kind == "speed" for x in drawing.motors)


def _stuck(drawing: Drawing, motion: Any) -> str:
    it = "The motor cannot turn it" if len(drawing.motors) == 1 else "The motors cannot turn it"
    why = "the links are stretched or folded there and forces have no bound, so the motion ends just before"
    return f"{it} further than a dead centre at {motion.t[-1]:.3g} s: {why}."


def _before_the_end(motion: Any) -> Any:
    """The motion up to where it blows up: largest forces that are read any later would be those of rounding."""
    t = np.linspace(motion.t[0], motion.t[-1], 20 * FEWEST)
    speeds = np.abs(motion.resample(t).qd).max(axis=1)
    usual = np.flatnonzero(speeds <= FASTER * speeds[0])
    last = min(max(int(usual[-1]), 1), int(0.98 * len(t)))
    return motion.resample(np.linspace(t[0], t[last], max(FEWEST, round(len(motion.t) * last / len(t)))))


def _listed(rows: Any) -> list[float]:
    """Numbers for JSON, which knows neither infinities nor what is no number; more digits than a picture has are left out."""
    found = np.where(np.isfinite(rows), rows, 0.0)
    least = 1e-12 * float(np.abs(found).max(initial=0.0))  # less is rounding
    return [float(f"{x:.9g}") if abs(x) > least else 0.0 for x in found]


def path_of(drawing: Drawing, poses: dict[str, np.ndarray], pin: str) -> dict[str, list[float]]:
    """Where a pin is, by any link that has it."""
    link, local = _fixed_to(drawing, pin)
    if link is None:
        found = drawing.pin(pin)
        n = len(poses[GROUND])
        return {"x": [found.x] * n, "y": [found.y] * n}
    start = np.linalg.inv(poses[link][0]) @ np.array([*local, 0.0, 1.0])  # the first row is as it is drawn
    world = poses[link] @ start
    return {"x": _listed(world[:, 0]), "y": _listed(world[:, 1])}


def _fixed_to(drawing: Drawing, pin: str) -> tuple[str | None, tuple[float, float]]:
    found = drawing.pin(pin)
    blocks = [x.block for x in drawing.sliders if x.pin == pin]
    bars = [x.name for x in drawing.bars if pin in x.pins]
    return next(iter([*bars, *blocks]), None), (found.x, found.y)


def _forces(drawing: Drawing, motion: Any, poses: dict[str, np.ndarray]) -> Iterator[dict[str, Any]]:
    """What one link exerts on another at a pin, along the axes of the drawing."""
    found = tree(drawing)
    reactions = motion.reactions
    for k, branch in enumerate(found.branches):
        joint = motion.mechanism.joints[k]
        frame = poses[joint.child] @ joint.child_placement.matrix()
        force = np.einsum("rab,rb->ra", frame[:, :3, :3], reactions[:, k, 3:])
        kind = "guide" if branch.connection.slider is not None else "pin"
        # what a slide exerts on the block, whichever of the two the tree begins with
        turned = kind == "guide" and branch.child != branch.connection.b
        on, by = (branch.parent, branch.child) if turned else (branch.child, branch.parent)
        yield _force(kind, branch.connection, on, by, -force if turned else force)
    for k, loop in enumerate(found.loops):
        joined = motion.mechanism.loops[k]
        yield _force("pin", loop, joined.a, joined.b, motion.multipliers[:, 2 * k : 2 * k + 2])


def _force(kind: str, x: Connection, on: str, by: str, force: np.ndarray) -> dict[str, Any]:
    size = np.hypot(force[:, 0], force[:, 1])
    along = {"x": _listed(force[:, 0]), "y": _listed(force[:, 1]), "size": _listed(size)}
    return {"kind": kind, "pin": x.pin, "on": on, "by": by, **along}


def _motors(drawing: Drawing, motion: Any) -> Iterator[dict[str, Any]]:
    """The torque and the power of each motor: of one with a given speed, what the drive takes."""
    found = tree(drawing)
    first = 2 * len(found.loops)
    for k, branch in enumerate(found.branches):
        motor = branch.connection.motor
        if motor is None:
            continue
        sense = 1.0 if branch.child == motor.drives else -1.0
        if motor.kind == "speed":
            torque, first = motion.multipliers[:, first], first + 1
        else:
            torque = motion.tau[:, k]
        power = _listed(torque * motion.qd[:, k])
        yield {"pin": motor.pin, "torque": _listed(sense * torque), "power": power}
