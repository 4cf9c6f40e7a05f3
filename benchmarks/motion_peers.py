"""The peers of a simulation: CasADi, heyoka, and Pinocchio with SciPy, on the problems we are compared on, at equal accuracy.

    OMP_NUM_THREADS=1 python benchmarks/motion_peers.py              # all problems
    python benchmarks/motion_peers.py --only four_bar --seconds 2    # one, timed for longer

`problems()` gives each problem with its mechanism and torques, its peers (`peers[name](rtol, atol)` gives the rows q, qd at 1001
times), a reference to measure errors against, and the drift of its closure. What is built once (the integrator, the model) is
built before the time is taken.

CasADi's `jit` needs gcc. With cvodes it compiles the right-hand side and its Jacobian, which saves 5 to 30 % at the same rtol:
most of the time goes into CVODES and its calls. With erk and rosenbrock it compiles the integrator as a whole, which makes them
5 to 10 times faster, so they are here as well.
"""

from __future__ import annotations

import argparse
import contextlib
import math
import os
import shutil
import tempfile
import time
import warnings
from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import casadi as ca
import numpy as np
import pinocchio as pin
from scipy.integrate import odeint, solve_ivp

import heyoka_peer
import lagrangian as lg

Run = Callable[[float, float], np.ndarray]
"""(rtol, atol) to rows: one per time, the coordinates and then the speeds."""
Rates = Callable[[float, np.ndarray], np.ndarray]
"""(t, x) to the derivative of x, the coordinates and then the speeds."""

SetTorques = Callable[[float, np.ndarray, np.ndarray], None]
"""(t, x, tau) writes the torques into tau."""

TIMES = np.linspace(0.0, 10.0, 1001)

# Not stiff: Adams and an iteration that stops early are the fastest that CVODES offers here. Newton and functional iteration are
# about equal on the pendulum; on the four-bar, whose corrections of the closure decay fast, Newton takes half the time.
ADAMS = {
    "linear_multistep_method": "adams",
    "nonlinear_solver_iteration": "newton",
    "nonlin_conv_coeff": 1.0,
    "max_num_steps": 1_000_000,
    "disable_internal_warnings": True,
}
# Stiff: BDF and Newton with the exact sparse Jacobian and CasADi's own QR, which are the defaults.
BDF = {"nonlin_conv_coeff": 0.3, "max_num_steps": 1_000_000, "disable_internal_warnings": True}
FOLDER = tempfile.TemporaryDirectory()
"""Where jit leaves its files; it goes with the process."""
JIT = {
    "jit": True,
    "compiler": "shell",
    "jit_options": {"flags": ["-O3", "-march=native"], "cleanup": False},
    "jit_cleanup": False,
}

BAUMGARTE = 10.0
"""Both rates a of the correction: the closure's second derivative is -2 a etad - a^2 eta. Without it the drift is some 50 times
as large; between 2 and 20 neither the drift nor the time changes much, and from 40 on the steps become shorter."""


@dataclass
class Problem:
    """What is simulated, by whom, and how good the rows are."""

    name: str
    mechanism: lg.Mechanism
    torques: dict[str, str]
    start: np.ndarray
    """Coordinates and speeds at t = 0."""
    solve: Callable[[], np.ndarray]
    peers: dict[str, Run]
    rates: dict[str, Rates]
    """The same derivatives as the peers see them."""
    tau: Callable[[float, np.ndarray], np.ndarray]
    """(t, x) to the torques of all coordinates."""
    natural: float = 1e-8
    """The rtol one would ask for without knowing the error."""
    eta: Callable[[np.ndarray], np.ndarray] | None = None
    """Rows to the residuals of the closure."""

    @cached_property
    def reference(self) -> np.ndarray:
        return self.solve()

    def error(self, rows: np.ndarray) -> float:
        """The largest difference from the reference, of any coordinate or speed at any time."""
        return float(np.abs(rows - self.reference).max())

    def drift(self, rows: np.ndarray) -> float:
        """The largest residual of the closure, or nan where nothing is closed."""
        return float("nan") if self.eta is None else float(np.abs(self.eta(rows)).max())


# ---- how accurate, how long ------------------------------------------------------------------------------------------


