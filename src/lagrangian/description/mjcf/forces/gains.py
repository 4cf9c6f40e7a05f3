"""How the force of a MuJoCo actuator follows from its input, its length and its rate: the kinds of actuator, and defaults."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace

from lagrangian.description.xml import Element, choice, number, numbers

_GAINS = ("fixed", "affine", "muscle", "user")
_BIASES = ("none", "affine", "muscle", "user")
_DYNAMICS = ("none", "integrator", "filter", "filterexact", "muscle", "user")


@dataclass(frozen=True)
class Settings:
    """How an actuator's force follows from its input, its length and its rate, as MuJoCo keeps it."""

    gain: tuple[float, ...] = (1.0, 0.0, 0.0)
    bias: tuple[float, ...] = (0.0, 0.0, 0.0)
    gaintype: str = "fixed"
    biastype: str = "none"
    dyntype: str = "none"
    time: float = 1.0  # the time constant of a filter
    kind: str = "general"  # of actuator, that the last element was

    def given(self, element: Element) -> Settings:
        """What an element of the kind of its tag makes of them: its own, or one among the defaults."""
        at = self if element.tag in ("general", self.kind) else self._for_another_kind()
        if element.tag in _READ:
            return replace(_READ[element.tag](at, element), kind=element.tag)
        return replace(at, gaintype=element.tag, biastype=element.tag, dyntype=element.tag, kind=element.tag)

    def _for_another_kind(self) -> Settings:
        """What an element takes of defaults of another kind, as in MuJoCo 4: gains of a general actuator, if they are fixed."""
        if self.kind != "general" or self.gaintype != "fixed":
            return Settings()
        dyntype = "filterexact" if self.dyntype == "filterexact" else "none"
        return Settings((self.gain[0], 0.0, 0.0), self.bias, dyntype=dyntype, time=self.time)

    @property
    def affine(self) -> bool:
        """Whether force is linear in the input, and affine in length and rate, and the input known of the control."""
        known = self.gaintype in ("fixed", "affine") and self.biastype in ("none", "affine")
        return known and self.dyntype in ("none", "integrator", "filter", "filterexact")


def _general(at: Settings, element: Element) -> Settings:
    return Settings(
        _first(element, "gainprm", at.gain),
        _first(element, "biasprm", at.bias),
        choice(element, "gaintype", _GAINS, at.gaintype),
        choice(element, "biastype", _BIASES, at.biastype),
        choice(element, "dyntype", _DYNAMICS, at.dyntype),
        numbers(element, "dynprm", 10, (at.time,), least=1)[0],
    )


def _first(element: Element, attribute: str, given: tuple[float, ...]) -> tuple[float, ...]:
    found = numbers(element, attribute, 10, (), least=1)[:3]
    return (*found, *given[len(found) :])


def _position(at: Settings, element: Element) -> Settings:
    kp = number(element, "kp", at.gain[0])
    if "kv" in element.attributes and "dampratio" in element.attributes:
        raise element.error("has kv and dampratio; give one of them")
    kv = -_positive(element, "kv", 0.0) if "kv" in element.attributes else at.bias[2]
    kv = _positive(element, "dampratio", 0.0) if "dampratio" in element.attributes else kv
    made = replace(at, gain=(kp, *at.gain[1:]), bias=(0.0, -kp, kv), gaintype="fixed", biastype="affine")
    if "timeconst" in element.attributes:
        time = _positive(element, "timeconst", 0.0)
        made = replace(made, time=time, dyntype="filterexact" if time else "none")
    return replace(made, dyntype="integrator") if element.tag == "intvelocity" else made


def _velocity(at: Settings, element: Element) -> Settings:
    kv = number(element, "kv", at.gain[0])
    return replace(at, gain=(kv, *at.gain[1:]), bias=(0.0, 0.0, -kv), gaintype="fixed", biastype="affine", dyntype="none")


def _damper(at: Settings, element: Element) -> Settings:
    kv = _positive(element, "kv", -at.gain[2] if at.gaintype == "affine" else 0.0)
    return replace(at, gain=(0.0, 0.0, -kv), gaintype="affine", biastype="none", dyntype="none")


def _cylinder(at: Settings, element: Element) -> Settings:
    area = number(element, "area", at.gain[0])
    if "diameter" in element.attributes:
        area = math.pi / 4 * number(element, "diameter") ** 2
    bias, time = numbers(element, "bias", 3, at.bias), number(element, "timeconst", at.time)
    return Settings((area, *at.gain[1:]), bias, "fixed", "affine", "filter", time)


def _motor(at: Settings, _: Element) -> Settings:
    return replace(at, gain=(1.0, *at.gain[1:]), gaintype="fixed", biastype="none", dyntype="none")


def _adhesion(at: Settings, element: Element) -> Settings:
    return replace(at, gain=(number(element, "gain", at.gain[0]), *at.gain[1:]), gaintype="fixed", biastype="none")


KINDS = {
    "general": _general,
    "motor": _motor,
    "position": _position,
    "intvelocity": _position,
    "velocity": _velocity,
    "damper": _damper,
    "cylinder": _cylinder,
}
OTHER = ("muscle", "adhesion", "plugin", "orientation", "pid", "dcmotor")  # which are ignored
_READ = {**KINDS, "adhesion": _adhesion}  # whose settings, as defaults, are those of an actuator that is carried over


def _positive(element: Element, attribute: str, default: float) -> float:
    value = number(element, attribute, default)
    if value < 0:
        raise element.error(f"{attribute} is {value:g}; it cannot be negative")
    return value
