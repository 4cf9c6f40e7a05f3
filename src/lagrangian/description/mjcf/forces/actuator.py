"""MuJoCo's actuators as torques of joints: expressions of the state, with controls and gains as named parameters.

An actuator's force is gain * input + bias; the gain is g0 + g1 length + g2 rate, and the bias b0 + b1 length + b2 rate, of its
transmission: gear times a joint's coordinate, or a fixed tendon's length. The input is the control, which is a constant here, or
what a filter or an integrator makes of it, which is then a known function of time.
"""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from lagrangian.description.mjcf.compiler import Compiler
from lagrangian.description.mjcf.document import MAIN, Defaults, overlay
from lagrangian.description.mjcf.forces.at_rest import AtRest
from lagrangian.description.mjcf.forces.gains import KINDS, OTHER, Settings
from lagrangian.description.mjcf.forces.tendon import Tendon, scalar_joint
from lagrangian.description.mjcf.forces.total import total
from lagrangian.description.mjcf.joint import limited_range
from lagrangian.description.mjcf.schema import DEFAULTS, check_attributes
from lagrangian.description.mjcf.tree import Tree
from lagrangian.description.notes import Notes
from lagrangian.description.xml import Element, number, numbers, text
from lagrangian.errors import Argument, one_of
from lagrangian.model.configuration import CONTROL
from lagrangian.model.expression import Expression, Scalar, call, parameter, symbol
from lagrangian.model.joint import Joint

_TRANSMISSIONS = ("joint", "jointinparent", "tendon", "site", "body", "cranksite")
_LISTED = 6  # parameters in a note
_OWN = {"name", "class", *_TRANSMISSIONS, "refsite", "slidersite", "lengthrange"}


@dataclass
class Drives:
    """The torques of all actuators by joint, the parameters in them, and what they add at the joints themselves."""

    torques: dict[str, Scalar] = field(default_factory=dict)
    parameters: dict[str, Expression] = field(default_factory=dict)
    armature: dict[str, float] = field(default_factory=dict)
    damping: dict[str, float] = field(default_factory=dict)


@dataclass(frozen=True)
class _Actuator:
    """An actuator that is carried over: its defaults applied, and the joints it drives, with the lever of each."""

    element: Element
    settings: Settings
    target: str
    path: tuple[tuple[Joint, float], ...]
    label: str
    control: float


