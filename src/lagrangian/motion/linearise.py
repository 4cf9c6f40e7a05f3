"""Equilibria, and small motions about a state: the linear system, its frequencies, damping and shapes."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from lagrangian.arguments import number
from lagrangian.configuration.assemble import assemble
from lagrangian.configuration.coordinates import moved
from lagrangian.configuration.dynamics_of import dynamics_of
from lagrangian.configuration.mobility import mobility
from lagrangian.configuration.start import Start
from lagrangian.description.mechanism_of import MechanismLike
from lagrangian.errors import Argument, ArgumentError, AssemblyError, MechanismError, SingularWarning, warn
from lagrangian.kernels.dynamics import Dynamics
from lagrangian.kernels.kernel import Kernel
from lagrangian.kernels.programs.derivatives import accelerations, holonomic, rate_derivatives, residual_derivatives
from lagrangian.model.mechanism import Mechanism
from lagrangian.model.showing import ShownText
from lagrangian.motion import torque as torque_of
from lagrangian.motion.settings import Stabilisation
from lagrangian.motion.steady import KeptMoves, eigenvalues, null_space, turning
from lagrangian.motion.system.programs import Programs
from lagrangian.motion.system.system import System


@dataclass(frozen=True)
class Mode:
    """A free motion: decaying as exp(-damping omega t), at `frequency` in Hz; `shape` holds the speeds' amplitudes."""

    eigenvalue: complex
    shape: np.ndarray
    names: tuple[str, ...]

    @property
    def frequency(self) -> float:
        """Of the oscillation, in Hz; 0 if it does not oscillate."""
        return float(abs(self.eigenvalue.imag) / (2 * np.pi))

    @property
    def damping(self) -> float:
        """The damping ratio; negative where the motion grows."""
        size = abs(self.eigenvalue)
        ratio = -self.eigenvalue.real / size if size else 0.0
        return float(ratio) if abs(ratio) > 1e-12 else 0.0  # what is left is rounding

    @property
    def stable(self) -> bool:
        return self.eigenvalue.real <= 1e-9 * (1 + abs(self.eigenvalue))


@dataclass(frozen=True)
class Linearisation(ShownText):
    """x' = A x + B u about a state: x are small moves and small changes of speed, u small torques of the actuated joints.

    They keep the constraints: x = (z, w), dq = basis z, dqd = follows z + speeds w. Without constraints of speeds alone, such as
    rolling, there are as many w as z. `steady` says whether A is the same at all times, in axes that turn with the motion if
    need be; if not, it is that of this instant, and its eigenvalues decide nothing.
    """

    q: np.ndarray
    qd: np.ndarray
    A: np.ndarray
    B: np.ndarray
    basis: np.ndarray
    speeds: np.ndarray
    follows: np.ndarray
    speed_names: tuple[str, ...]
    inputs: tuple[str, ...]
    steady: bool = True

    def eigenvalues(self) -> np.ndarray:
        """Of A; those of small motions that nothing brings back and nothing drives on are zero."""
        return eigenvalues(self.A)

    def modes(self) -> list[Mode]:
        """Free motions, slow ones first; of a pair that oscillates, one."""
        values, vectors = np.linalg.eig(self.A)
        zeros = int(np.sum(self.eigenvalues() == 0))
        values[np.argsort(np.abs(values))[:zeros]] = 0.0
        n = self.basis.shape[1]
        found = []
        for value, vector in sorted(zip(values, vectors.T, strict=True), key=lambda pair: (abs(pair[0]), -pair[0].imag)):
            if value.imag < -1e-12 * (1 + abs(value)):
                continue
            shape = self.basis @ vector[:n]
            largest = shape[np.argmax(np.abs(shape))] if n else 1.0
            found.append(Mode(complex(value), shape / largest if largest else shape, self.speed_names))
        return found

    @property
    def stable(self) -> bool:
        """No free motion grows."""
        return all(mode.stable for mode in self.modes())

    def __str__(self) -> str:
        lines = [f"{len(self.A)} states; inputs: {', '.join(self.inputs) or 'none'}"]
        if not self.steady:
            lines.append("the motion is not steady: A is that of this instant, and its eigenvalues decide nothing")
        for mode in self.modes():
            how = (
                f"{mode.frequency:.6g} Hz, damping ratio {mode.damping:.4g}"
                if mode.frequency
                else f"rate {mode.eigenvalue.real:.6g} 1/s"
            )
            lines.append(how + ("" if mode.stable else ", growing"))
        return "\n".join(lines)


