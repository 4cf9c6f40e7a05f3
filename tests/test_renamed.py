"""docs/reference/renamed.csv: old names are gone, new names exist, and CHANGELOG shows the table."""

from __future__ import annotations

import csv
import importlib
import importlib.util
import inspect
import pkgutil
import re
import sys
from functools import cache
from pathlib import Path
from typing import Any

import pytest
import typer

import lagrangian as lg

ROOT = Path(__file__).parents[1]
sys.path.insert(0, str(ROOT / "docs"))
import renamed_names  # noqa: E402

ROWS = renamed_names.read_renamed_names()
MODULES = [row for row in ROWS if row[0].startswith("lagrangian.")]
COMMANDS = [row for row in ROWS if row[0].startswith("lagrangian ")]
ARGUMENTS = [row for row in ROWS if row[0].endswith(")")]
TOP = [row for row in ROWS if row[0].startswith("lg.") and row not in ARGUMENTS]
MEMBERS = [row for row in ROWS if row not in [*MODULES, *COMMANDS, *ARGUMENTS, *TOP]]


@cache
def classes() -> dict[str, type]:
    """All classes of the package by their names, which are unique."""
    results: dict[str, type] = {}
    for module in pkgutil.walk_packages(lg.__path__, "lagrangian."):
        if not module.name.endswith("__main__"):
            for name, value in vars(importlib.import_module(module.name)).items():
                if isinstance(value, type) and value.__module__.startswith("lagrangian"):
                    results[name] = value
    return results


def has_member(kind: type, name: str) -> bool:
    """Whether objects of a class have the attribute: a member of the class, a field, or what a method sets."""
    if hasattr(kind, name) or any(name in getattr(base, "__annotations__", {}) for base in kind.__mro__):
        return True
    bases = [base for base in kind.__mro__ if base.__module__.startswith("lagrangian")]
    return any(re.search(rf"self\.{name}\b[^=\n]{{0,80}}=(?!=)", inspect.getsource(base)) for base in bases)


def resolve(name: str) -> Any:
    """What `lg.x`, `lg.x.y`, `Class`, `Class.x` or a dotted module with a name in it stands for; None if there is nothing."""
    if name.startswith("lagrangian."):
        return resolve_dotted(name)
    first, *rest = name.split(".")
    value: Any = lg if first == "lg" else classes().get(first)
    for part in rest:
        value = inspect.getattr_static(value, part, None) if isinstance(value, type) else getattr(value, part, None)
    return value.__func__ if isinstance(value, staticmethod | classmethod) else value


def resolve_dotted(name: str) -> Any:
    """A module, a function or class in it, or whether a class in it has a member, by the dotted name."""
    parts = name.split(".")
    for count in range(len(parts), 0, -1):
        try:
            value: Any = importlib.import_module(".".join(parts[:count]))
        except ModuleNotFoundError:
            continue
        for part in parts[count:]:
            if isinstance(value, type):
                return has_member(value, part) or None
            value = getattr(value, part, None)
        return value
    return None


def parameters_of(name: str) -> set[str]:
    value = resolve(name)
    assert value is not None, name
    return set(inspect.signature(value).parameters)


def test_each_row_has_two_fields_and_each_name_one_row() -> None:
    with renamed_names.TABLE.open(encoding="utf-8", newline="") as file:
        rows = list(csv.reader(file))
    assert rows[0] == ["old", "new"]
    assert all(len(row) == 2 and row[0] and row[0] != row[1] for row in rows)
    assert len({row[0] for row in rows}) == len(rows)


@pytest.mark.parametrize(("old", "new"), TOP, ids=[old for old, _ in TOP])
def test_a_renamed_public_name_is_gone_and_its_successor_is_there(old: str, new: str) -> None:
    assert resolve(old) is None
    assert not new or resolve(new) is not None


@pytest.mark.parametrize("old", [old for old, _ in TOP if old.count(".") == 1])
def test_an_old_public_name_is_an_attribute_error(old: str) -> None:
    with pytest.raises(AttributeError, match=old.removeprefix("lg.")) as caught:
        getattr(lg, old.removeprefix("lg."))
    new = dict(ROWS)[old]
    assert not new or str(caught.value).endswith(f"it is lagrangian.{new.removeprefix('lg.')}")


@pytest.mark.parametrize("old", [old for old, _ in MEMBERS if old.partition(".")[0] in lg._LAZY_MODULES])
def test_an_old_name_of_a_public_module_is_an_error_with_its_successor(old: str) -> None:
    module, name = old.split(".")
    with pytest.raises(AttributeError, match=rf"it is lagrangian\.{re.escape(dict(ROWS)[old])}$"):
        getattr(getattr(lg, module), name)


def checks_keywords(function: Any) -> bool:
    """Whether a function or class is one of those that refuse unknown keywords themselves."""
    wrapped = function.__init__ if isinstance(function, type) else function
    parameters = inspect.signature(function).parameters.values()
    return hasattr(wrapped, "__wrapped__") and not any(p.kind is p.VAR_KEYWORD for p in parameters)


@pytest.mark.parametrize(
    ("old", "new"), [row for row in ARGUMENTS if row[1] and checks_keywords(resolve(row[1].partition("(")[0]))]
)
def test_an_old_argument_is_an_error_with_its_successor(old: str, new: str) -> None:
    function, argument = re.fullmatch(r"(.*)\((\w+)\)", new).groups()  # type: ignore[union-attr]
    unknown = re.fullmatch(r".*\((\w+)\)", old)[1]  # type: ignore[index]
    with pytest.raises(lg.ArgumentError, match=f"there is no argument '{unknown}'\\. Did you mean '{argument}'"):
        resolve(function)(**{unknown: 1})


