"""Files that are dropped on the page, and descriptions written in another format."""

from __future__ import annotations

import re
import threading
from pathlib import PurePosixPath
from typing import Any

from lagrangian.description.load import FORMATS, SUFFIXES, format_of, loads
from lagrangian.description.text_file import MAX_BYTES
from lagrangian.errors import LagrangianError, one_of
from lagrangian.saving import dumps
from lagrangian.studio.heard import hearing
from lagrangian.studio.models import Model
from lagrangian.studio.refused import Refused

_ONE = threading.Lock()  # writers silence warnings for a while, of the whole process: two at a time would not end it


def received(name: Any, content: Any) -> dict[str, Any]:
    """The text and format of a file that was dropped. Its name names nothing on this computer: only its ending counts."""
    if not isinstance(name, str) or not isinstance(content, str):
        raise Refused(400, "a file name and a text are needed")
    if len(content) > MAX_BYTES:
        raise Refused(413, f"{_shown(name)} is larger than the {MAX_BYTES // 1_000_000} MB that a description can have")
    path = PurePosixPath(_shown(name))
    if path.suffix.lower() == ".xacro":
        raise Refused(400, f"{path} is a macro file", "process it with xacro first, then open the URDF file")
    if path.suffix.lower() not in SUFFIXES:
        raise Refused(400, f"{path} is not a description", f"the studio opens {', '.join(x for x in SUFFIXES if x != '.xacro')}")
    content = content.removeprefix("\ufeff")
    format = format_of(str(path), content)  # noqa: A001
    with hearing() as heard:
        try:
            notes = loads(content, format).notes
        except LagrangianError as error:
            notes = (str(error),)
    told = [_told(str(x), path.name) for x in (*heard, *notes)]  # what is warned of is also noted: each is said once
    return {"text": content, "format": format, "name": path.name, "warnings": list(dict.fromkeys(told))}


def _told(text: str, name: str) -> str:
    """A remark with its line, if it has one, in place of the name that a text has for its reader."""
    return re.sub(r"<text>:(?=\d)", "line ", text.removeprefix("<text>: ")).replace("<text>", name)


def _shown(name: str) -> str:
    """The last part of a name, without what has a meaning elsewhere."""
    last = re.split(r"[/\\]", name)[-1]
    return "".join(c for c in last if c.isprintable())[:120] or "text"


def converted(model: Model, to: Any) -> dict[str, Any]:
    """The same mechanism in another format, and what that does not hold."""
    if to not in FORMATS:
        raise Refused(400, one_of("format", to, FORMATS))
    with _ONE, hearing() as heard:
        text = dumps(model.read, to)
    return {"text": text, "format": to, "warnings": [str(x) for x in heard]}
