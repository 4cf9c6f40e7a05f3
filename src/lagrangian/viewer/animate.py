"""A motion as a file that moves: one offline page, or a film."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

from lagrangian.errors import ArgumentError, is_number, shown
from lagrangian.files import checked_target, write
from lagrangian.motion.files import file_stem
from lagrangian.motion.motion import Motion

ENDINGS = (".html", ".gif", ".mp4")


def animate(
    motion: Motion,
    path: str | os.PathLike[str] | None = None,
    speed: float = 1.0,
    trace: str | Iterable[str] | None = None,
    size: tuple[int, int] | None = None,
    progress: Callable[[int, int], Any] | None = None,
) -> Path:
    """Write a motion as a page that plays it (.html), which needs nothing else, or as a film (.gif; .mp4 with ffmpeg).

    `speed` of 0.5 is slow motion. `trace` names frames or bodies whose path is drawn. `size` is that of a film in pixels,
    640 x 480 for .gif and 960 x 720 for .mp4 if not said; a page fills its window. `progress(done, total)` is called for every
    picture of a film. The file is `<name>.html` here if `path` does not say another.
    """
    target = Path(path) if path is not None else Path(f"{file_stem(motion.name)}.html")
    if target.suffix.lower() not in ENDINGS:
        raise ArgumentError(
            f"{target}: an animation is a page, with the ending .html, or a film, with .gif or .mp4", concerns="path"
        )
    checked_target(target)
    if not is_number(speed) or speed <= 0:
        raise ArgumentError(
            f"is {shown(speed)}", argument="speed", remedy="a factor above 0 is needed: 1 is as it happens, 0.5 slow motion"
        )
    if motion.mechanism is None:
        raise ArgumentError(
            "an animation needs the mechanism, which this motion's file does not have: lagrangian.read(path, mechanism)",
            concerns="motion",
        )
    from lagrangian.viewer.scene.track import track

    seen = track(motion, trace=trace)
    if target.suffix.lower() == ".html":
        from lagrangian.viewer.page import page_html

        return write(target, page_html(seen, motion.name or "motion", speed=speed))
    from lagrangian.viewer.render.film import film

    return Path(film(seen, target, size=size, speed=speed, progress=progress))
