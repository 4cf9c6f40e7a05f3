"""The errors and warnings that a user can meet.

Each of them carries data: `what` is wrong, `where` it is, the `argument` at fault, and a `remedy`. Its text is made from these
fields when it is shown. Texts name an argument of the Python interface as an `Argument`, so that the command line can spell it
as its own option. Nothing decides anything by reading a text.
"""

from __future__ import annotations

import difflib
import math
import re
import sys
import warnings
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, field
from numbers import Real
from typing import Any, ClassVar

_UNSET: Any = object()


@dataclass(frozen=True)
class Argument:
    """An argument of a Python function as a text names it: `q0`, `limits=False`, or `of` a call, `load(path, mimic=True)`.

    A value of `...` stands for any.
    """

    name: str
    value: Any = _UNSET
    of: str = ""

    @property
    def has_value(self) -> bool:
        return self.value is not _UNSET

    @property
    def python(self) -> str:
        value = "..." if self.value is ... else repr(self.value)
        text = f"{self.name}={value}" if self.has_value else self.name
        function, _, others = self.of.removesuffix(")").partition("(")
        return f"{function}({', '.join(filter(None, (others, text)))})" if self.of else text

    def __str__(self) -> str:
        return _SPELLING.get()(self)


Spelling = Callable[[Argument], str]
_SPELLING: ContextVar[Spelling] = ContextVar("spelling", default=lambda argument: argument.python)


@contextmanager
def spelling(how: Spelling) -> Iterator[None]:
    """Within this context, texts name arguments as `how` writes them, such as the command line's options."""
    before = _SPELLING.set(how)
    try:
        yield
    finally:
        _SPELLING.reset(before)


@dataclass(frozen=True)
class Part:
    """A part of a mechanism as a place: `joint 'elbow'`. A reader gives how its file writes it: `[[joint]] 2 'elbow'`."""

    kind: str
    name: str
    written: str = field(default="", compare=False)

    def __str__(self) -> str:
        return self.written or f"{self.kind} {self.name!r}"


Place = str | Argument | Part


class Message:
    """What errors and warnings have in common: fields, and a text that is made from them.

    The text is `where: argument what; remedy`, of which only `what` must be given. `where` is a place, or several from the
    outermost to the innermost: a file, an element of it, a joint. An `Argument` may be a place, too. `concerns` names the
    argument at fault where the text does not begin with it.
    """

    _spelled: ClassVar[bool] = True  # whether `argument` is one of a function, which the command line has as an option

    def __init__(
        self,
        what: str = "",
        *,
        where: Place | tuple[Place, ...] = (),
        argument: str = "",
        remedy: str = "",
        concerns: str = "",
        **data: Any,
    ) -> None:
        super().__init__(what)  # type: ignore[call-arg]  # of ValueError or UserWarning
        self.what = what
        self.where: tuple[Place, ...] = where if isinstance(where, tuple) else (where,)
        self._subject, self.remedy = argument, remedy
        places = [x.name for x in self.where if isinstance(x, Argument)]
        self.argument = argument or concerns or (places[-1] if places else "")
        for name, value in data.items():
            if not hasattr(type(self), name):
                raise TypeError(f"{type(self).__name__} has no field {name!r}")
            setattr(self, name, value)

    @property
    def problem(self) -> str:
        """The text without its places."""
        subject = f"{Argument(self._subject) if self._spelled else self._subject} " if self._subject else ""
        return f"{subject}{self.what}{f'; {self.remedy}' if self.remedy else ''}"

    def at(self, *places: Place) -> Any:
        """The same error at places further out, such as a file's name before an element's.

        An error that begins at the outermost of them is there already; what is about the innermost does not say it twice.
        """
        made = type(self)(self.what)
        made.__dict__.update(self.__dict__)
        if self.where[:1] != places[:1]:
            made.where = (*places, *(self.where[1:] if self.where[:1] == places[-1:] else self.where))
        return made

    def without(self, place: Place) -> Any:
        """The same error as it is told inside a place: without it, where it is the outermost."""
        made = self.at()
        made.where = self.where[1:] if self.where[:1] == (place,) else self.where
        return made

    def __str__(self) -> str:
        return _printable("".join(f"{place}: " for place in self.where) + self.problem)


_LONGEST = 4000  # characters of a message


def _printable(text: str) -> str:
    """A text that a terminal can show: what a file or a caller put into it is neither endless nor a command to the terminal."""
    text = text if len(text) <= _LONGEST else f"{text[: _LONGEST // 2 - 5]} ... {text[-_LONGEST // 2 :]}"
    if text.isprintable():
        return text
    return "".join(c if c.isprintable() or c in "\n\t" else c.encode("unicode_escape").decode() for c in text)


class LagrangianError(Message, ValueError):
    """Base of every error this package raises on purpose."""


class DescriptionError(LagrangianError):
    """A file, or a part of it, that cannot be read as a mechanism; `argument` is the entry at fault."""

    _spelled = False


class MechanismError(LagrangianError):
    """A mechanism that is not physically or topologically possible; `argument` is the entry at fault."""

    _spelled = False


class ArgumentError(LagrangianError):
    """An argument of the wrong shape, type or value."""


