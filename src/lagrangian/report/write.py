"""A run's report: one page, with everything in it."""

from __future__ import annotations

import os
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

from lagrangian.errors import ArgumentError, one_of, shown
from lagrangian.files import as_path, checked_target, write
from lagrangian.motion.files import file_stem
from lagrangian.motion.motion import Motion
from lagrangian.pictures.chosen import ANGLES
from lagrangian.report.front import Front
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
from lagrangian.sizing.actuators import Sizing

PARTS = (MECHANISM, EQUATIONS, JOINTS, FORCES, ENERGY, CONSTRAINTS, EVENTS, ACTUATORS, SOLVER)

Progress = Callable[[int, int], object]


def write_report(
    motion: Motion,
    path: str | os.PathLike[str] | None = None,
    progress: Progress | None = None,
    front: Front | None = None,
    sizing: Sizing | None = None,
    angles: str = "degrees",
    sliders: Any = None,
) -> Path:
    """Write one offline page about a motion, and give its path; `NAME-report.html` in the current folder if none is given.

    `front` is what is said of it, `sizing` what its actuators are, if they are not to be the smallest of the shipped catalogue,
    and `angles` are those of plots, in "degrees" or "radians". `progress(done, total)` is called at the beginning and after every
    part. `sliders` are those of its animation, as `animate` takes them. A part that fails says so in the page, and in a
    `ReportWarning`.
    """
    if not isinstance(motion, Motion):
        raise ArgumentError(
            f"a report needs a motion from simulate() or inverse(), not {type(motion).__name__}", concerns="motion"
        )
    target = as_path(path) if path is not None else Path(f"{file_stem(motion.name)}-report.html")
    if target.suffix.lower() not in (".html", ".htm"):
        raise ArgumentError(f"{target}: the name of a report must end in .html", concerns="path")
    checked_target(target)
    return write(target, report_html(motion, progress, front, sizing, angles, sliders))


def report_html(
    motion: Motion,
    progress: Progress | None = None,
    front: Front | None = None,
    sizing: Sizing | None = None,
    angles: str = "degrees",
    sliders: Any = None,
) -> str:
    """The page as text."""
    if angles not in ANGLES:
        raise ArgumentError(one_of("angles", angles, ANGLES), concerns="angles")
    subject = Subject(motion, front or Front(), _sizing_of(motion, sizing), angles, sliders)
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
    title = subject.front.title or motion.name
    return page(title, joined(bodies[part.id] or "" for part in (HEAD, ANIMATION)), sections)


def _sizing_of(motion: Motion, sizing: Any) -> Sizing | None:
    """The sizing, if it is one of this motion."""
    remedy = "a sizing of this motion is needed: lagrangian.size_actuators(mechanism, motion)"
    if sizing is not None and not isinstance(sizing, Sizing):
        raise ArgumentError(f"is {shown(sizing)}", argument="sizing", remedy=remedy)
    if sizing is not None and (sizing.mechanism.name != motion.name or len(sizing.tau) != len(motion.t)):
        raise ArgumentError(
            f"is one of {sizing.mechanism.name!r}, for {len(sizing.tau)} rows, and the motion is of {motion.name!r}, with "
            f"{len(motion.t)}",
            argument="sizing",
            remedy=remedy,
        )
    return sizing


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
    name = f"{motion.name}: " if subject.front.title else ""
    run = paragraph(f"{name}{told}, by {how}." if how else f"{name}{told}.", kind="quiet")
    head = subject.front.heading(motion.name)
    return joined([head, *lead, run, element("p", *badges, class_="badges"), subject.front.noted()])


def first_sentence(words: str) -> str:
    return re.split(r"(?<=[a-z0-9)][.:;])\s", " ".join(words.split()), maxsplit=1)[0].rstrip(":;")


_KINDS = {True: "good", False: "bad", None: "open"}


def animated(subject: Subject, height: str = "480px", printed: Html | None = None, speed: float = 1) -> Html:
    """The player, and a still of it for paper."""
    from lagrangian.viewer.page import player_html

    player = Html(player_html(subject.track, height=height, speed=speed, computing=subject.computing))
    if printed is None:
        printed = made(Part("still", "picture for paper", still), subject) or Html("")
    return element("div", player, printed, class_="stage", style=f"--tall: {height}")


def still(subject: Subject) -> Html:
    """The first picture, which is printed: a canvas often is not."""
    data = png(subject.mechanism, subject.motion.q[0])
    return image(data, "png", f"{subject.name} at the start", class_="print")


def png(model: Any, q: Any, size: tuple[int, int] = (960, 600)) -> bytes:
    """A picture of a mechanism, as the bytes of a PNG file, for a page that is light or dark."""
    from lagrangian.viewer.render.clear import clear_png

    return clear_png(model, q, size)


HEAD, ANIMATION = Part("head", "heading", heading), Part("animation", "animation", animated)
