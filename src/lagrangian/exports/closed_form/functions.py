"""What the closed form has of the functions that can be exported: formulas entry by entry, or sums over those of others."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from lagrangian.closed_form.equations import Equations
from lagrangian.closed_form.sections import LONG, has_entries
from lagrangian.equations.formula import Formula
from lagrangian.equations.formula_matrix import FormulaMatrix, index
from lagrangian.errors import Argument, ArgumentError
from lagrangian.exports.functions.catalogue import FUNCTIONS

# terms of one function beyond which it is not written: it would be a megabyte that nobody reads
LARGEST = 20_000
FAST = Argument("style", "fast")


@dataclass(frozen=True)
class Entry:
    """An entry of an output: its place, the name under which it is printed, and its formula.

    `same` is the place of an entry that is the same, as M21 is M12.
    """

    place: int
    name: str
    formula: Formula
    same: int | None = None


def entries(matrix: FormulaMatrix) -> list[Entry]:
    """All entries of a matrix or a vector, row by row; of a symmetric one those on and above the diagonal."""
    found = []
    for i, row in enumerate(matrix.rows):
        for j in range(i if matrix.symmetric else 0, len(row)):
            name = f"{matrix.name}{index(i) if matrix.vector else index(i, j)}"
            same = j * len(row) + i if matrix.symmetric and i != j else None
            found.append(Entry(i * len(row) + j, name, row[j], same))
    return found


def _matrix(name: str) -> Callable[[Equations, str], list[Entry]]:
    return lambda eom, frame: entries(getattr(eom, name))


# formulas of functions, of a frame or of none; those of `constraint_bias` are of a matrix that it multiplies by qd
FORMULAS: dict[str, Callable[[Equations, str], list[Entry]]] = {
    "mass_matrix": _matrix("M"),
    "coriolis_matrix": _matrix("C"),
    "gravity": _matrix("G"),
    "friction": _matrix("F"),
    "potential_energy": lambda eom, frame: [Entry(0, "V", eom.potential_energy)],
    "closure": _matrix("closure"),
    "constraint_jacobian": _matrix("Psi"),
    "constraint_bias": _matrix("Psi_dot"),
    "pose": lambda eom, frame: entries(eom.pose(frame)),
    "jacobian": lambda eom, frame: entries(eom.jacobian(frame)),
}
# what functions call that have no formulas of their own
CALLS: dict[str, Callable[[Equations], tuple[str, ...]]] = {
    "inverse_dynamics": lambda eom: ("mass_matrix", *forces(eom)),
    "bias": lambda eom: forces(eom),
    "forward_dynamics": lambda eom: ("mass_matrix", *forces(eom)),
    "kinetic_energy": lambda eom: ("mass_matrix",),
    "constraint_rate": lambda eom: ("constraint_jacobian",),
}


def forces(eom: Equations) -> tuple[str, ...]:
    """The terms beside M qdd of the equation of motion that are not zero for all motions."""
    terms = {"coriolis_matrix": eom.C, "gravity": eom.G, "friction": eom.F}
    return tuple(name for name, matrix in terms.items() if has_entries(matrix))


def wanted(eom: Equations, functions: Sequence[str] | None) -> list[str]:
    """Functions as they were asked for, each after those that it calls; without any, those that a reader looks for."""
    found: dict[str, None] = {}
    for text in _usual(eom) if functions is None else functions:
        name = text.partition(":")[0] if isinstance(text, str) else ""
        if name in FUNCTIONS and name not in (*FORMULAS, *CALLS):
            raise ArgumentError(
                f"the closed form has no formula of {name}",
                argument="functions",
                remedy=f"it has {', '.join([*FORMULAS, *CALLS])}; {FAST} writes all functions",
            )
        if name == "forward_dynamics" and eom.constraint_names:
            raise ArgumentError(
                "forward_dynamics has no closed form for mechanisms with constraints",
                argument="functions",
                remedy=f"{FAST} writes it",
            )
        found |= dict.fromkeys(CALLS[name](eom) if name in CALLS else ())
        found[text] = None
    return list(found)


def _usual(eom: Equations) -> list[str]:
    found = ["mass_matrix", "coriolis_matrix", "gravity", *(["friction"] if has_entries(eom.F) else []), "inverse_dynamics"]
    if not eom.constraint_names:
        return [*found, "forward_dynamics"]
    return [*found, *(["closure"] if len(eom.closure) else []), "constraint_jacobian", "constraint_bias"]


def refuse_long(eom: Equations, name: str, found: list[Entry]) -> str:
    """What is to be said of a function that is long; one that is too long is refused before its formulas are written."""
    terms = sum(entry.formula.terms for entry in found)
    if terms > LARGEST:
        raise ArgumentError(
            f"the formulas of {name} have {terms} terms; at most {LARGEST} are written",
            where=eom.mechanism.name,
            concerns="style",
            remedy=f"{FAST} writes the same function in far fewer operations; or leave it, and what calls it, out of functions",
        )
    return f"{name} has {terms} terms, which is long to read; {FAST} is shorter, and runs faster." if terms > LONG else ""
