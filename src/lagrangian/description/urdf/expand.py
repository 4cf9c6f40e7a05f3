"""Xacro files, expanded by the package `xacro`, from which what reaches beyond the file is taken away.

That package evaluates expressions as Python, and `$(eval ...)` with all of Python's functions. Here every expression is looked
at before it is evaluated: it may compute with numbers, texts and lists, and call functions that the package has for that, but
not reach into objects, which is how such a fence is climbed. Files are read only from the file's own folder and ROS package,
and from packages that `$(find ...)` names; what is expanded does not depend on ROS.
"""

from __future__ import annotations

import ast
import io
import threading
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, redirect_stderr, redirect_stdout
from importlib import import_module
from pathlib import Path
from typing import Any

from lagrangian.description.packages import packages
from lagrangian.description.text_file import read_text
from lagrangian.errors import ArgumentError, DescriptionError

NOT_YET = "this is a xacro file, not yet a URDF; run xacro first: `xacro robot.urdf.xacro > robot.urdf`"
WITHOUT = f"{NOT_YET}, or `pip install xacro`, with which it is expanded here"
_ALONE = threading.Lock()  # the package has one state for all
_NODES = (
    *(ast.Expression, ast.Constant, ast.Name, ast.Load, ast.Store, ast.Attribute, ast.Subscript, ast.Slice),
    *(ast.BinOp, ast.UnaryOp, ast.BoolOp, ast.Compare, ast.IfExp, ast.operator, ast.unaryop, ast.boolop, ast.cmpop),
    *(ast.Call, ast.keyword, ast.Starred, ast.List, ast.Tuple, ast.Dict, ast.Set),
    *(ast.ListComp, ast.SetComp, ast.DictComp, ast.GeneratorExp, ast.comprehension),
)
_REACHING = ("format", "format_map", "mro")  # what leads from a value to its class, or reads attributes by a text
_INSIDES = ("_", "gi_", "cr_", "ag_", "tb_", "f_", "co_", "func_")
_LONGEST = 10_000


def wanted(path: Path, asked: Any) -> bool:
    """Whether a file is to be expanded: one called .xacro, or one for which it is asked."""
    if asked is None:
        return path.suffix.lower() == ".xacro"
    if not isinstance(asked, (bool, Mapping)):
        raise ArgumentError(f"is {asked!r:.60}", argument="xacro", remedy="True, False, or a mapping of arguments is needed")
    return asked is not False


def expanded(path: Path, asked: Any) -> str:
    """The URDF that a xacro file is; `asked` may map its arguments to their values."""
    try:
        import xacro
    except ImportError:
        raise DescriptionError(WITHOUT, where=str(path)) from None
    arguments = asked if isinstance(asked, Mapping) else {}
    text = read_text(path)  # which says what is wrong with the file itself
    if not is_xml(text):
        raise DescriptionError("a document type is refused; remove the <!DOCTYPE ...>", where=str(path))
    with _ALONE, _fenced(xacro, path), redirect_stdout(io.StringIO()), redirect_stderr(io.StringIO()):
        try:
            made = xacro.process_file(str(path), mappings={name: str(value) for name, value in arguments.items()})
            return made.toprettyxml(indent="  ")
        except DescriptionError as error:
            raise error.at(str(path)) from None
        except RecursionError:
            raise DescriptionError("its macros call each other without end", where=str(path)) from None
        except Exception as error:  # of the package, of its expressions, or of what they are applied to
            inner = error
            while isinstance(inner, Exception) and isinstance(getattr(inner, "exc", None), Exception):
                inner = inner.exc  # type: ignore[attr-defined]
            if isinstance(inner, DescriptionError):
                raise inner.at(str(path)) from None
            what = " ".join(str(error).split()) or type(error).__name__
            unsaid = type(inner).__name__ == "ArgException"
            remedy = f"load(path, xacro={{{str(inner)!r}: ...}}) gives it a value" if unsaid else ""
            raise DescriptionError(f"xacro does not expand it: {what[:300]}", where=str(path), remedy=remedy) from None


def is_xml(text: str) -> bool:
    """Whether a text is without a document type, the door to entity expansion."""
    return "<!DOCTYPE" not in text and "<!ENTITY" not in text


@contextmanager
def _fenced(xacro: Any, path: Path) -> Iterator[None]:
    """The package with its evaluators, its search for packages and its files replaced, and as it was afterwards."""
    found = {_home(path)}
    arguments: Any = import_module("xacro.substitution_args")

    def find(name: str) -> str:
        for folder in packages(name, path):
            found.add(folder.resolve())
            return str(folder)
        raise DescriptionError(f"$(find {name}): there is no such package around the file, or in ROS_PACKAGE_PATH")

    def evaluate(expression: str, symbols: Any, local: Any = None) -> Any:
        checked(expression)
        return kept["safe_eval"](expression, symbols, local)

    def evaluate_argument(expression: str, context: Any) -> str:
        checked(expression)
        names = {name: value for name, value in arguments._eval_dict.items() if name not in ("env", "optenv")}
        given = {name: arguments.convert_value(value, "auto") for name, value in context["arg"].items()}
        names |= {"arg": given.__getitem__, "find": find, "dirname": lambda: str(path.absolute().parent)}
        return str(eval(compile(expression.strip(), "<expression>", "eval"), {"__builtins__": {}, **given, **names}))

    def open_file(name: Any, mode: str = "r", **_: Any) -> Any:
        file = Path(name).resolve()
        if mode != "r" or not any(file.is_relative_to(folder) for folder in found):
            raise DescriptionError(f"{name} is outside the file's folder and packages, where nothing is read")
        text = read_text(file)
        if not is_xml(text):
            raise DescriptionError(f"{name}: a document type is refused; remove the <!DOCTYPE ...>")
        return io.StringIO(text)

    kept = {"safe_eval": xacro.safe_eval}
    python, reaching = xacro._global_symbols["python"], {}
    for name in ("vars", "type"):
        reaching[name] = python.pop(name, None)
    before = (arguments._eval, arguments._eval_find)
    xacro.safe_eval, xacro.open = evaluate, open_file
    arguments._eval, arguments._eval_find = evaluate_argument, find
    try:
        yield
    finally:
        xacro.safe_eval = kept["safe_eval"]
        del xacro.open  # which hid Python's
        arguments._eval, arguments._eval_find = before
        python.update({name: value for name, value in reaching.items() if value is not None})


def _home(path: Path) -> Path:
    """The folder of a file's ROS package, or the file's own."""
    above = list(path.resolve().parents)
    return next((folder for folder in above if (folder / "package.xml").is_file()), above[0])


def checked(expression: str) -> None:
    """Refuse an expression that does more than compute."""
    shown = f"the expression {expression[:60]!r}"
    if len(expression) > _LONGEST:
        raise DescriptionError(f"{shown} has {len(expression)} characters; at most {_LONGEST} are evaluated")
    for node in ast.walk(ast.parse(expression.strip(), mode="eval")):
        if not isinstance(node, _NODES):
            raise DescriptionError(f"{shown} is refused: it may only compute, and this is a {type(node).__name__}")
        name = node.attr if isinstance(node, ast.Attribute) else node.id if isinstance(node, ast.Name) else ""
        inside = name.startswith(_INSIDES if isinstance(node, ast.Attribute) else "__")
        if inside or (isinstance(node, ast.Attribute) and name in _REACHING):
            raise DescriptionError(f"{shown} is refused: {name!r} reaches into an object")