class _Equations:
    """Accelerations of a mechanism with its torques, and their derivatives."""

    def __init__(self, dyn: Dynamics, torque: Any) -> None:
        self.dyn = dyn
        source = torque_of.source(torque, dyn.mechanism)
        if source.external:
            raise ArgumentError(
                "numbers, expressions or Traced(function) are needed here, whose derivatives are known", where=Argument("torque")
            )
        system = System(dyn.mechanism, dyn.tree, source, Stabilisation(), redundant=True)
        u = system.inputs.size
        key = b"".join(system.key)
        program = residual_derivatives(dyn.mechanism, system.tree, system.forces.torques, u, key, system.structure)
        self._derivatives = Kernel(program)
        self._outputs = Programs(system).outputs
        self._u = np.zeros(u)

    def acceleration(self, q: np.ndarray, qd: np.ndarray, t: float) -> tuple[np.ndarray, np.ndarray]:
        n, m = self.dyn.nv, self.dyn.mechanism.equations
        out = self._outputs(q, qd, self._u, np.array([t]))
        return out[n : 2 * n], out[3 * n : 3 * n + m]

    def derivatives(self, q: np.ndarray, qd: np.ndarray, t: float) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """d qdd / dq, / dqd, / dtau."""
        n, m = self.dyn.nv, self.dyn.mechanism.equations
        qdd, lam = self.acceleration(q, qd, t)
        slopes = self._derivatives(q, qd, qdd, *((lam,) if m else ()), self._u, np.array([t]))
        psi = self.dyn.constraint_jacobian(q, t) if m else np.zeros((0, n))
        right = np.hstack([-slopes[:n], np.eye(n)])
        bias = np.hstack([-slopes[n:], np.zeros((m, n))])
        x = accelerations(self.dyn.mass_matrix(q), psi, right, bias, self.dyn.mechanism.speed_names)
        return x[:, :n], x[:, n : 2 * n], x[:, 2 * n :]


def linearise(
    mechanism: MechanismLike | Dynamics, q: Any = None, qd: Any = None, torque: Any = None, t: float = 0.0
) -> Linearisation:
    """The linear system of small motions about a state, at rest or in motion, that keep the constraints.

    `q` is an array that closes the loops, the name of a pose, or a mapping of some coordinates, the others being found so that
    the loops close; the mechanism's own start if it is not given. `qd` is an array or a mapping likewise, and zero if not given.
    `torque` is as in simulate: numbers or expressions, whose slopes count; the description's own if it is not given.

    About a motion that is steady, such as a bicycle's that goes straight on or a coin's round a circle, the axes turn with it.
    """
    dyn, t = dynamics_of(mechanism), number(t, "t")
    model = dyn.mechanism
    if not dyn.nv:
        raise ArgumentError(f"{model.name} has no joint that moves; there is nothing to linearise")
    about = Start(dyn, q, t, ("q", "qd"))
    q, qd = about.q, about.speeds({} if qd is None else qd)
    _warn_of_singular(dyn, q, t)
    small = _Small(dyn, torque)
    A, kept = small.at(q, qd, t)
    _check_derivatives(dyn, A, q)
    moving = bool(np.abs(qd).max(initial=0.0) > 1e-12)
    qdd = small.equations.acceleration(q, qd, t)[0]

    def later(s: float) -> tuple[np.ndarray, KeptMoves]:
        return small.at(moved(model, q, s * qd + s * s / 2 * qdd), qd + s * qdd, t + s)

    W = turning(model, later, float(np.abs(qd).max(initial=0.0))) if moving else np.zeros_like(A)
    actuated = [k for k, name in enumerate(_actuated(model)) if name]
    B = small.equations.derivatives(q, qd, t)[2][:, actuated]
    return Linearisation(
        q,
        qd,
        kept.coordinates((A if W is None else A - W) @ kept.columns),
        kept.coordinates(np.vstack([np.zeros_like(B), B])),
        kept.positions,
        kept.speeds,
        kept.follows,
        model.speed_names,
        tuple(model.speed_names[k] for k in actuated),
        W is not None,
    )


def _warn_of_singular(dyn: Dynamics, q: np.ndarray, t: float) -> None:
    """Say that small motions are not determined where constraints lose rank: some of what they leave free is no motion at all."""
    found = mobility(dyn, q, t) if dyn.mechanism.equations else None
    if found is not None and found.singular:
        warn(
            f"{dyn.mechanism.name}: the configuration is singular: the constraints leave {found.degrees} speeds free here, and "
            f"{found.nearby} around it. The linear system does not describe the motion there; a configuration beside it has one",
            SingularWarning,
        )


