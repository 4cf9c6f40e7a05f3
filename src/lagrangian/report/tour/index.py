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
lg.derive(arm).show()        # equations of motion
lg.simulate(arm).report()    # a report like this page
"""

NEXT = """
lagrangian new arm.toml          # writes a commented description to change
lagrangian show arm.toml
lagrangian derive arm.toml
lagrangian simulate arm.toml
"""


def index(chapters: Sequence[Chapter], failures: Sequence[tuple[str, str]], seconds: float) -> str:
    """The whole page; `failures` are chapters that could not be made, and why."""
    sections = [Section(c.id, c.title, c.html()) for c in chapters]
    if failures:
        words = [paragraph(f"{title}: {why}", kind="missing") for title, why in failures]
        sections.append(Section("missing", "Chapters that failed", joined(words)))
    sections.append(Section("next", "Your own mechanism", _next()))
    foot = f"Made in {seconds:.0f} s by {', '.join(versions())}."
    return page("lagrangian: the tour", _head(chapters, seconds), sections, foot)


def _head(chapters: Sequence[Chapter], seconds: float) -> Html:
    checks = [check for c in chapters for check in c.checks]
    good = sum(check.good for check in checks)
    facts = [
        (f"{len(chapters)}", "chapters"),
        (f"{good} of {len(checks)}", "checks passed"),
        (f"{seconds:.0f} s", "total time on this machine"),
    ]
    numbers = [element("div", element("b", figure), " ", what) for figure, what in facts]
    lead = (
        "lagrangian derives the equations of motion of mechanisms with and without closed loops, in closed form and with a "
        "proof. It compiles them to machine code and checks the energy and the constraints of every run. Your machine computed "
        "everything on this page."
    )
    return joined(
        [
            element("h1", "A tour of lagrangian"),
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
    told = paragraph("A mechanism is a text file with joints and bodies. You can also load URDF, MJCF and SDF files.")
    return joined([told, code(NEXT)])
