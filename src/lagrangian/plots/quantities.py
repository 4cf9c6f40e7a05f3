"""What of a motion can be plotted: panels of curves of one unit each, for all joints and frames or for those that are named.

`motion_panels` makes the panels. `QUANTITIES` has a function for each quantity, and `CurveSelection` knows which coordinates
and speeds belong to the named joints.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from lagrangian.errors import ArgumentError, unknown_name_message
from lagrangian.kernels.dynamics import compile as compile_mechanism
from lagrangian.model.constraint import KnifeEdgeConstraint, RollingConstraint
from lagrangian.model.joint import Joint
from lagrangian.motion.motion import Motion
from lagrangian.motion.result.over_limits import limits
from lagrangian.motion.result.rounding import Rounding
from lagrangian.plots.style import MAX_NAMED_CURVES

DEGREES = 180 / np.pi

# of joints' coordinates and speeds; those of a body that flies, or slides on a plane, stand apart from those of hinges and slides
ANGLE, SLIDE, ORIENTATION, POSITION, UNKNOWN = "angle", "slide", "orientation", "position", "unknown"
Label = tuple[str, str, float]  # text, unit and factor
LabelByKind = dict[str, Label]  # by kind
ANGLES = ("degrees", "radians")
SCALES = ("auto", "linear", "log")  # of the axes of forces

# what work is done by, as it is called
WORK_LABELS = {
    "torque": "work of torques",
    "friction": "work of friction",
    "wrenches": "work of wrenches",
    "constraints": "work of constraints",
    "impacts": "work in impacts",
    "payloads": "added by payloads",
    "parameters": "added by parameters",
}
STEEP_RATIO = 100  # of the peak of a force to its median, above which a linear axis shows the peak alone
ROUNDING_TOLERANCE = 1e-12  # of the largest
_FORCES: LabelByKind = {
    **dict.fromkeys((ANGLE, ORIENTATION), ("torque", "N m", 1.0)),
    **dict.fromkeys((SLIDE, POSITION), ("force", "N", 1.0)),
    UNKNOWN: ("joint force", "N m or N", 1.0),
}
_SPEEDS: LabelByKind = {
    ANGLE: ("angular speed", "deg/s", DEGREES),
    SLIDE: ("speed", "m/s", 1.0),
    ORIENTATION: ("angular velocity", "deg/s", DEGREES),
    POSITION: ("velocity", "m/s", 1.0),
    UNKNOWN: ("speed", "rad/s or m/s", 1.0),
}
_ACCELERATIONS: LabelByKind = {
    **dict.fromkeys((ANGLE, ORIENTATION), ("angular acceleration", "deg/s²", DEGREES)),
    **dict.fromkeys((SLIDE, POSITION), ("acceleration", "m/s²", 1.0)),
    UNKNOWN: ("acceleration", "rad/s² or m/s²", 1.0),
}
ON_DEMAND_QUANTITIES = ("accelerations", "reactions", "positions")
CONSTRAINT_QUANTITIES = ("multipliers", "drift")


def motion_panels(
    motion: Motion, quantities: Sequence[str] = (), joints: str | Iterable[str] | None = None, **options: Any
) -> list[CurvePanel]:
    """The panels of the named quantities, or of all that have something to show; `options` are those of `CurveSelection`."""
    if not len(motion.t):
        raise ArgumentError(f"{motion.name}: the motion has no rows to plot")
    quantities, frames = _split_frames(motion, quantities)
    selection = CurveSelection(motion, joints, **options)
    selection.frames += frames
    if selection.frames and "positions" not in quantities:
        quantities = (*quantities, "positions")
    if quantities:
        # of forces and torques, those that are all zero are left out where the others are not
        panels_by_quantity = [list(QUANTITIES[name](selection)) for name in dict.fromkeys(quantities)]
        result_panels = [
            panel
            for quantity_panels in panels_by_quantity
            for panel in [p for p in quantity_panels if not p.empty] or quantity_panels
        ]
    else:
        names = [
            n for n in QUANTITIES if n not in ON_DEMAND_QUANTITIES and (motion.constraint_names or n not in CONSTRAINT_QUANTITIES)
        ]
        by_name = {name: [p for p in QUANTITIES[name](selection) if not p.empty or name == "coordinates"] for name in names}
        # a coordinate and its rate stand side by side
        result_panels = _pair_with_rates(by_name.pop("coordinates"), by_name.pop("speeds")) + [
            p for ps in by_name.values() for p in ps
        ]
    if not result_panels:
        raise ArgumentError(
            f"{motion.name} has no {' or '.join(quantities) or 'coordinates'} to plot{' of these joints' if joints else ''}"
        )
    return [replace(panel, t=motion.t) for panel in result_panels]


def _split_frames(motion: Motion, names: Sequence[str]) -> tuple[tuple[str, ...], list[str]]:
    """Split names into quantities, and frames or bodies whose positions are plotted."""
    m = motion.mechanism
    frames = dict.fromkeys([*(f.name for f in m.frames), *(b.name for b in m.bodies)] if m is not None else ())
    for name in names:
        if not isinstance(name, str) or (name not in QUANTITIES and name not in frames):
            raise ArgumentError(
                unknown_name_message("quantity or frame to plot called", name, (*QUANTITIES, *frames)), concerns="what"
            )
    position_frames = [name for name in names if name not in QUANTITIES]
    return tuple(dict.fromkeys("positions" if name in position_frames else name for name in names)), position_frames


def _pair_with_rates(coordinates: list[CurvePanel], speeds: list[CurvePanel]) -> list[CurvePanel]:
    """Order panels so that a coordinate and its rate stand side by side; those without a partner come last."""
    partner = {"angle": "angular speed", "displacement": "speed", "quaternion": "angular velocity", "position": "velocity"}
    unpaired = {p.label: p for p in speeds}
    pairs, single = [], []
    for panel in coordinates:
        rate_panel = unpaired.pop(partner.get(panel.label, "speed"), None)
        pairs += [panel, rate_panel] if rate_panel is not None else []
        single += [] if rate_panel is not None else [panel]
    return [*pairs, *single, *unpaired.values()]


@dataclass(frozen=True, eq=False)
class CurvePanel:
    """Curves over time that share an axis. `groups` says which of them belong together, `parts` what they are there."""

    quantity: str
    label: str
    unit: str
    names: tuple[str, ...]
    values: np.ndarray  # (rows, curves), in the unit
    groups: tuple[str, ...] = ()
    parts: tuple[str, ...] = ()
    scale: str = "linear"  # or "log", or "symlog": a logarithm of both signs, linear about zero
    named_by_joint: bool = False  # its curves are named as coordinates or speeds
    limits: np.ndarray | None = None  # (curves, 2), in the unit: the least and the most that each may be
    t: np.ndarray = field(default_factory=lambda: np.zeros(0))  # (rows,) s

    @property
    def empty(self) -> bool:
        return not self.names or not np.any(self.values)

    def without_zeros(self) -> CurvePanel:
        """The curves that are not zero throughout."""
        nonzero = [k for k in range(len(self.names)) if np.any(self.values[:, k])]
        names, groups, parts = (tuple(x[k] for k in nonzero) if x else () for x in (self.names, self.groups, self.parts))
        limits = None if self.limits is None else self.limits[nonzero]
        return replace(self, names=names, values=self.values[:, nonzero], groups=groups, parts=parts, limits=limits)


class CurveSelection:
    """Coordinates and speeds, all or those of some joints, with the kind of each."""

    def __init__(
        self,
        motion: Motion,
        joints: str | Iterable[str] | None = None,
        frames: str | Iterable[str] | None = None,
        angles: str = "degrees",
        scale: str = "auto",
    ) -> None:
        if scale not in SCALES:
            raise ArgumentError(unknown_name_message("scale", scale, SCALES), concerns="scale")
        self.motion, self.radians, self.scale = motion, angle_unit(angles)[0] == "rad", scale
        self.rounding = Rounding(motion)
        self.frames = [frames] if isinstance(frames, str) else list(() if frames is None else frames)
        self.coordinate_kinds, self.speed_kinds = coordinate_kinds(motion)
        self.coordinate_columns = list(range(len(motion.coordinate_names)))
        self.speed_columns = list(range(len(motion.speed_names)))
        self.joints = None
        if joints is not None:
            names = [joints] if isinstance(joints, str) else list(joints)
            selections = [self._columns_of_joint(name) for name in names]
            self.coordinate_columns = sorted({k for q, _, _ in selections for k in q})
            self.speed_columns = sorted({k for _, v, _ in selections for k in v})
            self.joints = {j for _, _, j in selections}

    def _columns_of_joint(self, name: str) -> tuple[list[int], list[int], str]:
        """The columns of a joint's coordinates and speeds, or of the one that is named, and the joint's name."""
        motion = self.motion
        for joint, q, v in moving_joints(motion):
            if name == joint.name:
                return list(q), list(v), joint.name
            labels = (*joint.coordinate_names, *joint.speed_names)
            if name in labels:
                matching_q = [q[k] for k, x in enumerate(joint.coordinate_names) if x == name]
                matching_v = [v[k] for k, x in enumerate(joint.speed_names) if x == name]
                if len(q) == len(v):  # one place in the joint, whether its coordinate is named or its speed
                    offset = (matching_q or matching_v)[0] - (q[0] if matching_q else v[0])
                    return [q[offset]], [v[offset]], joint.name
                return matching_q, matching_v, joint.name
        if motion.mechanism is None and name in (*motion.coordinate_names, *motion.speed_names):
            return (
                [k for k, x in enumerate(motion.coordinate_names) if x == name],
                [k for k, x in enumerate(motion.speed_names) if x == name],
                name,
            )
        known_names = dict.fromkeys(
            [*(j.name for j, _, _ in moving_joints(motion)), *motion.coordinate_names, *motion.speed_names]
        )
        raise ArgumentError(unknown_name_message("joint or coordinate", name, known_names), concerns="joints")

    def panels(
        self,
        quantity: str,
        names: Sequence[str],
        values: np.ndarray,
        kinds: Sequence[str],
        columns: Sequence[int],
        labels: LabelByKind,
        limits: np.ndarray | None = None,
    ) -> Iterable[CurvePanel]:
        """A panel for each kind, or for kinds that share a label. Values below the rounding error are zero."""
        values = self.rounding.without(values, quantity)
        for label in dict.fromkeys(labels.values()):
            curves = [k for k in columns if labels.get(kinds[k]) == label]
            if curves:
                text, unit, factor = in_radians(label) if self.radians else label
                curve_limits = None if limits is None else factor * limits[curves]
                curve_names = tuple(names[k] for k in curves)
                yield CurvePanel(
                    quantity, text, unit, curve_names, factor * values[:, curves], named_by_joint=True, limits=curve_limits
                )


def angle_unit(angles: Any) -> tuple[str, float]:
    """The unit in which angles are shown, and how many of them a radian has."""
    if angles not in ANGLES:
        raise ArgumentError(unknown_name_message("angles", angles, ANGLES), concerns="angles")
    return ("rad", 1.0) if angles == "radians" else ("deg", DEGREES)


def in_radians(label: Label) -> Label:
    """The label of a quantity in radians, if it is one in degrees."""
    text, unit, _ = label
    return (text, f"rad{unit.removeprefix('deg')}", 1.0) if unit.startswith("deg") else label


def moving_joints(motion: Motion) -> list[tuple[Joint, range, range]]:
    """The joints that move, with where their coordinates and speeds are; none of a motion without its mechanism."""
    joints, iq, iv = [], 0, 0
    for joint in motion.mechanism.joints if motion.mechanism is not None else ():
        nq, nv = joint.kind.nq, joint.kind.nv
        if nv:
            joints.append((joint, range(iq, iq + nq), range(iv, iv + nv)))
        iq, iv = iq + nq, iv + nv
    return joints


def coordinate_kinds(motion: Motion) -> tuple[list[str], list[str]]:
    """The kind of every coordinate and of every speed."""
    if motion.mechanism is None:
        return [UNKNOWN] * len(motion.coordinate_names), [UNKNOWN] * len(motion.speed_names)
    q: list[str] = []
    v: list[str] = []
    for joint, _, _ in moving_joints(motion):
        kind = joint.kind
        length = SLIDE if kind.nv == 1 else POSITION
        q += [{"m": length, "rad": ANGLE, "": ORIENTATION}[unit] for unit in kind.units]
        v += [length if slides else ORIENTATION if kind.quaternion else ANGLE for slides in kind.slides]
    return q, v


def frame_names(motion: Motion, frames: Sequence[str]) -> list[str]:
    """The frames or bodies named; else the mechanism's own frames, or its last body."""
    m = motion.model("positions of frames need")
    known_names = [*(f.name for f in m.frames), *(b.name for b in m.bodies)]
    for name in frames:
        if name not in known_names:
            raise ArgumentError(unknown_name_message("frame or body", name, known_names), concerns="frames")
    if not m.bodies:
        raise ArgumentError(f"{motion.name} has no moving bodies")
    return list(dict.fromkeys(frames)) or [f.name for f in m.frames][:MAX_NAMED_CURVES] or [m.bodies[-1].name]


