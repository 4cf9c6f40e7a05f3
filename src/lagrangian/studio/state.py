"""The folder in which the studio keeps what must not be lost. `LAGRANGIAN_STATE` names another."""

from __future__ import annotations

import os
import sys
from pathlib import Path

VARIABLE = "LAGRANGIAN_STATE"


def folder() -> Path:
    """Made if it is not there, and closed to others."""
    chosen = os.environ.get(VARIABLE, "")
    place = (Path(chosen) if chosen else _platform() / "lagrangian").expanduser() / "studio"
    place.mkdir(mode=0o700, parents=True, exist_ok=True)
    return place


def _platform() -> Path:
    if sys.platform == "win32":
        return Path(os.environ.get("LOCALAPPDATA") or "~/AppData/Local")
    if sys.platform == "darwin":
        return Path("~/Library/Application Support")
    return Path(os.environ.get("XDG_STATE_HOME") or "~/.local/state")