class UnknownMechanismError(ArgumentError):
    """A name that is neither that of a file nor one of the library; `meant` are names like it that exist."""

    meant: tuple[str, ...] = ()


class ClosedError(LagrangianError):
    """A compiled object that was closed is used again."""


class AssemblyError(LagrangianError):
    """Loops that cannot be closed, or speeds that cannot keep them so."""


class ReachError(LagrangianError):
    """A place or a path that a mechanism cannot reach or follow; `t` is when, on a path."""

    t: float | None = None


class ActuationError(LagrangianError):
    """A motion that the actuated joints cannot bring about; `t` is when."""

    t: float | None = None


class SimulationError(LagrangianError):
    """A run that could not go on; `motion` is what was computed until then."""

    motion: Any = None


class CostError(LagrangianError):
    """A derivation or a proof that would take longer than was allowed: `seconds` is the estimate, `limit` what was allowed."""

    seconds: float | None = None
    limit: float | None = None


class LagrangianWarning(Message, UserWarning):
    """Base of every warning this package gives."""


class SimulationWarning(LagrangianWarning):
    """A run whose energy balance or drift is larger than its tolerances promise, or of which something else is doubtful."""


class EndedEarlyWarning(SimulationWarning):
    """A run that ended before its time; its motion's `ending` says why."""


class PathWarning(LagrangianWarning):
    """A path that can be followed, but near a singularity, or beyond the limits of speed or effort."""


class ReaderWarning(LagrangianWarning):
    """Something in a file that the mechanism does not carry, or carries with a caveat."""


class WriterWarning(LagrangianWarning):
    """Something in a mechanism that the format of a file does not hold, so that what is written moves otherwise."""


class MechanismWarning(LagrangianWarning):
    """A mechanism that is possible, but of which some result is not determined."""


class AssemblyWarning(MechanismWarning):
    """The loops of a mechanism were closed anew, perhaps in another assembly than that of its start."""


class ReportWarning(LagrangianWarning):
    """A part of a report that could not be made: the page says so there, and has the others."""


class StudyWarning(LagrangianWarning):
    """A study that was interrupted, or of which some results are missing."""


class SingularWarning(LagrangianWarning):
    """A configuration at, or near which, a frame cannot move in some direction."""


@contextmanager
def placed(*places: Place) -> Iterator[None]:
    """Say where, in an error about what stands there."""
    try:
        yield
    except LagrangianError as error:
        raise error.at(*places) from None


_PACKAGE = f"{__name__.partition('.')[0]}."


def warn(message: str | Warning, category: type[Warning] = LagrangianWarning) -> None:
    """Warn at the line outside this package that called it, however deep the call is."""
    level, frame = 1, sys._getframe()
    while frame.f_back is not None and frame.f_globals.get("__name__", "").startswith(_PACKAGE):
        level, frame = level + 1, frame.f_back
    warnings.warn(message, category, stacklevel=level)


def nearest(got: str, known: Iterable[str]) -> str:
    """The name that was probably meant: one of the same words in another order (`point_a`), else one spelled alike; or ''."""
    names, words = list(known), sorted(got.lower().split("_"))
    for name in names:
        if sorted(name.lower().split("_")) == words:
            return name
    return next(iter(difflib.get_close_matches(got, names, n=1)), "")


LISTED = 40  # names that an error lists, at most


def one_of(what: str, got: object, known: Iterable[str]) -> str:
    """A sentence that lists the names that do exist, the likeliest one first."""
    names = list(known)
    close = nearest(str(got), names)
    hint = f" Did you mean {close!r}?" if close else ""
    apart = re.findall("|".join(sorted(map(re.escape, names), key=len, reverse=True)), str(got)) if what == "direction" else []
    if len(set(apart)) == len(apart) > 1 and len({len(x) for x in apart}) == 1 and "".join(apart) == got:  # "xy"
        hint = f" Did you mean {tuple(apart)}?"
    shown = ", ".join(names[:LISTED]) + (f", ... ({len(names)} in all)" if len(names) > LISTED else "")
    return f"there is no {what} {got!r}.{hint} Known: {shown or 'none'}"


def is_number(given: Any) -> bool:
    """Whether it is a finite number, Python's or numpy's; True and False are none."""
    try:
        return isinstance(given, Real) and not isinstance(given, bool) and math.isfinite(given)
    except OverflowError:  # an integer that no float can hold
        return False


def shown(given: Any, most: int = 60) -> str:
    """A value as a message shows it: numbers plain, whatever their type, and cut where it is long."""
    text = _plain(given)
    return text if len(text) <= most else text[: most - 4].rstrip() + " ..."


def _plain(x: Any, deep: int = 0) -> str:
    x = x.tolist() if hasattr(x, "tolist") else x
    if isinstance(x, (list, tuple)):
        if deep > 5:  # of a list that holds itself, there is no end
            return "..."
        inner = ", ".join(_plain(item, deep + 1) for item in x[:20]) + (", ..." if len(x) > 20 else "")
        return f"[{inner}]" if isinstance(x, list) else f"({inner}{',' * (len(x) == 1)})"
    return min(repr(x), f"{x:.6g}", key=len) if isinstance(x, float) and len(repr(x)) > 8 else repr(x)
