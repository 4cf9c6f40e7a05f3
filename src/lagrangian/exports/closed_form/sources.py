"""C99 that reads like the closed form: the formula above each entry, the names of the description, and nothing prepared."""

from __future__ import annotations

import re
from dataclasses import replace

from lagrangian.closed_form.derive import derive
from lagrangian.closed_form.equations import Equations
from lagrangian.closed_form.sections import equation_of_motion
from lagrangian.equations.algebra.numbers import CONSTANTS
from lagrangian.equations.reading.system import NUMBER
from lagrangian.errors import ArgumentError, CostError
from lagrangian.exports import parameters as adjustable
from lagrangian.exports.closed_form import functions, sums
from lagrangian.exports.closed_form.functions import CALLS, FAST, FORMULAS, Entry
from lagrangian.exports.closed_form.lines import WIDTH, broken
from lagrangian.exports.closed_form.spelling import Spelling
from lagrangian.exports.functions.catalogue import package
from lagrangian.exports.languages.c import C
from lagrangian.exports.languages.language import wrapped
from lagrangian.exports.parameters import Parameter
from lagrangian.exports.routine import Package, Routine
from lagrangian.exports.targets.c import Sources, comment, told
from lagrangian.exports.targets.target import Wish
from lagrangian.kernels.trace.node import Graph
from lagrangian.model.expression import parameters as parameters_in
from lagrangian.model.mechanism import Mechanism

ZEROS = 3  # entries that are zero, beyond which an array is filled with zeros first
LIMIT = 60.0  # seconds that a derivation may take
INDENT = "    "
SEVERAL = (
    "Joints of several coordinates are written as joints of one each, with angles instead of quaternions. The list "
    "below gives q and qd."
)


def sources(mechanism: Mechanism, wish: Wish, real: str) -> Sources:
    """The files' texts; what has no closed form, or one that nobody could read, is refused."""
    parameters = adjustable.of_formulas(mechanism, wish.parameters)
    described, _ = adjustable.traced(mechanism, parameters, Graph())
    try:
        eom = derive(described, limit=LIMIT)
    except CostError as error:
        raise ArgumentError(error.what, where=error.where, concerns="style", remedy=f"{FAST} writes the functions") from None
    if not eom.n:
        raise ArgumentError("no joint moves, so there are no equations to write", where=mechanism.name, concerns="style")
    if wish.parameters is None:
        parameters += _others(eom, {p.name for p in parameters})
    names = functions.wanted(eom, wish.functions)
    # the recursive algorithms, with all numbers put in, give the reference values
    made = replace(package(eom.mechanism, names, wish.frames, [], rolled=False), parameters=parameters)
    if eom.mechanism.nq != mechanism.nq:
        made = replace(made, notes=(SEVERAL, *made.notes))
    return ClosedFormSources(eom, made, real)


def _others(eom: Equations, known: set[str]) -> tuple[Parameter, ...]:
    """Parameters that bodies and constraints have without the mechanism listing them, as one that is made in Python may."""
    found = {s.meaning or s.name: s.value for s in eom.system.ring.symbols if s.kind in CONSTANTS and s.meaning != NUMBER}
    found |= eom.system.scalars.values
    for x in (*eom.phi, *eom.phi_dot):
        found |= parameters_in(x)
    return tuple(Parameter(name, x) for name, x in found.items() if name not in (*known, "pi") and x is not None)


class FormulaC(C):
    """Functions are given the parameters `p`, and no constants."""

    model = ("parameters", "p")

    def signature(self, routine: Routine) -> str:
        found = super().signature(routine)
        if len(found) <= WIDTH:
            return found
        head, _, given = found.partition("(")
        return "\n".join([f"{head}(", *wrapped(given.removesuffix(")").split(", "), INDENT, WIDTH)]) + ")"


