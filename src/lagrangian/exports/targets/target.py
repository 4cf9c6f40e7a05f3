"""A target of exports: its name, its options, and the files, or functions, that it makes of a mechanism."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, ClassVar

from lagrangian.errors import ArgumentError, one_of
from lagrangian.exports.functions.catalogue import package
from lagrangian.exports.routine import Package
from lagrangian.model.mechanism import Mechanism


@dataclass(frozen=True)
class Option:
    """What an option is for, its usual value, and what it may be: one of `choices`, where there are some."""

    about: str
    usual: Any
    choices: tuple[Any, ...] = ()


@dataclass(frozen=True)
class Wish:
    """What was asked for: functions by name, frames, parameters that stay adjustable (None: the usual ones), options."""

    functions: Sequence[str] | None = None
    frames: Sequence[str] | None = None
    parameters: Sequence[str] | None = None
    options: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True)
class Product:
    """What a target made: files by their names, functions of another package by name, and what is to be said.

    `parameters` are those that stay adjustable in the functions, with their values in the mechanism.
    """

    files: Mapping[str, str | bytes] = field(default_factory=dict)
    functions: Mapping[str, Callable[..., Any]] = field(default_factory=dict)
    notes: tuple[str, ...] = ()
    parameters: Mapping[str, float] = field(default_factory=dict)


class Target(ABC):
    """`single` is the ending of its file, where it makes one alone; `of_functions` whether it is asked for functions."""

    name: str
    about: str
    single = ""
    of_functions = True
    loops = True  # whether long mechanisms become loops over their links
    writes = True  # whether it makes files
    options: ClassVar[Mapping[str, Option]] = {}

    @property
    def suffixes(self) -> tuple[str, ...]:
        """The endings by which a path names the file itself, and not a folder."""
        return (self.single,) if self.single else ()

    @abstractmethod
    def make(self, mechanism: Mechanism, wish: Wish) -> Product:
        """What is exported; an error where it cannot be."""

    def package(self, mechanism: Mechanism, wish: Wish) -> Package:
        """The routines that were asked for."""
        return package(mechanism, wish.functions, wish.frames, wish.parameters, self.loops)

    def option(self, wish: Wish, name: str) -> Any:
        """The value of an option."""
        return wish.options.get(name, self.options[name].usual)

    def read(self, name: str, text: str) -> Any:
        """The value of an option that is written as text, of the kind that its usual value has."""
        usual = self.options[name].usual if name in self.options else None
        if isinstance(usual, bool):
            if text.lower() not in ("true", "false"):
                raise ArgumentError(f"is {text!r}", where=name, remedy="true or false is needed")
            return text.lower() == "true"
        if isinstance(usual, (int, float)) or usual is None:
            try:
                return float(text) if usual is None else type(usual)(text)
            except ValueError:
                if usual is not None:
                    raise ArgumentError(f"is {text!r}", where=name, remedy="a number is needed") from None
        return text

    def check(self, wish: Wish) -> None:
        """Refuse what the target does not know."""
        for name, value in wish.options.items():
            if name not in self.options:
                known = [*self.options, *(("functions", "frames", "parameters") if self.of_functions else ())]
                raise ArgumentError(f"{self.name}: {one_of('option', name, known)}", concerns=name)
            choices = self.options[name].choices
            if choices and value not in choices:
                raise ArgumentError(one_of("value", value, [str(x) for x in choices]), where=f"{self.name}, option {name}")
        for name in ("functions", "frames", "parameters"):
            if isinstance(getattr(wish, name), str):
                raise ArgumentError(f"must be a list of names, such as [{getattr(wish, name)!r}]", argument=name)
        if not self.of_functions:
            for name in ("functions", "frames", "parameters"):
                if getattr(wish, name) is not None:
                    raise ArgumentError(
                        f"the target {self.name!r} writes a mechanism, not functions of it; leave {name!r} out", concerns=name
                    )
