"""How a function becomes a command: its options gathered, its errors told without a traceback, its exit code."""

from __future__ import annotations

import inspect
import os
import shlex
import sys
import warnings
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import MISSING, fields, is_dataclass
from functools import wraps
from typing import Annotated, Any, get_args, get_origin, get_type_hints

import typer
from typer.core import TyperCommand, TyperGroup
from typer.models import OptionInfo

from lagrangian.cli import output
from lagrangian.errors import (
    ActuationError,
    ArgumentName,
    AssemblyError,
    CostLimitError,
    LagrangianError,
    SimulationError,
    Spelling,
    UnreachableError,
    argument_spelling,
)

# MERGED lagrangian.cli.spelling: Arguments of the library, spelled as the options of a command: `q0` as `--q0`,
# `limits=False` as `--no-limits`.

# arguments whose options have other names; every other option is called as the argument is
_OPTION_NAMES = {
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


def option_spelling(command: Callable[..., Any]) -> Spelling:
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

    def spell_argument(argument: ArgumentName) -> str:
        option = f"--{_OPTION_NAMES.get(argument.name, argument.name).replace('_', '-')}"
        if argument.has_value and argument.value is False:
            option = option.replace("--", "--no-", 1)
        if option not in options:
            return argument.python_text
        if not argument.has_value or isinstance(argument.value, bool):
            return option
        if argument.value is ...:
            return f"{option} {options[option]}"
        if argument.name == "xacro":  # as ROS writes it, each with an option of its own
            return " ".join(f"{option} {shlex.quote(f'{name}:={x}')}" for name, x in argument.value.items())
        return f"{option} {shlex.quote(_option_value(argument.value))}"

    return spell_argument


def _option_value(value: Any) -> str:
    if value is None:
        return _NONE
    if isinstance(value, Mapping):
        return ",".join(f"{name}={x}" for name, x in value.items())
    if isinstance(value, (tuple, list)):
        return ",".join(map(str, value))
    return f"{value:g}" if isinstance(value, float) else str(value)


SUCCESS, FAILURE, USAGE_ERROR, INTERRUPTED = 0, 1, 2, 130
# errors of what was asked, not of how: a run that cannot go on, a place out of reach
_FAILURE_ERRORS = (ActuationError, AssemblyError, CostLimitError, UnreachableError, SimulationError)


class _PlainHelpMixin:
    """Options without values have no type to show; the shell's completion is found by those who look for it."""

    def get_params(self, ctx: Any) -> Any:
        options = super().get_params(ctx)  # type: ignore[misc]
        for option in options:
            if option.name in ("help", "install_completion", "show_completion"):
                option.metavar = ""
                option.hidden = option.name == "show_completion"
        return options


class CommandGroup(_PlainHelpMixin, TyperGroup):
    """All commands."""


class Command(_PlainHelpMixin, TyperCommand):
    """One of them."""


JsonOption = Annotated[bool, typer.Option("--json", metavar="", help="Print one JSON document and nothing else.")]
CostLimitOption = Annotated[
    float,
    typer.Option("--limit", metavar="S", help="Refuse work that is forecast to take more than S seconds; 0 sets no limit."),
]


def register(app: typer.Typer, function: Callable[..., Any], panel: str, examples: str = "", name: str | None = None) -> None:
    """Add a command. Parameters whose type is a dataclass stand for the options that are its fields."""
    text = paragraphs(inspect.getdoc(function) or "")
    epilog = "\n\n".join(f"[dim]$[/dim] [cyan]{_escape_markup(line.strip())}[/cyan]" for line in examples.strip().splitlines())
    app.command(name, cls=Command, help=text, rich_help_panel=panel, epilog=epilog or None, no_args_is_help=False)(
        _with_exit_code(_flatten_option_groups(function))
    )


def paragraphs(text: str) -> str:
    """Each on one line, so that a terminal breaks it where it has to."""
    return "\n\n".join(" ".join(paragraph.split()) for paragraph in inspect.cleandoc(text).split("\n\n"))


def _escape_markup(text: str) -> str:
    return text.replace("[", "\\[")


def _flatten_option_groups(function: Callable[..., Any]) -> Callable[..., Any]:
    """The function with the fields of its dataclasses, and of theirs, as parameters of their own."""
    hints = get_type_hints(function, include_extras=True)
    parameters: list[inspect.Parameter] = []
    groups: dict[str, type] = {}
    for parameter in inspect.signature(function).parameters.values():
        kind = hints[parameter.name]
        if _is_group(kind):
            groups[parameter.name] = kind
            parameters += _parameters_of(kind)
        else:
            parameters.append(_parameter(parameter.name, kind, parameter.default))

    @wraps(function)
    def wrapper(**values: Any) -> Any:
        group_values = {name: _build_option_group(kind, values) for name, kind in groups.items()}
        return function(**group_values, **values)

    parameters.sort(key=lambda p: not _is_argument(p.annotation))
    wrapper.__signature__ = inspect.Signature(parameters)  # type: ignore[attr-defined]
    wrapper.__annotations__ = {p.name: p.annotation for p in parameters}
    return wrapper


def _is_group(kind: Any) -> bool:
    return isinstance(kind, type) and is_dataclass(kind)


def _parameters_of(group: type) -> list[inspect.Parameter]:
    parameters: list[inspect.Parameter] = []
    hints = get_type_hints(group, include_extras=True)
    for field in fields(group):
        if _is_group(hints[field.name]):
            parameters += _parameters_of(hints[field.name])
        else:
            default = inspect.Parameter.empty if field.default is MISSING else field.default
            parameters.append(_parameter(field.name, hints[field.name], default))
    return parameters


def _build_option_group(group: type, values: dict[str, Any]) -> Any:
    """The group of what was given for its fields, which is taken out of the values."""
    hints = get_type_hints(group, include_extras=True)
    kinds = {field.name: hints[field.name] for field in fields(group)}
    return group(
        **{name: _build_option_group(kind, values) if _is_group(kind) else values.pop(name) for name, kind in kinds.items()}
    )


def _parameter(name: str, annotation: Any, default: Any) -> inspect.Parameter:
    return inspect.Parameter(name, inspect.Parameter.KEYWORD_ONLY, default=default, annotation=annotation)


def _is_argument(annotation: Any) -> bool:
    from typer.models import ArgumentInfo

    return get_origin(annotation) is Annotated and any(isinstance(x, ArgumentInfo) for x in get_args(annotation))


def is_debugging() -> bool:
    return os.environ.get("LAGRANGIAN_DEBUG", "") not in ("", "0")


def _with_exit_code(function: Callable[..., Any]) -> Callable[..., Any]:
    """The function with its errors as lines on stderr, and as exit codes."""
    spell = option_spelling(function)

    @wraps(function)
    def wrapper(**values: Any) -> None:
        with argument_spelling(spell):
            code = _run(function, values)
        raise typer.Exit(code)

    return wrapper


def _run(function: Callable[..., Any], values: dict[str, Any]) -> int:
    """The command's exit code, of a failure as well; what failed is told."""
    code = SUCCESS
    try:
        with print_warnings():
            code = function(**values) or SUCCESS
        sys.stdout.flush()
    except (typer.Exit, typer.Abort):
        raise
    except KeyboardInterrupt as interrupt:
        output.stderr().print(str(interrupt) or "interrupted", markup=False, highlight=False, soft_wrap=True)
        code = INTERRUPTED
    except BrokenPipeError:
        output.discard_stdout()
    except Exception as error:
        if is_debugging():
            raise
        code = report_error(error)
        if values.get("json"):  # what reads stdout finds out, too
            output.print_json({"error": error_message(error)})
    return code


def error_message(error: Exception) -> str:
    """What went wrong."""
    if isinstance(error, LagrangianError):
        return str(error)
    if isinstance(error, OSError):
        where = f"{error.filename}: " if error.filename else ""
        return f"{where}{error.strerror or error}"
    return f"an unexpected error occurred: {type(error).__name__}: {error}"


def report_error(error: Exception) -> int:
    """Say what went wrong; the exit code for it."""
    output.print_error(error_message(error))
    if isinstance(error, LagrangianError):
        return FAILURE if isinstance(error, _FAILURE_ERRORS) else USAGE_ERROR
    if isinstance(error, OSError):
        return USAGE_ERROR
    output.stderr().print("Run the command with --debug (lagrangian --debug COMMAND ...) to see where it happened.", style="dim")
    return FAILURE


@contextmanager
def print_warnings() -> Iterator[None]:
    """Warnings as lines of their own, each once. Those about Python code are not for those who wrote none."""
    printed: set[str] = set()

    def show(message: Warning | str, category: type[Warning], *_: Any, **__: Any) -> None:
        text = str(message)
        if text not in printed and issubclass(category, UserWarning):
            printed.add(text)
            output.print_warning(text)

    with warnings.catch_warnings():
        warnings.simplefilter("always", UserWarning)
        if not is_debugging():
            for category in (DeprecationWarning, PendingDeprecationWarning, FutureWarning, RuntimeWarning):
                warnings.simplefilter("ignore", category)
        warnings.showwarning = show
        yield
