"""A matplotlib figure of its own: no window, no global state, and shown by notebooks."""

from __future__ import annotations

import io
from typing import Any

from matplotlib.figure import Figure

from lagrangian.pictures.style import styled


class Picture(Figure):
    """A figure that is drawn and written in the style it was made in, whatever the user's settings are."""

    def savefig(self, fname: Any, **options: Any) -> None:
        kind = str(options.get("format") or fname).lower()
        # without its date, the same picture is the same file
        date = "CreationDate" if kind.endswith("pdf") else "Date" if kind.endswith("svg") else None
        if date is not None:
            options["metadata"] = {date: None, **(options.get("metadata") or {})}
        with styled():
            super().savefig(fname, **options)

    def bytes(self, kind: str = "png", dpi: float | None = None) -> bytes:
        """As a file of this kind holds it."""
        stream = io.BytesIO()
        self.savefig(stream, format=kind, **({} if dpi is None else {"dpi": dpi}))
        return stream.getvalue()

    def svg(self) -> str:
        """The `<svg>` element alone, to stand in a page."""
        text = self.bytes("svg").decode()
        return text[text.index("<svg") :]

    def _repr_png_(self) -> tuple[bytes, dict[str, int]]:
        """What a notebook shows: twice as fine as it is large."""
        width, height = (round(100 * x) for x in self.get_size_inches())
        return self.bytes("png", 200.0), {"width": width, "height": height}
