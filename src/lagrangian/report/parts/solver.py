"""How the run was computed, so that it can be done again."""

from __future__ import annotations

import platform
from importlib.metadata import PackageNotFoundError, version
from typing import Any

from lagrangian.report.html import Html, facts, joined, number, paragraph, rough
from lagrangian.report.subject import Part, Subject

_TOLD = {
    "accepted": "Steps",
    "rejected": "Rejected steps",
    "evaluations": "Evaluations",
    "rtol": "Relative tolerance",
    "atol": "Absolute tolerance",
    "stabilisation": "Stabilisation of constraints",
    "alpha": "Baumgarte alpha [1/s]",
    "beta": "Baumgarte beta [1/s]",
    "drift_at_steps": "Drift at the steps",
    "drift_between_steps": "Drift between the steps",
    "independence": "Independence of the constraints",
}


def solver(subject: Subject) -> Html:
    motion = subject.motion
    s = motion.statistics
    pairs: list[tuple[str, Any]] = [("Method", s.get("method", "")), ("Ended", motion.message)]
    if len(motion.t):
        span = f"{motion.t[0]:g} to {motion.t[-1]:.6g} s"
        pairs += [("Time", span), ("Rows", len(motion.t))]
    for key, value in s.items():
        if key in ("method", "adaptive") or value in (None, 0.0, ""):
            continue
        pairs.append((_TOLD.get(key, key.replace("_", " ").capitalize()), _value(value)))
    pairs.append(("Versions", ", ".join(versions())))
    how = "The same mechanism, start, torques and tolerances give these rows again."
    return joined([facts(pairs), paragraph(how, kind="quiet")])


def _value(value: Any) -> Any:
    if isinstance(value, bool) or not isinstance(value, (int, float)):
        return str(value)
    return value if isinstance(value, int) else rough(value) if abs(value) < 1e-3 else number(value)


def versions() -> list[str]:
    """Of what took part."""
    found = []
    for name in ("lagrangian", "numpy", "llvmlite"):
        try:
            found.append(f"{name} {version(name)}")
        except PackageNotFoundError:
            continue
    return [*found, f"Python {platform.python_version()}", f"{platform.system()} {platform.machine()}"]


SOLVER = Part("solver", "Method", solver)
