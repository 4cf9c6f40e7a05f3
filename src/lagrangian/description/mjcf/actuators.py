"""MuJoCo's actuators as torques of joints: expressions of the state, with controls and gains as named parameters.

The force of an actuator is gain * input + bias. The gain is g0 + g1 length + g2 rate, and the bias is b0 + b1 length + b2 rate.
The length is that of the transmission: gear times a joint's coordinate, or gear times the length of a fixed tendon. The input is
the control, which is constant here, or the output of a filter or an integrator, which is a known function of time.
"""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace

from lagrangian.description.mjcf.compiler import CompilerSettings
from lagrangian.description.mjcf.document import MAIN_CLASS, DefaultClasses, merge_attributes
from lagrangian.description.mjcf.joint import non_negative_number, read_range
from lagrangian.description.mjcf.mass_matrix import WrittenMassMatrix
from lagrangian.description.mjcf.tendons import Tendon, pairwise_sum, resolve_scalar_joint
from lagrangian.description.mjcf.tree import MjcfTree
from lagrangian.description.notes import ReaderNotes
from lagrangian.description.schema import MJCF_DEFAULTS, check_mjcf_attributes
from lagrangian.description.xml import Element, choice_attribute, number_attribute, number_attributes, text_attribute
from lagrangian.errors import ArgumentName, unknown_name_message
from lagrangian.model.expression import Expression, Scalar, call, parameter, symbol
from lagrangian.model.initial_state import CONTROL_PREFIX
from lagrangian.model.joint import Joint

_TRANSMISSIONS = ("joint", "jointinparent", "tendon", "site", "body", "cranksite")
_MAX_LISTED = 6  # parameters in a note
_COMMON_ATTRIBUTES = {"name", "class", *_TRANSMISSIONS, "refsite", "slidersite", "lengthrange"}
IGNORED_KINDS = ("muscle", "adhesion", "plugin", "orientation", "pid", "dcmotor")
_GAINS = ("fixed", "affine", "muscle", "user")
_BIASES = ("none", "affine", "muscle", "user")
_DYNAMICS = ("none", "integrator", "filter", "filterexact", "muscle", "user")


@dataclass
class JointActuation:
    """The torques of all actuators by joint, their parameters, and the armature and damping that they add to joints."""

    torques: dict[str, Scalar] = field(default_factory=dict)
    parameters: dict[str, Expression] = field(default_factory=dict)
    armature: dict[str, float] = field(default_factory=dict)
    damping: dict[str, float] = field(default_factory=dict)


@dataclass(frozen=True)
class _Actuator:
    """An actuator that is read: with its defaults applied, and with the joints that it drives and their levers."""

    element: Element
    settings: ActuatorSettings
    target: str
    levers: tuple[tuple[Joint, float], ...]
    label: str
    control: float


