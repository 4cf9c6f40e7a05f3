"""The tour's page: pictures of what is there first, then the chapters."""

from __future__ import annotations

from collections.abc import Sequence

from lagrangian.report.html import Html, code, element, image, joined, paragraph
from lagrangian.report.page import Section, page
from lagrangian.report.parts.solver import versions
from lagrangian.report.tour.chapter import Chapter

FIRST = """
import lagrangian as lg

arm = lg.load("arm.toml")    # or URDF, MJCF, a DH table, lg.library("puma560")
lg.derive(arm).show()        # its equations
lg.simulate(arm).report()    # a run, on a page like this
"""

NEXT = """
lagrangian new arm.toml          # a commented description of your own mechanism
lagrangian show arm.toml
lagrangian derive arm.toml
lagrangian simulate arm.toml
"""


def index(chapters: Sequence[Chapter], failures: Sequence[tuple[str, str]], seconds: float) -> str:
    """The whole page; `failures` are chapters that could not be made, and why."""
    sections = [Section(c.id, c.title, c.html()) for c in chapters]
    if failures:
        words = [paragraph(f"{title}: {why}", kind="missing") for title, why in failures]
        sections.append(Section("missing", "What could not be made", joined(words)))
    sections.append(Section("next", "Your own mechanism", _next()))
    foot = f"Made in {seconds:.0f} s by {', '.join(versions())}."
    return page("lagrangian: the tour", _head(chapters, seconds), sections, foot)


def _head(chapters: Sequence[Chapter], seconds: float) -> Html:
    checks = [check for c in chapters for check in c.checks]
    good = sum(check.good for check in checks)
    facts = [
        (f"{len(chapters)}", "chapters"),
        (f"{good} of {len(checks)}", "checks hold"),
        (f"{seconds:.0f} s", "for all of it, here"),
    ]
    numbers = [element("div", element("b", figure), " ", what) for figure, what in facts]
    lead = (
        "Describe a mechanism, open or closed, and get its equations of motion: to read, in closed form and proved; to run, as "
        "machine code; to trust, with every run's energy and constraints checked. All on this page was computed on this "
        "machine just now."
    )
    return joined(
        [
            element("h1", "Equations of motion, to read, to run, to trust"),
            paragraph(lead, kind="lead"),
            code(FIRST),
            element("div", *numbers, class_="numbers"),
            element("div", *(_card(c) for c in chapters), class_="cards"),
        ]
    )


def _card(chapter: Chapter) -> Html:
    picture = image(chapter.picture, "png", "", loading="lazy") if chapter.picture else Html("")
    words = [element("b", chapter.title), element("span", chapter.figure)]
    return element("a", picture, element("span", *words, class_="words"), href=f"#{chapter.id}", class_="card")


def _next() -> Html:
    told = paragraph("A mechanism is a text file: joints, bodies, and where they are. URDF and MJCF are read as well.")
    return joined([told, code(NEXT)])
