"""What became of an input: how far it came, and what is wrong with that."""

from __future__ import annotations

import traceback
import warnings
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import lagrangian
from lagrangian.errors import LagrangianError, LagrangianWarning
from tests.fuzz import odd_values

FOREIGN, NON_FINITE, ENERGY, CHANGED, WORDS = (
    "foreign exception",
    "non-finite unsaid",
    "energy off unsaid",
    "changed by writing",
    "unreadable message",
)
CRASH, HANG, MEMORY, OWN = "crash", "hang", "memory", "fault of the fuzz itself"
LONGEST = 4000  # characters of a message
_PACKAGE = str(Path(lagrangian.__file__).parent)


@dataclass(frozen=True)
class Fault:
    """Something that must not happen: its kind, a line that faults of one cause share, and all that is known of it."""

    kind: str
    what: str
    detail: str = ""


@dataclass
class Result:
    """What a call gave, and what was said."""

    value: Any
    told: list[str]


@dataclass
class Outcome:
    """How far an input came, in words that are counted, and its faults."""

    reached: list[str] = field(default_factory=list)
    faults: list[Fault] = field(default_factory=list)

    def fault(self, kind: str, what: str, detail: str = "") -> None:
        self.faults.append(Fault(kind, what, detail))

    def attempt(self, name: str, call: Callable[[], Any]) -> Result | None:
        """What the call gives, with its warnings; nothing if it ends in an error of ours, or in one that is a fault."""
        result = None
        with warnings.catch_warnings(record=True) as caught_warnings:
            warnings.simplefilter("always")
            try:
                result = Result(call(), [])
                self.reached.append(name)
            except LagrangianError as error:
                self.reached.append(f"{name}: {type(error).__name__}")
                self.message(error)
            except MemoryError:
                self.fault(MEMORY, f"{name}: MemoryError", traceback.format_exc())
            except Exception as error:
                if traceback.extract_tb(error.__traceback__)[-1].filename == odd_values.__file__:
                    self.reached.append(f"{name}: the caller's own exception")
                else:
                    self.fault(FOREIGN, f"{name}: {signature(error)}", traceback.format_exc())
        own = [str(w.message) for w in caught_warnings if isinstance(w.message, LagrangianWarning)]
        if own:
            self.reached.append(f"{name}: warned")
        if len(caught_warnings) > len(own):
            self.reached.append(f"{name}: foreign warning")
        if result is not None:
            result.told = own
        return result

    def message(self, error: LagrangianError) -> None:
        """An error of ours is a text that a terminal can show."""
        try:
            text = str(error)
        except Exception as second:
            self.fault(WORDS, f"str({type(error).__name__}): {signature(second)}", traceback.format_exc())
            return
        if not text.strip() or len(text) > LONGEST or not all(c.isprintable() or c in "\n\t" for c in text):
            self.fault(WORDS, f"{type(error).__name__} of {len(text)} characters {place(error)}", text[:LONGEST])


def signature(error: BaseException) -> str:
    """The type of an exception and the line of the package that led to it: what exceptions of one cause share."""
    return f"{type(error).__name__} {place(error)}"


def place(error: BaseException) -> str:
    ours = [f for f in traceback.extract_tb(error.__traceback__) if f.filename.startswith(_PACKAGE)]
    return f"{Path(ours[-1].filename).relative_to(_PACKAGE)}:{ours[-1].lineno}" if ours else "outside the package"