class ActuatorReader:
    """Reads the actuators of one model."""

    def __init__(
        self,
        tree: MjcfTree,
        tendons: Mapping[str, Tendon],
        defaults: DefaultClasses,
        compiler: CompilerSettings,
        notes: ReaderNotes,
        values: Mapping[str, float],
        armature: Mapping[str, float],
    ) -> None:
        self.tree, self.tendons, self.defaults, self.compiler, self.notes = tree, tendons, defaults, compiler, notes
        self.values = values
        self.joints = {j.name: (j, ref) for j, ref in zip(tree.joints, tree.refs, strict=True)}
        self.actuation = JointActuation(armature=dict(armature))
        self._used_names = {name for j in tree.joints for name in (*j.coordinate_names, *(f"qd_{s}" for s in j.speed_names))}
        self._label_counts: Counter[str] = Counter()  # of actuators whose label was used before
        self._forces_by_joint: dict[str, list[Scalar]] = {}  # of all actuators
        self._mass_matrix: WrittenMassMatrix | None = None
        self._tendons_with_force_range: list[Element] = []  # tendons on which an actuator acts

    def read(self, elements: Iterable[Element], controls: Iterable[float]) -> JointActuation:
        """Read all actuators; `controls` are the values of their controls unless the caller gives others."""
        actuators = []
        for k, (element, control) in enumerate(zip(elements, controls, strict=True)):
            if element.tag not in (*KINDS, *IGNORED_KINDS):
                raise element.error(unknown_name_message("actuator", element.tag, (*KINDS, *IGNORED_KINDS)))
            actuators.append(self._read_actuator(element, k, control))
        for actuator in actuators:  # once all armatures are known
            if actuator is not None:
                self._add_force(actuator)
        for name, forces in self._forces_by_joint.items():
            effort = float(self.joints[name][0].limits.effort)  # it bounds the sum of all actuators of a joint, too
            torque = pairwise_sum(forces)
            self.actuation.torques[name] = _clip(torque, (-effort, effort)) if math.isfinite(effort) else torque
        if self.actuation.parameters:
            option = ArgumentName("parameters", ..., call="load(path)")
            names = ", ".join(list(self.actuation.parameters)[:_MAX_LISTED])
            ellipsis = ", ..." * (len(self.actuation.parameters) > _MAX_LISTED)
            self.notes.add(
                "control and gains of actuators", f"{option} sets controls (0 by default) and gains: {names}{ellipsis}"
            )
        return self.actuation

    def _read_actuator(self, element: Element, k: int, control: float) -> _Actuator | None:
        name = element.attributes.get("name", "")
        if element.tag in IGNORED_KINDS:
            self.notes.add(f"<actuator> {element.tag}", "ignored: give joint torques", name, warn=True)
            return None
        check_mjcf_attributes(element, _COMMON_ATTRIBUTES | MJCF_DEFAULTS[element.tag])
        resolved_element, settings = self._resolve_defaults(element)
        target = next((key for key in _TRANSMISSIONS if key in element.attributes), None)
        if target is None:
            raise element.error(f"has no transmission; one of {', '.join(_TRANSMISSIONS)} is needed")
        levers = self._read_transmission(resolved_element, target)
        if levers is None or not settings.affine:
            self._note_ignored(name or element.attributes[target], _reason_ignored(target, settings), settings, control)
            return None
        self._add_armature_and_damping(resolved_element, levers, target)
        option = ArgumentName("torque", 0)
        meaning = f"read as torques of joints, which act in a simulation unless you give other torques ({option} for none)"
        self.notes.add("<actuator>", meaning, name)
        label = self._free_label(name or element.attributes[target], k)
        return _Actuator(resolved_element, settings, target, tuple(levers), label, control)

    def _note_ignored(self, name: str, reason: str, settings: ActuatorSettings, control: float) -> None:
        """Note that an actuator is ignored, with a warning unless it exerts no force."""
        meaning = f"ignored: {reason}; give torques or wrenches"
        exerts_force = not settings.affine or (settings.biastype == "affine" and any(settings.bias))
        kind = "<actuator> that the keyframe gives a control" if control else "<actuator>"
        self.notes.add(kind, meaning, name, warn=exerts_force or control != 0)

    def _resolve_defaults(self, element: Element) -> tuple[Element, ActuatorSettings]:
        """The element with its default attributes, and its settings: all kinds of actuators share the defaults of a class."""
        self.defaults.apply_defaults(element, MAIN_CLASS)  # refuses an unknown class
        settings = ActuatorSettings()
        common: dict[str, str] = {}
        for tag, attributes in self.defaults.attributes_of_kinds(element, (*KINDS, *IGNORED_KINDS)):
            settings = settings.resolve_settings(Element(tag, attributes, element.file, element.line, element.owner))
            common = merge_attributes(common, attributes)
        return element.with_attributes(merge_attributes(common, element.attributes)), settings.resolve_settings(element)

    def _read_transmission(self, element: Element, target: str) -> list[tuple[Joint, float]] | None:
        """The joints that an actuator drives, with their levers; None for a transmission that is ignored."""
        gear = number_attributes(element, "gear", 6, (1.0,), min_count=1)[0]
        if target == "tendon":
            name = text_attribute(element, "tendon")
            if name not in self.tendons:
                raise element.error(f"tendon: {unknown_name_message('tendon', name, self.tendons)}")
            tendon = self.tendons[name]
            return [(joint, gear * c) for joint, c in tendon.coefficients] if tendon.fixed else None
        if target in ("joint", "jointinparent"):
            name = text_attribute(element, target)
            if name in self.joints and self.joints[name][0].kind.nq != 1:
                return None
            return [(resolve_scalar_joint(element, target, self.joints)[0], gear)]
        return None

    def _add_force(self, actuator: _Actuator) -> None:
        length = pairwise_sum(lever * symbol(joint.name) for joint, lever in actuator.levers)
        rate = pairwise_sum(lever * symbol(f"qd_{joint.name}") for joint, lever in actuator.levers)
        force = self._force_expression(actuator, length, rate)
        if actuator.target == "tendon":
            tendon = self.tendons[actuator.element.attributes["tendon"]].element
            force_range = read_range(tendon, "actuatorfrcrange", "actuatorfrclimited", self.compiler)
            if force_range is not None and tendon in self._tendons_with_force_range:
                meaning = "applied to each actuator separately, not to their sum"
                self.notes.add(
                    "actuatorfrcrange of a tendon with several actuators",
                    meaning,
                    actuator.element.attributes["tendon"],
                    warn=True,
                )
            self._tendons_with_force_range.append(tendon)
            force = _clip(force, force_range)
        force = _clip(force, read_range(actuator.element, "forcerange", "forcelimited", self.compiler))
        for joint, lever in actuator.levers:
            self._forces_by_joint.setdefault(joint.name, []).append(lever * force)

    def _add_armature_and_damping(self, element: Element, levers: list[tuple[Joint, float]], target: str) -> None:
        """Add the armature and damping of the actuator itself, times the square of the gear, to its joint."""
        for key, value_by_joint in (("armature", self.actuation.armature), ("damping", self.actuation.damping)):
            value, *nonlinear = number_attributes(element, key, 3, (0.0,), min_count=1)
            if not value and not any(nonlinear):
                continue
            if target == "tendon" or any(nonlinear):
                subject = "of a tendon's" if target == "tendon" else "that is not linear, of an"
                self.notes.add(f"{key} {subject} actuator", "ignored", element.attributes.get("name", ""), warn=True)
                continue
            ((joint, gear),) = levers
            value_by_joint[joint.name] = value_by_joint.get(joint.name, 0.0) + gear * gear * value

    def _force_expression(self, actuator: _Actuator, length: Scalar, rate: Scalar) -> Scalar:
        """The force gain * input + bias, with parameters that a user may change: kp and kv of a servo, the gain of any other."""
        settings, control = actuator.settings, self._input_expression(actuator)
        has_bias = settings.biastype == "affine"
        b0, b1, b2 = settings.bias if has_bias else (0.0, 0.0, 0.0)
        is_servo = has_bias and settings.gain[0] == -b1
        if is_servo and b2 > 0:
            b2 = -self._damping_from_ratio(settings, actuator.levers)
        is_position_servo = is_servo and bool(b1)
        is_velocity_servo = has_bias and bool(b2) and not b1 and settings.gain[0] == -b2
        kp = self._add_parameter(f"kp_{actuator.label}", -b1) if b1 else 0
        kv = self._add_parameter(f"kv_{actuator.label}", -b2) if b2 else 0
        if settings.gaintype == "affine" and any(settings.gain[1:]):
            g0, g1, g2 = settings.gain
            damping = self._add_parameter(f"kv_{actuator.label}", -g2) if g2 and not kv else -g2
            force = control * (g0 + g1 * length - damping * rate) - kp * length - kv * rate
        elif is_position_servo:
            force = kp * (control - length) - kv * rate
        elif is_velocity_servo:
            force = kv * (control - rate)
        else:
            gain = (
                self._add_parameter(f"gain_{actuator.label}", settings.gain[0])
                if settings.gain[0] not in (0.0, 1.0)
                else settings.gain[0]
            )
            force = gain * control - kp * length - kv * rate
        return force + b0

    def _damping_from_ratio(self, settings: ActuatorSettings, levers: Sequence[tuple[Joint, float]]) -> float:
        """The damping that MuJoCo derives from a damping ratio, by the mass that the servo feels in the written pose."""
        if self._mass_matrix is None:
            self._mass_matrix = WrittenMassMatrix.from_tree(self.tree, self.actuation.armature)
        mass = self._mass_matrix.effective_mass(levers)
        return settings.bias[2] * 2 * math.sqrt(max(0.0, settings.gain[0] * mass))

    def _input_expression(self, actuator: _Actuator) -> Scalar:
        """The control within its range, or the output of the actuator's own dynamics from t = 0 on."""
        element, settings = actuator.element, actuator.settings
        inherited_range = self._inherited_range(element)
        is_integrator = settings.dyntype == "integrator"  # it inherits a range of its integral, not of its control
        control_range = self._read_control_range(element) if inherited_range is None or is_integrator else inherited_range
        control = _clip(self._add_parameter(f"{CONTROL_PREFIX}{actuator.label}", actuator.control), control_range)
        match settings.dyntype:
            case "integrator":
                control = control * symbol("t")
            case "filter" | "filterexact" if settings.time_constant > 0:
                control = control * (1 - call("exp", -symbol("t") / settings.time_constant))
        if is_integrator and inherited_range is not None:
            return _clip(control, inherited_range)
        activation_range = read_range(element, "actrange", "actlimited", self.compiler) if settings.dyntype != "none" else None
        return _clip(control, activation_range)

    def _read_control_range(self, element: Element) -> tuple[float, float] | None:
        if element.tag == "damper":  # whose control is always limited
            return number_attributes(element, "ctrlrange", 2, None)  # type: ignore[return-value]
        return read_range(element, "ctrlrange", "ctrllimited", self.compiler)

    def _inherited_range(self, element: Element) -> tuple[float, float] | None:
        """The range, or a share of it, that an actuator inherits from its joint or tendon; None if it inherits none."""
        share = number_attribute(element, "inheritrange", 0.0)
        if share <= 0:
            return None
        if "tendon" in element.attributes:
            source_range = read_range(self.tendons[element.attributes["tendon"]].element, "range", "limited", self.compiler)
        else:
            limits = self.joints[text_attribute(element, "joint")][0].limits
            source_range = (limits.lower, limits.upper) if math.isfinite(limits.lower) else None
        if source_range is None:
            raise element.error("inheritrange needs a joint or tendon with a range")
        middle, half = (source_range[0] + source_range[1]) / 2, share * (source_range[1] - source_range[0]) / 2
        return middle - half, middle + half

    def _add_parameter(self, name: str, value: float) -> Scalar:
        expression = parameter(name, self.values.get(name, value))
        self.actuation.parameters[name] = expression
        return expression

    def _free_label(self, name: str, k: int) -> str:
        """A label for names in expressions, which no other actuator has."""
        base = label = re.sub(r"[^0-9A-Za-z_]", "_", name) or f"actuator{k + 1}"
        while any(f"{key}{label}" in self._used_names for key in (CONTROL_PREFIX, "kp_", "kv_", "gain_")):
            self._label_counts[base] += 1
            label = f"{base}_{self._label_counts[base] + 1}"
        self._used_names.add(f"{CONTROL_PREFIX}{label}")
        return label