def loosest(problem: Problem, run: Run, target: float = 1e-6) -> float | None:
    """The largest of the rtol 10^(-k/4) with an error of at most the target, with atol = rtol/100; None if there is none."""
    for k in range(12, 53):
        rtol = 10 ** (-k / 4)
        # a peer may fail at a tolerance (that one does not count) and warn of it
        with contextlib.suppress(RuntimeError, ValueError), warnings.catch_warnings():
            warnings.simplefilter("ignore")
            rows = run(rtol, rtol / 100)
            if rows.shape == problem.reference.shape and problem.error(rows) <= target:
                return rtol
    return None


def best_of(f: Callable[[], object], seconds: float = 0.5) -> float:
    """The shortest time of one call, of all that fit into so many seconds, and of at least three."""
    f()
    result, calls, end = math.inf, 0, time.perf_counter() + seconds
    while calls < 3 or time.perf_counter() < end:
        start = time.perf_counter()
        f()
        result, calls = min(result, time.perf_counter() - start), calls + 1
    return result


# ---- CasADi ----------------------------------------------------------------------------------------------------------


class Integrator:
    """A CasADi integrator of one problem, built once for each tolerance."""

    def __init__(self, plugin: str, dae: dict[str, Any], start: np.ndarray, options: dict[str, Any]) -> None:
        self.plugin, self.dae, self.options = plugin, dae, options
        self.start = start.copy()
        self.built: dict[tuple[float, float], tuple[Any, Any, Any]] = {}

    def build(self, rtol: float, atol: float) -> tuple[Any, Any, Any]:
        options = {**self.options, "reltol": rtol, "abstol": atol}
        # jit writes its source into the working folder
        with contextlib.chdir(FOLDER.name):
            function = ca.integrator("F", self.plugin, self.dae, float(TIMES[0]), TIMES.tolist(), options)
        buffer, evaluate = function.buffer()
        buffer.set_arg(0, memoryview(self.start))
        return function, buffer, evaluate

    def __call__(self, rtol: float, atol: float) -> np.ndarray:
        if (rtol, atol) not in self.built:
            self.built[rtol, atol] = self.build(rtol, atol)
        _, buffer, evaluate = self.built[rtol, atol]
        # its columns are our rows: written in place, which saves the conversion of a DM
        rows = np.empty((len(TIMES), len(self.start)))
        buffer.set_res(0, memoryview(rows))
        evaluate()
        if buffer.ret():
            raise RuntimeError(f"{self.plugin} failed at rtol {rtol:g}")
        return rows


class Buffered:
    """A CasADi function of (t, x), called with numpy's memory: several times faster than through DM."""

    def __init__(self, t: ca.SX, x: ca.SX, value: ca.SX) -> None:
        self.function = ca.Function("f", [t, x], [ca.densify(value)])
        self.buffer, self.evaluate = self.function.buffer()
        self.t, self.x = np.zeros(1), np.zeros(x.numel())
        # columns first
        self.out = np.zeros(value.shape[::-1]) if value.shape[1] > 1 else np.zeros(value.shape[0])
        for i, array in enumerate((self.t, self.x)):
            self.buffer.set_arg(i, memoryview(array))
        self.buffer.set_res(0, memoryview(self.out))

    def __call__(self, t: float, x: np.ndarray) -> np.ndarray:
        self.t[0], self.x[:] = t, x
        self.evaluate()
        return self.out.T.copy()


def casadi_peers(t: ca.SX, x: ca.SX, ode: ca.SX, start: np.ndarray, stiff: bool = False) -> dict[str, Run]:
    """CVODES, and where there is a compiler the same with jit and the best of those that compile as a whole."""
    dae = {"t": t, "x": x, "ode": ode}
    options = BDF if stiff else ADAMS
    peers: dict[str, Run] = {"CasADi cvodes": Integrator("cvodes", dae, start, options)}
    if shutil.which("gcc"):
        other = "rosenbrock" if stiff else "erk"
        peers["CasADi cvodes, jit"] = Integrator("cvodes", dae, start, {**options, **JIT})
        peers[f"CasADi {other}, jit"] = Integrator(other, dae, start, {"max_num_steps": 1_000_000, **JIT})
    return peers


# ---- SciPy -----------------------------------------------------------------------------------------------------------


def scipy_peer(method: str, rates: Rates, start: np.ndarray, **options: Any) -> Run:
    def run(rtol: float, atol: float) -> np.ndarray:
        return solve_ivp(rates, (TIMES[0], TIMES[-1]), start, method, TIMES, rtol=rtol, atol=atol, **options).y.T

    return run


