"""The errors a user can meet. Each says where, what is wrong, and what would be right."""

from __future__ import annotations

import difflib
import math
import re
from collections.abc import Iterable
from numbers import Real
from typing import Any


class LagrangianError(ValueError):
    """Base of every error this package raises on purpose."""


class DescriptionError(LagrangianError):
    """A file, or a part of it, that cannot be read as a mechanism."""


class MechanismError(LagrangianError):
    """A mechanism that is not physically or topologically possible."""


class ArgumentError(LagrangianError):
    """An argument of the wrong shape, type or value."""


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


class SimulationWarning(UserWarning):
    """A run whose energy balance or drift is larger than its tolerances promise, or that ended before its time."""


class EndedEarlyWarning(SimulationWarning):
    """A run that ended before its time; its motion's `ending` says why."""


class PathWarning(UserWarning):
    """A path that can be followed, but near a singularity, or beyond the limits of speed or effort."""


class CostError(LagrangianError):
    """A derivation that would take longer than was allowed."""


class ReaderWarning(UserWarning):
    """Something in a file that the mechanism does not carry, or carries with a caveat."""


class MechanismWarning(UserWarning):
    """A mechanism that is possible, but of which some result is not determined."""


class ReportWarning(UserWarning):
    """A part of a report that could not be made: the page says so there, and has the others."""


class SingularWarning(UserWarning):
    """A configuration at, or near which, a frame cannot move in some direction."""


def one_of(what: str, got: object, known: Iterable[str]) -> str:
    """A sentence that lists the names that do exist, the likeliest one first."""
    names = list(known)
    close = difflib.get_close_matches(str(got), names, n=1)
    hint = f" Did you mean {close[0]!r}?" if close else ""
    apart = re.findall("|".join(sorted(map(re.escape, names), key=len, reverse=True)), str(got)) if what == "direction" else []
    if len(set(apart)) == len(apart) > 1 and len({len(x) for x in apart}) == 1 and "".join(apart) == got:  # "xy"
        hint = f" Did you mean {tuple(apart)}?"
    shown = ", ".join(names[:20]) + (f", ... ({len(names)} in all)" if len(names) > 20 else "")
    return f"there is no {what} {got!r}.{hint} Known: {shown or 'none'}"


def is_number(given: Any) -> bool:
    """Whether it is a finite number, Python's or numpy's; True and False are none."""
    return isinstance(given, Real) and not isinstance(given, bool) and math.isfinite(given)


def shown(given: Any, most: int = 60) -> str:
    """A value as a message shows it: numbers plain, whatever their type, and cut where it is long."""
    text = _plain(given)
    return text if len(text) <= most else text[: most - 4].rstrip() + " ..."


def _plain(x: Any) -> str:
    x = x.tolist() if hasattr(x, "tolist") else x
    if isinstance(x, (list, tuple)):
        inner = ", ".join(_plain(item) for item in x[:20]) + (", ..." if len(x) > 20 else "")
        return f"[{inner}]" if isinstance(x, list) else f"({inner}{',' * (len(x) == 1)})"
    return min(repr(x), f"{x:.6g}", key=len) if isinstance(x, float) and len(repr(x)) > 8 else repr(x)
