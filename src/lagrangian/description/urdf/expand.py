"""Xacro files, expanded by the package `xacro` in a process of its own, whose time and memory are bounded.

What that process does, and what it does not let a file do, is in `xacro_process`.
"""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Mapping
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from lagrangian.description.text_file import read_text
from lagrangian.errors import Argument, ArgumentError, DescriptionError, one_of

NOT_YET = "this is a xacro file, not yet a URDF; run xacro first: `xacro robot.urdf.xacro > robot.urdf`"
WITHOUT = f"{NOT_YET}, or install it (`pip install xacro`), and the file is expanded automatically"
_SECONDS = 60  # by the clock; of computing it has fewer
_PROGRAM = """
import json, sys
given = json.load(sys.stdin)
sys.path[:] = given["path"]
from lagrangian.description.urdf.xacro_process import run
run(given)
"""


def wanted(path: Path, asked: Any) -> bool:
    """Whether a file is to be expanded: one called .xacro, or one for which it is asked."""
    if asked is None:
        return path.suffix.lower() == ".xacro"
    if not isinstance(asked, (bool, Mapping)):
        raise ArgumentError(f"is {asked!r:.60}", argument="xacro", remedy="it must be True, False, or a mapping of arguments")
    return asked is not False


def expanded(path: Path, asked: Any) -> str:
    """The URDF that a xacro file is; `asked` may map its arguments to their values."""
    if find_spec("xacro") is None or not sys.executable:
        raise DescriptionError(WITHOUT, where=str(path))
    read_text(path)  # which says what is wrong with the file itself
    arguments = {str(name): str(value) for name, value in asked.items()} if isinstance(asked, Mapping) else {}
    given = json.dumps({"path": sys.path, "file": str(path), "arguments": arguments})
    command = [sys.executable, "-I", "-c", _PROGRAM]
    try:
        made = subprocess.run(command, input=given.encode(), capture_output=True, timeout=_SECONDS, check=False)
        answer = json.loads(made.stdout)
    except OSError as error:
        raise DescriptionError(f"xacro cannot be run: {error.strerror}", where=str(path)) from None
    except (subprocess.TimeoutExpired, ValueError):  # no answer: it was ended
        problem = "xacro does not finish; an expression or a macro may compute too much"
        raise DescriptionError(problem, where=str(path)) from None
    if "wrong" in answer:
        remedy = ""
        if missing := answer["missing"]:
            gives = "gives it a value" if len(missing) == 1 else "gives them values"
            remedy = (
                f"{Argument('xacro', dict.fromkeys(missing, '...'))} {gives}; its arguments are {', '.join(answer['arguments'])}"
            )
        raise DescriptionError(answer["wrong"], where=str(path), remedy=remedy)
    for name in arguments:
        if name not in answer["arguments"]:
            raise ArgumentError(one_of("argument of this xacro file called", name, answer["arguments"]), where=str(path))
    return str(answer["text"])