def _reason_ignored(target: str, settings: ActuatorSettings) -> str:
    """Why an actuator is ignored."""
    if not settings.affine:
        return f"gaintype {settings.gaintype}, biastype {settings.biastype}, dyntype {settings.dyntype}"
    return (
        f"it acts through a {'spatial tendon' if target == 'tendon' else 'ball or free joint' if 'joint' in target else target}"
    )


def _clip(x: Scalar, bounds: tuple[float, float] | None) -> Scalar:
    """An expression limited to a range, if there is one."""
    if bounds is None:
        return x
    if math.isfinite(bounds[0]):
        x = call("max", x, bounds[0])
    return call("min", x, bounds[1]) if math.isfinite(bounds[1]) else x


# -- the settings of an actuator -----------------------------------------------------------------------------------------


@dataclass(frozen=True)
class ActuatorSettings:
    """The gain, bias and dynamics of an actuator, as MuJoCo keeps them."""

    gain: tuple[float, ...] = (1.0, 0.0, 0.0)
    bias: tuple[float, ...] = (0.0, 0.0, 0.0)
    gaintype: str = "fixed"
    biastype: str = "none"
    dyntype: str = "none"
    time_constant: float = 1.0  # of a filter
    kind: str = "general"  # the kind of actuator that the last element was

    def resolve_settings(self, element: Element) -> ActuatorSettings:
        """The settings with those of an element, which is an actuator or one among the defaults."""
        base = self if element.tag in ("general", self.kind) else self._for_another_kind()
        if element.tag in _SETTINGS_READERS:
            return replace(_SETTINGS_READERS[element.tag](base, element), kind=element.tag)
        return replace(base, gaintype=element.tag, biastype=element.tag, dyntype=element.tag, kind=element.tag)

    def _for_another_kind(self) -> ActuatorSettings:
        """The part of these defaults that holds for other kinds of actuators, as in MuJoCo 4: fixed gains of general ones."""
        if self.kind != "general" or self.gaintype != "fixed":
            return ActuatorSettings()
        dyntype = "filterexact" if self.dyntype == "filterexact" else "none"
        return ActuatorSettings((self.gain[0], 0.0, 0.0), self.bias, dyntype=dyntype, time_constant=self.time_constant)

    @property
    def affine(self) -> bool:
        """Whether the force is linear in the input and affine in length and rate, and the control alone determines the input."""
        has_known_force = self.gaintype in ("fixed", "affine") and self.biastype in ("none", "affine")
        return has_known_force and self.dyntype in ("none", "integrator", "filter", "filterexact")


