"""What is done with a file of a mechanism: it is read, written, evaluated and run."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import fields, is_dataclass
from pathlib import Path
from random import Random
from typing import Any

import numpy as np

import lagrangian as lg
from lagrangian.model.expression import Expression, free_symbols
from lagrangian.motion.settings import METHODS, STABILISATIONS
from tests.fuzz import energy
from tests.fuzz.outcome import CHANGED, ENERGY, NON_FINITE, WORDS, Outcome

SMALL = 9  # speeds and equations of what is compiled
ROWS = ("q", "qd", "qdd", "tau", "friction", "multipliers", "kinetic_energy", "potential_energy", "drift", "energy_balance")


def examine(path: Path, rng: Random, deep: bool) -> Outcome:
    """Read the file, write it and read it again; if `deep`, and if it is small, compile and run it, too."""
    outcome = Outcome()
    loaded = outcome.attempt("load", lambda: lg.load(path))
    if loaded is None:
        return outcome
    mechanism: lg.Mechanism = loaded.value
    if outcome.attempt("show", lambda: (str(mechanism), repr(mechanism))) is None:
        outcome.fault(WORDS, "what was loaded cannot be shown")
    again = outcome.attempt("write", lambda: lg.loads(lg.dumps(mechanism)))
    if again is not None and (wrong := differs(mechanism, again.value)):
        outcome.fault(CHANGED, wrong)
    if deep and mechanism.nv <= SMALL and mechanism.equation_count <= SMALL:
        dyn = outcome.attempt("compile", lambda: lg.compile(mechanism))
        if dyn is not None:
            # a reader may take an inertia that no body has, and say so: what is computed of it may be anything
            said = bool(dyn.told) or any("inertia" in message for message in loaded.told)
            evaluate(outcome, dyn.value, rng, said)
            simulate(outcome, dyn.value, rng, said)
            if again is not None and rng.random() < 0.2:
                same_dynamics(outcome, dyn.value, again.value)
    return outcome


CARRIED = ("joints", "bodies", "loops", "constraints", "springs", "frames", "events", "gravity", "initial", "poses", "parameters")


def differs(one: lg.Mechanism, other: lg.Mechanism) -> str:
    """What of a mechanism is not the same in another."""
    pairs = ((name, plain(getattr(one, name)), plain(getattr(other, name))) for name in CARRIED)
    return next((name for name, a, b in pairs if a != b), "")


def plain(x: Any) -> Any:
    """A part of a mechanism as numbers, texts and lists; an expression of coordinates as their names."""
    if isinstance(x, Expression):
        return sorted(free_symbols(x)) if x.value is None else float(x)
    if is_dataclass(x):
        return [type(x).__name__, *((f.name, plain(getattr(x, f.name))) for f in fields(x))]
    if isinstance(x, Mapping):
        return [(key, plain(value)) for key, value in x.items()]
    if isinstance(x, (list, tuple)):
        return [plain(item) for item in x]
    return float(x) if isinstance(x, (int, float)) else x


def state(mechanism: lg.Mechanism, seed: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    rng = np.random.default_rng(seed)
    return mechanism.random_configuration(rng), rng.normal(size=mechanism.nv), rng.normal(size=mechanism.nv)


def evaluate(outcome: Outcome, dyn: lg.Dynamics, rng: Random, warned: bool) -> None:
    """Every quantity at a random state is finite, or it is said that it is not."""
    drawn = outcome.attempt("state", lambda: state(dyn.mechanism, rng.randrange(2**32)))
    if drawn is None:
        return
    q, qd, tau = drawn.value
    calls = {
        "mass_matrix": lambda: dyn.mass_matrix(q),
        "inverse_dynamics": lambda: dyn.inverse_dynamics(q, qd, tau),
        "energy": lambda: np.append(dyn.kinetic_energy(q, qd), dyn.potential_energy(q)),
        "forward_dynamics": lambda: dyn.forward_dynamics(q, qd, tau),
        "constraints": lambda: dyn.closure(q) if dyn.mechanism.equation_count else np.zeros(0),
    }
    for name, call in calls.items():
        result = outcome.attempt(name, call)
        if result is not None and not (result.told or warned) and not np.isfinite(result.value).all():
            outcome.fault(NON_FINITE, f"{name} is not finite", str(result.value))


def same_dynamics(outcome: Outcome, dyn: lg.Dynamics, again: lg.Mechanism) -> None:
    """What was written and read has the same dynamics."""
    q, qd, qdd = state(dyn.mechanism, 1)
    other = lg.compile(again)
    tau = outcome.attempt("same", lambda: (dyn.inverse_dynamics(q, qd, qdd), other.inverse_dynamics(q, qd, qdd)))
    if tau is not None and not np.array_equal(*tau.value, equal_nan=True):
        outcome.fault(CHANGED, "inverse dynamics", str(tau.value))


def options(rng: Random, mechanism: lg.Mechanism) -> dict[str, Any]:
    """How it is run: mostly plainly."""
    values: dict[str, Any] = {"torque": 0}
    how = rng.random()
    if how < 0.3:
        values = {}
    elif how < 0.36:
        values = {"torque": lambda t, q, qd: -0.1 * qd, "max_steps": 1000}  # each of which asks Python many times
    elif how < 0.42:
        values = {"torque": ([0.0, 0.03, 0.03, 0.2], np.array([[0.0], [1.0], [0.0], [0.5]]) * np.ones(mechanism.nv))}
    elif how < 0.48 and mechanism.bodies:
        values |= {"wrenches": {mechanism.bodies[-1].name: (0, 0, "0.1*sin(30*t)", 1, 0, 0)}}
    if rng.random() < 0.2:
        values["method"] = rng.choice([name for name in METHODS if METHODS[name]().adaptive])
    if rng.random() < 0.15 and mechanism.equation_count:
        values["stabilisation"] = rng.choice(STABILISATIONS)
    if rng.random() < 0.1:
        values |= {"limits": False} if rng.random() < 0.5 else {"restitution": 0.7}
    return values


def simulate(found: Outcome, dyn: lg.Dynamics, rng: Random, warned: bool) -> None:
    """A run of 0.1 s succeeds with finite numbers and balanced energy, or it says why not."""
    arguments = options(rng, dyn.mechanism)
    arguments = {"max_steps": 20_000, **arguments}
    result = found.attempt("simulate", lambda: lg.simulate(dyn, 0.1, t_eval=11, **arguments))
    if result is None:
        return
    motion: lg.Motion = result.value
    found.reached.append(f"ended: {motion.status.value}")
    rows = found.attempt("rows", lambda: {name: np.asarray(getattr(motion, name)) for name in ROWS} | dict(motion.work))
    found.attempt("summary", lambda: str(motion))
    if rows is None or not motion.success or result.told or rows.told or warned:
        return
    wrong = [name for name, values in rows.value.items() if not np.isfinite(values).all()]
    if wrong:
        found.fault(NON_FINITE, f"{wrong[0]} of a run is not finite", f"{wrong} {arguments}")
    elif arguments == {"max_steps": 20_000, "torque": 0} and energy.conserves(dyn.mechanism, motion):
        found.reached.append("energy checked")
        off, allowed = energy.off(motion, dyn)
        if not off <= allowed:
            found.fault(ENERGY, "of a run without torques and friction", f"{off:g} J, allowed {allowed:g} J; {motion}")
