"""Arguments of the library, spelled as the options of a command: `q0` as `--q0`, `limits=False` as `--no-limits`."""

from __future__ import annotations

import inspect
import shlex
from collections.abc import Callable, Mapping
from typing import Any, get_args

from typer.models import OptionInfo

from lagrangian.errors import Argument, Spelling

# arguments whose options have other names; every other option is called as the argument is
_RENAMED = {
    "t_span": "time",
    "t_eval": "rows",
    "wrenches": "wrench",
    "events": "event",
    "parameters": "set",
    "q": "pose",
    "rtols": "rtol",
    "steps": "step",
    "t": "time",
    "output": "driven",
}
# what an option is given where Python has None
_NONE = "0"


def spelling_of(command: Callable[..., Any]) -> Spelling:
    """How the texts of a command name arguments; one that it has no option for keeps its name in Python."""
    options = {
        name: info.metavar
        for annotation in inspect.get_annotations(command, eval_str=True).values()
        for info in get_args(annotation)
        if isinstance(info, OptionInfo)
        for declared in (info.default, *(info.param_decls or ()))  # typer moves the first declaration later
        if isinstance(declared, str)
        for name in declared.split("/")
    }

    def spelled(argument: Argument) -> str:
        option = f"--{_RENAMED.get(argument.name, argument.name).replace('_', '-')}"
        if argument.has_value and argument.value is False:
            option = option.replace("--", "--no-", 1)
        if option not in options:
            return argument.python
        if not argument.has_value or isinstance(argument.value, bool):
            return option
        if argument.value is ...:
            return f"{option} {options[option]}"
        if argument.name == "xacro":  # as ROS writes it, each with an option of its own
            return " ".join(f"{option} {shlex.quote(f'{name}:={x}')}" for name, x in argument.value.items())
        return f"{option} {shlex.quote(_value(argument.value))}"

    return spelled


def _value(value: Any) -> str:
    if value is None:
        return _NONE
    if isinstance(value, Mapping):
        return ",".join(f"{name}={x}" for name, x in value.items())
    if isinstance(value, (tuple, list)):
        return ",".join(map(str, value))
    return f"{value:g}" if isinstance(value, float) else str(value)