def _read_general(defaults: ActuatorSettings, element: Element) -> ActuatorSettings:
    return ActuatorSettings(
        _first_three(element, "gainprm", defaults.gain),
        _first_three(element, "biasprm", defaults.bias),
        choice_attribute(element, "gaintype", _GAINS, defaults.gaintype),
        choice_attribute(element, "biastype", _BIASES, defaults.biastype),
        choice_attribute(element, "dyntype", _DYNAMICS, defaults.dyntype),
        number_attributes(element, "dynprm", 10, (defaults.time_constant,), min_count=1)[0],
    )


def _first_three(element: Element, attribute: str, defaults: tuple[float, ...]) -> tuple[float, ...]:
    values = number_attributes(element, attribute, 10, (), min_count=1)[:3]
    return (*values, *defaults[len(values) :])


def _read_position(defaults: ActuatorSettings, element: Element) -> ActuatorSettings:
    kp = number_attribute(element, "kp", defaults.gain[0])
    if "kv" in element.attributes and "dampratio" in element.attributes:
        raise element.error("has kv and dampratio; give one of them")
    kv = -non_negative_number(element, "kv", 0.0) if "kv" in element.attributes else defaults.bias[2]
    kv = non_negative_number(element, "dampratio", 0.0) if "dampratio" in element.attributes else kv
    settings = replace(defaults, gain=(kp, *defaults.gain[1:]), bias=(0.0, -kp, kv), gaintype="fixed", biastype="affine")
    if "timeconst" in element.attributes:
        time = non_negative_number(element, "timeconst", 0.0)
        settings = replace(settings, time_constant=time, dyntype="filterexact" if time else "none")
    return replace(settings, dyntype="integrator") if element.tag == "intvelocity" else settings


