"""The drawing of a planar linkage from its description: links become bars, joints pins and sliders, and drives motors."""

from __future__ import annotations

import math
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from string import ascii_uppercase
from typing import Any

import numpy as np

from lagrangian.errors import MechanismError, MechanismPart
from lagrangian.model.constraint import HolonomicConstraint
from lagrangian.model.expression import Scalar, free_symbols
from lagrangian.model.expression.derivative import derivative
from lagrangian.model.joint import Friction, Joint, JointLimits, JointSpring, Rotor
from lagrangian.model.mechanism import Mechanism
from lagrangian.studio.drawing import masses
from lagrangian.studio.drawing.drawing import BAR_WIDTH, GROUND, Bar, Drawing, DrawnMotor, Pin, Slider
from lagrangian.studio.drawing.to_toml import ANGLE_PREFIXES, END_PREFIX, POINT_PREFIX, SLIDE_PREFIX

_TOLERANCE = 1e-7  # of the linkage's size
# prefixes of the names that a drawing's description makes from those of pins
_PREFIXES = (*(f"{word}_" for word in ANGLE_PREFIXES), SLIDE_PREFIX, END_PREFIX, POINT_PREFIX)
_PIN_NAME = re.compile(r"[A-Z][A-Za-z0-9]{0,2}")  # what can stand beside a pin


def drawing_from_mechanism(mechanism: Mechanism) -> RecoveredDrawing:
    """The drawing at the mechanism's start; an error if it is no planar linkage of pins and sliders."""
    return _DrawingBuilder(mechanism).build()


@dataclass(frozen=True)
class RecoveredDrawing:
    """`left_out` says what of the description a drawing does not have."""

    drawing: Drawing
    left_out: tuple[str, ...]


