"""The commented description of a new mechanism: a planar arm with two links."""

from __future__ import annotations

import re
from importlib.resources import files


def starter_text(stem: str, file: str) -> str:
    """The text of a new description; the mechanism has the name of the file without its suffix."""
    name = re.sub(r"\W+", "_", stem).strip("_") or "arm"
    text = (files("lagrangian.description.toml") / "starter.toml").read_text(encoding="utf-8")
    return text.format(name=name, file=file)