def differences(rates: Rates) -> Rates:
    """A Jacobian by differences: SciPy's own widens its steps for what nothing depends on, here the spindle's angle, for ever."""

    def jacobian(t: float, x: np.ndarray) -> np.ndarray:
        here, step = rates(t, x), 1e-7
        return np.stack([(rates(t, moved) - here) / step for moved in x + step * np.eye(len(x))], axis=1)

    return jacobian


def odeint_peer(rates: Rates, start: np.ndarray) -> Run:
    """LSODA with its steps in compiled code, unlike that of solve_ivp: only the right-hand side is Python."""

    def run(rtol: float, atol: float) -> np.ndarray:
        return odeint(rates, start, TIMES, tfirst=True, rtol=rtol, atol=atol, mxstep=100_000)

    return run


# ---- Pinocchio -------------------------------------------------------------------------------------------------------


def at(x: float = 0.0, y: float = 0.0, z: float = 0.0) -> Any:
    return pin.SE3(np.eye(3), np.array([x, y, z]))


def link(model: Any, parent: int, joint: Any, placement: Any, mass: float, center: tuple[float, ...], inertia: Any) -> int:
    """A joint and its body, with the inertia about the centre of mass; returns the joint's index."""
    index = model.addJoint(parent, joint, placement, f"j{model.njoints}")
    model.appendBodyToJoint(index, pin.Inertia(mass, np.array(center, dtype=float), np.diag(inertia)), pin.SE3.Identity())
    return index


def open_rates(model: Any, set_torques: SetTorques | None) -> Rates:
    n, data, tau, aba = model.nv, model.createData(), np.zeros(model.nv), pin.aba

    def rates(t: float, x: np.ndarray) -> np.ndarray:
        out = np.empty(2 * n)
        out[:n] = qd = x[n:]
        if set_torques is not None:
            set_torques(t, x, tau)
        out[n:] = aba(model, data, x[:n], qd, tau)
        return out

    return rates


def closed_rates(model: Any, contact: Any, set_torques: SetTorques, dynamics: Any = pin.constraintDynamics) -> Rates:
    """With Pinocchio's `constraintDynamics`, or its `lcaba`."""
    n, data, tau = model.nv, model.createData(), np.zeros(model.nv)
    contact.m_baumgarte_parameters.Kp = BAUMGARTE**2
    contact.m_baumgarte_parameters.Kd = 2 * BAUMGARTE
    contacts, contact_data = pin.StdVec_RigidConstraintModel(), pin.StdVec_RigidConstraintData()
    contacts.append(contact)
    contact_data.append(contact.createData())
    pin.initConstraintDynamics(model, data, contacts, contact_data)
    if dynamics is pin.lcaba:
        pin.computeJointMinimalOrdering(model, data, contacts)
    # across the plane the point is held twice, which is singular without the proximal term; three iterations undo its bias
    # with so small a term the accelerations of `lcaba` are off by 1e-4; with 1e-4 they are exact to 4e-11
    proximal = pin.ProximalSettings(1e-12, 1e-4 if dynamics is pin.lcaba else 1e-10, 10)

    def rates(t: float, x: np.ndarray) -> np.ndarray:
        out = np.empty(2 * n)
        out[:n] = qd = x[n:]
        set_torques(t, x, tau)
        out[n:] = dynamics(model, data, x[:n], qd, tau, contacts, contact_data, proximal)
        return out

    return rates


# ---- the problems ----------------------------------------------------------------------------------------------------


def values(mechanism: lg.Mechanism) -> dict[str, float]:
    return {name: float(value) for name, value in mechanism.parameters.items()}


def initial(mechanism: lg.Mechanism) -> np.ndarray:
    return np.array([*mechanism.initial.q, *mechanism.initial.qd], dtype=float)


def tau_of(n: int, set_torques: SetTorques | None) -> Callable[..., np.ndarray]:
    def tau(t: float, x: np.ndarray) -> np.ndarray:
        out = np.zeros(n)
        if set_torques is not None:
            set_torques(t, x, out)
        return out

    return tau