class _DrawingBuilder:
    def __init__(self, mechanism: Mechanism) -> None:
        from lagrangian.configuration.poses import body_poses

        _check_planar(mechanism)
        self.mechanism = mechanism
        q = _start_configuration(mechanism)
        self.poses = {name: T[0] for name, T in body_poses(mechanism, q).items()}
        origins = np.array([T[:2, 3] for T in self.poses.values()])
        self.size = max(float(np.ptp(origins, axis=0).max()), 1e-3)
        self.left_out: list[str] = []

    def build(self) -> RecoveredDrawing:
        candidates = self._pin_candidates()
        blocks = self._blocks(candidates)
        bars = self._bars(candidates, blocks)
        _name_pins(candidates)
        pin_names = {id(candidate): candidate.name for candidate in candidates}
        bar_list = [self._bar(name, [pin_names[id(x)] for x in bar_pins], bar_pins) for name, bar_pins in bars.items()]
        sliders = [self._slider(joint, block, on, pin_names[id(candidate)]) for joint, block, on, candidate in blocks]
        block_names = {block: Slider(pin_names[id(candidate)]).block for _, block, _, candidate in blocks}
        joint_pins = {joint.name: x.name for joint in self.mechanism.joints for x in candidates if joint.name in x.names}
        motors, left_out = drawn_motors(self.mechanism, joint_pins)
        link_names = {body.name: body.name for body in self.mechanism.bodies} | {GROUND: GROUND} | block_names
        motors = tuple(replace(x, drives=link_names[x.drives], against=link_names[x.against]) for x in motors)
        self._note_omissions()
        pins = tuple(Pin(x.name, *_round_point(x.point), GROUND in x.links, x.trace) for x in candidates)
        gravity = max(0.0, -float(self.mechanism.gravity[1]))
        drawing = Drawing(self.mechanism.name[:60], gravity, pins, tuple(bar_list), tuple(sliders), motors)
        return RecoveredDrawing(drawing, (*self.left_out, *left_out))

    # -- pins --------------------------------------------------------------------------------------------------------

    def _world(self, body: str, position: Any) -> np.ndarray:
        return (self.poses[body] @ np.array([*(float(x) for x in position), 1.0]))[:2]

    def _pin_candidates(self) -> list[_PinCandidate]:
        candidates: list[_PinCandidate] = []
        for name, a, b, point in self._pivots():
            candidate = next((x for x in candidates if self._coincides(x, point) and {a, b} & set(x.links)), None)
            if candidate is None:
                candidates.append(candidate := _PinCandidate(point, []))
            candidate.names.append(name)
            candidate.links += [x for x in (a, b) if x not in candidate.links]
        for frame in self.mechanism.frames:
            point = self._world(frame.body, frame.placement.position)
            candidate = next((x for x in candidates if self._coincides(x, point) and frame.body in x.links), None)
            if candidate is None:
                candidates.append(candidate := _PinCandidate(point, [frame.body]))
            candidate.names.append(frame.name)
            candidate.trace = candidate.trace or not frame.name.startswith(END_PREFIX)
        return candidates

    def _coincides(self, candidate: _PinCandidate, point: np.ndarray) -> bool:
        return float(np.hypot(*(candidate.point - point))) < _TOLERANCE * self.size

    def _pivots(self) -> Iterator[tuple[str, str, str, np.ndarray]]:
        for joint in self.mechanism.joints:
            if joint.kind.name != "prismatic":
                yield joint.name, joint.parent, joint.child, self._world(joint.parent, joint.placement.position)
        for loop in self.mechanism.loops:
            yield loop.name, loop.a, loop.b, self._world(loop.a, loop.a_placement.position)

    # -- sliders -----------------------------------------------------------------------------------------------------

    def _blocks(self, candidates: list[_PinCandidate]) -> list[tuple[Joint, str, str, _PinCandidate]]:
        """Each slide with its block, which has one pin and no other, and with what it slides on."""
        slides = []
        for joint in self.mechanism.joints:
            if joint.kind.name != "prismatic":
                continue
            pairs = ((joint.child, joint.parent), (joint.parent, joint.child))
            block, on = next((x for x in pairs if self._is_block(x[0], candidates)), ("", ""))
            if not block:
                remedy = "sliders of a drawing carry one pin"
                raise MechanismError("it moves a link with several pins", where=MechanismPart("joint", joint.name), remedy=remedy)
            block_pins = [x for x in candidates if block in x.links]
            if not block_pins:
                candidates.append(_PinCandidate(self._world(block, (0, 0, 0)), [block], [joint.name]))
                block_pins = candidates[-1:]
            slides.append((joint, block, on, block_pins[0]))
        return slides

    def _is_block(self, body: str, candidates: list[_PinCandidate]) -> bool:
        slides = sum(body in (x.parent, x.child) for x in self.mechanism.joints if x.kind.name == "prismatic")
        return body != GROUND and slides == 1 and sum(body in x.links for x in candidates) <= 1

    def _slider(self, joint: Joint, block: str, on: str, pin: str) -> Slider:
        frame = self.poses[joint.parent][:3, :3] @ joint.placement.matrix()[:3, :3]
        axis = frame @ np.array([float(x) for x in joint.axis])
        angle = math.remainder(math.atan2(axis[1], axis[0]), math.pi)
        mass = float(self.mechanism.body(block).mass)
        angle = round(angle, 12) + 0.0 if on == GROUND else 0.0
        return Slider(pin, on, angle, None if math.isclose(mass, masses.BLOCK_MASS) else mass)

    # -- bars --------------------------------------------------------------------------------------------------------

    def _bars(
        self, candidates: list[_PinCandidate], blocks: list[tuple[Joint, str, str, _PinCandidate]]
    ) -> dict[str, list[_PinCandidate]]:
        """The pins of each bar. A bar with a single pin ends where its mass is."""
        block_names = {block for _, block, _, _ in blocks}
        pins_by_bar = {}
        for body in self.mechanism.bodies:
            if body.name in block_names:
                continue
            pins = [x for x in candidates if body.name in x.links]
            half = self.size / 2
            ends = [self._world(body.name, x) for x in (body.center, (half, 0, 0), (0, half, 0))]
            while len(pins) < 2:
                point = next(p for p in ends if not any(self._coincides(x, p) for x in pins))
                candidates.append(_PinCandidate(point, [body.name]))
                pins.append(candidates[-1])
            along = next((j for j, _, on, _ in blocks if on == body.name), None)
            pins_by_bar[body.name] = self._slide_pins_first(pins, along) if along else pins
        return pins_by_bar

    def _slide_pins_first(self, pins: list[_PinCandidate], slide: Joint) -> list[_PinCandidate]:
        """The pins in an order in which the first two are on the line of a slide."""
        R = (self.poses[slide.parent] @ slide.placement.matrix())[:2, :3]
        axis = R @ np.array([float(x) for x in slide.axis])
        for a in pins:
            for b in pins:
                if a is not b and abs(axis[0] * (b.point - a.point)[1] - axis[1] * (b.point - a.point)[0]) < 1e-9 * self.size:
                    return [a, b, *(x for x in pins if x is not a and x is not b)]
        remedy = "sliders of a drawing move along bars"
        raise MechanismError("it slides across its bar", where=MechanismPart("joint", slide.name), remedy=remedy)

    def _bar(self, name: str, pins: list[str], candidates: list[_PinCandidate]) -> Bar:
        body = self.mechanism.body(name)
        boxes = [x for x in body.visuals if x.kind == "box"]
        width = float(boxes[0].size[1]) if boxes else BAR_WIDTH
        points = [(float(x.point[0]), float(x.point[1])) for x in candidates]
        mass = float(body.mass)
        drawn_mass = masses.rod_mass(math.dist(*points), width) if len(points) == 2 else masses.plate(points, width).mass
        lamina = masses.plate(points, width, mass or None)
        center = np.array(self._world(name, body.center))
        same_centre = np.hypot(*(center - lamina.center)) < 1e-5 * self.size
        if not same_centre or not math.isclose(float(body.inertia[5]), lamina.inertia, rel_tol=1e-4, abs_tol=1e-12):
            self.left_out.append(f"the centre of mass or inertia of {name} differs from the drawn bar")
        return Bar(name[:60], tuple(pins), width, None if not mass or math.isclose(mass, drawn_mass, rel_tol=1e-9) else mass)

    # -- what a drawing does not have --------------------------------------------------------------------------------

    def _note_omissions(self) -> None:
        model = self.mechanism
        if model.springs:
            self.left_out.append("springs")
        down = [float(x) for x in model.gravity]
        if any(down) and not (down[1] < 0 and not down[0] and not down[2]):
            self.left_out.append("gravity that does not act along -y")
        if model.events:
            self.left_out.append("events")
        plain = (Friction(), Rotor(), JointSpring(), JointLimits())
        fitted = [x.name for x in model.joints if (x.friction, x.rotor, x.spring, x.limits) != plain]
        if fitted:
            self.left_out.append(f"friction, rotors, springs and limits of {', '.join(fitted)}")


