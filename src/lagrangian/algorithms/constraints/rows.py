"""The constraint equations of a mechanism at one state, over any scalars, with their rates and slopes.

    eta(q, t) = 0  (where it is holonomic),   rate = phi + Psi qd = 0,   Psi qdd + gamma = 0,   gamma = Psi' qd + phi'.

Each is evaluated over jets, which give Psi and gamma. The equations of loops are those of their types (`model.loops`).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from lagrangian.algorithms.constraints.jet import Jet, Rate, Slopes
from lagrangian.algorithms.constraints.world import World
from lagrangian.algorithms.link import is_zero
from lagrangian.errors import MechanismError, MechanismPart
from lagrangian.model import vector as v
from lagrangian.model.constraint import (
    Constraint,
    HolonomicConstraint,
    KnifeEdgeConstraint,
    PfaffianConstraint,
    PfaffianFunctionConstraint,
    RollingConstraint,
)
from lagrangian.model.expression import functions as f
from lagrangian.model.mechanism import Mechanism
from lagrangian.model.placement import Transform


@dataclass(frozen=True)
class ConstraintRow:
    """One equation: `eta` (None if it is not holonomic), its rate, gamma, and its row of Psi by speed."""

    name: str
    eta: Any
    rate: Any
    gamma: Any
    psi: Slopes


def row_owner(name: str) -> str:
    """Return the loop or constraint of a row, by the name of the row: rows of one owner may depend on each other."""
    return name.rpartition(".")[0] or name


class CoordinateJets:
    """The coordinates as jets, by name and in order."""

    def __init__(
        self,
        mechanism: Mechanism,
        q: Sequence[Any],
        qd: Sequence[Any],
        t: Any,
        decision_time: Any = None,
        numbers: Mapping[str, Any] | None = None,
    ) -> None:
        """`numbers` has the scalars for names in expressions, such as slots."""
        self.q: list[Jet] = []
        self.qd = list(qd)
        iq = iv = 0
        for joint in mechanism.joints:
            kind = joint.kind
            q_joint, speeds = q[iq : iq + kind.nq], qd[iv : iv + kind.nv]
            rates, biases = kind.coordinate_rates(q_joint, speeds), kind.coordinate_biases(q_joint, speeds)
            rates_at_unit_speeds = [kind.coordinate_rates(q_joint, [int(j == k) for j in range(kind.nv)]) for k in range(kind.nv)]
            for c in range(kind.nq):
                slopes = {
                    iv + k: unit_rates[c] for k, unit_rates in enumerate(rates_at_unit_speeds) if not is_zero(unit_rates[c])
                }
                self.q.append(Jet(q_joint[c], rates[c], biases[c], slopes))
            iq, iv = iq + kind.nq, iv + kind.nv
        self.t = Jet(t, 1)
        names = {name: Jet(x) for name, x in (numbers or {}).items()}
        names |= {**dict(zip(mechanism.coordinate_names, self.q, strict=True)), "t": self.t}
        self.by_name: Mapping[str, Any] = names if decision_time is None else {**names, f.DECISION_TIME: Jet(decision_time)}


def coordinate_rates(mechanism: Mechanism, q: Sequence[Any], qd: Sequence[Any]) -> list[Any]:
    """Return q' from the speeds: they are the same unless a joint has a quaternion."""
    rates: list[Any] = []
    iq = iv = 0
    for joint in mechanism.joints:
        rates += joint.kind.coordinate_rates(q[iq : iq + joint.kind.nq], list(qd[iv : iv + joint.kind.nv]))
        iq, iv = iq + joint.kind.nq, iv + joint.kind.nv
    return rates