def _check_derivatives(dyn: Dynamics, A: np.ndarray, q: np.ndarray) -> None:
    if np.isfinite(A).all():
        return
    names, speeds = dyn.mechanism.coordinate_names, dyn.mechanism.speed_names
    at = ", ".join(f"{n} = {x:.6g}" for n, x in zip(names[:8], q, strict=False))
    worst = int(np.argwhere(~np.isfinite(A))[0][0]) % max(1, len(speeds))
    raise MechanismError(
        f"{dyn.mechanism.name}: the acceleration of {speeds[worst]!r} has no finite derivatives at {at}; a spring may have no "
        f"length there, or a function be outside its domain"
    )


class _Small:
    """Small motions of a mechanism at any state."""

    def __init__(self, dyn: Dynamics, torque: Any) -> None:
        self.dyn, self.equations = dyn, _Equations(dyn, torque)
        self.holonomic = holonomic(dyn.mechanism, dyn.tree)
        self._slopes = Kernel(rate_derivatives(dyn.mechanism, dyn.tree)) if len(self.holonomic) else None

    def at(self, q: np.ndarray, qd: np.ndarray, t: float) -> tuple[np.ndarray, KeptMoves]:
        """A of all (dq, dqd), and those that keep the constraints."""
        n = self.dyn.nv
        Aq, Av, _ = self.equations.derivatives(q, qd, t)
        A = np.block([[-_carried(self.dyn.mechanism, qd), np.eye(n)], [Aq, Av]])
        if self._slopes is None:
            return A, KeptMoves.of(np.zeros((0, n)), np.zeros((0, n)), np.zeros((0, n)))
        psi, slopes = self.dyn.constraint_jacobian(q, t), self._slopes(q, qd, np.array([t]))
        return A, KeptMoves.of(psi[self.holonomic], psi, slopes)


def _carried(model: Mechanism, qd: np.ndarray) -> np.ndarray:
    """K with z' = dqd - K z: moves along the axes of a body that turns are carried round by it."""
    K = np.zeros((len(qd), len(qd)))
    at = 0
    for joint in model.joints:
        own = slice(at, at + joint.kind.nv)
        K[own, own] = joint.kind.carried(qd[own])
        at += joint.kind.nv
    return K


def _actuated(model: Mechanism) -> list[bool]:
    return [joint.actuated for joint in model.joints for _ in range(joint.kind.nv)]


def equilibrium(
    mechanism: MechanismLike | Dynamics, q0: Any = None, torque: Any = None, t: float = 0.0, tolerance: float = 1e-10
) -> np.ndarray:
    """A configuration near q0 in which the mechanism can stay at rest, by Newton's method with exact derivatives."""
    dyn, t, tolerance = dynamics_of(mechanism), number(t, "t"), number(tolerance, "tolerance", above=0.0)
    q = assemble(dyn, q0, t=t)
    if not dyn.nv:
        return q
    equations = _Equations(dyn, torque)
    rest = np.zeros(dyn.nv)
    qdd, _ = equations.acceleration(q, rest, t)
    scale = 1.0 + float(np.abs(qdd).max())
    for _ in range(100):
        size = float(np.abs(qdd).max())
        if size <= tolerance * scale:
            return q
        Aq, _, _ = equations.derivatives(q, rest, t)
        _check_derivatives(dyn, Aq, q)
        basis = null_space(dyn.constraint_jacobian(q, t)) if dyn.mechanism.equations else np.eye(dyn.nv)
        step = -basis @ np.linalg.lstsq(Aq @ basis, qdd, rcond=1e-10)[0]
        step *= min(1.0, 1.0 / max(float(np.abs(step).max()), 1e-300))
        for _ in range(20):
            trial = assemble(dyn, moved(dyn.mechanism, q, step), t=t, starts=0)
            found, _ = equations.acceleration(trial, rest, t)
            if np.linalg.norm(found) < np.linalg.norm(qdd):
                break
            step = 0.5 * step
        else:
            break
        q, qdd = trial, found
    if float(np.abs(qdd).max()) <= 1e-6 * scale:
        return q
    worst = int(np.argmax(np.abs(qdd)))
    raise AssemblyError(
        f"{dyn.mechanism.name}: no equilibrium was found near q0; at the nearest {dyn.mechanism.speed_names[worst]!r} still "
        f"accelerates at {qdd[worst]:.3g}"
    )