def frame_positions(motion: Motion, name: str) -> np.ndarray:
    """The positions of a frame in the world, by rows."""
    dyn = motion.trajectory.dyn if motion.trajectory is not None else compile_mechanism(motion.model("positions of frames need"))
    return np.asarray(dyn.pose(motion.q, name))[:, :3, 3]


def multiplier_units(motion: Motion) -> list[str]:
    """The unit of the multiplier of every constraint equation; for equations from expressions it is not known."""
    units: dict[str, str] = {}
    m = motion.mechanism
    for loop in m.loops if m is not None else ():
        units |= {f"{loop.name}.{d}": "N" for d in ("x", "y", "z", "length")}
        units |= {f"{loop.name}.{d}": "N m" for d in ("xz", "yz", "xy", "axes")}
    for constraint in m.constraints if m is not None else ():
        if isinstance(constraint, (KnifeEdgeConstraint, RollingConstraint)):
            units |= {name: "N" for name in motion.constraint_names if split_equation_name(motion, name)[0] == constraint.name}
    return [units.get(name, "N or N m") for name in motion.constraint_names]


def split_equation_name(motion: Motion, equation: str) -> tuple[str, str]:
    """The name of an equation's constraint or loop, and which of its equations it is; names may contain dots."""
    m = motion.mechanism
    constraint_names = {x.name for x in (*m.loops, *m.constraints)} if m is not None else set()
    name, dot, part = equation.rpartition(".")
    return (
        (equation, "")
        if equation in constraint_names or not dot or (constraint_names and name not in constraint_names)
        else (name, part)
    )


