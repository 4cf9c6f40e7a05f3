"""Coordinates of configurations: their indices in q, their limits, how speeds change them, and how configurations compare."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

import numpy as np

from lagrangian.model.joint import Joint
from lagrangian.model.joints.displacement import displacement
from lagrangian.model.joints.joint_type import JointType
from lagrangian.model.mechanism import Mechanism

if TYPE_CHECKING:
    from lagrangian.kernels.dynamics import Dynamics


SAME_TOLERANCE = 1e-6  # rad or m: configurations with smaller differences are equal
WRAPPED_TOLERANCE = 1e-9  # of loops whose angles were changed by whole turns
LIMIT_TOLERANCE = 1e-9  # rad or m: limits may be exceeded by so much rounding
_PERIODIC: dict[tuple[JointType, ...], tuple[int, ...]] = {}


def single_coordinates(mechanism: Mechanism) -> dict[str, tuple[int, int]]:
    """The coordinates with a speed of their own, which those of quaternions do not have, with their indices in q and qd."""
    places: dict[str, tuple[int, int]] = {}
    iq = iv = 0
    for joint in mechanism.joints:
        if joint.kind.nq == joint.kind.nv:
            places |= {name: (iq + k, iv + k) for k, name in enumerate(joint.coordinate_names)}
        iq, iv = iq + joint.kind.nq, iv + joint.kind.nv
    return places


def characteristic_length(mechanism: Mechanism) -> float:
    """A length that is typical of a mechanism: the longest one in it, or one metre if it has none."""
    placements = [placement for j in mechanism.joints for placement in (j.placement, j.child_placement)]
    placements += [placement for x in mechanism.loops for placement in (x.a_placement, x.b_placement)]
    placements += [f.placement for f in mechanism.frames]
    lengths = [float(np.linalg.norm([float(x) for x in placement.position])) for placement in placements]
    return max([x for x in lengths if x > 0], default=1.0)


def speed_scales(mechanism: Mechanism, length: float | None = None) -> np.ndarray:
    """What each speed is divided by, so that angles and lengths compare: 1 for angles, `length` for lengths.

    The default is the characteristic length of the mechanism.
    """
    length = characteristic_length(mechanism) if length is None else length
    slides = np.array([slides for joint in mechanism.joints for slides in joint.slides], dtype=bool)
    return np.where(slides, length, 1.0)


def periodic_coordinates(mechanism: Mechanism) -> list[int]:
    """The indices in q of angles that a whole turn does not change, unlike the angle of a screw."""
    indices, iq = [], 0
    for joint in mechanism.joints:
        indices += [iq + k for k in _periodic_indices(joint)]
        iq += joint.kind.nq
    return indices


def _periodic_indices(joint: Joint) -> tuple[int, ...]:
    """The coordinates of a joint that a whole turn does not change, found by a trial for each kind of joint."""
    kinds = tuple(step.kind for step in joint.kind.steps(joint))
    if kinds not in _PERIODIC:
        q = np.array(joint.kind.neutral) + 0.7
        angles = [k for k, unit in enumerate(joint.kind.units) if unit == "rad"]
        transforms = displacement(joint, np.array([q, *(q + 2 * np.pi * (np.arange(len(q)) == k) for k in angles)]))
        _PERIODIC[kinds] = tuple(
            k for k, T in zip(angles, transforms[1:], strict=True) if np.abs(T - transforms[0]).max() < WRAPPED_TOLERANCE
        )
    return _PERIODIC[kinds]


def integrate(mechanism: Mechanism, q: np.ndarray, step: np.ndarray) -> np.ndarray:
    """Configurations after a unit of time at constant speeds; quaternions keep length 1."""
    shape = np.broadcast_shapes(q.shape[:-1], step.shape[:-1])
    q = np.broadcast_to(q, (*shape, q.shape[-1])).copy()
    iq = iv = 0
    for joint in mechanism.joints:
        nq, nv = joint.kind.nq, joint.kind.nv
        q[..., iq : iq + nq] = joint.kind.integrate(q[..., iq : iq + nq], step[..., iv : iv + nv])
        iq, iv = iq + nq, iv + nv
    return q


def wrap_angles(dyn: Dynamics, q: np.ndarray, t: float = 0.0, fixed: Iterable[str] = ()) -> np.ndarray:
    """The same configuration with its angles, except fixed ones, within half a turn of zero.

    Where an equation counts whole turns, as that of a pair of gears does, the angles stay as they are.
    """
    places = single_coordinates(dyn.mechanism)
    fixed_indices = {places[name][0] for name in fixed}
    wrapped, angles = q.copy(), [k for k in periodic_coordinates(dyn.mechanism) if k not in fixed_indices]
    wrapped[angles] = (q[angles] + np.pi) % (2 * np.pi) - np.pi
    opens_loop = dyn.holonomic.any() and np.abs(dyn.closure(wrapped, t) - dyn.closure(q, t)).max() > WRAPPED_TOLERANCE
    return q if opens_loop else wrapped


def is_same_configuration(dyn: Dynamics, a: np.ndarray, b: np.ndarray) -> bool:
    """Whether two configurations are equal up to whole turns."""
    angles = periodic_coordinates(dyn.mechanism)
    difference = a - b
    difference[angles] = np.sin(difference[angles] / 2)
    return bool(np.abs(difference).max(initial=0.0) < SAME_TOLERANCE)


class CoordinateBounds:
    """The limits of all joints of a mechanism: `low` and `high` of each coordinate with a speed of its own.

    These coordinates have the indices `iq` in q and `iv` in qd. Quaternions have no limits. With `enabled` False, no coordinate
    has any.
    """

    def __init__(self, mechanism: Mechanism, enabled: bool = True) -> None:
        places = single_coordinates(mechanism)
        self.names = list(places)
        self.iq, self.iv = [q for q, _ in places.values()], [v for _, v in places.values()]
        limits = {name: joint.limits for joint in mechanism.joints for name in joint.coordinate_names}
        self.low = np.array([float(limits[name].lower) if enabled else -np.inf for name in places])
        self.high = np.array([float(limits[name].upper) if enabled else np.inf for name in places])
        periodic = set(periodic_coordinates(mechanism))
        self._is_periodic = np.array([k in periodic for k in self.iq], dtype=bool)

    @property
    def has_limits(self) -> bool:
        """Whether any coordinate has a limit."""
        return bool(np.isfinite(self.low).any() or np.isfinite(self.high).any())

    def is_outside(self, q: np.ndarray) -> np.ndarray:
        """Whether each coordinate of one configuration, or of rows of them, is outside its limits, in the order of `names`."""
        values = q[..., self.iq]
        is_past: np.ndarray = (values < self.low - LIMIT_TOLERANCE) | (values > self.high + LIMIT_TOLERANCE)
        return is_past

    def clip(self, q: np.ndarray) -> np.ndarray:
        """Rows of configurations with each coordinate at the nearest value within its limits."""
        q = q.copy()
        q[:, self.iq] = np.clip(q[:, self.iq], self.low, self.high)
        return q

    def wrap_inside(self, q: np.ndarray) -> np.ndarray:
        """Rows with angles outside their limits moved inside by whole turns, as few as possible; unchanged where that fails."""
        q, values, turn = q.copy(), q[:, self.iq], 2 * np.pi
        up, down = np.ceil((self.low - LIMIT_TOLERANCE - values) / turn), np.floor((self.high + LIMIT_TOLERANCE - values) / turn)
        turns = np.where(values < self.low - LIMIT_TOLERANCE, up, np.where(values > self.high + LIMIT_TOLERANCE, down, 0.0))
        wrapped = values + turn * np.where(self._is_periodic, turns, 0.0)
        is_inside = (wrapped >= self.low - LIMIT_TOLERANCE) & (wrapped <= self.high + LIMIT_TOLERANCE)
        q[:, self.iq] = np.where(is_inside, wrapped, values)
        return q

    def redraw_outside(self, q: np.ndarray, rng: np.random.Generator) -> np.ndarray:
        """Rows with coordinates outside drawn again between their limits, because searches from a limit itself often fail."""
        values, bounded = q[:, self.iq], np.isfinite(self.high - self.low)
        is_outside = bounded & ((values < self.low) | (values > self.high))
        drawn = rng.uniform(np.where(bounded, self.low, 0.0), np.where(bounded, self.high, 1.0), values.shape)
        q[:, self.iq] = np.where(is_outside, drawn, values)
        return q
