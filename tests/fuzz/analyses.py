"""What is asked of a mechanism besides its motion: mobility, equilibria, vibrations, closed forms, torques, motors."""

from __future__ import annotations

from pathlib import Path
from random import Random
from typing import Any

import numpy as np

import lagrangian as lg
from lagrangian.identification import base_parameters
from tests.fuzz.mechanisms import SMALL
from tests.fuzz.outcome import NON_FINITE, Outcome

CLOSED = 4  # speeds up to which the closed form is asked for
WRITTEN = 1000  # terms up to which it is written: hundreds of kilobytes take longer than a fuzz waits
PARTS = ("A", "B", "q", "qd")


def examine(path: Path, rng: Random, _: bool) -> Outcome:
    """Load it, and ask for some of all that can be asked."""
    outcome = Outcome()
    loaded = outcome.attempt("load", lambda: lg.load(path))
    if loaded is None or not 0 < loaded.value.nv <= SMALL or loaded.value.equation_count > SMALL:
        return outcome
    mechanism: lg.Mechanism = loaded.value
    dyn = outcome.attempt("compile", lambda: lg.compile(mechanism))
    if dyn is None:
        return outcome
    said = bool(dyn.told) or any("inertia" in message for message in loaded.told)
    asked = [mobility, linearise, equilibrium, closed_form, along_a_path, identify_parameters]
    for ask in rng.sample(asked, 3):
        ask(outcome, dyn.value, rng, said)
    return outcome


def _finite(outcome: Outcome, name: str, result: Any, values: Any, said: bool) -> None:
    if not (said or result.told) and not np.isfinite(np.asarray(values)).all():
        outcome.fault(NON_FINITE, f"{name} is not finite", str(values))


def mobility(outcome: Outcome, dyn: lg.Dynamics, rng: Random, said: bool) -> None:
    result = outcome.attempt("mobility", lambda: lg.mobility(dyn))
    if result is not None:
        outcome.attempt("mobility shown", lambda: str(result.value))


def linearise(outcome: Outcome, dyn: lg.Dynamics, rng: Random, said: bool) -> None:
    result = outcome.attempt("linearise", lambda: lg.linearise(dyn))
    if result is not None:
        outcome.attempt("linearisation shown", lambda: (str(result.value), result.value.eigenvalues(), result.value.modes()))
        for name in PARTS:
            _finite(outcome, f"{name} of a linearisation", result, getattr(result.value, name), said)


def equilibrium(outcome: Outcome, dyn: lg.Dynamics, rng: Random, said: bool) -> None:
    result = outcome.attempt("equilibrium", lambda: lg.equilibrium(dyn))
    if result is not None:
        _finite(outcome, "an equilibrium", result, result.value, said)


def closed_form(outcome: Outcome, dyn: lg.Dynamics, rng: Random, said: bool) -> None:
    """Derived in a second, written, and compiled."""
    if dyn.nv > CLOSED:
        return
    result = outcome.attempt("derive", lambda: lg.derive(dyn.mechanism, limit=1))
    if result is None:
        return
    written, eom = rng.choice(["text", "latex"]), result.value
    if sum(x.term_count for matrix in (eom.M, eom.C, eom.G) for row in matrix.rows for x in row) <= WRITTEN:
        outcome.attempt(written, lambda: getattr(eom, written)())
    outcome.attempt("closed form compiled", lambda: result.value.compile().mass_matrix(np.zeros(result.value.n)))


def along_a_path(outcome: Outcome, dyn: lg.Dynamics, rng: Random, said: bool) -> None:
    """Joints that move by little from where they are, the torques for that, and motors that give them."""
    m = dyn.mechanism
    names = [name for j in m.joints if j.kind.nq == j.kind.nv == 1 for name in j.coordinate_names]
    if len(names) != m.nq or m.equation_count:
        return
    task = outcome.attempt(
        "inverse",
        lambda: lg.inverse(dyn, lg.paths.joint_line(m.neutral(), m.neutral() + 0.1, 1.0), t_eval=11),
    )
    if task is None:
        return
    _finite(outcome, "the torque along a path", task, task.value.tau, said)
    sizing = outcome.attempt("size_actuators", lambda: lg.size_actuators(dyn, task.value))
    if sizing is not None:
        outcome.attempt("sizing shown", lambda: str(sizing.value))
    if rng.random() < 0.1:
        outcome.attempt("report", lambda: task.value.report(Path(m.file).with_suffix(".html")))


def identify_parameters(outcome: Outcome, dyn: lg.Dynamics, rng: Random, said: bool) -> None:
    """From a short run without noise."""
    base_parameters.MAX_EXACT_SECONDS = 2.0  # s: a fuzz does not wait longer for exact base parameters
    run = outcome.attempt("run", lambda: lg.simulate(dyn, 0.1, t_eval=101, max_steps=5000))
    if run is None or not run.value.success or dyn.mechanism.equation_count:
        return
    result = outcome.attempt("identify", lambda: lg.identify(dyn, run.value))
    if result is not None:
        outcome.attempt("identification shown", lambda: str(result.value))
        _finite(outcome, "what is identified", result, result.value.values, said or bool(run.told))
