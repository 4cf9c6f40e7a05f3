"""Expand xacro files by the package `xacro`, in a process of its own whose time and memory are bounded.

That package evaluates expressions as Python, and `$(eval ...)` with all of Python's functions. Here every expression is checked
before it is evaluated. It may compute with numbers, texts and lists, and call the functions that the package has for this. It may
not access the internals of objects, through which it could reach anything. Files are read only from the file's own folder and
ROS package, and from packages that `$(find ...)` names. The bounds are needed because `${9**9**9}` is a computation, too.
"""

from __future__ import annotations

import ast
import contextlib
import io
import json
import os
import re
import subprocess
import sys
from collections.abc import Mapping
from contextlib import redirect_stderr, redirect_stdout
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from lagrangian.description.files import package_folders, read_text
from lagrangian.errors import ArgumentError, ArgumentName, DescriptionError, unknown_name_message

NOT_EXPANDED = "this is a xacro file, not yet a URDF; run xacro first: `xacro robot.urdf.xacro > robot.urdf`"
NOT_INSTALLED = f"{NOT_EXPANDED}, or install it (`pip install xacro`), and the file is expanded automatically"
_TIMEOUT_SECONDS = 60  # by the clock
_PROGRAM = """
import json, sys
request = json.load(sys.stdin)
sys.path[:] = request["path"]
from lagrangian.description.urdf.xacro import run
run(request)
"""
MAX_SECONDS, MAX_MEMORY = 30, 2 * 10**9  # of computing time, and bytes of memory
_ALLOWED_NODES = (
    *(ast.Expression, ast.Constant, ast.Name, ast.Load, ast.Store, ast.Attribute, ast.Subscript, ast.Slice),
    *(ast.BinOp, ast.UnaryOp, ast.BoolOp, ast.Compare, ast.IfExp, ast.operator, ast.unaryop, ast.boolop, ast.cmpop),
    *(ast.Call, ast.keyword, ast.Starred, ast.List, ast.Tuple, ast.Dict, ast.Set),
    *(ast.ListComp, ast.SetComp, ast.DictComp, ast.GeneratorExp, ast.comprehension),
)
_FORBIDDEN_ATTRIBUTES = ("format", "format_map", "mro")  # they lead from a value to its class, or read attributes by a text
_INTERNAL_PREFIXES = ("_", "gi_", "cr_", "ag_", "tb_", "f_", "co_", "func_")
_MAX_EXPRESSION = 10_000
_ARGUMENT = re.compile(r"""<xacro:arg\s+name\s*=\s*["']([^"'$]+)["']""")


def is_xacro(path: Path, xacro: Any) -> bool:
    """Whether a file must be expanded: one called .xacro, or one for which the caller asks for it."""
    if xacro is None:
        return path.suffix.lower() == ".xacro"
    if not isinstance(xacro, (bool, Mapping)):
        raise ArgumentError(f"is {xacro!r:.60}", argument="xacro", remedy="it must be True, False, or a mapping of arguments")
    return xacro is not False


def expand_xacro(path: Path, xacro: Any) -> str:
    """The URDF that a xacro file expands to; `xacro` may map its arguments to values."""
    if find_spec("xacro") is None or not sys.executable:
        raise DescriptionError(NOT_INSTALLED, where=str(path))
    read_text(path)  # raises an error if the file itself cannot be read
    arguments = {str(name): str(value) for name, value in xacro.items()} if isinstance(xacro, Mapping) else {}
    request = json.dumps({"path": sys.path, "file": str(path), "arguments": arguments})
    command = [sys.executable, "-I", "-c", _PROGRAM]
    try:
        process = subprocess.run(command, input=request.encode(), capture_output=True, timeout=_TIMEOUT_SECONDS, check=False)
        answer = json.loads(process.stdout)
    except OSError as error:
        raise DescriptionError(f"xacro cannot be run: {error.strerror}", where=str(path)) from None
    except (subprocess.TimeoutExpired, ValueError):  # no answer: the process was ended
        problem = "xacro does not finish; an expression or a macro may compute too much"
        raise DescriptionError(problem, where=str(path)) from None
    if "wrong" in answer:
        remedy = ""
        if missing := answer["missing"]:
            option = ArgumentName("xacro", dict.fromkeys(missing, "..."))
            effect = "gives it a value" if len(missing) == 1 else "gives them values"
            remedy = f"{option} {effect}; its arguments are {', '.join(answer['arguments'])}"
        raise DescriptionError(answer["wrong"], where=str(path), remedy=remedy)
    for name in arguments:
        if name not in answer["arguments"]:
            raise ArgumentError(
                unknown_name_message("argument of this xacro file called", name, answer["arguments"]), where=str(path)
            )
    return str(answer["text"])