def constraint_rows(
    mechanism: Mechanism, world: World, coordinates: CoordinateJets, relative: bool = False
) -> list[ConstraintRow]:
    """Return all constraint equations: those of the loops, then the others.

    Joints that carry a loop as a whole do not open it: the slopes along them are zero where it is closed, and as small elsewhere
    as its violation. Psi has no such slopes if it is `relative`, so that Psi of a long mechanism with many loops is sparse.
    """
    all_rows = []
    for loop in mechanism.loops:
        outside_link = world.lowest_common_carrier(loop.a, loop.b) if relative else -1
        a, b = (
            world.frame(body, placement, outside_link)
            for body, placement in ((loop.a, loop.a_placement), (loop.b, loop.b_placement))
        )
        all_rows += [_holonomic_row(f"{loop.name}.{label}", eta) for label, eta in loop.constraint_equations(a, b)]
    for constraint in mechanism.constraints:
        all_rows += _rows_of_constraint(constraint, mechanism, world, coordinates)
    return all_rows


def _holonomic_row(name: str, eta: Any) -> ConstraintRow:
    if not isinstance(eta, Jet):  # an equation between constants, as of a plane that nothing can leave
        return ConstraintRow(name, eta, 0, 0, {})
    return ConstraintRow(name, eta.value, eta.rate, eta.bias, _drop_zeros(eta.slopes))


def _velocity_row(name: str, velocity: Any) -> ConstraintRow:
    if not isinstance(velocity, Rate):
        return ConstraintRow(name, None, velocity, 0, {})
    return ConstraintRow(name, None, velocity.value, velocity.bias, _drop_zeros(velocity.slopes))


def _drop_zeros(slopes: Slopes) -> Slopes:
    return {k: x for k, x in sorted(slopes.items()) if not is_zero(x)}


def _rows_of_constraint(
    constraint: Constraint, mechanism: Mechanism, world: World, coordinates: CoordinateJets
) -> list[ConstraintRow]:
    match constraint:
        case PfaffianConstraint():
            return [_pfaffian_row(constraint, mechanism, coordinates)]
        case HolonomicConstraint():
            return [_holonomic_row(constraint.name, f.evaluate(constraint.equation, coordinates.by_name))]
        case KnifeEdgeConstraint():
            frame = world.frame(constraint.body, Transform(position=constraint.point))
            velocity = tuple(_velocity_of(x) for x in frame.origin)
            return [_velocity_row(constraint.name, v.dot(frame.direction(constraint.direction), velocity))]
        case RollingConstraint():
            return _rolling_rows(constraint, world)
    return _function_rows(constraint, coordinates)


def _velocity_of(x: Any) -> Any:
    return x.as_rate if isinstance(x, Jet) else 0


def _pfaffian_row(constraint: PfaffianConstraint, mechanism: Mechanism, coordinates: CoordinateJets) -> ConstraintRow:
    phi = f.evaluate(constraint.phi, coordinates.by_name)
    rate, gamma = (phi.value, phi.rate) if isinstance(phi, Jet) else (phi, 0)
    psi: Slopes = {}
    for speed, expression in constraint.coefficients:
        k = mechanism.speed_names.index(speed)
        c = f.evaluate(expression, coordinates.by_name)
        c = c if isinstance(c, Jet) else Jet(c)
        psi[k] = psi.get(k, 0) + c.value
        rate = rate + c.value * coordinates.qd[k]
        gamma = gamma + c.rate * coordinates.qd[k]
    return ConstraintRow(constraint.name, None, rate, gamma, _drop_zeros(psi))


