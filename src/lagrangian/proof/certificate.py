"""What was proved, how, and what was not."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from itertools import islice
from time import perf_counter
from typing import Any

from lagrangian.equations.algebra.ring import RingElement, debug_string

Entries = Iterable[tuple[str, Any, Any]]  # what an entry is called, and the two things that must be the same

POLYNOMIALS = "as polynomials"  # how most statements are proved
MAX_ENTRIES = 3  # differing entries that are written out
MAX_TERMS = 2  # terms of each


@dataclass(frozen=True)
class Statement:
    """One statement of a certificate.

    Attributes
    ----------
    what : str
        The statement, such as "Lagrange = Newton-Euler".
    how : str
        How the two sides were compared: "as polynomials", or at how many exact points.
    proved : bool
        Whether all entries are the same on both sides.
    seconds : float
        Time that the comparison took.
    entries : int
        Number of entries that were compared.
    term_count : int
        Number of terms of the compared polynomials.
    differs : tuple of str
        The entries that are not the same, and how they differ.
    problem : str
        Why the statement could not be decided; empty if it could.
    """

    what: str
    how: str
    proved: bool
    seconds: float
    entries: int = 0  # compared
    term_count: int = 0  # of the polynomials compared, in all
    differs: tuple[str, ...] = ()  # the entries that are not the same, and how they differ
    problem: str = ""  # why it could not be decided

    def __bool__(self) -> bool:
        return self.proved

    @property
    def result(self) -> str:
        """ "proved", "equal" (at exact points), "FALSE" or "COULD NOT BE DECIDED"."""
        if self.proved:
            return "proved" if self.how == POLYNOMIALS else "equal"  # at points nothing is proved for all others
        return "COULD NOT BE DECIDED" if self.problem else "FALSE"

    @property
    def table_cells(self) -> tuple[str, ...]:
        """The cells of the statement in a table."""
        entries = f"{self.entries} entr{'y' if self.entries == 1 else 'ies'}"
        terms = f"{self.term_count} term{'s' * (self.term_count != 1)}" if self.term_count else ""
        return self.what, self.how, self.result, entries, terms, f"{self.seconds:.3f} s"


@dataclass(frozen=True, repr=False)
class Certificate:
    """What was proved about one mechanism, and what is not part of the proof.

    `EquationsOfMotion.prove` returns this object. It is true if every statement is proved; `print` writes it as a table.

    Attributes
    ----------
    about : str
        The mechanism and its symbols.
    statements : tuple of Statement
        The statements, each with its result.
    left_out : tuple of str
        What is not part of the proof, such as Coulomb friction.

    Examples
    --------
    >>> import lagrangian as lg
    >>> certificate = lg.derive("two_r").prove()
    >>> bool(certificate), len(certificate.statements), certificate.failed
    (True, 20, ())
    """

    about: str
    statements: tuple[Statement, ...]
    left_out: tuple[str, ...] = field(default=())

    @property
    def proved(self) -> bool:
        """Whether every statement is proved."""
        return bool(self.statements) and all(self.statements)

    @property
    def seconds(self) -> float:
        """Time that all comparisons took."""
        return sum(statement.seconds for statement in self.statements)

    def __repr__(self) -> str:
        return str(self)

    @property
    def failed(self) -> tuple[Statement, ...]:
        """The statements that are not proved."""
        return tuple(statement for statement in self.statements if not statement.proved)

    def __bool__(self) -> bool:
        return self.proved

    @property
    def headline(self) -> str:
        """What was proved, in one line."""
        return f"{self.about}: {self._verdict()} ({self.seconds:.2f} s)"

    def __str__(self) -> str:
        rows = [statement.table_cells for statement in self.statements]
        widths = [max((len(row[k]) for row in rows), default=0) for k in range(6)]
        lines = [self.headline, ""]
        for statement, row in zip(self.statements, rows, strict=True):
            cells = [x.ljust(w) if k < 3 else x.rjust(w) for k, (x, w) in enumerate(zip(row, widths, strict=True))]
            lines.append("  " + "  ".join(cells).rstrip())
            if statement.problem:
                lines.append(f"      {statement.problem}")
            lines += [f"      {entry}" for entry in statement.differs[:MAX_ENTRIES]]
            if len(statement.differs) > MAX_ENTRIES:
                lines.append(f"      and {len(statement.differs) - MAX_ENTRIES} more")
        if self.left_out:
            lines += ["", "not part of the proof:", *(f"  {what}" for what in self.left_out)]
        return "\n".join(lines)

    def _verdict(self) -> str:
        if self.proved:
            divides = any(s.how != POLYNOMIALS for s in self.statements)
            at_points = "; quantities with divisions are equal at exact points" * divides
            return f"proved: every difference is the zero polynomial{at_points}"
        if not self.statements:
            return "nothing was proved"
        return f"NOT proved: {len(self.failed)} of {len(self.statements)} statements failed"


def decide(what: str, how: str, entries: Callable[[], Entries]) -> Statement:
    """Compute both sides of every entry and compare them. What cannot be computed is not proved, and raises no exception."""
    start = perf_counter()
    count = terms = 0
    differs: list[str] = []
    problem = ""
    try:
        for label, left, right in entries():
            count += 1
            terms += getattr(left, "term_count", 0)
            difference = left - right
            if not _is_zero(difference):
                differs.append(f"{label}: {_describe_difference(difference)}")
    except Exception as error:  # whatever it is, the statement is not proved
        problem = f"it could not be computed: {type(error).__name__}: {error}"
    proved = count > 0 and not differs and not problem
    if not count and not problem:
        problem = "there was nothing to compare"
    return Statement(what, how, proved, perf_counter() - start, count, terms, tuple(differs), problem)


def _is_zero(x: Any) -> bool:
    return not x if isinstance(x, RingElement) else bool(x == 0)


def _describe_difference(x: Any) -> str:
    if not isinstance(x, RingElement):
        text = str(x)
        return f"differs by {text if len(text) <= 40 else f'{text[:30]}... ({len(text)} characters)'}"
    first = x.poly.context().from_dict(dict(islice(x.poly.terms(), MAX_TERMS)))
    ellipsis = " + ..." * (x.term_count > MAX_TERMS)
    return f"differs by {x.term_count} term{'s' * (x.term_count != 1)}, {debug_string(RingElement(x.ring, first))}{ellipsis}"
