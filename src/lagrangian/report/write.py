"""The report of a run: one page with all its sections."""

from __future__ import annotations

import os
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

from lagrangian.errors import ArgumentError, format_value, unknown_name_message
from lagrangian.files import as_path, as_target_path, write
from lagrangian.motion.files import file_stem
from lagrangian.motion.motion import Motion
from lagrangian.plots.quantities import ANGLES
from lagrangian.report.equations_section import EQUATIONS
from lagrangian.report.html import Html, element, image, join_html, paragraph
from lagrangian.report.loads_section import ACTUATORS, FORCES
from lagrangian.report.mechanism_section import MECHANISM
from lagrangian.report.method_section import SOLVER
from lagrangian.report.motion_section import CONSTRAINTS, ENERGY, EVENTS, JOINTS
from lagrangian.report.page import PageSection, TitleBlock, render_page
from lagrangian.report.subject import ReportSection, ReportSubject, section_body, verdicts
from lagrangian.sizing.actuators import ActuatorSizing

SECTIONS = (MECHANISM, EQUATIONS, JOINTS, FORCES, ENERGY, CONSTRAINTS, EVENTS, ACTUATORS, SOLVER)
_BADGE_CLASSES = {True: "good", False: "bad", None: "open"}
Progress = Callable[[int, int], object]


def write_report(
    motion: Motion,
    path: str | os.PathLike[str] | None = None,
    progress: Progress | None = None,
    title_block: TitleBlock | None = None,
    sizing: ActuatorSizing | None = None,
    angles: str = "degrees",
    sliders: Any = None,
) -> Path:
    """Write one offline page about a motion, and return its path, which is `NAME-report.html` in the current folder by default.

    `title_block` holds the title, author, date and notes; `sizing` the actuators, if they are not to be the smallest ones of the
    package's catalogue. Plots have `angles` in "degrees" or "radians". `sliders` are those of the animation, as `animate` takes
    them. `progress(done, total)` is called at the beginning and after every section. A section that fails says so in the page,
    and in a `ReportWarning`.
    """
    if not isinstance(motion, Motion):
        raise ArgumentError(
            f"a report needs a motion from simulate() or inverse(), not {type(motion).__name__}", concerns="motion"
        )
    target = as_path(path) if path is not None else Path(f"{file_stem(motion.name)}-report.html")
    if target.suffix.lower() not in (".html", ".htm"):
        raise ArgumentError(f"{target}: the name of a report must end in .html", concerns="path")
    as_target_path(target)
    return write(target, report_html(motion, progress, title_block, sizing, angles, sliders))


def report_html(
    motion: Motion,
    progress: Progress | None = None,
    title_block: TitleBlock | None = None,
    sizing: ActuatorSizing | None = None,
    angles: str = "degrees",
    sliders: Any = None,
) -> str:
    """Make the page as text."""
    if angles not in ANGLES:
        raise ArgumentError(unknown_name_message("angles", angles, ANGLES), concerns="angles")
    subject = ReportSubject(motion, title_block or TitleBlock(), _check_sizing(motion, sizing), angles, sliders)
    all_sections = (HEAD, ANIMATION, *SECTIONS)
    bodies: dict[str, Html | None] = {}
    for number, section in enumerate(all_sections):
        if progress is not None:
            progress(number, len(all_sections))
        bodies[section.id] = section_body(section, subject)
    if progress is not None:
        progress(len(all_sections), len(all_sections))
    subject.warn()
    page_sections = [
        PageSection(section.id, section.title, body) for section in SECTIONS if (body := bodies[section.id]) is not None
    ]
    title = subject.title_block.title or motion.name
    return render_page(title, join_html(bodies[section.id] or "" for section in (HEAD, ANIMATION)), page_sections)


def _check_sizing(motion: Motion, sizing: Any) -> ActuatorSizing | None:
    """Check that a sizing is one of this motion."""
    remedy = "a sizing of this motion is needed: lagrangian.size_actuators(mechanism, motion)"
    if sizing is not None and not isinstance(sizing, ActuatorSizing):
        raise ArgumentError(f"is {format_value(sizing)}", argument="sizing", remedy=remedy)
    if sizing is not None and (sizing.mechanism.name != motion.name or len(sizing.tau) != len(motion.t)):
        raise ArgumentError(
            f"is one of {sizing.mechanism.name!r}, for {len(sizing.tau)} rows, and the motion is of {motion.name!r}, with "
            f"{len(motion.t)}",
            argument="sizing",
            remedy=remedy,
        )
    return sizing


def heading(subject: ReportSubject) -> Html:
    """The head of the page: the name, a sentence about the run, and whether it can be trusted."""
    motion = subject.motion
    badges = [element("span", v.badge, class_=f"badge {_BADGE_CLASSES[v.good]}") for v in verdicts(motion)]
    model = motion.mechanism
    about = first_sentence(model.description) if model is not None else ""
    size_text = f"{subject.duration:.4g} s" if len(motion.t) else "an empty run"
    if model is not None:
        loops = f", {model.equation_count} constraint equations" if model.equation_count else ""
        size_text = f"{len(model.bodies)} bodies, {model.nv} speeds{loops}; {size_text}"
    method = motion.statistics.get("method", "")
    lead = [paragraph(about, css_class="lead")] if about else []
    name = f"{motion.name}: " if subject.title_block.title else ""
    run = paragraph(f"{name}{size_text}, by {method}." if method else f"{name}{size_text}.", css_class="quiet")
    head = subject.title_block.heading(motion.name)
    return join_html([head, *lead, run, element("p", *badges, class_="badges"), subject.title_block.notes_html()])


def first_sentence(words: str) -> str:
    return re.split(r"(?<=[a-z0-9)][.:;])\s", " ".join(words.split()), maxsplit=1)[0].rstrip(":;")


def animation_html(subject: ReportSubject, height: str = "480px", picture: Html | None = None, speed: float = 1) -> Html:
    """A player of the motion, with a picture for paper."""
    from lagrangian.viewer.page import player_html

    player = Html(player_html(subject.track, height=height, speed=speed, program=subject.page_program))
    if picture is None:
        picture = section_body(ReportSection("still", "picture for paper", printed_picture), subject) or Html("")
    return element("div", player, picture, class_="stage", style=f"--tall: {height}")


def printed_picture(subject: ReportSubject) -> Html:
    """A picture of the start for paper, because browsers often do not print a canvas."""
    data = png(subject.mechanism, subject.motion.q[0])
    return image(data, "png", f"{subject.name} at the start", class_="print")


def png(model: Any, q: Any, size: tuple[int, int] = (960, 600)) -> bytes:
    """A picture of a mechanism with a transparent background, as the bytes of a PNG file."""
    from lagrangian.viewer.render.still import transparent_png

    return transparent_png(model, q, size)


HEAD, ANIMATION = ReportSection("head", "heading", heading), ReportSection("animation", "animation", animation_html)
