"""How a function becomes a command of the command line.

`register` adds the function to an application. Parameters that are dataclasses become options, errors become lines on stderr and
exit codes, and messages spell arguments of the library as options: `q0` as `--q0`, `limits=False` as `--no-limits`.
"""

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
from typer.models import ArgumentInfo, OptionInfo

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

SUCCESS, FAILURE, USAGE_ERROR, INTERRUPTED = 0, 1, 2, 130
# errors of a mechanism or its motion, such as a target out of reach; all other errors of the package are errors of usage
_FAILURE_ERRORS = (ActuationError, AssemblyError, CostLimitError, UnreachableError, SimulationError)
# options whose names are not those of the arguments of the library that they stand for
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
_NONE = "0"  # the text of an option where Python has None

JsonOption = Annotated[bool, typer.Option("--json", metavar="", help="Print one JSON document and nothing else.")]
CostLimitOption = Annotated[
    float,
    typer.Option("--limit", metavar="S", help="Refuse work that is forecast to take more than S seconds; 0 sets no limit."),
]


def register(app: typer.Typer, function: Callable[..., Any], panel: str, examples: str = "", name: str | None = None) -> None:
    """Add a function to an application as a command. A parameter whose type is a dataclass stands for one option per field."""
    help_text = paragraphs(inspect.getdoc(function) or "")
    epilog = "\n\n".join(f"[dim]$[/dim] [cyan]{_escape_markup(line.strip())}[/cyan]" for line in examples.strip().splitlines())
    app.command(name, cls=Command, help=help_text, rich_help_panel=panel, epilog=epilog or None, no_args_is_help=False)(
        _with_exit_code(_flatten_option_groups(function))
    )


def _escape_markup(text: str) -> str:
    return text.replace("[", "\\[")


class _PlainHelpMixin:
    """Show no type for options without a value, and hide the option that prints the completion of the shell."""

    def get_params(self, ctx: Any) -> Any:
        options = super().get_params(ctx)  # type: ignore[misc]
        for option in options:
            if option.name in ("help", "install_completion", "show_completion"):
                option.metavar = ""
                option.hidden = option.name == "show_completion"
        return options


class CommandGroup(_PlainHelpMixin, TyperGroup):
    """The group of all commands."""


class Command(_PlainHelpMixin, TyperCommand):
    """One command."""


def paragraphs(text: str) -> str:
    """A text with each paragraph on one line, so that the terminal breaks the lines."""
    return "\n\n".join(" ".join(paragraph.split()) for paragraph in inspect.cleandoc(text).split("\n\n"))


def is_debugging() -> bool:
    """Whether errors are shown with their traceback."""
    return os.environ.get("LAGRANGIAN_DEBUG", "") not in ("", "0")


# -- groups of options -------------------------------------------------------------------------------------------------


def _flatten_option_groups(function: Callable[..., Any]) -> Callable[..., Any]:
    """The function with one parameter for each field of its option groups, which are dataclasses and may be nested."""
    hints = get_type_hints(function, include_extras=True)
    parameters: list[inspect.Parameter] = []
    groups: dict[str, type] = {}
    for parameter in inspect.signature(function).parameters.values():
        annotation = hints[parameter.name]
        if _is_group(annotation):
            groups[parameter.name] = annotation
            parameters += _group_parameters(annotation)
        else:
            parameters.append(_keyword_parameter(parameter.name, annotation, parameter.default))

    @wraps(function)
    def wrapper(**values: Any) -> Any:
        group_values = {name: _build_option_group(group, values) for name, group in groups.items()}
        return function(**group_values, **values)

    parameters.sort(key=lambda p: not _is_argument(p.annotation))
    wrapper.__signature__ = inspect.Signature(parameters)  # type: ignore[attr-defined]
    wrapper.__annotations__ = {p.name: p.annotation for p in parameters}
    return wrapper


def _is_group(annotation: Any) -> bool:
    return isinstance(annotation, type) and is_dataclass(annotation)


def _group_parameters(group: type) -> list[inspect.Parameter]:
    parameters: list[inspect.Parameter] = []
    hints = get_type_hints(group, include_extras=True)
    for field in fields(group):
        if _is_group(hints[field.name]):
            parameters += _group_parameters(hints[field.name])
        else:
            default = inspect.Parameter.empty if field.default is MISSING else field.default
            parameters.append(_keyword_parameter(field.name, hints[field.name], default))
    return parameters


