"""How a drawn linkage moves by its forces: where its pins go, and what the links exert on each other at them."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from lagrangian.errors import ArgumentError, SimulationError, format_value, is_number
from lagrangian.studio.drawing.drawing import GROUND, Drawing
from lagrangian.studio.drawing.links import Connection, spanning_tree
from lagrangian.studio.drawing.to_toml import drawing_to_toml

ROWS_PER_SECOND = 120  # two for each picture of a screen
MAX_ROWS = 2400
MAX_SECONDS = 60.0
MAX_SPEED_RATIO = 3.0  # to the speed at the start: just before a dead centre the links are faster, and ever faster
MIN_ROWS = 60  # of a motion that ends at a dead centre
Progress = Callable[[float, float], None]


def simulate_drawing(drawing: Drawing, seconds: float, progress: Progress | None = None) -> dict[str, Any]:
    """Simulate the drawing from where it stands; arrays are lists, as a page reads them."""
    import lagrangian as lg
    from lagrangian.configuration.poses import body_poses

    if not is_number(seconds) or not 0 < seconds <= MAX_SECONDS:
        raise ArgumentError(f"is {format_value(seconds)}", argument="seconds", remedy=f"a number up to {MAX_SECONDS:g} is needed")
    mechanism = lg.loads(drawing_to_toml(drawing))
    rows = int(min(MAX_ROWS, max(2, round(ROWS_PER_SECOND * seconds)))) + 1
    end_messages: list[str] = []
    with warnings.catch_warnings(record=True) as caught_warnings:
        warnings.simplefilter("always")
        try:
            motion = lg.simulate(mechanism, float(seconds), t_eval=rows, progress=progress)
        except SimulationError as error:
            if error.motion is None or len(error.motion.t) < 2:
                raise
            motion, end_messages = error.motion, [str(error)]
    if not motion.success:
        if _has_speed_motor(drawing):
            # the other warnings about it speak of solvers
            end_messages, caught_warnings = [_dead_centre_message(drawing, motion)], []
        motion = _cut_before_singularity(motion)
    poses = body_poses(mechanism, motion.q)
    return {
        "t": _json_numbers(motion.t),
        "ended": bool(motion.success),
        "pins": {pin.name: pin_path(drawing, poses, pin.name) for pin in drawing.pins},
        "forces": list(_pin_forces(drawing, motion, poses)),
        "motors": list(_motor_loads(drawing, motion)),
        "energy": {"kinetic": _json_numbers(motion.kinetic_energy), "potential": _json_numbers(motion.potential_energy)},
        "warnings": [*end_messages, *(str(x.message) for x in caught_warnings)],
    }


def _has_speed_motor(drawing: Drawing) -> bool:
    return any(x.kind == "speed" for x in drawing.motors)


def _dead_centre_message(drawing: Drawing, motion: Any) -> str:
    subject = "The motor cannot turn it" if len(drawing.motors) == 1 else "The motors cannot turn it"
    reason = "the links are stretched or folded there and forces have no bound, so the motion ends just before"
    return f"{subject} further than a dead centre at {motion.t[-1]:.3g} s: {reason}."


def _cut_before_singularity(motion: Any) -> Any:
    """The motion up to shortly before its singularity: forces after that would be rounding errors."""
    t = np.linspace(motion.t[0], motion.t[-1], 20 * MIN_ROWS)
    speeds = np.abs(motion.resample(t).qd).max(axis=1)
    moderate_rows = np.flatnonzero(speeds <= MAX_SPEED_RATIO * speeds[0])
    last = min(max(int(moderate_rows[-1]), 1), int(0.98 * len(t)))
    return motion.resample(np.linspace(t[0], t[last], max(MIN_ROWS, round(len(motion.t) * last / len(t)))))


def _json_numbers(rows: Any) -> list[float]:
    """Numbers for JSON, which has neither infinities nor NaN, with the digits that a picture shows."""
    finite = np.where(np.isfinite(rows), rows, 0.0)
    rounding = 1e-12 * float(np.abs(finite).max(initial=0.0))
    return [float(f"{x:.9g}") if abs(x) > rounding else 0.0 for x in finite]


def pin_path(drawing: Drawing, poses: dict[str, np.ndarray], pin: str) -> dict[str, list[float]]:
    """The path of a pin in the world, carried by any link that has it."""
    link, local = _carrying_link(drawing, pin)
    if link is None:
        drawn_pin = drawing.pin(pin)
        n = len(poses[GROUND])
        return {"x": [drawn_pin.x] * n, "y": [drawn_pin.y] * n}
    start = np.linalg.inv(poses[link][0]) @ np.array([*local, 0.0, 1.0])  # the first row is as it is drawn
    world = poses[link] @ start
    return {"x": _json_numbers(world[:, 0]), "y": _json_numbers(world[:, 1])}


def _carrying_link(drawing: Drawing, pin: str) -> tuple[str | None, tuple[float, float]]:
    drawn_pin = drawing.pin(pin)
    blocks = [x.block for x in drawing.sliders if x.pin == pin]
    bars = [x.name for x in drawing.bars if pin in x.pins]
    return next(iter([*bars, *blocks]), None), (drawn_pin.x, drawn_pin.y)


def _pin_forces(drawing: Drawing, motion: Any, poses: dict[str, np.ndarray]) -> Iterator[dict[str, Any]]:
    """The force that one link exerts on another at each pin, along the axes of the drawing."""
    linkage_tree = spanning_tree(drawing)
    reactions = motion.reactions
    for k, edge in enumerate(linkage_tree.edges):
        joint = motion.mechanism.joints[k]
        frame = poses[joint.child] @ joint.child_placement.matrix()
        force = np.einsum("rab,rb->ra", frame[:, :3, :3], reactions[:, k, 3:])
        kind = "guide" if edge.connection.slider is not None else "pin"
        # the force of the guide on the block, whichever of the two is the parent in the tree
        reversed_slide = kind == "guide" and edge.child != edge.connection.b
        on, by = (edge.parent, edge.child) if reversed_slide else (edge.child, edge.parent)
        yield _force_data(kind, edge.connection, on, by, -force if reversed_slide else force)
    for k, loop in enumerate(linkage_tree.loops):
        joined = motion.mechanism.loops[k]
        yield _force_data("pin", loop, joined.a, joined.b, motion.multipliers[:, 2 * k : 2 * k + 2])


def _force_data(kind: str, x: Connection, on: str, by: str, force: np.ndarray) -> dict[str, Any]:
    size = np.hypot(force[:, 0], force[:, 1])
    components = {"x": _json_numbers(force[:, 0]), "y": _json_numbers(force[:, 1]), "size": _json_numbers(size)}
    return {"kind": kind, "pin": x.pin, "on": on, "by": by, **components}


def _motor_loads(drawing: Drawing, motion: Any) -> Iterator[dict[str, Any]]:
    """The torque and the power of each motor: of one with a given speed, what the drive takes."""
    linkage_tree = spanning_tree(drawing)
    first = 2 * len(linkage_tree.loops)
    for k, edge in enumerate(linkage_tree.edges):
        motor = edge.connection.motor
        if motor is None:
            continue
        sense = 1.0 if edge.child == motor.drives else -1.0
        if motor.kind == "speed":
            torque, first = motion.multipliers[:, first], first + 1
        else:
            torque = motion.tau[:, k]
        power = _json_numbers(torque * motion.qd[:, k])
        yield {"pin": motor.pin, "torque": _json_numbers(sense * torque), "power": power}