@dataclass
class _PinCandidate:
    """A pin of the drawing to be: where it is, the links that it joins, and the names that the description has for it."""

    point: np.ndarray
    links: list[str]
    names: list[str] = field(default_factory=list)
    trace: bool = False
    name: str = ""


def _start_configuration(mechanism: Mechanism) -> np.ndarray:
    from lagrangian.configuration.assemble import assemble

    return np.asarray(assemble(mechanism), dtype=float)


def _check_planar(mechanism: Mechanism) -> None:
    remedy = "joints of a drawing turn about z, and sliders move along x and y"
    for joint in mechanism.joints:
        where, kind = MechanismPart("joint", joint.name), joint.kind.name
        if kind not in ("revolute", "continuous", "prismatic"):
            raise MechanismError(f"it is {kind}", where=where, remedy=remedy)
        frames = (joint.placement.matrix(), joint.child_placement.matrix())
        axis = np.array([float(x) for x in joint.axis])
        flat = all(abs(abs(T[2, 2]) - 1) < 1e-9 for T in frames) and abs(abs(axis[2]) - (kind != "prismatic")) < 1e-9
        if not flat:
            raise MechanismError("it moves out of the plane", where=where, remedy=remedy)
    for loop in mechanism.loops:
        turns = loop.kind.name == "revolute" and abs(abs(float(loop.axis[2])) - 1) < 1e-9
        if not turns and not (loop.kind.name == "point" and {"x", "y"} <= set(loop.directions)):
            remedy = "a drawing closes loops with pins"
            raise MechanismError(f"it is {loop.kind.name}", where=MechanismPart("loop", loop.name), remedy=remedy)


