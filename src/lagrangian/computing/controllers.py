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

from lagrangian.computing.subject import NotComputable, Subject
from lagrangian.control.computed_torque import ComputedTorque
from lagrangian.control.controller import Controller
from lagrangian.control.pd_gravity import PDGravity
from lagrangian.control.reference import JointReference, held
from lagrangian.exports.functions.dynamics import friction, gravity, inverse_dynamics
from lagrangian.exports.model import Model
from lagrangian.kernels.llvm.builder import INTEGER, Array, Builder
from lagrangian.kernels.llvm.emit import hexadecimal
from lagrangian.kernels.llvm.function import traced
from lagrangian.kinematics.chebyshev import DEGREE, Series
from lagrangian.motion.integrators.method import Module

GAINS = {"frequency": "rad/s", "damping": ""}
COLUMNS = 3  # position, speed and acceleration of every coordinate that is led


@dataclass(frozen=True)
class Law:
    """A controller that can be compiled, with the gains that a reader may change.

    These are a natural frequency and a damping ratio, which are factors where the joints' gains differ.
    """

    controller: Controller
    gains: dict[str, float]

    @property
    def reference(self) -> JointReference:
        found: JointReference = self.controller.reference
        return found

    @property
    def led(self) -> int:
        """How many joints it leads."""
        return len(self.reference.names)

    def values(self, inputs: dict[str, Any]) -> list[Any]:
        """kp and kd of all joints that are led, from the gains, as numbers or as nodes of a graph."""
        kp, kd = self.controller.kp, self.controller.kd  # type: ignore[attr-defined]
        w, zeta = (inputs.get(name, value) for name, value in self.gains.items())
        faster = w * (1.0 / self.gains["frequency"])
        damped = zeta * (1.0 / self.gains["damping"])
        return [*(faster * faster * float(x) for x in kp), *(faster * damped * float(x) for x in kd)]


def law_of(subject: Subject) -> Law | None:
    """The law of what drives a motion; None where no Python function does."""
    torque = subject.torque
    called = torque.called if torque.sampled is None else torque.sampled.function
    if called is None:
        return None
    compiled = ComputedTorque, PDGravity
    if not isinstance(called, compiled) or type(called) not in compiled:  # a class that is derived from them may have another law
        name = getattr(called, "__name__", type(called).__name__)
        raise NotComputable(f"the torques come from Python: {name}. Traced(function) compiles one that does not branch")
    mechanism = called.dynamics.mechanism
    if mechanism.equations or mechanism.nq != mechanism.nv:
        raise NotComputable(f"{type(called).__name__} of a mechanism with constraints, or with ball joints, cannot be compiled")
    kp, kd = np.asarray(called.kp), np.asarray(called.kd)
    if not (np.all(kp > 0) and np.all(kd > 0)):
        return Law(called, {"frequency": 1.0, "damping": 1.0})
    w, zeta = np.sqrt(kp), kd / (2 * np.sqrt(kp))
    alike = np.ptp(w) <= 1e-9 * w[0] and np.ptp(zeta) <= 1e-9 * zeta[0] and isinstance(called, ComputedTorque)
    return Law(called, {"frequency": float(w[0]) if alike else 1.0, "damping": float(zeta[0]) if alike else 1.0})