def two_r(driven: bool) -> Problem:
    """The double pendulum, free or with a torque on its first joint."""
    mechanism = lg.library("two_r")
    p = values(mechanism)
    start = initial(mechanism)
    t, x = ca.SX.sym("t"), ca.SX.sym("x", 4)
    torque = -0.1 * x[2] + 0.5 * ca.sin(t) if driven else 0.0
    ode = ca.vertcat(x[2:], two_r_accelerations(p, x, torque))

    def driving(t: float, x: np.ndarray, tau: np.ndarray) -> None:
        tau[0] = -0.1 * x[2] + 0.5 * math.sin(t)

    set_torques = driving if driven else None
    torques = {"theta1": "-0.1*qd_theta1 + 0.5*sin(t)"} if driven else {}
    model = pin.Model()
    model.gravity.linear = np.array([0, -p["g"], 0])
    one = link(model, 0, pin.JointModelRZ(), at(), p["m1"], (p["r1"], 0, 0), (0, p["I1"], p["I1"]))
    link(model, one, pin.JointModelRZ(), at(p["l1"]), p["m2"], (p["r2"], 0, 0), (0, p["I2"], p["I2"]))
    casadi, pinocchio = Buffered(t, x, ode), open_rates(model, set_torques)
    return Problem(
        name="two_r_driven" if driven else "two_r",
        mechanism=mechanism,
        torques=torques,
        start=start,
        solve=lambda: scipy_peer("DOP853", casadi, start)(1e-13, 1e-14),
        peers={
            **casadi_peers(t, x, ode, start),
            "heyoka": heyoka_peer.Single(heyoka_peer.equations(mechanism, torques), start, TIMES),
            "Pinocchio, DOP853": scipy_peer("DOP853", pinocchio, start),
            "Pinocchio, odeint": odeint_peer(pinocchio, start),
        },
        rates={"CasADi": casadi, "Pinocchio": pinocchio},
        tau=tau_of(2, set_torques),
    )


def two_r_terms(inertias: tuple[float, float, float], weights: tuple[float, float], x: ca.SX) -> tuple[ca.SX, ...]:
    """The mass matrix m11, m12, m22 of two links, and the two forces without torques.

    The inertias are the first link's with the second's mass at its end, the second's about its joint, and the coupling; the
    weights are the moments of weight about the joints.
    """
    (J1, J2, k), (w1, w2) = inertias, weights
    q1, q2, u1, u2 = ca.vertsplit(x)
    c, s = k * ca.cos(q2), k * ca.sin(q2)
    g2 = w2 * ca.cos(q1 + q2)
    return J1 + J2 + 2 * c, J2 + c, J2, s * u2 * (2 * u1 + u2) - w1 * ca.cos(q1) - g2, -s * u1 * u1 - g2


def two_r_accelerations(p: dict[str, float], x: ca.SX, torque: Any) -> ca.SX:
    inertias = (p["I1"] + p["m1"] * p["r1"] ** 2 + p["m2"] * p["l1"] ** 2, p["I2"] + p["m2"] * p["r2"] ** 2)
    coupling = p["m2"] * p["l1"] * p["r2"]
    weights = ((p["m1"] * p["r1"] + p["m2"] * p["l1"]) * p["g"], p["m2"] * p["r2"] * p["g"])
    m11, m12, m22, f1, f2 = two_r_terms((*inertias, coupling), weights, x)
    f1 = f1 + torque
    det = m11 * m22 - m12 * m12
    return ca.vertcat((m22 * f1 - m12 * f2) / det, (m11 * f2 - m12 * f1) / det)


def four_bar_in_pinocchio(mechanism: lg.Mechanism) -> tuple[Any, Any, SetTorques]:
    """Its model, its closure and what drives it."""
    p = values(mechanism)
    l0, l1, l2, l3 = (p[f"l{i}"] for i in range(4))

    def set_torques(t: float, x: np.ndarray, tau: np.ndarray) -> None:
        tau[0] = 0.3 * math.sin(2 * t) - 0.02 * x[3]

    model = pin.Model()
    model.gravity.linear = np.array([0, -p["g"], 0])

    def bar(parent: int, where: float, mass: float, length: float) -> int:
        about = mass * length**2 / 12
        return link(model, parent, pin.JointModelRZ(), at(where), mass, (length / 2, 0, 0), (0, about, about))

    crank = bar(0, 0.0, p["m1"], l1)
    coupler, rocker = bar(crank, l1, p["m2"], l2), bar(0, l0, p["m3"], l3)
    contact = pin.RigidConstraintModel(pin.ContactType.CONTACT_3D, model, coupler, at(l2), rocker, at(l3), pin.LOCAL)
    return model, contact, set_torques


