"""The HTML page around the sections, with its title block: nothing is fetched, it opens from a disk, and it prints."""

from __future__ import annotations

import datetime
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from typing import Any

from lagrangian.errors import ArgumentError, format_value, make_visible
from lagrangian.report.html import Html, element, escape_text, join_html, paragraph

_PAGE = """<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<link rel="icon" href="data:,">
<title>{title}</title>
<style>
{style}</style>
{assets}
{script}</head>
<body>
<nav class="toc" aria-label="Contents"><a class="home" href="#top">{title}</a><ol>
{contents}
</ol></nav>
<main id="top">
<header>
{head}
</header>
{body}
<footer>{foot}</footer>
</main>
</body>
</html>
"""


@dataclass(frozen=True)
class TitleBlock:
    """The title of a page, its author, date and notes; each is empty if it is not given."""

    title: str = ""
    author: str = ""
    date: str = ""
    notes: str = ""

    @classmethod
    def from_arguments(cls, title: Any = None, author: Any = None, date: Any = None, notes: Any = None) -> TitleBlock:
        """Check the arguments of a report; the date may be one of `datetime`."""
        if isinstance(date, datetime.datetime | datetime.date):
            date = date.strftime("%Y-%m-%d")
        texts = {"title": title, "author": author, "date": date, "notes": notes}
        for name, x in texts.items():
            if x is not None and not isinstance(x, str):
                kind = 'a text or a date is needed, such as "2025-03-01"' if name == "date" else "a text is needed"
                raise ArgumentError(f"is {format_value(x)}", argument=name, remedy=kind)
        return cls(**{name: make_visible(x or "").strip() for name, x in texts.items()})

    def heading(self, name: str) -> Html:
        """The title, or the name if there is none, with the author and the date."""
        byline = " · ".join(x for x in (self.author, self.date) if x)
        return join_html([element("h1", self.title or name), *([paragraph(byline, css_class="byline")] if byline else [])])

    def notes_html(self) -> Html:
        """The notes: a blank line begins a paragraph, and lines stay lines."""
        paragraphs = [part.strip("\n") for part in self.notes.split("\n\n")]
        return (
            element("div", *(paragraph(part) for part in paragraphs if part.strip()), class_="notes") if self.notes else Html("")
        )


@dataclass(frozen=True)
class PageSection:
    id: str
    title: str
    body: Html


def render_page(
    title: str,
    head: Html,
    sections: Sequence[PageSection],
    foot: str = "Written by lagrangian. Lengths in m, masses in kg, angles in rad.",
) -> str:
    contents = "\n".join(f'<li><a href="#{section.id}">{escape_text(section.title)}</a></li>' for section in sections)
    body = "\n".join(
        f'<section id="{section.id}">{element("h2", section.title)}\n{section.body}\n</section>' for section in sections
    )
    all_html = head + body
    return _PAGE.format(
        title=escape_text(title),
        style=page_style(),
        script=unfold_script() if 'class="packed"' in all_html else "",
        assets=_player_assets(all_html) if "lagrangian-player" in all_html else "",
        contents=contents,
        head=head,
        body=body,
        foot=escape_text(foot),
    )


def _player_assets(page: str) -> str:
    """The scripts and styles of the players, and of motions that the page computes."""
    from lagrangian.viewer.page import compute_assets, player_assets

    return player_assets() + (compute_assets("lgc-data" in page) if "lagrangian-computing" in page else "")


@cache
def page_style() -> str:
    return (files("lagrangian.report") / "style.css").read_text(encoding="utf-8")


@cache
def unfold_script() -> str:
    """The script that decompresses the bodies of parts that unfold."""
    return f"<script>\n{(files('lagrangian.report') / 'unfold.js').read_text(encoding='utf-8')}</script>\n"
