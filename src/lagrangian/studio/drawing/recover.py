"""The drawing of a planar linkage from its description: links become bars, what joins them pins, and drives motors."""

from __future__ import annotations

import math
import re
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from string import ascii_uppercase
from typing import Any

import numpy as np

from lagrangian.errors import MechanismError, Part
from lagrangian.model.joint import Friction, Joint, JointSpring, Limits, Rotor
from lagrangian.model.mechanism import Mechanism
from lagrangian.studio.drawing import masses
from lagrangian.studio.drawing.describe import END, POINT, SLIDE, TURNS
from lagrangian.studio.drawing.drawing import GROUND, WIDTH, Bar, Drawing, Pin, Slider
from lagrangian.studio.drawing.recover_motors import motors_of

_NEAR = 1e-7  # of the linkage's size
_PREFIXES = (*(f"{word}_" for word in TURNS), SLIDE, END, POINT)  # of what a drawing's description calls after its pins
_SHORT = re.compile(r"[A-Z][A-Za-z0-9]{0,2}")  # what can stand beside a pin


@dataclass
class _Place:
    """A pin to be: where it is, the links that it joins, and what the description calls it."""

    point: np.ndarray
    links: list[str]
    names: list[str] = field(default_factory=list)
    trace: bool = False
    name: str = ""


@dataclass(frozen=True)
class Recovered:
    """`left_out` says what of the description a drawing does not have."""

    drawing: Drawing
    left_out: tuple[str, ...]


def recover(mechanism: Mechanism) -> Recovered:
    """The drawing at the mechanism's start; an error if it is no planar linkage of pins and sliders."""
    return _Recovery(mechanism).recovered()


