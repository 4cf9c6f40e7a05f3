"""A matplotlib figure of its own: no window, no global state, and shown by notebooks."""

from __future__ import annotations

import io
import os
from pathlib import Path
from typing import Any

from matplotlib.figure import Figure

from lagrangian.files import write
from lagrangian.pictures.style import styled


class Picture(Figure):
    """A figure that is drawn and written in the style it was made in, whatever the user's settings are."""

    def savefig(self, fname: Any, **options: Any) -> None:
        """Write it to a stream, or whole to a file, by whose ending its kind is told if no `format` is given."""
        if isinstance(fname, str | os.PathLike):
            file = Path(fname)
            kind = str(options.get("format") or file.suffix[1:] or self.canvas.get_default_filetype()).lower()
            stream = io.BytesIO()
            self.savefig(stream, **{**options, "format": kind})
            write(file if file.suffix or options.get("format") else file.with_name(f"{file.name}.{kind}"), stream.getvalue())
            return
        # without its date, the same picture is the same file
        date = {"pdf": "CreationDate", "svg": "Date"}.get(str(options.get("format") or "").lower())
        if date is not None:
            options["metadata"] = {date: None, **(options.get("metadata") or {})}
        with styled():
            super().savefig(fname, **options)

    def encoded(self, kind: str = "png", dpi: float | None = None) -> bytes:
        """As a file of this kind holds it."""
        stream = io.BytesIO()
        self.savefig(stream, format=kind, **({} if dpi is None else {"dpi": dpi}))
        return stream.getvalue()

    def svg(self) -> str:
        """The `<svg>` element alone, to stand in a page."""
        text = self.encoded("svg").decode()
        return text[text.index("<svg") :]

    def _repr_png_(self) -> tuple[bytes, dict[str, int]]:
        """What a notebook shows: twice as fine as it is large."""
        width, height = (round(100 * x) for x in self.get_size_inches())
        return self.encoded("png", 200.0), {"width": width, "height": height}