class ClosedFormSources(Sources):
    """The routines of the package have the same names and arguments; what they compute is written from formulas."""

    def __init__(self, eom: Equations, package: Package, real: str) -> None:
        self.eom = eom
        # what is too long is refused before anything is written; names are those before they are made legal
        parted = [_parted(routine.name) for routine in package.routines]
        found = [(name, FORMULAS[name](eom, frame) if name in FORMULAS else []) for name, frame in parted]
        self._long = [note for name, entries in found if (note := functions.refuse_long(eom, name, entries))]
        self._wanted = iter(found)
        self._operators: dict[str, int] = {}
        super().__init__(eom.mechanism, package, real)

    # -- what is the same for all functions ----------------------------------------------------------------------------

    def language_of(self, real: str) -> C:
        return FormulaC(real, self.prefix, bool(self.fields))

    @property
    def passed(self) -> list[str]:
        return [f"&{self.prefix}_default_parameters"] if self.fields else []

    @property
    def notes(self) -> tuple[str, ...]:
        return (*super().notes, *self.eom.notes, *self._long)

    def about(self) -> list[str]:
        return [f"The equations are {equation_of_motion(self.eom)}, in closed form; the source has a formula above each entry."]

    def declarations(self) -> list[str]:
        if not self.fields:
            return []
        return [*self.struct(), f"extern const {self.prefix}_parameters {self.prefix}_default_parameters;", ""]

    def definitions(self) -> list[str]:
        words = f"{equation_of_motion(self.eom)}, in closed form. Above each entry stands its formula."
        words += " Indices of formulas count from 1, those of arrays from 0, row by row."
        if self.eom.notation.numbered:
            words += " In formulas coordinates have numbers: c1 is cos(q1), s12 is sin(q1 + q2)."
        return ["/*", *comment(words, width=WIDTH), " */", "", *(self.defaults() if self.fields else [])]

    def defaults(self) -> list[str]:
        name = f"{self.prefix}_parameters {self.prefix}_default_parameters"
        values = [self.language.number(p.value) for p in self.package.parameters]
        return [f"const {name} = {{", *(f"{INDENT}{x}, /* {f} */" for x, f in zip(values, self.fields, strict=True)), "};", ""]

    # -- one function --------------------------------------------------------------------------------------------------

    def code(self, routine: Routine) -> list[str]:
        name, found = next(self._wanted)
        self.language.opening(routine)
        body = self._formulas(routine, name, found) if name in FORMULAS else self._sums(name)
        unread = self._unread(routine, body)
        body = [*unread, *([""] if unread and body else []), *body]
        indented = [f"{INDENT}{line}" if line else "" for line in body]
        before = sums.solver(self.eom.n, self.real) if name == "forward_dynamics" else []
        return [*before, f"/* {told(routine.about)} */", self.language.signature(routine), "{", *indented, "}"]

    def _unread(self, routine: Routine, body: list[str]) -> list[str]:
        """What a compiler would warn of otherwise."""
        given = [*(x.name for x in (*routine.inputs, *routine.outputs)), *(["p"] if self.fields else [])]
        code = re.sub(r"/\*.*?\*/", "", "\n".join(body), flags=re.DOTALL)
        return [f"(void){name};" for name in given if not re.search(rf"\b{name}\b", code)]

    def _formulas(self, routine: Routine, name: str, found: list[Entry]) -> list[str]:
        output = routine.outputs[0]
        self._operators[routine.name] = sum(entry.formula.operators for entry in found)
        spelling = self._spelling([x.name for x in (*routine.inputs, *routine.outputs)])
        if name == "constraint_bias":
            body = [self.language.array("Psi_dot", len(found)), "", *self._entries_of(found, spelling, "Psi_dot"), ""]
            body += self._times_qd(output.name, "Psi_dot", spelling, "phi_dot")
        else:
            body = self._entries_of(found, spelling, f"*{output.name}" if output.shape == () else output.name)
        return [*self._locals(spelling), *body]

    def _locals(self, spelling: Spelling) -> list[str]:
        """The constants of a function, with the formulas that some are known by."""
        lines = []
        for local in spelling.locals:
            lines += broken(f"/* {told(local.formula)} */", " *     ") if local.formula else []
            lines += broken(self.language.constant(local.name, local.text), INDENT)
        return [*lines, *([""] if lines else [])]

    def _spelling(self, taken: list[str]) -> Spelling:
        fields = dict(zip((p.name for p in self.package.parameters), self.fields, strict=True))
        return Spelling(self.eom, self.language, fields, [*taken, "p", "i", "j", "Psi_dot"])

    def _entries_of(self, found: list[Entry], spelling: Spelling, array: str) -> list[str]:
        """Assignments to the entries of an array, each below its formula."""
        zero, zeros = self.language.number(0.0), [entry for entry in found if entry.formula.is_zero]
        lines: list[str] = []
        if len(zeros) > ZEROS:
            size = sum(1 if entry.same is None else 2 for entry in found)
            said = "All entries are zero." if len(zeros) == len(found) else "Entries that are not written below are zero."
            lines += [f"/* {said} */", f"for (int i = 0; i < {size}; ++i) {{", f"{INDENT}{array}[i] = {zero};", "}", ""]
        for entry in found:
            if len(zeros) > ZEROS and entry.formula.is_zero:
                continue
            place = array if array.startswith("*") else f"{array}[{entry.place}]"
            lines += broken(f"/* {told(f'{entry.name} = {entry.formula}')} */", " *     ")
            lines += broken(f"{place} = {spelling.formula(entry.formula)};", INDENT)
            if entry.same is not None:
                lines.append(f"{array}[{entry.same}] = {zero if entry.formula.is_zero else place};")
            lines.append("")
        return lines[:-1]

    def _sums(self, name: str) -> list[str]:
        called, n = CALLS[name](self.eom), self.eom.n
        routines = {r.name: r for r in self.package.routines}
        arrays, calls = [], []
        for other in called:
            routine, array = routines[other], sums.ARRAYS[other]
            arrays.append(self.language.array(array, routine.size))
            calls += self.language.call(routine, [x.name for x in routine.inputs], [array])
        if name == "constraint_rate":
            spelling = self._spelling(["q", "qd", "t", "rate", "Psi"])
            body = self._times_qd("rate", "Psi", spelling, "phi")
            return [*self._locals(spelling), *arrays, *calls, "", *body]
        return [*arrays, *calls, *([""] if calls else []), *sums.SUMS[name](n, called, self.language.number(0.0))]

    def _times_qd(self, output: str, matrix: str, spelling: Spelling, added: str) -> list[str]:
        """matrix qd + phi(t), or its rate."""
        scalars = getattr(self.eom, added)
        texts = [spelling.scalar(x) for x in scalars] if any(str(x) != "0" for x in scalars) else []
        return sums.times_qd(output, matrix, self.eom.n, len(scalars), (added, texts), self.language.number(0.0))

    def _cost(self, routine: Routine) -> str:
        count = self._operators.get(routine.name)
        return f"Its formulas have {count} operators." if count is not None else "It calls the functions of its terms."


def _parted(name: str) -> tuple[str, str]:
    """The function and the frame of a routine."""
    for framed in ("pose", "jacobian"):
        if name.startswith(f"{framed}_"):
            return framed, name.removeprefix(f"{framed}_")
    return name, ""
