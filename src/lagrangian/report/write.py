"""A run's report: one page, with everything in it."""

from __future__ import annotations

import os
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

from lagrangian.errors import ArgumentError
from lagrangian.files import as_path, checked_target, write
from lagrangian.motion.files import file_stem
from lagrangian.motion.motion import Motion
from lagrangian.report.html import Html, element, image, joined, paragraph
from lagrangian.report.page import Section, page
from lagrangian.report.parts.actuators import ACTUATORS
from lagrangian.report.parts.energy import CONSTRAINTS, ENERGY, EVENTS
from lagrangian.report.parts.equations import EQUATIONS
from lagrangian.report.parts.forces import FORCES
from lagrangian.report.parts.joints import JOINTS
from lagrangian.report.parts.mechanism import MECHANISM
from lagrangian.report.parts.solver import SOLVER
from lagrangian.report.subject import Part, Subject, made
from lagrangian.report.verdict import verdicts

PARTS = (MECHANISM, EQUATIONS, JOINTS, FORCES, ENERGY, CONSTRAINTS, EVENTS, ACTUATORS, SOLVER)


Progress = Callable[[int, int], object]


def write_report(motion: Motion, path: str | os.PathLike[str] | None = None, progress: Progress | None = None) -> Path:
    """Write one offline page about a motion, and give its path; `NAME-report.html` in the current folder if none is given.

    `progress(done, total)` is called at the beginning and after every part. A part that fails says so in the page, and in a
    `ReportWarning`.
    """
    if not isinstance(motion, Motion):
        raise ArgumentError(
            f"a report is of a motion, as simulate() or inverse() give it, not of {type(motion).__name__}", concerns="motion"
        )
    target = as_path(path) if path is not None else Path(f"{file_stem(motion.name)}-report.html")
    if target.suffix.lower() not in (".html", ".htm"):
        raise ArgumentError(f"{target}: a report is a page, with the ending .html", concerns="path")
    checked_target(target)
    return write(target, report_html(motion, progress))


def report_html(motion: Motion, progress: Progress | None = None) -> str:
    """The page as text."""
    subject = Subject(motion)
    parts = (HEAD, ANIMATION, *PARTS)
    bodies: dict[str, Html | None] = {}
    for done, part in enumerate(parts):
        if progress is not None:
            progress(done, len(parts))
        bodies[part.id] = made(part, subject)
    if progress is not None:
        progress(len(parts), len(parts))
    subject.warn()
    sections = [Section(part.id, part.title, body) for part in PARTS if (body := bodies[part.id]) is not None]
    return page(motion.name, joined(bodies[part.id] or "" for part in (HEAD, ANIMATION)), sections)


def heading(subject: Subject) -> Html:
    """The name, a sentence about the run, and whether it can be trusted."""
    motion = subject.motion
    badges = [element("span", v.short, class_=f"badge {_KINDS[v.good]}") for v in verdicts(motion)]
    model = motion.mechanism
    about = first_sentence(model.description) if model is not None else ""
    told = f"{subject.duration:.4g} s" if len(motion.t) else "an empty run"
    if model is not None:
        loops = f", {model.equations} constraint equations" if model.equations else ""
        told = f"{len(model.bodies)} bodies, {model.nv} speeds{loops}; {told}"
    how = motion.statistics.get("method", "")
    lead = [paragraph(about, kind="lead")] if about else []
    run = paragraph(f"{told}, by {how}." if how else f"{told}.", kind="quiet")
    return joined([element("h1", motion.name), *lead, run, element("p", *badges, class_="badges")])


def first_sentence(words: str) -> str:
    return re.split(r"(?<=[a-z0-9)][.:;])\s", " ".join(words.split()), maxsplit=1)[0].rstrip(":;")


_KINDS = {True: "good", False: "bad", None: "open"}


def animated(subject: Subject, height: str = "480px", printed: Html | None = None, speed: float = 1) -> Html:
    """The player, and a still of it for paper."""
    from lagrangian.viewer.page import player_html

    player = Html(player_html(subject.track, height=height, speed=speed))
    if printed is None:
        printed = made(Part("still", "picture for paper", still), subject) or Html("")
    return element("div", player, printed, class_="stage")


def still(subject: Subject) -> Html:
    """The first picture, which is printed: a canvas often is not."""
    data = png(subject.mechanism, subject.motion.q[0])
    return image(data, "png", f"{subject.name} at the start", class_="print")


def png(model: Any, q: Any, size: tuple[int, int] = (960, 600)) -> bytes:
    """A picture of a mechanism, as the bytes of a PNG file."""
    import io

    from matplotlib.image import imsave

    stream = io.BytesIO()
    imsave(stream, model.draw(q=q, size=size), format="png")
    return stream.getvalue()


HEAD, ANIMATION = Part("head", "heading", heading), Part("animation", "animation", animated)
