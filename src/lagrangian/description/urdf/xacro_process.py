"""How a xacro file is expanded, in a process of its own: by the package `xacro`, without what reaches beyond the file.

That package evaluates expressions as Python, and `$(eval ...)` with all of Python's functions. Here every expression is looked
at before it is evaluated: it may compute with numbers, texts and lists, and call functions that the package has for that, but
not reach into objects, which is how such a fence is climbed. Files are read only from the file's own folder and ROS package,
and from packages that `$(find ...)` names. How long it may compute, and how much memory it may take, is bounded: `${9**9**9}`
computes, too.
"""

from __future__ import annotations

import ast
import contextlib
import io
import json
import os
import re
import sys
from collections.abc import Mapping
from contextlib import redirect_stderr, redirect_stdout
from importlib import import_module
from pathlib import Path
from typing import Any

from lagrangian.description.packages import packages
from lagrangian.description.text_file import read_text
from lagrangian.errors import DescriptionError

SECONDS, BYTES = 30, 2 * 10**9  # that it may compute, and take
_NODES = (
    *(ast.Expression, ast.Constant, ast.Name, ast.Load, ast.Store, ast.Attribute, ast.Subscript, ast.Slice),
    *(ast.BinOp, ast.UnaryOp, ast.BoolOp, ast.Compare, ast.IfExp, ast.operator, ast.unaryop, ast.boolop, ast.cmpop),
    *(ast.Call, ast.keyword, ast.Starred, ast.List, ast.Tuple, ast.Dict, ast.Set),
    *(ast.ListComp, ast.SetComp, ast.DictComp, ast.GeneratorExp, ast.comprehension),
)
_REACHING = ("format", "format_map", "mro")  # what leads from a value to its class, or reads attributes by a text
_INSIDES = ("_", "gi_", "cr_", "ag_", "tb_", "f_", "co_", "func_")
_LONGEST = 10_000
_ARGUMENT = re.compile(r"""<xacro:arg\s+name\s*=\s*["']([^"'$]+)["']""")


class _Arguments(dict[str, Any]):
    """The values of a file's arguments, by name, and which of them the file asks for: it declares them, or uses them.

    The package looks for a name before it declares or uses it, and says nothing of names that were given in vain.
    """

    def __init__(self, given: Mapping[str, str]) -> None:
        super().__init__(given)
        self.asked: set[str] = set()
        self.wanting: list[str] = []  # those that are empty where a file's name is needed

    def __contains__(self, name: object) -> bool:
        self.asked.add(str(name))
        return super().__contains__(name)

    def __getitem__(self, name: str) -> Any:
        self.asked.add(name)
        return super().__getitem__(name)


def run(given: Mapping[str, Any]) -> None:
    """Write what became of a file to stdout: the text it expands to and its arguments, or what is wrong, or missing."""
    answer = sys.stdout
    import xacro

    _bound()
    arguments = _Arguments(given["arguments"])
    with redirect_stdout(io.StringIO()), redirect_stderr(io.StringIO()):
        try:
            found: dict[str, Any] = {"text": _expanded(xacro, Path(given["file"]), arguments)}
        except DescriptionError as error:
            found = {"wrong": str(error)}
        except RecursionError:
            found = {"wrong": "its macros call each other endlessly"}
        except MemoryError:
            found = {"wrong": f"expanding it takes more than {BYTES / 1e9:g} GB of memory"}
        except Exception as error:  # of the package, of its expressions, or of what they are applied to
            found = _told(error)
    if "wrong" in found:  # before all of the file was seen
        arguments.asked.update(_ARGUMENT.findall(_text(Path(given["file"]))))
    json.dump({"missing": arguments.wanting, **found, "arguments": sorted(arguments.asked)}, answer)


def _text(path: Path) -> str:
    try:
        return read_text(path)
    except DescriptionError:
        return ""


def _bound() -> None:
    """Where a system knows such bounds; the time is also bounded from outside."""
    with contextlib.suppress(ImportError, ValueError, OSError):
        import resource

        resource.setrlimit(resource.RLIMIT_CPU, (SECONDS, SECONDS + 1))
        resource.setrlimit(resource.RLIMIT_AS, (BYTES, BYTES))


def _expanded(xacro: Any, path: Path, arguments: _Arguments) -> str:
    if not is_xml(read_text(path)):
        raise DescriptionError("a document type is not allowed; remove the <!DOCTYPE ...>")
    _fence(xacro, path, arguments)
    return str(xacro.process_file(str(path), mappings=arguments).toprettyxml(indent="  "))


