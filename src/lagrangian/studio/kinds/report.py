"""The job `report`: one offline page about a motion of the mechanism, written into the folder."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from lagrangian.motion.files import file_stem
from lagrangian.report.front import Front
from lagrangian.report.write import write_report
from lagrangian.studio.heard import hearing
from lagrangian.studio.kinds import Asked
from lagrangian.studio.kinds.motion import simulated
from lagrangian.studio.kinds.options import words

SAID = ("title", "author", "date", "notes")


def report(asked: Asked) -> dict[str, Any]:
    motion, warnings = simulated(asked)
    front = Front.of(*(words(asked.options, name) or None for name in SAID))
    target = Path(asked.folder) / f"{file_stem(motion.name)}-report.html"
    with hearing() as heard:
        progress = lambda done, total: asked.progress(done, total, "writing the report")  # noqa: E731
        path = write_report(motion, target, progress=progress, front=front)
    return {"path": str(path), "files": [path.name], "warnings": [str(x) for x in (*warnings, *heard)]}