def four_bar() -> Problem:
    """The four-bar swinging, driven a little, in the coordinates of its tree."""
    mechanism = lg.library("four_bar")
    p = values(mechanism)
    l0, l1, l2, l3 = (p[f"l{i}"] for i in range(4))
    start = initial(mechanism)
    t, x = ca.SX.sym("t"), ca.SX.sym("x", 6)
    ode = ca.vertcat(x[3:], four_bar_accelerations(p, x, 0.3 * ca.sin(2 * t) - 0.02 * x[3]))

    model, contact, set_torques = four_bar_in_pinocchio(mechanism)
    casadi, pinocchio = Buffered(t, x, ode), closed_rates(model, contact, set_torques)

    def eta(rows: np.ndarray) -> np.ndarray:
        q1, q2, q3 = rows[:, :3].T
        gap_x = l1 * np.cos(q1) + l2 * np.cos(q1 + q2) - l0 - l3 * np.cos(q3)
        return np.stack([gap_x, l1 * np.sin(q1) + l2 * np.sin(q1 + q2) - l3 * np.sin(q3)])

    return Problem(
        name="four_bar",
        mechanism=mechanism,
        torques={"theta1": "0.3*sin(2*t) - 0.02*qd_theta1"},
        start=start,
        solve=lambda: four_bar_reference(p, t, x, ode, start),
        peers={
            **casadi_peers(t, x, ode, start),
            "Pinocchio, DOP853": scipy_peer("DOP853", pinocchio, start),
            "Pinocchio, odeint": odeint_peer(pinocchio, start),
        },
        rates={"CasADi": casadi, "Pinocchio": pinocchio},
        tau=tau_of(3, set_torques),
        eta=eta,
    )


def four_bar_accelerations(p: dict[str, float], x: ca.SX, torque: ca.SX) -> ca.SX:
    """[M -Psi^T; Psi 0] solved by hand: the multipliers and the two passive accelerations are eliminated.

    Half as many operations as a symbolic solution of the 5 by 5 system, and the same accelerations; the passive 2 by 2 block of
    Psi is never singular in a crank-rocker.
    """
    l0, l1, l2, l3, m1, m2, m3, g = (p[name] for name in ("l0", "l1", "l2", "l3", "m1", "m2", "m3", "g"))
    inertias = ((m1 / 3 + m2) * l1**2, m2 * l2**2 / 3, m2 * l1 * l2 / 2)
    weights = ((m1 / 2 + m2) * l1 * g, m2 * l2 / 2 * g)
    q1, q2, q3, u1, u2, u3 = ca.vertsplit(x)
    m11, m12, m22, f1, f2 = two_r_terms(inertias, weights, ca.vertcat(q1, q2, u1, u2))
    f1 = f1 + torque
    c1, s1, c2, s2 = l1 * ca.cos(q1), l1 * ca.sin(q1), l2 * ca.cos(q1 + q2), l2 * ca.sin(q1 + q2)
    c3, s3 = l3 * ca.cos(q3), l3 * ca.sin(q3)
    m33, f3 = m3 * l3**2 / 3, -m3 * g / 2 * c3
    # Psi's rows are (x1, x2, x3) and (y1, y2, y3); Psi qdd = r keeps the gap closed
    x1, x2, x3, y1, y2, y3 = -s1 - s2, -s2, s3, c1 + c2, c2, -c3
    w, a = u1 + u2, BAUMGARTE
    rx = c1 * u1 * u1 + c2 * w * w - c3 * u3 * u3 - 2 * a * (x1 * u1 + x2 * u2 + x3 * u3) - a * a * (c1 + c2 - l0 - c3)
    ry = s1 * u1 * u1 + s2 * w * w - s3 * u3 * u3 - 2 * a * (y1 * u1 + y2 * u2 + y3 * u3) - a * a * (s1 + s2 - s3)
    det = x2 * y3 - x3 * y2
    # the passive accelerations are n times the crank's, plus d
    n2, n3 = (x3 * y1 - y3 * x1) / det, (y2 * x1 - x2 * y1) / det
    d2, d3 = (y3 * rx - x3 * ry) / det, (x2 * ry - y2 * rx) / det
    force = f1 + n2 * f2 + n3 * f3 - (m12 + n2 * m22) * d2 - n3 * m33 * d3
    qdd = force / (m11 + n2 * (2 * m12 + n2 * m22) + n3 * n3 * m33)
    return ca.vertcat(qdd, n2 * qdd + d2, n3 * qdd + d3)


