"""Controllers as compiled code: the law of control, and the path that it follows, in place of a Python function.

A law is traced as exported controllers are, from the model that the controller believes in: it stays as it was when a reader
changes the mechanism. What the joints are to do comes from the path's own Chebyshev series, summed by Clenshaw's recurrence
(Numerische Mathematik 1955; Trefethen, Approximation Theory and Approximation Practice, 2013, chapter 3).
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np

from lagrangian.control.actuated_joints import REST_TOLERANCE
from lagrangian.control.computed_torque import ComputedTorque
from lagrangian.control.controller import Controller
from lagrangian.control.pd_gravity import PDGravityCompensation
from lagrangian.control.reference import JointReference, clamped_reference
from lagrangian.functions.dynamics import friction, gravity, inverse_dynamics
from lagrangian.functions.mechanism_graph import MechanismGraph
from lagrangian.kernels.llvm.emit import hexadecimal, write_function
from lagrangian.kernels.llvm.ir import INTEGER, Array, FunctionBuilder
from lagrangian.kinematics.chebyshev import DEGREE, ChebyshevSeries
from lagrangian.model.expression import functions as f
from lagrangian.motion.integrators.method import Module
from lagrangian.page_motion.subject import NotComputableError, PageMotion

GAINS = {"frequency": "rad/s", "damping": ""}
COLUMNS = 3  # position, speed and acceleration of every coordinate that the controller leads


@dataclass(frozen=True)
class ControlLaw:
    """A controller that can be compiled, with the gains that a reader may change.

    These are a natural frequency and a damping ratio, which are factors where the joints' gains differ.
    """

    controller: Controller
    gains: dict[str, float]

    @property
    def reference(self) -> JointReference:
        reference: JointReference = self.controller.reference
        return reference

    @property
    def joint_count(self) -> int:
        """The number of joints that the controller leads."""
        return len(self.reference.names)

    def gain_values(self, inputs: dict[str, Any]) -> list[Any]:
        """The gains kp and kd of all joints that the controller leads, from `inputs`, as numbers or as nodes of a graph."""
        kp, kd = self.controller.kp, self.controller.kd  # type: ignore[attr-defined]
        w, zeta = (inputs.get(name, value) for name, value in self.gains.items())
        frequency_factor = w * (1.0 / self.gains["frequency"])
        damping_factor = zeta * (1.0 / self.gains["damping"])
        return [
            *(frequency_factor * frequency_factor * float(x) for x in kp),
            *(frequency_factor * damping_factor * float(x) for x in kd),
        ]


def control_law(subject: PageMotion) -> ControlLaw | None:
    """The control law that drives a motion; None if no Python function does."""
    torque = subject.torque
    controller = torque.called if torque.sampled is None else torque.sampled.function
    if controller is None:
        return None
    compilable = ComputedTorque, PDGravityCompensation
    # a class that is derived from them may have another law
    if not isinstance(controller, compilable) or type(controller) not in compilable:
        name = getattr(controller, "__name__", type(controller).__name__)
        raise NotComputableError(f"the torques come from Python: {name}. Traced(function) compiles one that does not branch")
    mechanism = controller.dynamics.mechanism
    if mechanism.equation_count or mechanism.nq != mechanism.nv:
        raise NotComputableError(
            f"{type(controller).__name__} of a mechanism with constraints, or with ball joints, cannot be compiled"
        )
    kp, kd = np.asarray(controller.kp), np.asarray(controller.kd)
    if not (np.all(kp > 0) and np.all(kd > 0)):
        return ControlLaw(controller, {"frequency": 1.0, "damping": 1.0})
    w, zeta = np.sqrt(kp), kd / (2 * np.sqrt(kp))
    share_gains = np.ptp(w) <= 1e-9 * w[0] and np.ptp(zeta) <= 1e-9 * zeta[0] and isinstance(controller, ComputedTorque)
    return ControlLaw(
        controller, {"frequency": float(w[0]) if share_gains else 1.0, "damping": float(zeta[0]) if share_gains else 1.0}
    )


class ControlLawWriter:
    """The writer of `ask(time, state, u)`, which puts the joint forces into u and reads kp and kd from the numbers of the run."""

    def __init__(self, law: ControlLaw, first_gain: int, numbers_place: int, latest_place: int) -> None:
        """`first_gain` is the place of the first gain among the numbers, and `numbers_place` that of their address in u.

        At `latest_place` in u is the latest time for which the path is asked: a step that ends where the torques jump has those
        from before the jump.
        """
        self.law, self.first_gain, self.numbers_place, self.latest_place = law, first_gain, numbers_place, latest_place
        self.joint_count = law.joint_count

    def write(self, module: Module) -> None:
        model = MechanismGraph(self.law.controller.dynamics.mechanism, ())
        places = {"desired": ("desired", 0), "gain": ("gains", self.first_gain), "q": ("state", 0), "qd": ("state", model.nq)}
        outputs = self._torques(model)
        module.lines += write_function("law", model.graph, outputs, places, module.declared, module.fma)
        self._write_reference(module)
        b = module.function("ask", ["time", "state", "u"])
        time, state, u = (b.array(name) for name in ("time", "state", "u"))
        desired = b.local_array(COLUMNS * self.joint_count)
        asked_time = b.local_array(1)
        asked_time[0] = b.minimum(time[0], u[self.latest_place])
        b.call("reference", asked_time, desired)
        gains = Array(b, b.put("ptr", f"load ptr, ptr {u.offset(self.numbers_place).pointer}").text)
        b.call("law", desired, gains, state, u)
        b.return_status()
        module.add(b)

    def _torques(self, model: MechanismGraph) -> list[Any]:
        controller, reference, n = self.law.controller, self.law.reference, self.joint_count
        desired, speed, acceleration = ([model.graph.input("desired", part * n + k) for k in range(n)] for part in range(COLUMNS))
        kp, kd = ([model.graph.input("gain", part * n + k) for k in range(n)] for part in range(2))
        command = [
            kd[k] * (speed[k] - model.graph.input("qd", int(reference.iv[k])))
            + kp[k] * (desired[k] - model.graph.input("q", int(reference.iq[k])))
            for k in range(n)
        ]
        if isinstance(controller, PDGravityCompensation):
            tau: list[Any] = list(gravity(model))
            for k, iv in enumerate(reference.iv.tolist()):
                tau[iv] = tau[iv] + command[k]
            return tau
        qdd: list[Any] = [0.0] * model.nv
        for k, iv in enumerate(reference.iv.tolist()):
            qdd[iv] = acceleration[k] + command[k]
        return self._compensate_dry_friction(
            model, inverse_dynamics(model, qdd=qdd), dict(zip(reference.iv.tolist(), speed, strict=True))
        )

    def _compensate_dry_friction(self, model: MechanismGraph, tau: list[Any], desired_speeds: dict[int, Any]) -> list[Any]:
        """Compensate dry friction at the desired speeds, or take it out of the torques: see `ActuatedJoints.bias`."""
        controller = self.law.controller
        assert isinstance(controller, ComputedTorque)
        if not controller.friction:
            return [a - b for a, b in zip(tau, friction(model), strict=True)]
        plus, minus = controller.actuated_joints.dry_friction_levels
        torques = []
        for k, x in enumerate(tau):
            if plus[k] or minus[k]:
                measured = model.graph.input("qd", k)
                measured_friction = measured.by_sign(float(plus[k]), float(minus[k]))
                x = x - measured_friction + _dry_friction(desired_speeds.get(k, measured), float(plus[k]), float(minus[k]))
            torques.append(x)
        return torques

    def _write_reference(self, module: Module) -> None:
        """Write `reference(time, output)`, which gives the desired coordinates, speeds and accelerations."""
        path, n = self.law.reference.path, self.joint_count
        columns = self.law.reference.columns
        b = module.function("reference", ["time", "output"])
        output = b.array("output")
        series = getattr(path, "series", None)
        if series is None:  # a set-point
            values = np.concatenate([np.asarray(x)[columns] for x in clamped_reference(path, 0.0)])
            for k, x in enumerate(values.tolist()):
                output[k] = b.value(x, "double")
            b.return_status()
            module.add(b)
            return
        width = series.coefficients.shape[2] // COLUMNS
        series_columns = [part * width + int(k) for part in range(COLUMNS) for k in columns]
        _write_constants(module, "path.edges", series.edges)
        _write_constants(module, "path.coefficients", series.coefficients[:, :, series_columns])
        _write_series(b, series, (path.start, path.end), n)
        module.add(b)


def _dry_friction(speed: Any, plus: float, minus: float) -> Any:
    """The dry friction by the sign of a desired speed; it is zero where that speed is zero but for rounding."""
    return f.choose(REST_TOLERANCE, speed, plus, f.choose(speed, -REST_TOLERANCE, minus, 0.0))


def _write_constants(module: Module, name: str, values: np.ndarray) -> None:
    texts = ", ".join(f"double {hexadecimal(x)}" for x in values.ravel().tolist())
    module.lines.append(f"@{name} = internal constant [{values.size} x double] [{texts}], align 8")


def _write_series(b: FunctionBuilder, series: ChebyshevSeries, span: tuple[float, float], n: int) -> None:
    """Write the sum of the series for the piece that holds the time; before and after the path its ends hold, at rest."""
    pieces, terms, width = len(series.coefficients), DEGREE + 1, COLUMNS * n
    edges, coefficients = Array(b, "@path.edges"), Array(b, "@path.coefficients")
    output, time = b.array("output"), b.array("time")[0]
    t = b.maximum(span[0], b.minimum(span[1], time))
    piece = b.variable(0, INTEGER)
    with b.while_loop(lambda: (piece.get() < pieces - 1) & (edges[piece.get() + 1] <= t)):
        piece.set(piece.get() + 1)
    low, high = edges[piece.get()], edges[piece.get() + 1]
    x = b.maximum(-1.0, b.minimum(1.0, (2.0 * t - low - high) / (high - low)))
    twice = 2.0 * x
    first = piece.get() * (terms * width)
    moves = (time >= span[0]) & (time <= span[1])
    for column in range(width):
        before, last = b.value(0.0, "double"), b.value(0.0, "double")
        for k in range(terms - 1, 0, -1):
            before, last = coefficients[first + (k * width + column)] + twice * before - last, before
        total = coefficients[first + column] + x * before - last
        output[column] = total if column < n else b.select(moves, total, 0.0)
    b.return_status()


def time_before(t: float) -> float:
    """The largest number below a time."""
    return math.nextafter(t, -math.inf) if math.isfinite(t) else math.inf