def _told(error: Exception) -> dict[str, Any]:
    inner = error
    while isinstance(inner, Exception) and isinstance(getattr(inner, "exc", None), Exception):
        inner = inner.exc  # type: ignore[attr-defined]
    if isinstance(inner, DescriptionError):
        return {"wrong": str(inner)}
    what = " ".join(str(error).split()) or type(error).__name__
    missing = {"missing": [str(inner)]} if type(inner).__name__ == "ArgException" else {}
    return {"wrong": f"xacro does not expand it: {what[:300]}", **missing}


def is_xml(text: str) -> bool:
    """Whether a text is without a document type, the door to entity expansion."""
    return "<!DOCTYPE" not in text and "<!ENTITY" not in text


def _fence(xacro: Any, path: Path, mappings: _Arguments) -> None:
    """Replace the package's evaluators, its search for packages and its files."""
    plainly = xacro.safe_eval
    found = {_home(path)}
    arguments: Any = import_module("xacro.substitution_args")

    def find(name: str) -> str:
        for folder in packages(name, path):
            if (folder / "package.xml").is_file():  # or any folder around the file, such as somebody's home, would be one
                found.add(folder.resolve())
                return str(folder)
        raise DescriptionError(f"$(find {name}): there is no such package around the file, or in ROS_PACKAGE_PATH")

    def evaluate(expression: str, symbols: Any, local: Any = None) -> Any:
        checked(expression)
        return plainly(expression, symbols, local)

    def evaluate_argument(expression: str, context: Any) -> str:
        checked(expression)
        names = {name: value for name, value in arguments._eval_dict.items() if name not in ("env", "optenv")}
        given = {name: arguments.convert_value(value, "auto") for name, value in context["arg"].items()}
        context["arg"].asked.update(given.keys() & set(re.findall(r"\w+", expression)))
        names |= {"arg": given.__getitem__, "find": find, "dirname": lambda: str(path.absolute().parent)}
        return str(eval(compile(expression.strip(), "<expression>", "eval"), {"__builtins__": {}, **given, **names}))

    def open_file(name: Any, mode: str = "r", **_: Any) -> Any:
        file = Path(name).resolve()
        if mode != "r" or not any(file.is_relative_to(folder) for folder in found):
            raise DescriptionError(f"{name} is outside the folder and the packages of the file; only files in them are read")
        around = {os.path.dirname(asking) for asking in xacro.filestack if asking and asking != name}
        if not os.path.basename(name) and os.path.dirname(name) in around:  # the package puts it before a name that is empty
            mappings.wanting = [argument for argument, value in mappings.items() if value == ""]
            raise DescriptionError(f"it includes a file with an empty name{_are_empty(mappings.wanting)}")
        text = read_text(file)
        if not is_xml(text):
            raise DescriptionError(f"{name}: a document type is not allowed; remove the <!DOCTYPE ...>")
        return io.StringIO(text)

    for name in ("vars", "type"):
        xacro._global_symbols["python"].pop(name, None)
    xacro.safe_eval, xacro.open = evaluate, open_file
    arguments._eval, arguments._eval_find = evaluate_argument, find


def _are_empty(arguments: list[str]) -> str:
    if len(arguments) < 2:
        return f"; its argument {arguments[0]} is empty" if arguments else ""
    return f"; its arguments {', '.join(arguments)} are empty"


def _home(path: Path) -> Path:
    """The folder of a file's ROS package, or the file's own."""
    above = list(path.resolve().parents)
    return next((folder for folder in above if (folder / "package.xml").is_file()), above[0])


def checked(expression: str) -> None:
    """Refuse an expression that does more than compute."""
    shown = f"the expression {expression[:60]!r}"
    if len(expression) > _LONGEST:
        raise DescriptionError(f"{shown} has {len(expression)} characters; at most {_LONGEST} are allowed")
    for node in ast.walk(ast.parse(expression.strip(), mode="eval")):
        if not isinstance(node, _NODES):
            raise DescriptionError(f"{shown} is not allowed: expressions may only compute, and this is a {type(node).__name__}")
        name = node.attr if isinstance(node, ast.Attribute) else node.id if isinstance(node, ast.Name) else ""
        inside = name.startswith(_INSIDES if isinstance(node, ast.Attribute) else "__")
        if inside or (isinstance(node, ast.Attribute) and name in _REACHING):
            raise DescriptionError(f"{shown} is not allowed: {name!r} accesses the internals of an object")