def _read_velocity(defaults: ActuatorSettings, element: Element) -> ActuatorSettings:
    kv = number_attribute(element, "kv", defaults.gain[0])
    return replace(
        defaults, gain=(kv, *defaults.gain[1:]), bias=(0.0, 0.0, -kv), gaintype="fixed", biastype="affine", dyntype="none"
    )


def _read_damper(defaults: ActuatorSettings, element: Element) -> ActuatorSettings:
    kv = non_negative_number(element, "kv", -defaults.gain[2] if defaults.gaintype == "affine" else 0.0)
    return replace(defaults, gain=(0.0, 0.0, -kv), gaintype="affine", biastype="none", dyntype="none")


def _read_cylinder(defaults: ActuatorSettings, element: Element) -> ActuatorSettings:
    area = number_attribute(element, "area", defaults.gain[0])
    if "diameter" in element.attributes:
        area = math.pi / 4 * number_attribute(element, "diameter") ** 2
    bias = number_attributes(element, "bias", 3, defaults.bias)
    time = number_attribute(element, "timeconst", defaults.time_constant)
    return ActuatorSettings((area, *defaults.gain[1:]), bias, "fixed", "affine", "filter", time)


def _read_motor(defaults: ActuatorSettings, _: Element) -> ActuatorSettings:
    return replace(defaults, gain=(1.0, *defaults.gain[1:]), gaintype="fixed", biastype="none", dyntype="none")


def _read_adhesion(defaults: ActuatorSettings, element: Element) -> ActuatorSettings:
    return replace(
        defaults,
        gain=(number_attribute(element, "gain", defaults.gain[0]), *defaults.gain[1:]),
        gaintype="fixed",
        biastype="none",
    )


KINDS = {
    "general": _read_general,
    "motor": _read_motor,
    "position": _read_position,
    "intvelocity": _read_position,
    "velocity": _read_velocity,
    "damper": _read_damper,
    "cylinder": _read_cylinder,
}
_SETTINGS_READERS = {**KINDS, "adhesion": _read_adhesion}  # adhesion is ignored, but its defaults count for other kinds
