"""What whoever makes a page says of it: a title, who made it, when, and notes."""

from __future__ import annotations

import datetime
from dataclasses import dataclass
from typing import Any

from lagrangian.errors import ArgumentError, shown
from lagrangian.report.html import Html, element, joined, paragraph
from lagrangian.visible import visible


@dataclass(frozen=True)
class Front:
    """Texts, each empty if nothing is said."""

    title: str = ""
    author: str = ""
    date: str = ""
    notes: str = ""

    @classmethod
    def of(cls, title: Any = None, author: Any = None, date: Any = None, notes: Any = None) -> Front:
        """As they are given: a date may be one of `datetime`."""
        if isinstance(date, datetime.datetime | datetime.date):
            date = date.strftime("%Y-%m-%d")
        given = {"title": title, "author": author, "date": date, "notes": notes}
        for name, x in given.items():
            if x is not None and not isinstance(x, str):
                kind = 'a text or a date is needed, such as "2025-03-01"' if name == "date" else "a text is needed"
                raise ArgumentError(f"is {shown(x)}", argument=name, remedy=kind)
        return cls(**{name: visible(x or "").strip() for name, x in given.items()})

    def heading(self, name: str) -> Html:
        """The title, or the name if there is none, and who made the page when."""
        by = " · ".join(x for x in (self.author, self.date) if x)
        return joined([element("h1", self.title or name), *([paragraph(by, kind="byline")] if by else [])])

    def noted(self) -> Html:
        """The notes: a blank line begins a paragraph, and lines stay lines."""
        found = [part.strip("\n") for part in self.notes.split("\n\n")]
        return element("div", *(paragraph(part) for part in found if part.strip()), class_="notes") if self.notes else Html("")
