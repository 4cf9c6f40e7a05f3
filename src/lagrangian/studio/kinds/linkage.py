"""The job `linkage`: how a drawn linkage moves, with the forces at its pins."""

from __future__ import annotations

from typing import Any

from lagrangian.studio.drawing.answers import moved
from lagrangian.studio.kinds import Asked


def linkage(asked: Asked) -> dict[str, Any]:
    return moved(asked.options, asked.progress)