def _coordinates(selection: CurveSelection) -> Iterable[CurvePanel]:
    labels: LabelByKind = {
        ANGLE: ("angle", "deg", DEGREES),
        SLIDE: ("displacement", "m", 1.0),
        ORIENTATION: ("quaternion", "1", 1.0),
        POSITION: ("position", "m", 1.0),
        UNKNOWN: ("coordinate", "rad or m", 1.0),
    }
    motion = selection.motion
    return selection.panels(
        "coordinates",
        motion.coordinate_names,
        motion.q,
        selection.coordinate_kinds,
        selection.coordinate_columns,
        labels,
        limits(motion, "position"),
    )


def _speed_panels(
    quantity: str, attribute: str, labels: LabelByKind, limit_kind: str = ""
) -> Callable[[CurveSelection], Iterable[CurvePanel]]:
    def panels(selection: CurveSelection) -> Iterable[CurvePanel]:
        m = selection.motion
        curve_limits = limits(m, limit_kind) if limit_kind else None
        for panel in selection.panels(
            quantity, m.speed_names, getattr(m, attribute), selection.speed_kinds, selection.speed_columns, labels, curve_limits
        ):
            # joints without a motor have no torque, and need no curve
            yield panel.without_zeros() if attribute in ("tau", "friction") and not panel.empty else panel

    return panels