class Actuators:
    """Reads the actuators of one model."""

    def __init__(
        self,
        tree: Tree,
        tendons: Mapping[str, Tendon],
        defaults: Defaults,
        compiler: Compiler,
        notes: Notes,
        values: Mapping[str, float],
        armature: Mapping[str, float],
    ) -> None:
        self.tree, self.tendons, self.defaults, self.compiler, self.notes = tree, tendons, defaults, compiler, notes
        self.values = values
        self.joints = {j.name: (j, ref) for j, ref in zip(tree.joints, tree.refs, strict=True)}
        self.drives = Drives(armature=dict(armature))
        self._names = {name for j in tree.joints for name in (*j.coordinate_names, *(f"qd_{s}" for s in j.speed_names))}
        self._labels: Counter[str] = Counter()  # how many have asked for a label that was taken
        self._forces: dict[str, list[Scalar]] = {}  # by joint, of each actuator
        self._at_rest: AtRest | None = None
        self._bounded: list[Element] = []  # tendons that an actuator pulls at

    def read(self, elements: Iterable[Element], controls: Iterable[float]) -> Drives:
        """Those that the elements describe, each with the value its control has unless the caller gives another."""
        found = []
        for k, (element, control) in enumerate(zip(elements, controls, strict=True)):
            if element.tag not in (*KINDS, *OTHER):
                raise element.error(one_of("actuator", element.tag, (*KINDS, *OTHER)))
            found.append(self._one(element, k, control))
        for actuator in found:  # which know of all armatures now
            if actuator is not None:
                self._add(actuator)
        for name, forces in self._forces.items():
            effort = float(self.joints[name][0].limits.effort)  # what all actuators of a joint exert together is bounded, too
            torque = total(forces)
            self.drives.torques[name] = _clipped(torque, (-effort, effort)) if math.isfinite(effort) else torque
        if self.drives.parameters:
            given, names = Argument("parameters", ..., of="load(path)"), ", ".join(list(self.drives.parameters)[:_LISTED])
            more = ", ..." * (len(self.drives.parameters) > _LISTED)
            self.notes.add("control and gains of actuators", f"{given} sets controls (0 by default) and gains: {names}{more}")
        return self.drives

    def _one(self, element: Element, k: int, control: float) -> _Actuator | None:
        name = element.attributes.get("name", "")
        if element.tag in OTHER:
            self.notes.add(f"<actuator> {element.tag}", "ignored: give joint torques", name, warn=True)
            return None
        check_attributes(element, _OWN | DEFAULTS[element.tag])
        applied, settings = self._defaults(element)
        target = next((key for key in _TRANSMISSIONS if key in element.attributes), None)
        if target is None:
            raise element.error(f"has no transmission; one of {', '.join(_TRANSMISSIONS)} is needed")
        path = self._transmission(applied, target)
        if path is None or not settings.affine:
            self._leave_out(name or element.attributes[target], _why(target, settings), settings, control)
            return None
        self._add_at_joint(applied, path, target)
        none = Argument("torque", 0)
        meaning = f"read as torques of joints, which act in a simulation unless you give other torques ({none} for none)"
        self.notes.add("<actuator>", meaning, name)
        label = self._label(name or element.attributes[target], k)
        return _Actuator(applied, settings, target, tuple(path), label, control)

    def _leave_out(self, name: str, why: str, settings: Settings, control: float) -> None:
        """Say that an actuator is ignored, which is a warning unless it would exert nothing."""
        meaning = f"ignored: {why}; give torques or wrenches"
        acts = not settings.affine or (settings.biastype == "affine" and any(settings.bias))
        kind = "<actuator> that the keyframe gives a control" if control else "<actuator>"
        self.notes.add(kind, meaning, name, warn=acts or control != 0)

    def _defaults(self, element: Element) -> tuple[Element, Settings]:
        """The element with the attributes of its class, and its settings: all kinds of actuators share one class of defaults."""
        self.defaults.applied(element, MAIN)  # which refuses a class that is not there
        settings = Settings()
        common: dict[str, str] = {}
        for tag, attributes in self.defaults.of_kinds(element, (*KINDS, *OTHER)):
            settings = settings.given(Element(tag, attributes, element.file, element.line, element.owner))
            common = overlay(common, attributes)
        return element.with_attributes(overlay(common, element.attributes)), settings.given(element)

    def _transmission(self, element: Element, target: str) -> list[tuple[Joint, float]] | None:
        """The joints that an actuator drives, with the lever that each has; None of a transmission that is ignored."""
        gear = numbers(element, "gear", 6, (1.0,), least=1)[0]
        if target == "tendon":
            name = text(element, "tendon")
            if name not in self.tendons:
                raise element.error(f"tendon: {one_of('tendon', name, self.tendons)}")
            tendon = self.tendons[name]
            return [(joint, gear * c) for joint, c in tendon.coefficients] if tendon.fixed else None
        if target in ("joint", "jointinparent"):
            name = text(element, target)
            if name in self.joints and self.joints[name][0].kind.nq != 1:
                return None
            return [(scalar_joint(element, target, self.joints)[0], gear)]
        return None

    def _add(self, at: _Actuator) -> None:
        length = total(lever * symbol(joint.name) for joint, lever in at.path)
        rate = total(lever * symbol(f"qd_{joint.name}") for joint, lever in at.path)
        force = self._force(at, length, rate)
        if at.target == "tendon":
            tendon = self.tendons[at.element.attributes["tendon"]].element
            bound = limited_range(tendon, "actuatorfrcrange", "actuatorfrclimited", self.compiler)
            if bound is not None and tendon in self._bounded:
                told = "applied to each actuator separately, not to their sum"
                self.notes.add(
                    "actuatorfrcrange of a tendon with several actuators", told, at.element.attributes["tendon"], warn=True
                )
            self._bounded.append(tendon)
            force = _clipped(force, bound)
        force = _clipped(force, limited_range(at.element, "forcerange", "forcelimited", self.compiler))
        for joint, lever in at.path:
            self._forces.setdefault(joint.name, []).append(lever * force)

    def _add_at_joint(self, element: Element, path: list[tuple[Joint, float]], target: str) -> None:
        """Armature and damping of the actuator itself, which a joint feels by the square of the gear."""
        for key, found in (("armature", self.drives.armature), ("damping", self.drives.damping)):
            value, *rest = numbers(element, key, 3, (0.0,), least=1)
            if not value and not any(rest):
                continue
            if target == "tendon" or any(rest):
                why = "of a tendon's" if target == "tendon" else "that is not linear, of an"
                self.notes.add(f"{key} {why} actuator", "ignored", element.attributes.get("name", ""), warn=True)
                continue
            ((joint, gear),) = path
            found[joint.name] = found.get(joint.name, 0.0) + gear * gear * value

    def _force(self, at: _Actuator, length: Scalar, rate: Scalar) -> Scalar:
        """gain * input + bias, with names for what a user will want to change: kp and kv of a servo, the gain of any other."""
        settings, control = at.settings, self._input(at)
        biased = settings.biastype == "affine"
        b0, b1, b2 = settings.bias if biased else (0.0, 0.0, 0.0)
        servo = biased and settings.gain[0] == -b1
        if servo and b2 > 0:
            b2 = -self._damping(settings, at.path)
        position = servo and bool(b1)
        velocity = biased and bool(b2) and not b1 and settings.gain[0] == -b2
        kp = self._named(f"kp_{at.label}", -b1) if b1 else 0
        kv = self._named(f"kv_{at.label}", -b2) if b2 else 0
        if settings.gaintype == "affine" and any(settings.gain[1:]):
            g0, g1, g2 = settings.gain
            damping = self._named(f"kv_{at.label}", -g2) if g2 and not kv else -g2
            force = control * (g0 + g1 * length - damping * rate) - kp * length - kv * rate
        elif position:
            force = kp * (control - length) - kv * rate
        elif velocity:
            force = kv * (control - rate)
        else:
            gain = self._named(f"gain_{at.label}", settings.gain[0]) if settings.gain[0] not in (0.0, 1.0) else settings.gain[0]
            force = gain * control - kp * length - kv * rate
        return force + b0

    def _damping(self, settings: Settings, path: Sequence[tuple[Joint, float]]) -> float:
        """What MuJoCo makes of a damping ratio: that of the mass which the servo feels in the pose that is written."""
        if self._at_rest is None:
            self._at_rest = AtRest.of(self.tree, self.drives.armature)
        mass = self._at_rest.mass(path)
        return settings.bias[2] * 2 * math.sqrt(max(0.0, settings.gain[0] * mass))

    def _input(self, at: _Actuator) -> Scalar:
        """The control within its range, or what the actuator's own dynamics make of it from t = 0 on."""
        element, settings = at.element, at.settings
        inherited = self._inherited(element)
        integrates = settings.dyntype == "integrator"  # such an actuator inherits a range of what it integrates to
        own = self._control_range(element) if inherited is None or integrates else inherited
        control = _clipped(self._named(f"{CONTROL}{at.label}", at.control), own)
        match settings.dyntype:
            case "integrator":
                control = control * symbol("t")
            case "filter" | "filterexact" if settings.time > 0:
                control = control * (1 - call("exp", -symbol("t") / settings.time))
        if integrates and inherited is not None:
            return _clipped(control, inherited)
        limits = limited_range(element, "actrange", "actlimited", self.compiler) if settings.dyntype != "none" else None
        return _clipped(control, limits)

    def _control_range(self, element: Element) -> tuple[float, float] | None:
        if element.tag == "damper":  # which always is limited
            return numbers(element, "ctrlrange", 2, None)  # type: ignore[return-value]
        return limited_range(element, "ctrlrange", "ctrllimited", self.compiler)

    def _inherited(self, element: Element) -> tuple[float, float] | None:
        """The range of the joint or tendon, where an actuator takes it, or a share of it, for its own."""
        share = number(element, "inheritrange", 0.0)
        if share <= 0:
            return None
        if "tendon" in element.attributes:
            own = limited_range(self.tendons[element.attributes["tendon"]].element, "range", "limited", self.compiler)
        else:
            limits = self.joints[text(element, "joint")][0].limits
            own = (limits.lower, limits.upper) if math.isfinite(limits.lower) else None
        if own is None:
            raise element.error("inheritrange needs a joint or tendon with a range")
        middle, half = (own[0] + own[1]) / 2, share * (own[1] - own[0]) / 2
        return middle - half, middle + half

    def _named(self, name: str, value: float) -> Scalar:
        made = parameter(name, self.values.get(name, value))
        self.drives.parameters[name] = made
        return made

    def _label(self, name: str, k: int) -> str:
        """A name that expressions can have, and that no other actuator has."""
        base = label = re.sub(r"[^0-9A-Za-z_]", "_", name) or f"actuator{k + 1}"
        while any(f"{key}{label}" in self._names for key in (CONTROL, "kp_", "kv_", "gain_")):
            self._labels[base] += 1
            label = f"{base}_{self._labels[base] + 1}"
        self._names.add(f"{CONTROL}{label}")
        return label


def _why(target: str, settings: Settings) -> str:
    if not settings.affine:
        return f"gaintype {settings.gaintype}, biastype {settings.biastype}, dyntype {settings.dyntype}"
    return (
        f"it acts through a {'spatial tendon' if target == 'tendon' else 'ball or free joint' if 'joint' in target else target}"
    )


def _clipped(x: Scalar, bound: tuple[float, float] | None) -> Scalar:
    """Within a range, if there is one."""
    if bound is None:
        return x
    if math.isfinite(bound[0]):
        x = call("max", x, bound[0])
    return call("min", x, bound[1]) if math.isfinite(bound[1]) else x