class LawText:
    """Writes `ask(time, state, u)`, which puts the joint forces into u; kp and kd are read from the numbers of the run."""

    def __init__(self, law: Law, gains: int, numbers: int, latest: int) -> None:
        """The first gain is at `gains` among the numbers, whose address is at `numbers` in u; at `latest` there is a time.

        That is the last one of which the path is asked: a step that ends where the torques jump has those from before.
        """
        self.law, self.first, self.numbers, self.latest = law, gains, numbers, latest
        self.led = law.led

    def write(self, module: Module) -> None:
        model = Model(self.law.controller.dynamics.mechanism, ())
        places = {"wanted": ("wanted", 0), "gain": ("gains", self.first), "q": ("state", 0), "qd": ("state", model.nq)}
        outputs = self._torques(model)
        module.lines += traced("law", model.graph, outputs, places, module.declared, module.fma)
        self._write_reference(module)
        b = module.function("ask", ["time", "state", "u"])
        time, state, u = (b.array(name) for name in ("time", "state", "u"))
        wanted = b.local(COLUMNS * self.led)
        at = b.local(1)
        at[0] = b.minimum(time[0], u[self.latest])
        b.call("reference", at, wanted)
        gains = Array(b, b.put("ptr", f"load ptr, ptr {u.part(self.numbers).pointer}").text)
        b.call("law", wanted, gains, state, u)
        b.leave()
        module.add(b)

    def _torques(self, model: Model) -> list[Any]:
        controller, reference, n = self.law.controller, self.law.reference, self.led
        wanted, speed, acceleration = ([model.graph.input("wanted", part * n + k) for k in range(n)] for part in range(COLUMNS))
        kp, kd = ([model.graph.input("gain", part * n + k) for k in range(n)] for part in range(2))
        command = [
            kd[k] * (speed[k] - model.graph.input("qd", int(reference.iv[k])))
            + kp[k] * (wanted[k] - model.graph.input("q", int(reference.iq[k])))
            for k in range(n)
        ]
        if isinstance(controller, PDGravity):
            tau: list[Any] = list(gravity(model))
            for k, iv in enumerate(reference.iv.tolist()):
                tau[iv] = tau[iv] + command[k]
            return tau
        qdd: list[Any] = [0.0] * model.nv
        for k, iv in enumerate(reference.iv.tolist()):
            qdd[iv] = acceleration[k] + command[k]
        return self._compensated(model, inverse_dynamics(model, qdd=qdd), dict(zip(reference.iv.tolist(), speed, strict=True)))

    def _compensated(self, model: Model, tau: list[Any], wanted: dict[int, Any]) -> list[Any]:
        """Dry friction is that of the wanted speeds, or there is none of it in the torques: see `Drives.bias`."""
        controller = self.law.controller
        assert isinstance(controller, ComputedTorque)
        if not controller.friction:
            return [a - b for a, b in zip(tau, friction(model), strict=True)]
        plus, minus = controller.drives.dry
        found = []
        for k, x in enumerate(tau):
            if plus[k] or minus[k]:
                measured = model.graph.input("qd", k)
                moving = measured.by_sign(float(plus[k]), float(minus[k]))
                x = x - moving + _dry(wanted.get(k, measured), float(plus[k]), float(minus[k]))
            found.append(x)
        return found

    def _write_reference(self, module: Module) -> None:
        """`reference(time, output)`: the places, speeds and accelerations that are wanted."""
        path, n = self.law.reference.path, self.led
        columns = self.law.reference.columns
        b = module.function("reference", ["time", "output"])
        output = b.array("output")
        series = getattr(path, "series", None)
        if series is None:  # a set-point
            values = np.concatenate([np.asarray(x)[columns] for x in held(path, 0.0)])
            for k, x in enumerate(values.tolist()):
                output[k] = b.value(x, "double")
            b.leave()
            module.add(b)
            return
        width = series.coefficients.shape[2] // COLUMNS
        kept = [part * width + int(k) for part in range(COLUMNS) for k in columns]
        _constants(module, "path.edges", series.edges)
        _constants(module, "path.coefficients", series.coefficients[:, :, kept])
        _write_series(b, series, (path.start, path.end), n)
        module.add(b)


def _dry(speed: Any, plus: float, minus: float) -> Any:
    """Dry friction by the sign of a speed that is wanted: none where it is rest but for rounding."""
    from lagrangian.control.drives import REST
    from lagrangian.model.expression import functions as f

    return f.choose(REST, speed, plus, f.choose(speed, -REST, minus, 0.0))


def _constants(module: Module, name: str, values: np.ndarray) -> None:
    each = ", ".join(f"double {hexadecimal(x)}" for x in values.ravel().tolist())
    module.lines.append(f"@{name} = internal constant [{values.size} x double] [{each}], align 8")


def _write_series(b: Builder, series: Series, span: tuple[float, float], n: int) -> None:
    """The sum of the piece in which the time is; before the path and behind it, its ends, at rest."""
    pieces, terms, width = len(series.coefficients), DEGREE + 1, COLUMNS * n
    edges, coefficients = Array(b, "@path.edges"), Array(b, "@path.coefficients")
    output, given = b.array("output"), b.array("time")[0]
    t = b.maximum(span[0], b.minimum(span[1], given))
    piece = b.variable(0, INTEGER)
    with b.loop(lambda: (piece.get() < pieces - 1) & (edges[piece.get() + 1] <= t)):
        piece.set(piece.get() + 1)
    low, high = edges[piece.get()], edges[piece.get() + 1]
    x = b.maximum(-1.0, b.minimum(1.0, (2.0 * t - low - high) / (high - low)))
    twice = 2.0 * x
    first = piece.get() * (terms * width)
    moves = (given >= span[0]) & (given <= span[1])
    for column in range(width):
        before, last = b.value(0.0, "double"), b.value(0.0, "double")
        for k in range(terms - 1, 0, -1):
            before, last = coefficients[first + (k * width + column)] + twice * before - last, before
        total = coefficients[first + column] + x * before - last
        output[column] = total if column < n else b.select(moves, total, 0.0)
    b.leave()


def latest(t: float) -> float:
    """The last time before one."""
    return math.nextafter(t, -math.inf) if math.isfinite(t) else math.inf