def _rolling_rows(rolling: RollingConstraint, world: World) -> list[ConstraintRow]:
    """Return the rows of rolling: contact, and no slip, so that the points of the body and of the plane in contact move alike.

    A sphere touches at its centre less radius times normal; a disc at its lowest point, across its axis (Neimark, Fufaev 1972).
    """
    body = world.frame(rolling.body, Transform(position=rolling.center))
    plane = world.frame(rolling.on, Transform(position=rolling.point))
    radius = body.number(rolling.radius)
    x, y, z = plane.triad(rolling.normal)
    center = body.origin
    center_height = v.dot(z, v.sub(center, plane.origin))
    if rolling.axis is None:
        contact_offset, height = v.scale(-radius, z), radius
    else:
        _, _, axis = body.triad(rolling.axis)
        normal_component = v.dot(z, axis)
        lean_cosine_squared: Any = 1 - normal_component * normal_component
        if is_zero(lean_cosine_squared.value if isinstance(lean_cosine_squared, Jet) else lean_cosine_squared):
            problem = "its disc lies flat on the plane in every configuration, so there is no contact point"
            raise MechanismError(
                problem, where=MechanismPart("constraint", rolling.name), remedy="turn its axis or the plane's normal"
            )
        leans = isinstance(lean_cosine_squared, Jet) and not is_zero(lean_cosine_squared.value - 1)
        lean_cosine = f.sqrt(lean_cosine_squared) if leans else 1.0
        contact_offset = v.scale(-radius * (1 / lean_cosine), v.sub(z, v.scale(normal_component, axis)))
        height = radius * lean_cosine
    slip = v.add(tuple(_velocity_of(c) for c in center), v.cross(body.angular_velocity, contact_offset))
    if rolling.on != "ground":
        # the plane's own point at the contact
        contact = v.sub(v.add(center, contact_offset), plane.origin)
        plane_velocity = v.add(tuple(_velocity_of(c) for c in plane.origin), v.cross(plane.angular_velocity, contact))
        slip = v.sub(slip, plane_velocity)
    return [
        _holonomic_row(f"{rolling.name}.contact", center_height - height),
        _velocity_row(f"{rolling.name}.x", v.dot(x, slip)),
        _velocity_row(f"{rolling.name}.y", v.dot(y, slip)),
    ]


def _function_rows(constraint: PfaffianFunctionConstraint, coordinates: CoordinateJets) -> list[ConstraintRow]:
    """Return the rows of a Python function that is linear in the speeds: its values for unit speeds minus those at rest."""
    n = len(coordinates.qd)
    where = f"constraint {constraint.name!r}"

    def evaluate(speeds: Sequence[Jet], t: Jet = coordinates.t, q: Sequence[Jet] = coordinates.q) -> list[Jet]:
        try:
            values = constraint.function(t, list(q), list(speeds))
            values = list(values) if hasattr(values, "__len__") else [values]
            jets = [x if isinstance(x, Jet) else Jet(0 + x) for x in values]
        except (TypeError, AttributeError) as error:
            raise MechanismError(
                f"{where}: its function cannot be compiled: {error}. It may use arithmetic and NumPy functions but not those of "
                f"the math module, must not branch on values, and must return a number or a list of numbers"
            ) from error
        if len(jets) != constraint.equation_count:
            raise MechanismError(
                f"{where}: its function returns {len(jets)} numbers, but `equation_count` is {constraint.equation_count}"
            )
        return jets

    # speeds that change while all else stands still: what is linear in them has no second derivative
    changing_speeds = [Jet(x, k + 1) for k, x in enumerate(coordinates.qd)]
    for x in evaluate(changing_speeds, Jet(coordinates.t.value), [Jet(x.value) for x in coordinates.q]):
        if not is_zero(x.bias):
            raise MechanismError(f"{where}: its function is not linear in the speeds; write it as phi + sum of a(q, t) qd")
    at_rest = evaluate([Jet(0)] * n)
    at_state = evaluate([Jet(x) for x in coordinates.qd])
    psi: list[Slopes] = [{} for _ in at_state]
    for k in range(n):
        for row, at_unit_speed, resting in zip(psi, evaluate([Jet(int(j == k)) for j in range(n)]), at_rest, strict=True):
            row[k] = at_unit_speed.value - resting.value
    names = [constraint.name] if len(at_state) == 1 else [f"{constraint.name}.{i + 1}" for i in range(len(at_state))]
    return [
        ConstraintRow(name, None, x.value, x.rate, _drop_zeros(row)) for name, x, row in zip(names, at_state, psi, strict=True)
    ]
