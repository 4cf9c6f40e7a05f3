"""The section of a report about the method: how the run was computed, so that it can be computed again."""

from __future__ import annotations

import platform
from importlib.metadata import PackageNotFoundError, version
from typing import Any

from lagrangian.report.html import Html, definition_list, join_html, number, paragraph, short_number
from lagrangian.report.subject import ReportSection, ReportSubject

_LABELS = {
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


def solver(subject: ReportSubject) -> Html:
    motion = subject.motion
    s = motion.statistics
    pairs: list[tuple[str, Any]] = [("Method", s.get("method", "")), ("Ended", motion.message)]
    if len(motion.t):
        span = f"{motion.t[0]:g} to {motion.t[-1]:.6g} s"
        pairs += [("Time", span), ("Rows", len(motion.t))]
    for key, value in s.items():
        if key in ("method", "adaptive") or value in (None, 0.0, ""):
            continue
        pairs.append((_LABELS.get(key, key.replace("_", " ").capitalize()), _format_statistic(value)))
    pairs.append(("Versions", ", ".join(software_versions())))
    sentence = "The same mechanism, start, torques and tolerances give these rows again."
    return join_html([definition_list(pairs), paragraph(sentence, css_class="quiet")])


def _format_statistic(value: Any) -> Any:
    if isinstance(value, bool) or not isinstance(value, (int, float)):
        return str(value)
    return value if isinstance(value, int) else short_number(value) if abs(value) < 1e-3 else number(value)


def software_versions() -> list[str]:
    """The versions of the programs that computed the run."""
    names = []
    for name in ("lagrangian", "numpy", "llvmlite"):
        try:
            names.append(f"{name} {version(name)}")
        except PackageNotFoundError:
            continue
    return [*names, f"Python {platform.python_version()}", f"{platform.system()} {platform.machine()}"]


SOLVER = ReportSection("solver", "Method", solver)