def _name_pins(candidates: list[_PinCandidate]) -> None:
    """Names for the pins: those that the description has, else letters."""
    used_names: set[str] = set()
    for candidate in candidates:
        for name in candidate.names:
            short_name = next((name.removeprefix(x) for x in _PREFIXES if name.startswith(x)), name)
            if _PIN_NAME.fullmatch(short_name) and short_name not in used_names and not candidate.name:
                candidate.name = short_name
        if candidate.name:
            used_names.add(candidate.name)
    letters = (f"{c}{k}" if k else c for k in range(99) for c in ascii_uppercase)
    for candidate in candidates:
        if not candidate.name:
            candidate.name = next(x for x in letters if x not in used_names)
            used_names.add(candidate.name)


def _round_point(point: np.ndarray) -> tuple[float, float]:
    return round(float(point[0]), 11) + 0.0, round(float(point[1]), 11) + 0.0


def drawn_motors(mechanism: Mechanism, pins: Mapping[str, str]) -> tuple[tuple[DrawnMotor, ...], tuple[str, ...]]:
    """The motors, by the pins of the joints that they turn, and in words what else drives the mechanism.

    A motor is a joint with a constant speed that a constraint prescribes, or one on which a constant torque acts.
    """
    motors: list[DrawnMotor] = []
    left_out: list[str] = []
    turning = {x.name: x for x in mechanism.joints if x.kind.name != "prismatic"}
    for constraint in mechanism.constraints:
        speed = _constant_speed(constraint, turning) if isinstance(constraint, HolonomicConstraint) else None
        if speed is None:
            left_out.append(f"the constraint {constraint.name}")
            continue
        joint = turning[speed[0]]
        motors.append(DrawnMotor(pins[joint.name], joint.child, joint.parent, "speed", speed[1] * _sense(joint)))
    for name, torque in mechanism.initial.torque:
        driven = turning.get(name)
        if driven is None or free_symbols(torque) or any(x.pin == pins[name] and x.drives == driven.child for x in motors):
            left_out.append(f"the torque of {name}, which is not constant")
            continue
        motors.append(DrawnMotor(pins[name], driven.child, driven.parent, "torque", float(torque) * _sense(driven)))
    return tuple(motors), tuple(left_out)


def _constant_speed(constraint: HolonomicConstraint, joints: Mapping[str, object]) -> tuple[str, float] | None:
    """The joint of an equation a*joint + b*t + c = 0, and its speed."""
    names = free_symbols(constraint.equation) - {"t"}
    if constraint.unilateral or len(names) != 1 or not names <= set(joints):
        return None
    (name,) = names
    slope, rate = (derivative(constraint.equation, x) for x in (name, "t"))
    if not _is_constant(slope) or not _is_constant(rate) or not float(slope):
        return None
    return name, -float(rate) / float(slope)


def _is_constant(x: Scalar) -> bool:
    return not free_symbols(x)


def _sense(joint: object) -> float:
    """-1 for a joint that turns about -z, else 1."""
    return 1.0 if float(joint.axis[2]) > 0 else -1.0  # type: ignore[attr-defined]