def _multipliers(selection: CurveSelection) -> Iterable[CurvePanel]:
    motion = selection.motion
    if not motion.constraint_names:
        raise ArgumentError(f"{motion.name} has no constraints and therefore no multipliers to plot")
    units, values = multiplier_units(motion), selection.rounding.without(motion.multipliers, "multipliers")
    labels = {"N": "constraint force λ", "N m": "constraint moment λ", "N or N m": "multiplier λ"}
    for unit in dict.fromkeys(units):
        columns = [k for k, x in enumerate(units) if x == unit]
        names = tuple(motion.constraint_names[k] for k in columns)
        groups, parts = zip(*(split_equation_name(motion, name) for name in names), strict=True)
        yield _scale_force_panel(
            selection, CurvePanel("multipliers", labels[unit], unit, names, values[:, columns], groups, parts)
        )


def _scale_force_panel(selection: CurveSelection, panel: CurvePanel) -> CurvePanel:
    """Choose a scale that shows small and large forces: they may grow by orders of magnitude, as where a linkage locks."""
    if selection.scale == "log" and not panel.empty:
        magnitudes = np.abs(panel.values)
        # what is zero but for rounding would take all of the axis
        magnitudes = np.where(magnitudes > ROUNDING_TOLERANCE * np.nanmax(magnitudes), magnitudes, 0.0)
        return replace(panel, label=panel.label.replace("λ", "|λ|"), values=magnitudes, scale="log")
    if selection.scale == "linear" or panel.empty:
        return panel
    magnitudes = np.abs(panel.values).max(axis=1)
    magnitudes = magnitudes[np.isfinite(magnitudes)]
    steep = bool(magnitudes.size) and magnitudes.max() > STEEP_RATIO * np.median(magnitudes) > 0
    return replace(panel, scale="symlog") if steep else panel