def four_bar_reference(p: dict[str, float], t: ca.SX, x: ca.SX, ode: ca.SX, start: np.ndarray) -> np.ndarray:
    """In the crank's angle alone, the others from the law of cosines: nothing can drift."""
    l0, l1, l2, l3 = (p[f"l{i}"] for i in range(4))
    y = ca.SX.sym("y", 2)
    to_x, to_y = l0 - l1 * ca.cos(y[0]), -l1 * ca.sin(y[0])
    square = to_x**2 + to_y**2
    # the diagonal from the crank's end to the rocker's ground joint, and the angle it makes
    e, beta = ca.sqrt(square), ca.atan2(to_y, to_x)
    phi2 = beta + ca.acos((l2**2 + square - l3**2) / (2 * l2 * e)) - y[0]
    phi3 = math.pi + beta - ca.acos((l3**2 + square - l2**2) / (2 * l3 * e))
    q = ca.vertcat(y[0], phi2, phi3)
    state = ca.vertcat(q, ca.jacobian(q, y[0]) * y[1])
    whole = Buffered(t, y, state)
    np.testing.assert_allclose(whole(0.0, start[[0, 3]]), start, atol=1e-14)
    crank = scipy_peer("DOP853", Buffered(t, y, ca.vertcat(y[1], ca.substitute(ode[3], x, state))), start[[0, 3]])
    return np.array([whole(0.0, row) for row in crank(1e-13, 1e-14)])


def governor() -> Problem:
    """The flyball governor: rates of 1e4 per second beside motions of seconds."""
    mechanism = lg.library("flyball_governor")
    p = values(mechanism)
    start = initial(mechanism)
    t, x = ca.SX.sym("t"), ca.SX.sym("x", 8)
    ode = ca.vertcat(x[4:], governor_accelerations(p, x))
    casadi, pinocchio = Buffered(t, x, ode), governor_pinocchio(p)
    jacobian = Buffered(t, x, ca.jacobian(ode, x))
    exact = scipy_peer("Radau", casadi, start, jac=jacobian)
    return Problem(
        name="governor",
        mechanism=mechanism,
        torques={},
        start=start,
        # within 4e-12 of DOP853 at 1e-13, which needs two million evaluations
        solve=lambda: exact(1e-12, 1e-14),
        peers={
            **casadi_peers(t, x, ode, start, stiff=True),
            "CasADi, Radau": exact,
            "Pinocchio, Radau": scipy_peer("Radau", pinocchio, start, jac=differences(pinocchio)),
            "Pinocchio, odeint": odeint_peer(pinocchio, start),
        },
        rates={"CasADi": casadi, "Pinocchio": pinocchio},
        tau=tau_of(4, None),
        natural=1e-7,
    )


def pull(f: Any, p: dict[str, float], theta: Any, s: Any, u: Any, v: Any) -> tuple[Any, Any]:
    """What the spring of one arm at speed u does on the arm and on the sleeve at speed v; f has sin, cos and sqrt."""
    out, arm = p["l"] * f.sin(theta), p["l"] * f.cos(theta)
    down = arm + s - p["h"]
    length = f.sqrt(out * out + down * down)
    on_arm, on_sleeve = out * (arm - down) / length, down / length
    force = p["k"] * (length - p["l"]) + p["c"] * (on_arm * u + on_sleeve * v)
    return -force * on_arm, -force * on_sleeve


def governor_accelerations(p: dict[str, float], x: ca.SX) -> ca.SX:
    """The mass matrix is diagonal."""
    _, a, b, s, w, u, v, r = ca.vertsplit(x)
    J, weight = p["l"] ** 2 * (p["mb"] + p["mr"] / 3), p["g"] * p["l"] * (p["mb"] + p["mr"] / 2)
    sa, sb = ca.sin(a), ca.sin(b)
    turn_a, turn_b = sa * ca.cos(a), sb * ca.cos(b)
    (on_a, lift_a), (on_b, lift_b) = pull(ca, p, a, s, u, r), pull(ca, p, b, s, v, r)
    about_z = p["Is"] + p["Ic"] + J * (sa * sa + sb * sb)
    return ca.vertcat(
        -2 * J * (turn_a * u + turn_b * v) * w / about_z,
        turn_a * w * w + (on_a - weight * sa) / J,
        turn_b * w * w + (on_b - weight * sb) / J,
        (lift_a + lift_b) / p["ms"] - p["g"],
    )