def _build_option_group(group: type, values: dict[str, Any]) -> Any:
    """An option group of the values of its fields, which are removed from `values`."""
    hints = get_type_hints(group, include_extras=True)
    arguments = {}
    for field in fields(group):
        annotation = hints[field.name]
        arguments[field.name] = _build_option_group(annotation, values) if _is_group(annotation) else values.pop(field.name)
    return group(**arguments)


def _keyword_parameter(name: str, annotation: Any, default: Any) -> inspect.Parameter:
    return inspect.Parameter(name, inspect.Parameter.KEYWORD_ONLY, default=default, annotation=annotation)


def _is_argument(annotation: Any) -> bool:
    return get_origin(annotation) is Annotated and any(isinstance(x, ArgumentInfo) for x in get_args(annotation))


# -- exit codes, errors and warnings -----------------------------------------------------------------------------------


def _with_exit_code(function: Callable[..., Any]) -> Callable[..., Any]:
    """The function as a command: it prints its errors to stderr and ends with an exit code."""
    spell = option_spelling(function)

    @wraps(function)
    def wrapper(**values: Any) -> None:
        with argument_spelling(spell):
            code = _run(function, values)
        raise typer.Exit(code)

    return wrapper


def _run(function: Callable[..., Any], values: dict[str, Any]) -> int:
    """Run a function, print what went wrong, and return the exit code."""
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
        if values.get("json"):  # a program that reads stdout gets the error, too
            output.print_json({"error": error_message(error)})
    return code


def report_error(error: Exception) -> int:
    """Print an error and return its exit code."""
    output.print_error(error_message(error))
    if isinstance(error, LagrangianError):
        return FAILURE if isinstance(error, _FAILURE_ERRORS) else USAGE_ERROR
    if isinstance(error, OSError):
        return USAGE_ERROR
    output.stderr().print("Run the command with --debug (lagrangian --debug COMMAND ...) to see where it happened.", style="dim")
    return FAILURE


def error_message(error: Exception) -> str:
    """The text of an error, with the name of the file if the system reported it."""
    if isinstance(error, LagrangianError):
        return str(error)
    if isinstance(error, OSError):
        place = f"{error.filename}: " if error.filename else ""
        return f"{place}{error.strerror or error}"
    return f"an unexpected error occurred: {type(error).__name__}: {error}"


@contextmanager
def print_warnings() -> Iterator[None]:
    """Print each warning once, on a line of its own. Warnings about Python code are hidden unless the command is debugged."""
    printed: set[str] = set()

    def print_once(message: Warning | str, category: type[Warning], *_: Any, **__: Any) -> None:
        text = str(message)
        if text not in printed and issubclass(category, UserWarning):
            printed.add(text)
            output.print_warning(text)

    with warnings.catch_warnings():
        warnings.simplefilter("always", UserWarning)
        if not is_debugging():
            for category in (DeprecationWarning, PendingDeprecationWarning, FutureWarning, RuntimeWarning):
                warnings.simplefilter("ignore", category)
        warnings.showwarning = print_once
        yield


# -- arguments spelled as options --------------------------------------------------------------------------------------


def option_spelling(command: Callable[..., Any]) -> Spelling:
    """The function that writes an argument as an option of a command; one without an option keeps its name in Python."""
    metavars = {
        name: info.metavar
        for annotation in inspect.get_annotations(command, eval_str=True).values()
        for info in get_args(annotation)
        if isinstance(info, OptionInfo)
        for declaration in (info.default, *(info.param_decls or ()))  # typer moves the first declaration later
        if isinstance(declaration, str)
        for name in declaration.split("/")
    }

    def spell_argument(argument: ArgumentName) -> str:
        option = f"--{_OPTION_NAMES.get(argument.name, argument.name).replace('_', '-')}"
        if argument.has_value and argument.value is False:
            option = option.replace("--", "--no-", 1)
        if option not in metavars:
            return argument.python_text
        if not argument.has_value or isinstance(argument.value, bool):
            return option
        if argument.value is ...:
            return f"{option} {metavars[option]}"
        if argument.name == "xacro":  # one option for each value, as ROS writes it
            return " ".join(f"{option} {shlex.quote(f'{name}:={x}')}" for name, x in argument.value.items())
        return f"{option} {shlex.quote(_option_value(argument.value))}"

    return spell_argument


def _option_value(value: Any) -> str:
    """A value of Python as the text of an option."""
    if value is None:
        return _NONE
    if isinstance(value, Mapping):
        return ",".join(f"{name}={x}" for name, x in value.items())
    if isinstance(value, (tuple, list)):
        return ",".join(map(str, value))
    return f"{value:g}" if isinstance(value, float) else str(value)