# -- in the process of xacro ---------------------------------------------------------------------------------------------


class _Arguments(dict[str, Any]):
    """The values of a file's arguments, by name, and the names that the file declares or uses.

    The package looks up a name before it declares or uses it, and ignores names that the file does not have.
    """

    def __init__(self, values: Mapping[str, str]) -> None:
        super().__init__(values)
        self.requested_names: set[str] = set()
        self.missing_names: list[str] = []  # those that are empty where the name of a file is needed

    def __contains__(self, name: object) -> bool:
        self.requested_names.add(str(name))
        return super().__contains__(name)

    def __getitem__(self, name: str) -> Any:
        self.requested_names.add(name)
        return super().__getitem__(name)


def run(request: Mapping[str, Any]) -> None:
    """Write the result to stdout as JSON: the expanded text and its arguments, or what is wrong or missing."""
    output_stream = sys.stdout
    import xacro

    _limit_resources()
    arguments = _Arguments(request["arguments"])
    with redirect_stdout(io.StringIO()), redirect_stderr(io.StringIO()):
        try:
            answer: dict[str, Any] = {"text": _expand(xacro, Path(request["file"]), arguments)}
        except DescriptionError as error:
            answer = {"wrong": str(error)}
        except RecursionError:
            answer = {"wrong": "its macros call each other endlessly"}
        except MemoryError:
            answer = {"wrong": f"expanding it takes more than {MAX_MEMORY / 1e9:g} GB of memory"}
        except Exception as error:  # any error in the file
            answer = _describe_error(error)
    if "wrong" in answer:  # the package may not have seen all arguments
        arguments.requested_names.update(_ARGUMENT.findall(_read_text_or_empty(Path(request["file"]))))
    json.dump({"missing": arguments.missing_names, **answer, "arguments": sorted(arguments.requested_names)}, output_stream)


def has_no_doctype(text: str) -> bool:
    """Whether a text has no document type, which could expand entities."""
    return "<!DOCTYPE" not in text and "<!ENTITY" not in text


def check_expression(expression: str) -> None:
    """Refuse an expression that does more than compute."""
    description = f"the expression {expression[:60]!r}"
    if len(expression) > _MAX_EXPRESSION:
        raise DescriptionError(f"{description} has {len(expression)} characters; at most {_MAX_EXPRESSION} are allowed")
    for node in ast.walk(ast.parse(expression.strip(), mode="eval")):
        if not isinstance(node, _ALLOWED_NODES):
            raise DescriptionError(
                f"{description} is not allowed: expressions may only compute, and this is a {type(node).__name__}"
            )
        name = node.attr if isinstance(node, ast.Attribute) else node.id if isinstance(node, ast.Name) else ""
        is_internal = name.startswith(_INTERNAL_PREFIXES if isinstance(node, ast.Attribute) else "__")
        if is_internal or (isinstance(node, ast.Attribute) and name in _FORBIDDEN_ATTRIBUTES):
            raise DescriptionError(f"{description} is not allowed: {name!r} accesses the internals of an object")


def _read_text_or_empty(path: Path) -> str:
    try:
        return read_text(path)
    except DescriptionError:
        return ""


def _limit_resources() -> None:
    """Limit time and memory where the system can do so; the parent process also limits the time."""
    with contextlib.suppress(ImportError, ValueError, OSError):
        import resource

        resource.setrlimit(resource.RLIMIT_CPU, (MAX_SECONDS, MAX_SECONDS + 1))
        resource.setrlimit(resource.RLIMIT_AS, (MAX_MEMORY, MAX_MEMORY))