class _Recovery:
    def __init__(self, mechanism: Mechanism) -> None:
        from lagrangian.configuration.poses import body_poses

        _check_planar(mechanism)
        self.mechanism = mechanism
        q = _start(mechanism)
        self.poses = {name: T[0] for name, T in body_poses(mechanism, q).items()}
        origins = np.array([T[:2, 3] for T in self.poses.values()])
        self.size = max(float(np.ptp(origins, axis=0).max()), 1e-3)
        self.left_out: list[str] = []

    def recovered(self) -> Recovered:
        places = self._places()
        blocks = self._blocks(places)
        bars = self._bars(places, blocks)
        _call(places)
        at = {id(place): place.name for place in places}
        made = [self._bar(name, [at[id(x)] for x in own], own) for name, own in bars.items()]
        sliders = [self._slider(joint, block, on, at[id(place)]) for joint, block, on, place in blocks]
        renamed = {block: Slider(at[id(place)]).block for _, block, _, place in blocks}
        joints = {joint.name: place.name for joint in self.mechanism.joints for place in places if joint.name in place.names}
        motors, left_out = motors_of(self.mechanism, joints)
        called = {body.name: body.name for body in self.mechanism.bodies} | {GROUND: GROUND} | renamed
        motors = tuple(replace(x, drives=called[x.drives], against=called[x.against]) for x in motors)
        self._note_the_rest()
        pins = tuple(Pin(x.name, *_tidy(x.point), GROUND in x.links, x.trace) for x in places)
        gravity = max(0.0, -float(self.mechanism.gravity[1]))
        drawing = Drawing(self.mechanism.name[:60], gravity, pins, tuple(made), tuple(sliders), motors)
        return Recovered(drawing, (*self.left_out, *left_out))

    # -- pins --------------------------------------------------------------------------------------------------------

    def _world(self, body: str, position: Any) -> np.ndarray:
        return (self.poses[body] @ np.array([*(float(x) for x in position), 1.0]))[:2]

    def _places(self) -> list[_Place]:
        found: list[_Place] = []
        for name, a, b, point in self._turning():
            place = next((x for x in found if self._same(x, point) and {a, b} & set(x.links)), None)
            if place is None:
                found.append(place := _Place(point, []))
            place.names.append(name)
            place.links += [x for x in (a, b) if x not in place.links]
        for frame in self.mechanism.frames:
            point = self._world(frame.body, frame.placement.position)
            place = next((x for x in found if self._same(x, point) and frame.body in x.links), None)
            if place is None:
                found.append(place := _Place(point, [frame.body]))
            place.names.append(frame.name)
            place.trace = place.trace or not frame.name.startswith(END)
        return found

    def _same(self, place: _Place, point: np.ndarray) -> bool:
        return float(np.hypot(*(place.point - point))) < _NEAR * self.size

    def _turning(self) -> Iterator[tuple[str, str, str, np.ndarray]]:
        for joint in self.mechanism.joints:
            if joint.kind.name != "prismatic":
                yield joint.name, joint.parent, joint.child, self._world(joint.parent, joint.placement.position)
        for loop in self.mechanism.loops:
            yield loop.name, loop.a, loop.b, self._world(loop.a, loop.a_placement.position)

    # -- sliders -----------------------------------------------------------------------------------------------------

    def _blocks(self, places: list[_Place]) -> list[tuple[Joint, str, str, _Place]]:
        """Each slide with its block, which has one pin and no other, and with what it slides on."""
        found = []
        for joint in self.mechanism.joints:
            if joint.kind.name != "prismatic":
                continue
            pairs = ((joint.child, joint.parent), (joint.parent, joint.child))
            block, on = next((x for x in pairs if self._is_block(x[0], places)), ("", ""))
            if not block:
                remedy = "sliders of a drawing carry one pin"
                raise MechanismError("it moves a link with several pins", where=Part("joint", joint.name), remedy=remedy)
            own = [x for x in places if block in x.links]
            if not own:
                places.append(_Place(self._world(block, (0, 0, 0)), [block], [joint.name]))
                own = places[-1:]
            found.append((joint, block, on, own[0]))
        return found

    def _is_block(self, body: str, places: list[_Place]) -> bool:
        slides = sum(body in (x.parent, x.child) for x in self.mechanism.joints if x.kind.name == "prismatic")
        return body != GROUND and slides == 1 and sum(body in x.links for x in places) <= 1

    def _slider(self, joint: Joint, block: str, on: str, pin: str) -> Slider:
        frame = self.poses[joint.parent][:3, :3] @ joint.placement.matrix()[:3, :3]
        axis = frame @ np.array([float(x) for x in joint.axis])
        angle = math.remainder(math.atan2(axis[1], axis[0]), math.pi)
        mass = float(self.mechanism.body(block).mass)
        angle = round(angle, 12) + 0.0 if on == GROUND else 0.0
        return Slider(pin, on, angle, None if math.isclose(mass, masses.BLOCK) else mass)

    # -- bars --------------------------------------------------------------------------------------------------------

    def _bars(self, places: list[_Place], blocks: list[tuple[Joint, str, str, _Place]]) -> dict[str, list[_Place]]:
        """The places of each bar. One with a single pin ends where its mass is."""
        inner = {block for _, block, _, _ in blocks}
        found = {}
        for body in self.mechanism.bodies:
            if body.name in inner:
                continue
            own = [x for x in places if body.name in x.links]
            half = self.size / 2
            ends = [self._world(body.name, x) for x in (body.center, (half, 0, 0), (0, half, 0))]
            while len(own) < 2:
                point = next(p for p in ends if not any(self._same(x, p) for x in own))
                places.append(_Place(point, [body.name]))
                own.append(places[-1])
            along = next((j for j, _, on, _ in blocks if on == body.name), None)
            found[body.name] = self._along(own, along) if along else own
        return found

    def _along(self, own: list[_Place], slide: Joint) -> list[_Place]:
        """The pins in an order in which the first two are on the line of a slide."""
        R = (self.poses[slide.parent] @ slide.placement.matrix())[:2, :3]
        axis = R @ np.array([float(x) for x in slide.axis])
        for a in own:
            for b in own:
                if a is not b and abs(axis[0] * (b.point - a.point)[1] - axis[1] * (b.point - a.point)[0]) < 1e-9 * self.size:
                    return [a, b, *(x for x in own if x is not a and x is not b)]
        remedy = "sliders of a drawing move along bars"
        raise MechanismError("it slides across its bar", where=Part("joint", slide.name), remedy=remedy)

    def _bar(self, name: str, pins: list[str], own: list[_Place]) -> Bar:
        body = self.mechanism.body(name)
        boxes = [x for x in body.visuals if x.kind == "box"]
        width = float(boxes[0].size[1]) if boxes else WIDTH
        points = [(float(x.point[0]), float(x.point[1])) for x in own]
        mass = float(body.mass)
        drawn = masses.rod_mass(math.dist(*points), width) if len(points) == 2 else masses.plate(points, width).mass
        whole = masses.plate(points, width, mass or None)
        center = np.array(self._world(name, body.center))
        same = np.hypot(*(center - whole.center)) < 1e-5 * self.size
        if not same or not math.isclose(float(body.inertia[5]), whole.inertia, rel_tol=1e-4, abs_tol=1e-12):
            self.left_out.append(f"the centre of mass or inertia of {name} differs from the drawn bar")
        return Bar(name[:60], tuple(pins), width, None if not mass or math.isclose(mass, drawn, rel_tol=1e-9) else mass)

    # -- what a drawing does not have --------------------------------------------------------------------------------

    def _note_the_rest(self) -> None:
        model = self.mechanism
        if model.springs:
            self.left_out.append("springs")
        down = [float(x) for x in model.gravity]
        if any(down) and not (down[1] < 0 and not down[0] and not down[2]):
            self.left_out.append("gravity that does not act along -y")
        if model.events:
            self.left_out.append("events")
        plain = (Friction(), Rotor(), JointSpring(), Limits())
        fitted = [x.name for x in model.joints if (x.friction, x.rotor, x.spring, x.limits) != plain]
        if fitted:
            self.left_out.append(f"friction, rotors, springs and limits of {', '.join(fitted)}")


def _start(mechanism: Mechanism) -> np.ndarray:
    from lagrangian.configuration.assemble import assemble

    return np.asarray(assemble(mechanism), dtype=float)


def _check_planar(mechanism: Mechanism) -> None:
    remedy = "joints of a drawing turn about z, and sliders move along x and y"
    for joint in mechanism.joints:
        where, kind = Part("joint", joint.name), joint.kind.name
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
            raise MechanismError(f"it is {loop.kind.name}", where=Part("loop", loop.name), remedy=remedy)


def _tidy(point: np.ndarray) -> tuple[float, float]:
    return round(float(point[0]), 11) + 0.0, round(float(point[1]), 11) + 0.0


def _call(places: list[_Place]) -> None:
    """Names for the pins: those that the description has, else letters."""
    taken: set[str] = set()
    for place in places:
        for name in place.names:
            short = next((name.removeprefix(x) for x in _PREFIXES if name.startswith(x)), name)
            if _SHORT.fullmatch(short) and short not in taken and not place.name:
                place.name = short
        if place.name:
            taken.add(place.name)
    letters = (f"{c}{k}" if k else c for k in range(99) for c in ascii_uppercase)
    for place in places:
        if not place.name:
            place.name = next(x for x in letters if x not in taken)
            taken.add(place.name)