def test_renamed_classes_and_members_are_gone_and_their_successors_are_there() -> None:
    for old, new in MEMBERS:
        kind, _, member = old.partition(".")
        if kind in lg._LAZY_MODULES:  # a function or a class of lg.paths, lg.control, ...
            assert resolve(f"lg.{old}") is None, old
            assert not new or resolve(f"lg.{new}") is not None, new
            continue
        if not member:
            assert kind not in classes(), old
            assert new in classes(), new
            continue
        if kind in classes():
            assert not has_member(classes()[kind], member), old
        if new:
            kind, _, member = new.partition(".")
            assert has_member(classes()[kind], member), new


@pytest.mark.parametrize(("old", "new"), ARGUMENTS, ids=[old for old, _ in ARGUMENTS])
def test_a_renamed_argument_is_gone_and_its_successor_is_there(old: str, new: str) -> None:
    (function, argument), fresh = re.fullmatch(r"(.*)\((\w+)\)", old).groups(), re.fullmatch(r"(.*)\((\w+)\)", new)  # type: ignore[union-attr]
    if resolve(function) is not None:
        assert argument not in parameters_of(function)
    assert not new or fresh[2] in parameters_of(fresh[1])  # type: ignore[index]


def is_module(name: str) -> bool:
    """Whether a module or package with a file has the dotted name; a folder of data is none."""
    try:
        spec = importlib.util.find_spec(name)
    except ModuleNotFoundError:
        return False
    return spec is not None and spec.origin is not None


def test_moved_modules_are_gone_and_their_successors_are_there() -> None:
    for old, new in MODULES:
        assert not is_module(old), old
        assert not new or resolve_dotted(new) is not None, new
        if new and not is_module(new):  # a function, a class or a member
            assert resolve_dotted(old) is None, old


def test_renamed_commands_and_options_are_gone_and_their_successors_are_there() -> None:
    from lagrangian.cli.main import app

    commands = typer.main.get_command(app).commands  # type: ignore[attr-defined]

    def exists(text: str) -> bool:
        _, name, *option = text.split()
        if name not in commands:
            return False
        options = {spelling for parameter in commands[name].params for spelling in (*parameter.opts, *parameter.secondary_opts)}
        return all(spelling in options for spelling in option)

    for old, new in COMMANDS:
        assert not exists(old), old
        assert not new or exists(new), new


def test_the_changelog_shows_the_table() -> None:
    changelog = renamed_names.CHANGELOG.read_text(encoding="utf-8")
    assert renamed_names.with_table(changelog, ROWS) == changelog, "python docs/renamed_names.py"


def test_the_package_has_the_public_rows() -> None:
    text = renamed_names.PACKAGE_TABLE.read_text(encoding="utf-8")
    assert text == renamed_names.package_table(ROWS), "python docs/renamed_names.py"


def test_a_type_with_old_method_names_is_refused_with_the_new_ones() -> None:
    """Types of a user's own that were written before the names changed: what they lack is named."""
    from lagrangian.exports.source.language import Language
    from lagrangian.exports.targets import register as register_target
    from lagrangian.exports.targets.target import ExportTarget
    from lagrangian.model import loops
    from lagrangian.model.joints.screw import Screw
    from lagrangian.model.loops.loop_type import AxisLoop, LoopLook, LoopType

    class Wobble(Screw):
        def advance(self, state: Any) -> Any: ...
        def rise(self, state: Any) -> Any: ...
        def rise_slope(self, state: Any) -> Any: ...

    class Ring(LoopType):
        def check(self, loop: Any) -> None: ...
        def count(self, loop: Any) -> int: ...
        def equations(self, loop: Any, a: Any, b: Any) -> Any: ...

    class Slot(AxisLoop):
        name, look, size = "old_slot", LoopLook.BALL, 2

        def equations(self, loop: Any, a: Any, b: Any) -> Any: ...

    class Period(lg.goals.Goal):
        def at(self, mechanism: Any, names: Any, own: Any) -> Any: ...

    def old_goal() -> None:
        class Sum(lg.goals.Goal):
            total = True

    def old_controller() -> None:
        class Steps(lg.control.Controller):
            breaks = (0.5,)

    for define, old, new in ((old_goal, "total", "scalar_objective"), (old_controller, "breaks", "discontinuities")):
        with pytest.raises(lg.ArgumentError, match=f"the class has an attribute `{old}`; it must be `{new}`"):
            define()
    # members that need not be there would be ignored
    unused = (
        (Screw, "own", "type_constant"),
        (Screw, "words", "table_notes"),
        (AxisLoop, "forces", "multiplier_wrenches"),
        (ExportTarget, "single", "file_suffix"),
        (Language, "declares", "declares_arrays"),
    )
    for base, old, new in unused:
        with pytest.raises(lg.ArgumentError, match=f"the class has an attribute `{old}`; it must be `{new}`"):
            type("Own", (base,), {old: None})
    for kind, missing in ((Wobble, "advance_slope"), (Ring, "equation_count"), (Period, "evaluate")):
        with pytest.raises(TypeError, match=missing):
            kind()
    with pytest.raises(lg.MechanismError, match="constrained_freedoms"):
        loops.register(Slot())
    with pytest.raises(lg.ArgumentError, match="ExportTarget"):
        register_target(object())  # type: ignore[arg-type]