def governor_pinocchio(p: dict[str, float]) -> Rates:
    """The tree in Pinocchio; it has no springs, so theirs are torques."""
    model = pin.Model()
    model.gravity.linear = np.array([0, 0, -p["g"]])
    spindle = link(model, 0, pin.JointModelRZ(), at(), 20.0, (0, 0, 0), (p["Is"],) * 3)
    mass = p["mb"] + p["mr"]
    center = p["l"] * (p["mb"] + p["mr"] / 2) / mass
    about = p["l"] ** 2 * (p["mb"] + p["mr"] / 3) - mass * center**2
    for side in (-1, 1):
        joint = pin.JointModelRevoluteUnaligned(np.array([0.0, side, 0.0]))
        link(model, spindle, joint, at(), mass, (0, 0, -center), (about, about, 0))
    link(model, spindle, pin.JointModelPZ(), at(0, 0, -p["h"]), p["ms"], (0, 0, 0), (p["Ic"],) * 3)

    def springs(t: float, x: np.ndarray, tau: np.ndarray) -> None:
        _, a, b, s, _, u, v, r = x.tolist()
        tau[1], lift_a = pull(math, p, a, s, u, r)
        tau[2], lift_b = pull(math, p, b, s, v, r)
        tau[3] = lift_a + lift_b

    return open_rates(model, springs)


def problems() -> dict[str, Callable[[], Problem]]:
    return {
        "two_r": lambda: two_r(False),
        "two_r_driven": lambda: two_r(True),
        "four_bar": four_bar,
        "governor": governor,
    }


# ---- the table -------------------------------------------------------------------------------------------------------


def check(problem: Problem, states: int = 20) -> None:
    """All that compute accelerations agree at random states; ours too where the mechanism is open."""
    rng = np.random.default_rng(0)
    n = len(problem.start) // 2
    ours = None if problem.mechanism.loops else lg.compile(problem.mechanism)
    for x in rng.normal(size=(states, 2 * n)):
        results = {name: rates(0.7, x) for name, rates in problem.rates.items()}
        if ours is not None:
            results["lagrangian"] = np.array([*x[n:], *ours.forward_dynamics(x[:n], x[n:], problem.tau(0.7, x))])
        expected = results["CasADi"]
        for name, value in results.items():
            np.testing.assert_allclose(value, expected, rtol=0, atol=1e-10 * max(1.0, np.abs(expected).max()), err_msg=name)


def measurement_line(problem: Problem, run: Run, rtol: float | None, seconds: float) -> str:
    if rtol is None:
        return f"{'not reached':>43}"
    rows = run(rtol, rtol / 100)
    milliseconds = 1e3 * best_of(lambda: run(rtol, rtol / 100), seconds)
    drift = "" if problem.eta is None else f"{problem.drift(rows):.1e}"
    return f"{rtol:10.1e} {milliseconds:10.3f} {problem.error(rows):10.1e} {drift:>10}"


def table(problem: Problem, target: float, seconds: float) -> None:
    columns = "".join(f"{name:>11}" for name in ("rtol", "ms", "error", "drift"))
    print(f"\n{problem.name}: with an error of at most {target:g}, and at rtol {problem.natural:g}")
    print(f"  {'':<23}{columns}  |{columns[1:]}", flush=True)
    for name, run in problem.peers.items():
        equal = measurement_line(problem, run, loosest(problem, run, target), seconds)
        print(f"  {name:<24}{equal}  |{measurement_line(problem, run, problem.natural, seconds)}", flush=True)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--only", choices=tuple(problems()), default=None)
    parser.add_argument("--seconds", type=float, default=0.5, help="time for each measurement")
    parser.add_argument("--target", type=float, default=1e-6, help="the error to reach")
    options = parser.parse_args()
    if hasattr(os, "sched_setaffinity"):
        os.sched_setaffinity(0, {max(os.sched_getaffinity(0))})  # one core, so that nothing moves between them
    print(f"CasADi {ca.__version__}, Pinocchio {pin.__version__}, {len(TIMES)} rows over {TIMES[-1]:g} s")
    for name, make in problems().items():
        if options.only in (None, name):
            problem = make()
            check(problem)
            table(problem, options.target, options.seconds)


if __name__ == "__main__":
    main()
