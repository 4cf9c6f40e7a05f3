"""How a function becomes a command: its options gathered, its errors told without a traceback, its exit code."""

from __future__ import annotations

import inspect
import os
import sys
import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import MISSING, fields, is_dataclass
from functools import wraps
from typing import Annotated, Any, get_args, get_origin, get_type_hints

import typer
from typer.core import TyperCommand, TyperGroup

from lagrangian.cli import output
from lagrangian.cli.spelling import spelling_of
from lagrangian.errors import ActuationError, AssemblyError, CostError, LagrangianError, ReachError, SimulationError, spelling

FINE, FAILED, WRONG, INTERRUPTED = 0, 1, 2, 130
# errors of what was asked, not of how: a run that cannot go on, a place out of reach
_FAILURES = (ActuationError, AssemblyError, CostError, ReachError, SimulationError)


class _Quiet:
    """Options without values have no type to show; the shell's completion is found by those who look for it."""

    def get_params(self, ctx: Any) -> Any:
        found = super().get_params(ctx)  # type: ignore[misc]
        for option in found:
            if option.name in ("help", "install_completion", "show_completion"):
                option.metavar = ""
                option.hidden = option.name == "show_completion"
        return found


class Group(_Quiet, TyperGroup):
    """All commands."""


class Command(_Quiet, TyperCommand):
    """One of them."""


Json = Annotated[bool, typer.Option("--json", metavar="", help="Print one JSON document and nothing else.")]
Limit = Annotated[
    float,
    typer.Option("--limit", metavar="S", help="Refuse work that is forecast to take more than S seconds; 0 sets no limit."),
]


def register(app: typer.Typer, function: Callable[..., Any], panel: str, examples: str = "", name: str | None = None) -> None:
    """Add a command. Parameters whose type is a dataclass stand for the options that are its fields."""
    text = paragraphs(inspect.getdoc(function) or "")
    shown = "\n\n".join(f"[dim]$[/dim] [cyan]{_escaped(line.strip())}[/cyan]" for line in examples.strip().splitlines())
    app.command(name, cls=Command, help=text, rich_help_panel=panel, epilog=shown or None, no_args_is_help=False)(
        _guarded(_expanded(function))
    )


def paragraphs(text: str) -> str:
    """Each on one line, so that a terminal breaks it where it has to."""
    return "\n\n".join(" ".join(paragraph.split()) for paragraph in inspect.cleandoc(text).split("\n\n"))


def _escaped(text: str) -> str:
    return text.replace("[", "\\[")


def _expanded(function: Callable[..., Any]) -> Callable[..., Any]:
    """The function with the fields of its dataclasses, and of theirs, as parameters of their own."""
    hints = get_type_hints(function, include_extras=True)
    parameters: list[inspect.Parameter] = []
    groups: dict[str, type] = {}
    for given in inspect.signature(function).parameters.values():
        kind = hints[given.name]
        if _is_group(kind):
            groups[given.name] = kind
            parameters += _parameters_of(kind)
        else:
            parameters.append(_parameter(given.name, kind, given.default))

    @wraps(function)
    def called(**values: Any) -> Any:
        made = {name: _made(kind, values) for name, kind in groups.items()}
        return function(**made, **values)

    parameters.sort(key=lambda p: not _is_argument(p.annotation))
    called.__signature__ = inspect.Signature(parameters)  # type: ignore[attr-defined]
    called.__annotations__ = {p.name: p.annotation for p in parameters}
    return called


def _is_group(kind: Any) -> bool:
    return isinstance(kind, type) and is_dataclass(kind)


def _parameters_of(group: type) -> list[inspect.Parameter]:
    found: list[inspect.Parameter] = []
    hints = get_type_hints(group, include_extras=True)
    for field in fields(group):
        if _is_group(hints[field.name]):
            found += _parameters_of(hints[field.name])
        else:
            default = inspect.Parameter.empty if field.default is MISSING else field.default
            found.append(_parameter(field.name, hints[field.name], default))
    return found


def _made(group: type, values: dict[str, Any]) -> Any:
    """The group of what was given for its fields, which is taken out of the values."""
    hints = get_type_hints(group, include_extras=True)
    kinds = {field.name: hints[field.name] for field in fields(group)}
    return group(**{name: _made(kind, values) if _is_group(kind) else values.pop(name) for name, kind in kinds.items()})


def _parameter(name: str, annotation: Any, default: Any) -> inspect.Parameter:
    return inspect.Parameter(name, inspect.Parameter.KEYWORD_ONLY, default=default, annotation=annotation)


def _is_argument(annotation: Any) -> bool:
    from typer.models import ArgumentInfo

    return get_origin(annotation) is Annotated and any(isinstance(x, ArgumentInfo) for x in get_args(annotation))


def debugging() -> bool:
    return os.environ.get("LAGRANGIAN_DEBUG", "") not in ("", "0")


def _guarded(function: Callable[..., Any]) -> Callable[..., Any]:
    """The function with its errors as lines on stderr, and as exit codes."""
    words = spelling_of(function)

    @wraps(function)
    def called(**values: Any) -> None:
        with spelling(words):
            code = _run(function, values)
        raise typer.Exit(code)

    return called


def _run(function: Callable[..., Any], values: dict[str, Any]) -> int:
    """The command's exit code, of a failure as well; what failed is told."""
    code = FINE
    try:
        with told_warnings():
            code = function(**values) or FINE
        sys.stdout.flush()
    except (typer.Exit, typer.Abort):
        raise
    except KeyboardInterrupt as interrupt:
        output.stderr().print(str(interrupt) or "interrupted", markup=False, highlight=False, soft_wrap=True)
        code = INTERRUPTED
    except BrokenPipeError:
        output.no_more()
    except Exception as error:
        if debugging():
            raise
        code = explain(error)
        if values.get("json"):  # what reads stdout finds out, too
            output.document({"error": message(error)})
    return code


def message(error: Exception) -> str:
    """What went wrong."""
    if isinstance(error, LagrangianError):
        return str(error)
    if isinstance(error, OSError):
        where = f"{error.filename}: " if error.filename else ""
        return f"{where}{error.strerror or error}"
    return f"an unexpected error occurred: {type(error).__name__}: {error}"


def explain(error: Exception) -> int:
    """Say what went wrong; the exit code for it."""
    output.error(message(error))
    if isinstance(error, LagrangianError):
        return FAILED if isinstance(error, _FAILURES) else WRONG
    if isinstance(error, OSError):
        return WRONG
    output.stderr().print("Run the command with --debug (lagrangian --debug COMMAND ...) to see where it happened.", style="dim")
    return FAILED


@contextmanager
def told_warnings() -> Iterator[None]:
    """Warnings as lines of their own, each once. Those about Python code are not for those who wrote none."""
    told: set[str] = set()

    def show(message: Warning | str, category: type[Warning], *_: Any, **__: Any) -> None:
        text = str(message)
        if text not in told and issubclass(category, UserWarning):
            told.add(text)
            output.warning(text)

    with warnings.catch_warnings():
        warnings.simplefilter("always", UserWarning)
        if not debugging():
            for other in (DeprecationWarning, PendingDeprecationWarning, FutureWarning, RuntimeWarning):
                warnings.simplefilter("ignore", other)
        warnings.showwarning = show
        yield
