"""The job `motion`: a simulation, to be played and plotted."""

from __future__ import annotations

from typing import Any

from lagrangian.errors import LagrangianWarning
from lagrangian.motion.motion import Motion
from lagrangian.motion.result.over_limits import over_limits
from lagrangian.studio.heard import hearing
from lagrangian.studio.kinds import Asked
from lagrangian.studio.kinds.options import number
from lagrangian.studio.kinds.plots import plots

ROWS = 401
SECONDS = 5.0  # where neither the page nor the description says how long
LONGEST = 3600.0


def motion(asked: Asked) -> dict[str, Any]:
    found, warnings = simulated(asked)
    return shown(found, warnings)


def simulated(asked: Asked) -> tuple[Motion, list[LagrangianWarning]]:
    """The motion of the options, and what is doubtful in it."""
    from lagrangian.motion.simulate import simulate

    m, options = asked.model.read, asked.options
    own = m.initial.t_span
    seconds = number(options, "seconds", float(own[1] - own[0]) if own is not None else SECONDS, 1e-6, LONGEST)
    start = float(own[0]) if own is not None else 0.0
    given = {name: options[name] for name in ("q0", "qd0", "torque") if options.get(name) is not None}
    asked.progress(0, seconds, "preparing")
    with hearing() as heard:
        found = simulate(
            m, (start, start + seconds), t_eval=ROWS, progress=lambda done, total: asked.progress(done, total), **given
        )
    return found, heard


def shown(found: Motion, warnings: list[LagrangianWarning]) -> dict[str, Any]:
    """A motion as the page plays and plots it."""
    from lagrangian.viewer.pack import packed
    from lagrangian.viewer.page import finite
    from lagrangian.viewer.scene.track import track

    traced = [f.name for f in found.model("a track needs").frames if f.body != "ground"][:2]
    return {
        "track": packed(finite(track(found, trace=traced or None))),
        "plots": plots(found),
        "summary": summary(found),
        "warnings": [str(x) for x in warnings] + [x for x in over_limits(found) if not any(x in str(w) for w in warnings)],
        "q": [float(x) for x in found.q[-1]],
        "success": bool(found.success),
    }


def summary(found: Motion) -> list[list[str]]:
    """What there is to say of a run, name by name."""
    from lagrangian.report.verdict import verdicts

    rows = [["Duration", f"{found.t[-1] - found.t[0]:.4g} s"]]
    how = found.statistics.get("method")
    if how:
        rows.append(["Method", f"{how}, {found.statistics.get('accepted', 0)} steps"])
    rows += [["Result", str(plain(v.short))] for v in verdicts(found)]
    rows += [["Event", f"{event}"] for event in found.events[:6]]
    return rows


def plain(html: str) -> str:
    """The text of a fragment of HTML."""
    import re
    from html import unescape

    powers = re.sub(r"<sup>(.*?)</sup>", r"^\1", html)
    return unescape(re.sub(r"<[^>]*>", "", powers))
