"""A motion as an animation: one offline page, or a film. In a notebook it shows itself."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

from lagrangian.errors import ArgumentError, format_value, is_number
from lagrangian.files import as_target_path, write
from lagrangian.motion.files import file_stem
from lagrangian.motion.motion import Motion

SUFFIXES = (".html", ".gif", ".mp4")


def animate(
    motion: Motion,
    path: str | os.PathLike[str] | None = None,
    speed: float = 1.0,
    trace: str | Iterable[str] | None = None,
    size: tuple[int, int] | None = None,
    progress: Callable[[int, int], Any] | None = None,
    sliders: Any = None,
) -> Any:
    """Write a motion as a page that plays it (.html), which needs nothing else, or as a film (.gif; .mp4 with ffmpeg).

    `speed` of 0.5 is slow motion. `trace` names frames or bodies whose path is drawn. `size` is that of a film in pixels, by
    default 640 x 480 for .gif and 960 x 720 for .mp4; a page fills its window. `progress(done, total)` is called for every
    picture of a film. `path` is `<name>.html` in the current folder by default. In a notebook nothing is written without a path:
    the cell shows the animation.

    `sliders` of a page change its motion, which the page computes: a list of parameters ("l1"), of numbers by their paths
    ("link3.mass"), of where it begins ("q0.theta1", "qd0.theta1"), of gains ("frequency"), or of one of these with its range,
    ("l1", 0.2, 0.5). By default the page chooses some; False writes a page without sliders.
    """
    if path is None and is_notebook():
        from lagrangian.viewer.notebook import display_in_notebook

        _check_arguments(motion, speed)
        return display_in_notebook(motion, speed, trace, sliders)
    target = Path(path) if path is not None else Path(f"{file_stem(motion.name)}.html")
    if target.suffix.lower() not in SUFFIXES:
        raise ArgumentError(f"{target}: an animation is a page (.html) or a film (.gif, .mp4)", concerns="path")
    as_target_path(target)
    _check_arguments(motion, speed)
    from lagrangian.viewer.scene.track import motion_track

    animation_track = motion_track(motion, trace=trace)
    if target.suffix.lower() == ".html":
        from lagrangian.viewer.page import page_html
        from lagrangian.viewer.page_program import page_program

        return write(
            target,
            page_html(
                animation_track, motion.name or "motion", speed=speed, program=page_program(motion, animation_track, sliders)
            ),
        )
    if sliders:
        raise ArgumentError(f"{target}: a film cannot have sliders; a page (.html) can", concerns="sliders")
    from lagrangian.viewer.render.film import film

    return Path(film(animation_track, target, size=size, speed=speed, progress=progress))


def is_notebook() -> bool:
    """Whether this Python runs in a notebook: IPython then has a kernel, which it does not have in a terminal."""
    ipython = sys.modules.get("IPython")
    shell = None if ipython is None else ipython.get_ipython()
    return getattr(shell, "kernel", None) is not None


def _check_arguments(motion: Motion, speed: Any) -> None:
    if not is_number(speed) or speed <= 0:
        raise ArgumentError(
            f"is {format_value(speed)}", argument="speed", remedy="a factor above 0 is needed: 1 is real time, 0.5 is slow motion"
        )
    if motion.mechanism is None:
        raise ArgumentError(
            "an animation needs the mechanism, which the file of this motion does not contain; use lagrangian.read(path, "
            "mechanism)",
            concerns="motion",
        )
