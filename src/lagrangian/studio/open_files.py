"""Texts that the page opens beside the files of its folder: a file that is dropped on it, a mechanism of the library, a template,
or the description converted to another format.
"""

from __future__ import annotations

import re
import threading
from functools import cache
from pathlib import PurePosixPath
from typing import Any

from lagrangian.description import load
from lagrangian.description.files import MAX_TEXT_BYTES
from lagrangian.description.load import FORMATS, SUFFIXES, format_of, loads
from lagrangian.description.toml.starter import starter_text
from lagrangian.errors import LagrangianError, unknown_name_message
from lagrangian.saving import dumps
from lagrangian.studio.models import StudioModel
from lagrangian.studio.request_error import RequestError
from lagrangian.studio.thread_warnings import collect_warnings

_WRITER_LOCK = threading.Lock()  # writers silence warnings of the whole process: two at once would not restore them

# mechanisms of the library that are short and plain enough to begin your own from, with their titles
_TEMPLATES = {
    "pendulum": "A pendulum",
    "cart_pendulum": "A cart with a pendulum",
    "four_bar": "A four-bar linkage",
    "slider_crank": "A slider-crank",
    "scara": "A SCARA arm, by Denavit and Hartenberg",
    "stewart": "A Stewart platform",
}


def read_dropped_file(name: Any, content: Any) -> dict[str, Any]:
    """The text and format of a file that was dropped. Only the ending of its name counts: it is no path on this computer."""
    if not isinstance(name, str) or not isinstance(content, str):
        raise RequestError(400, "a file name and a text are needed")
    if len(content) > MAX_TEXT_BYTES:
        raise RequestError(
            413, f"{_safe_name(name)} is larger than the {MAX_TEXT_BYTES // 1_000_000} MB that a description can have"
        )
    path = PurePosixPath(_safe_name(name))
    if path.suffix.lower() == ".xacro":
        raise RequestError(400, f"{path} is a macro file", "process it with xacro first, then open the URDF file")
    if path.suffix.lower() not in SUFFIXES:
        raise RequestError(
            400, f"{path} is not a description", f"the studio opens {', '.join(x for x in SUFFIXES if x != '.xacro')}"
        )
    content = content.removeprefix("\ufeff")
    format = format_of(str(path), content)  # noqa: A001
    with collect_warnings() as caught_warnings:
        try:
            notes = loads(content, format).notes
        except LagrangianError as error:
            notes = (str(error),)
    remarks = [_remark_text(str(x), path.name) for x in (*caught_warnings, *notes)]
    # a warning may also be a note: each is listed once
    return {"text": content, "format": format, "name": path.name, "warnings": list(dict.fromkeys(remarks))}


def _remark_text(text: str, name: str) -> str:
    """A remark in which the name of the file, or the line, stands for the `<text>` of the reader."""
    return re.sub(r"<text>:(?=\d)", "line ", text.removeprefix("<text>: ")).replace("<text>", name)


def _safe_name(name: str) -> str:
    """The last part of a file name, without invisible characters."""
    last = re.split(r"[/\\]", name)[-1]
    return "".join(c for c in last if c.isprintable())[:120] or "text"


def convert_description(model: StudioModel, to: Any) -> dict[str, Any]:
    """The same mechanism in another format, and warnings about what that format cannot hold."""
    if to not in FORMATS:
        raise RequestError(400, unknown_name_message("format", to, FORMATS))
    with _WRITER_LOCK, collect_warnings() as caught_warnings:
        text = dumps(model.valid_mechanism, to)
    return {"text": text, "format": to, "warnings": [str(x) for x in caught_warnings]}


@cache
def library() -> tuple[dict[str, Any], ...]:
    """The mechanisms of the library: their names, descriptions and counts of parts."""
    from lagrangian.mechanism_library.catalogue import library as mechanism_library

    return tuple(
        {
            "name": e.name,
            "summary": e.summary,
            "description": e.description,
            "source": e.source,
            "joints": e.joints,
            "loops": e.loops,
            "constraints": e.constraints,
        }
        for e in mechanism_library().entries
    )


def library_names() -> tuple[str, ...]:
    return load.library_names()


def library_text(name: str) -> str:
    """The text of a mechanism of the library. The name has to be in the list, so that it can never lead out of the folder."""
    if name not in library_names():
        raise RequestError(404, f"there is no mechanism {name[:60]!r} in the library")
    return (load.library_folder() / f"{name}.toml").read_text(encoding="utf-8")


@cache
def templates() -> tuple[dict[str, str], ...]:
    """Texts to begin a description from."""
    summaries = {e["name"]: e["summary"] for e in library()}
    arm = {
        "name": "arm",
        "title": "A planar arm",
        "description": "Two links, explained in comments; a good start.",
        "text": starter_text("arm", "arm.toml"),
    }
    library_templates = (
        {"name": n, "title": t, "description": summaries[n], "text": library_text(n)} for n, t in _TEMPLATES.items()
    )
    return (arm, *library_templates)