def _reactions(selection: CurveSelection) -> Iterable[CurvePanel]:
    motion = selection.motion
    wrenches = motion.reactions
    assert motion.mechanism is not None
    columns = [k for k, j in enumerate(motion.mechanism.joints) if selection.joints is None or j.name in selection.joints]
    names = tuple(motion.mechanism.joints[k].name for k in columns)
    for label, unit, part in (("reaction, |moment|", "N m", slice(0, 3)), ("reaction, |force|", "N", slice(3, 6))):
        magnitudes = selection.rounding.without(np.linalg.norm(wrenches[:, columns, part], axis=2), "reactions")
        yield _scale_force_panel(selection, CurvePanel("reactions", label, unit, names, magnitudes))


def _positions(selection: CurveSelection) -> Iterable[CurvePanel]:
    """The x, y and z of frames in the world; a curve that stays zero is left out."""
    motion = selection.motion
    positions_by_frame = {name: frame_positions(motion, name) for name in frame_names(motion, selection.frames)}
    names = tuple(f"{name}.{axis}" for name in positions_by_frame for axis in "xyz")
    groups, parts = zip(*((name, axis) for name in positions_by_frame for axis in "xyz"), strict=True)
    values = selection.rounding.without(np.hstack(list(positions_by_frame.values())), "positions")
    panel = CurvePanel("positions", "position", "m", names, values, groups, parts)
    yield panel if panel.empty else panel.without_zeros()


def _energy(selection: CurveSelection) -> Iterable[CurvePanel]:
    """Potential energy is counted from the least of the run, because an arbitrary zero could dwarf all other curves."""
    motion, rounding = selection.motion, selection.rounding
    kinetic = rounding.without(motion.kinetic_energy, "energy")
    curves = {"kinetic": kinetic}
    potential = rounding.without(motion.potential_energy - motion.potential_energy.min(), "potential")
    if np.any(potential):
        curves |= {"potential − min": potential, "total": kinetic + potential}
    for source, work in motion.work.items():
        total = rounding.without(np.asarray(work).reshape(len(motion.t), -1).sum(axis=1), "energy")
        if np.abs(total).max() > 1e-9 * motion.energy_scale:
            curves[WORK_LABELS.get(source, f"work of {source}")] = total
    yield CurvePanel("energy", "energy", "J", tuple(curves), np.column_stack(list(curves.values())))


def _balance(selection: CurveSelection) -> Iterable[CurvePanel]:
    balance = selection.rounding.without(selection.motion.energy_balance, "balance")
    yield CurvePanel("balance", "energy balance", "J", ("balance",), balance[:, None])


def _drift(selection: CurveSelection) -> Iterable[CurvePanel]:
    motion = selection.motion
    if not motion.constraint_names:
        raise ArgumentError(f"{motion.name} has no constraints and therefore no drift to plot")
    names = ("constraints [m or 1]", "their rates [m/s or 1/s]")
    panel = CurvePanel("drift", "drift", "SI", names, np.column_stack([motion.drift, motion.rate_drift]), scale="log")
    yield panel if panel.empty else panel.without_zeros()


QUANTITIES: dict[str, Callable[[CurveSelection], Iterable[CurvePanel]]] = {
    "coordinates": _coordinates,
    "speeds": _speed_panels("speeds", "qd", _SPEEDS, "speed"),
    "accelerations": _speed_panels("accelerations", "qdd", _ACCELERATIONS),
    "torques": _speed_panels("torques", "tau", _FORCES, "effort"),
    "friction": _speed_panels("friction", "friction", {k: ("friction", unit, x) for k, (_, unit, x) in _FORCES.items()}),
    "multipliers": _multipliers,
    "reactions": _reactions,
    "positions": _positions,
    "energy": _energy,
    "balance": _balance,
    "drift": _drift,
}