def _expand(xacro: Any, path: Path, arguments: _Arguments) -> str:
    if not has_no_doctype(read_text(path)):
        raise DescriptionError("a document type is not allowed; remove the <!DOCTYPE ...>")
    _restrict_xacro(xacro, path, arguments)
    return str(xacro.process_file(str(path), mappings=arguments).toprettyxml(indent="  "))


def _describe_error(error: Exception) -> dict[str, Any]:
    """The answer for an error of the package, of an expression, or of the values that it is applied to."""
    cause = error
    while isinstance(cause, Exception) and isinstance(getattr(cause, "exc", None), Exception):
        cause = cause.exc  # type: ignore[attr-defined]
    if isinstance(cause, DescriptionError):
        return {"wrong": str(cause)}
    problem = " ".join(str(error).split()) or type(error).__name__
    missing = {"missing": [str(cause)]} if type(cause).__name__ == "ArgException" else {}
    return {"wrong": f"xacro does not expand it: {problem[:300]}", **missing}


def _restrict_xacro(xacro: Any, path: Path, mappings: _Arguments) -> None:
    """Replace the package's evaluators, its search for packages and its files."""
    safe_eval = xacro.safe_eval
    allowed_folders = {_package_folder(path)}
    arguments: Any = import_module("xacro.substitution_args")

    def find(name: str) -> str:
        for folder in package_folders(name, path):
            # otherwise any folder around the file, such as a home folder, would be a package
            if (folder / "package.xml").is_file():
                allowed_folders.add(folder.resolve())
                return str(folder)
        raise DescriptionError(f"$(find {name}): there is no such package around the file, or in ROS_PACKAGE_PATH")

    def evaluate(expression: str, symbols: Any, local_symbols: Any = None) -> Any:
        check_expression(expression)
        return safe_eval(expression, symbols, local_symbols)

    def evaluate_argument(expression: str, context: Any) -> str:
        check_expression(expression)
        functions = {name: value for name, value in arguments._eval_dict.items() if name not in ("env", "optenv")}
        values = {name: arguments.convert_value(value, "auto") for name, value in context["arg"].items()}
        context["arg"].requested_names.update(values.keys() & set(re.findall(r"\w+", expression)))
        functions |= {"arg": values.__getitem__, "find": find, "dirname": lambda: str(path.absolute().parent)}
        return str(eval(compile(expression.strip(), "<expression>", "eval"), {"__builtins__": {}, **values, **functions}))

    def open_file(name: Any, mode: str = "r", **_: Any) -> Any:
        file = Path(name).resolve()
        if mode != "r" or not any(file.is_relative_to(folder) for folder in allowed_folders):
            raise DescriptionError(f"{name} is outside the folder and the packages of the file; only files in them are read")
        including_folders = {
            os.path.dirname(including_file) for including_file in xacro.filestack if including_file and including_file != name
        }
        # the package puts the folder before an empty name
        if not os.path.basename(name) and os.path.dirname(name) in including_folders:
            mappings.missing_names = [argument for argument, value in mappings.items() if value == ""]
            raise DescriptionError(f"it includes a file with an empty name{_name_empty_arguments(mappings.missing_names)}")
        text = read_text(file)
        if not has_no_doctype(text):
            raise DescriptionError(f"{name}: a document type is not allowed; remove the <!DOCTYPE ...>")
        return io.StringIO(text)

    for name in ("vars", "type"):
        xacro._global_symbols["python"].pop(name, None)
    xacro.safe_eval, xacro.open = evaluate, open_file
    arguments._eval, arguments._eval_find = evaluate_argument, find


def _name_empty_arguments(arguments: list[str]) -> str:
    if len(arguments) < 2:
        return f"; its argument {arguments[0]} is empty" if arguments else ""
    return f"; its arguments {', '.join(arguments)} are empty"


def _package_folder(path: Path) -> Path:
    """The folder of a file's ROS package, or the file's own."""
    ancestors = list(path.resolve().parents)
    return next((folder for folder in ancestors if (folder / "package.xml").is_file()), ancestors[0])
