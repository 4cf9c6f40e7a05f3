"""The commented description that a new mechanism begins with: a planar arm with two links."""

from __future__ import annotations

import re
from importlib.resources import files


def starter_text(stem: str, file: str) -> str:
    """For a file; the mechanism is called after its stem."""
    name = re.sub(r"\W+", "_", stem).strip("_") or "arm"
    text = (files("lagrangian.description.toml") / "starter.toml").read_text(encoding="utf-8")
    return text.format(name=name, file=file)
