"""A target of exports: its name, its options, and the files, or functions, that it makes of a mechanism."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, ClassVar

from lagrangian.arguments import check_attribute_names
from lagrangian.errors import ArgumentError, unknown_name_message
from lagrangian.functions.catalogue import package
from lagrangian.functions.routine import Package
from lagrangian.model.mechanism import Mechanism


@dataclass(frozen=True)
class TargetOption:
    """The purpose of an option, its default, and its possible values: one of `choices`, if there are some."""

    about: str
    default: Any
    choices: tuple[Any, ...] = ()


@dataclass(frozen=True)
class ExportRequest:
    """A request for an export: functions by name, frames, parameters that stay adjustable (None: the default ones), options."""

    functions: Sequence[str] | None = None
    frames: Sequence[str] | None = None
    parameters: Sequence[str] | None = None
    options: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True)
class ExportedFiles:
    """The result of an export: files by their names, functions of another package by name, and notes.

    `parameters` are those that stay adjustable in the functions, with their values in the mechanism.
    """

    files: Mapping[str, str | bytes] = field(default_factory=dict)
    functions: Mapping[str, Callable[..., Any]] = field(default_factory=dict)
    notes: tuple[str, ...] = ()
    parameters: Mapping[str, float] = field(default_factory=dict)


class ExportTarget(ABC):
    """A format or language that a mechanism can be exported to.

    `file_suffix` is the ending of its file, where it makes one alone; `exports_functions` says whether it is asked for functions.
    """

    name: str
    about: str
    file_suffix = ""
    exports_functions = True
    writes_loops = True  # whether long mechanisms become loops over their links
    writes_files = True  # whether it makes files
    options: ClassVar[Mapping[str, TargetOption]] = {}

    def __init_subclass__(cls, **keywords: Any) -> None:
        super().__init_subclass__(**keywords)
        check_attribute_names(cls, {"single": "file_suffix", "of_functions": "exports_functions", "writes": "writes_files"})

    @property
    def suffixes(self) -> tuple[str, ...]:
        """The endings by which a path names the file itself, and not a folder."""
        return (self.file_suffix,) if self.file_suffix else ()

    @abstractmethod
    def make(self, mechanism: Mechanism, request: ExportRequest) -> ExportedFiles:
        """Export a mechanism; raise an error if that is impossible."""

    def package(self, mechanism: Mechanism, request: ExportRequest) -> Package:
        """The routines that were asked for."""
        return package(mechanism, request.functions, request.frames, request.parameters, self.writes_loops)

    def option(self, request: ExportRequest, name: str) -> Any:
        """The value of an option, which must be one of `options`."""
        if name not in self.options:
            raise ArgumentError(unknown_name_message("option", name, self.options), where=f"export target {self.name!r}")
        return request.options.get(name, self.options[name].default)

    def parse_option(self, name: str, text: str) -> Any:
        """The value of an option that is written as text, of the kind that its default has."""
        default = self.options[name].default if name in self.options else None
        if isinstance(default, bool):
            if text.lower() not in ("true", "false"):
                raise ArgumentError(f"is {text!r}", where=name, remedy="true or false is needed")
            return text.lower() == "true"
        if isinstance(default, (int, float)) or default is None:
            try:
                return float(text) if default is None else type(default)(text)
            except ValueError:
                if default is not None:
                    raise ArgumentError(f"is {text!r}", where=name, remedy="a number is needed") from None
        return text

    def check(self, request: ExportRequest) -> None:
        """Refuse what the target does not know."""
        for name, value in request.options.items():
            if name not in self.options:
                available = [*self.options, *(("functions", "frames", "parameters") if self.exports_functions else ())]
                raise ArgumentError(f"{self.name}: {unknown_name_message('option', name, available)}", concerns=name)
            choices = self.options[name].choices
            if choices and value not in choices:
                raise ArgumentError(
                    unknown_name_message("value", value, [str(x) for x in choices]), where=f"{self.name}, option {name}"
                )
        for name in ("functions", "frames", "parameters"):
            if isinstance(getattr(request, name), str):
                raise ArgumentError(f"must be a list of names, such as [{getattr(request, name)!r}]", argument=name)
        if not self.exports_functions:
            for name in ("functions", "frames", "parameters"):
                if getattr(request, name) is not None:
                    raise ArgumentError(
                        f"the target {self.name!r} writes a mechanism, not functions of it; leave {name!r} out", concerns=name
                    )
