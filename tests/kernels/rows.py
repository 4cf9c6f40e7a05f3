"""Rows of constraints, to compare with differences of poses and with the closed form."""

from __future__ import annotations

import math
import re
from collections.abc import Callable

import numpy as np

import lagrangian as lg
from lagrangian.model.expression import Scalar, parse, symbol
from tests.mechanisms import advance, state

STEP = 1e-4


def expression(mechanism: lg.Mechanism, text: str) -> Scalar:
    """Text as an expression of the mechanism's coordinates and of time."""
    return parse(text, {name: symbol(name) for name in (*mechanism.coordinate_names, "t")})


def number(scalar: object, values: dict[str, float]) -> float:
    """The value of an expression, by Python itself."""
    text = re.sub(r"([A-Za-z_]\w*)\.(\w+)", r"\1_\2", str(scalar)).replace("^", "**")
    names = {name: getattr(math, name) for name in "sin cos tan asin acos atan atan2 sqrt exp log tanh".split()}  # noqa: SIM905
    names |= {"abs": abs, "min": min, "max": max, "sign": lambda x: (x > 0) - (x < 0), "pi": math.pi}
    return float(eval(text, {"__builtins__": {}}, names | {name.replace(".", "_"): x for name, x in values.items()}))


def with_equations(mechanism: lg.Mechanism, *texts: str) -> lg.Mechanism:
    return mechanism.replace(constraints=[lg.HolonomicConstraint(f"e{k}", expression(mechanism, x)) for k, x in enumerate(texts)])


def is_holonomic(mechanism: lg.Mechanism, name: str) -> bool:
    of = name.split(".")[0]
    constraint = next((c for c in mechanism.constraints if c.name == of), None)
    return constraint is None or isinstance(constraint, lg.HolonomicConstraint) or name.endswith(".contact")


def check_differences(mechanism: lg.Mechanism, seed: int = 0, t: float = 0.4) -> None:
    """Psi and phi are the slopes of eta, the rate is phi + Psi qd, and gamma is the rate's derivative without accelerations."""
    dyn = lg.compile(mechanism)
    q, qd, _, _ = state(mechanism, seed)
    names, n = dyn.constraint_names, mechanism.nv
    assert len(names) == len(set(names)) == mechanism.equation_count
    Psi, still = dyn.constraint_jacobian(q, t), dyn.constraint_rate(q, np.zeros(n), t)
    assert Psi.shape == (len(names), n)

    def slope(function: Callable[[float], np.ndarray]) -> np.ndarray:
        """To the fourth order of the step."""
        near, far = (function(h) - function(-h) for h in (STEP, 2 * STEP))
        return (8 * near - far) / (12 * STEP)

    holonomic = [is_holonomic(mechanism, name) for name in names]
    assert dyn.closure(q, t).shape == (sum(holonomic),)
    if any(holonomic):
        for k, along in enumerate(np.eye(n)):
            slopes = slope(lambda h, along=along: dyn.closure(advance(mechanism, q, along, h), t))
            np.testing.assert_allclose(Psi[holonomic, k], slopes, rtol=1e-8, atol=1e-8, err_msg=f"column {k} of Psi")
        np.testing.assert_allclose(still[holonomic], slope(lambda h: dyn.closure(q, t + h)), rtol=1e-8, atol=1e-8)
    np.testing.assert_allclose(dyn.constraint_rate(q, qd, t), still + Psi @ qd, rtol=1e-12, atol=1e-12)
    slopes = slope(lambda h: dyn.constraint_rate(advance(mechanism, q, qd, h), qd, t + h))
    gamma = dyn.constraint_bias(q, qd, t)
    np.testing.assert_allclose(gamma, slopes, rtol=1e-8, atol=1e-8)
    assert np.isfinite(Psi).all()


def check_closed_form(mechanism: lg.Mechanism, seed: int = 0, t: float = 0.4) -> None:
    """The same equations in the same order, to 1e-12."""
    eom, dyn = lg.derive(mechanism), lg.compile(mechanism)
    q, qd, _, _ = state(mechanism, seed)
    assert dyn.constraint_names == tuple(eom.constraint_names)
    np.testing.assert_allclose(dyn.closure(q, t), eom.closure.evaluate(q, t=t), rtol=1e-12, atol=1e-12)
    np.testing.assert_allclose(dyn.constraint_jacobian(q, t), eom.Psi.evaluate(q, t=t), rtol=1e-12, atol=1e-12)
    phi, phi_dot = (np.array([number(x, {"t": t}) for x in part]) for part in (eom.phi, eom.phi_dot))
    Psi_dot = eom.Psi_dot.evaluate(q, qd, t=t)
    np.testing.assert_allclose(dyn.constraint_bias(q, qd, t), Psi_dot @ qd + phi_dot, rtol=1e-12, atol=1e-12)
    np.testing.assert_allclose(dyn.constraint_rate(q, np.zeros_like(qd), t), phi, rtol=1e-12, atol=1e-12)


# x is an angle, y a length; b a ball, f a free body
FUNCTIONS = [
    "sin(j0)*cos(2*j1) - tan(j0/3)",
    "asin(0.8*sin(j0 + 1)) + 2*acos(0.9*cos(j1)) - atan(j0*j1)",
    "atan2(j0, 1 + j1*j1) + atan2(3, j1) + atan2(j1, -2)",
    "sqrt(1 + j0*j0) - exp(-j0*j1/4)",
    "log(2 + j0*j0)*tanh(j1 - j0)",
    "abs(j0*j1) + sign(j1)*j0 - abs(j0)/2",
    "min(j0, j1) + 2*max(j0*j1, j0 - 5) - min(j0, -20)",
    "j0^3 - (2 + j1)^-2 + (1 + j0*j0)^0.5 - (3 + j0)^1.7 + 2^j1 + (2 + j0*j0)^j1",
    "j0^18/1000 - 1/j1 + j0/(2 + sin(j1)) - j0^1 + j1^0",
]


TIMED = [
    "j0 - 0.3*sin(2*t) + 0.2*sin(t)",
    "j0*cos(3*t) - j1^2*exp(-t)/(1 + t)",
    "sqrt(t + j1*j1) - atan2(j0, t) + max(t, j0) + t^1.5",
]


QUATERNIONS = [
    "j2.w*j2.x - j2.y^2 + j2.z",
    "j3.w + 2*j3.y*j3.z - sin(j3.px + j3.py*t) + j3.pz^2*j3.x",
    "(j3.px - 1)^2 + (j3.py + j0)^2 - j3.pz",
]


def wheel() -> lg.Mechanism:
    """A wheel that stays upright by its joints: it rolls along its heading, and turns about the vertical."""
    bodies = [lg.Body("fork", 1.0, inertia=(0.1, 0.1, 0.1)), lg.Body("wheel", 1.0, inertia=(0.1, 0.2, 0.1))]
    joints = [
        lg.Joint("fork", "planar", "ground", "fork", (0, 0, 0.4), axis="z"),
        lg.Joint("roll", "revolute", "fork", "wheel", axis="y"),
    ]
    return lg.Mechanism("wheel", bodies, joints, constraints=[lg.RollingConstraint("r", "wheel", 0.4, axis=(0, 1, 0))])
