"""C99 that reads like the closed form: the formula above each entry, the names of the description, and nothing prepared.

Functions that have formulas are written entry by entry. Others, such as inverse dynamics, call those that have, and add up what
these give.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

from lagrangian.closed_form.derive import derive
from lagrangian.closed_form.equations import EquationsOfMotion
from lagrangian.closed_form.sections import MAX_PRINTED_TERMS, equation_of_motion, has_nonzero_entries
from lagrangian.equations.algebra.numbers import PARAMETER_KINDS
from lagrangian.equations.formula import Formula
from lagrangian.equations.formula_matrix import FormulaMatrix, index_text
from lagrangian.equations.reading.system import NUMBER_MEANING
from lagrangian.errors import ArgumentError, ArgumentName, CostLimitError
from lagrangian.exports.source.language import wrap_values
from lagrangian.exports.targets.c import CLanguage, CSourceFiles, comment_lines, comment_text
from lagrangian.exports.targets.readable_c_formulas import FormulaPrinter
from lagrangian.exports.targets.target import ExportRequest
from lagrangian.functions import parameters as adjustable
from lagrangian.functions.catalogue import FUNCTIONS, package
from lagrangian.functions.parameters import Parameter
from lagrangian.functions.routine import Package, Routine
from lagrangian.kernels.trace.node import Graph
from lagrangian.model.expression import parameters as parameters_in
from lagrangian.model.mechanism import Mechanism

MAX_TERMS = 20_000  # of one function, beyond which it is not written: it would be a megabyte that nobody reads
MAX_WRITTEN_ZEROS = 3  # entries that are zero, beyond which an array is filled with zeros first
MAX_SECONDS = 60.0  # that a derivation may take
WIDTH = 100  # of a line, without the indentation of a function's body
INDENT = "    "
FAST_STYLE = ArgumentName("style", "fast")
SPLIT_JOINTS_NOTE = (
    "Joints of several coordinates are written as joints of one each, with angles instead of quaternions. The list "
    "below gives q and qd."
)

# the C array that each function fills
ARRAYS = {"mass_matrix": "M", "coriolis_matrix": "C", "gravity": "G", "friction": "F", "constraint_jacobian": "Psi"}
MATRICES = ("M", "C")


def closed_form_source_files(mechanism: Mechanism, request: ExportRequest, real: str) -> CSourceFiles:
    """The texts of the files; what has no closed form, or one that nobody could read, is refused."""
    parameters = adjustable.select_formula_parameters(mechanism, request.parameters)
    mechanism_over_inputs, _ = adjustable.trace_parameters(mechanism, parameters, Graph())
    try:
        eom = derive(mechanism_over_inputs, limit=MAX_SECONDS)
    except CostLimitError as error:
        raise ArgumentError(
            error.what, where=error.where, concerns="style", remedy=f"{FAST_STYLE} writes the functions"
        ) from None
    if not eom.n:
        raise ArgumentError("no joint moves, so there are no equations to write", where=mechanism.name, concerns="style")
    if request.parameters is None:
        parameters += _unlisted_parameters(eom, {p.name for p in parameters})
    names = requested_functions(eom, request.functions)
    # the recursive algorithms, with all numbers put in, give the reference values
    routine_package = replace(package(eom.mechanism, names, request.frames, [], loops=False), parameters=parameters)
    if eom.mechanism.nq != mechanism.nq:
        routine_package = replace(routine_package, notes=(SPLIT_JOINTS_NOTE, *routine_package.notes))
    return ClosedFormSourceFiles(eom, routine_package, real)


def _unlisted_parameters(eom: EquationsOfMotion, listed: set[str]) -> tuple[Parameter, ...]:
    """Parameters that bodies and constraints have, but the mechanism does not list, as in one that is made in Python."""
    values = {
        s.meaning or s.name: s.value for s in eom.system.ring.symbols if s.kind in PARAMETER_KINDS and s.meaning != NUMBER_MEANING
    }
    values |= eom.system.scalars.parameter_values
    for x in (*eom.phi, *eom.phi_dot):
        values |= parameters_in(x)
    return tuple(Parameter(name, x) for name, x in values.items() if name not in (*listed, "pi") and x is not None)


class ClosedFormSourceFiles(CSourceFiles):
    """The C files whose routines have the names and arguments of the package, but bodies that are written from formulas."""

    def __init__(self, eom: EquationsOfMotion, package: Package, real: str) -> None:
        self.eom = eom
        # what is too long is refused before anything is written; names are not legal identifiers yet
        names_and_frames = [_split_frame(routine.name) for routine in package.routines]
        names_and_entries = [(name, FORMULAS[name](eom, frame) if name in FORMULAS else []) for name, frame in names_and_frames]
        self._length_notes = [note for name, entries in names_and_entries if (note := length_note(eom, name, entries))]
        self._formulas = names_and_entries  # in the order of the routines
        self._operators: dict[str, int] = {}
        super().__init__(eom.mechanism, package, real)

    # -- what is the same for all functions ----------------------------------------------------------------------------

    def make_language(self, real: str) -> CLanguage:
        return FormulaCLanguage(real, self.prefix, bool(self.fields))

    @property
    def constants_argument(self) -> list[str]:
        return [f"&{self.prefix}_default_parameters"] if self.fields else []

    @property
    def notes(self) -> tuple[str, ...]:
        return (*super().notes, *self.eom.notes, *self._length_notes)

    def header_remarks(self) -> list[str]:
        return [f"The equations are {equation_of_motion(self.eom)}, in closed form; the source has a formula above each entry."]

    def declarations(self) -> list[str]:
        if not self.fields:
            return []
        return [*self.struct(), f"extern const {self.prefix}_parameters {self.prefix}_default_parameters;", ""]

    def definitions(self) -> list[str]:
        words = f"{equation_of_motion(self.eom)}, in closed form. Above each entry stands its formula."
        words += " Indices of formulas count from 1, those of arrays from 0, row by row."
        if self.eom.notation.uses_numbers:
            words += " In formulas coordinates have numbers: c1 is cos(q1), s12 is sin(q1 + q2)."
        return ["/*", *comment_lines(words, width=WIDTH), " */", "", *(self.defaults() if self.fields else [])]

    def defaults(self) -> list[str]:
        name = f"{self.prefix}_parameters {self.prefix}_default_parameters"
        values = [self.language.number(p.value) for p in self.package.parameters]
        return [f"const {name} = {{", *(f"{INDENT}{x}, /* {f} */" for x, f in zip(values, self.fields, strict=True)), "};", ""]

    # -- one function --------------------------------------------------------------------------------------------------

    def code(self, routine: Routine) -> list[str]:
        name, formula_entries = self._formulas[[x.name for x in self.package.routines].index(routine.name)]
        self.language.opening(routine)
        body = self._formula_body(routine, name, formula_entries) if name in FORMULAS else self._sum_body(name)
        unread = self._void_unread(routine, body)
        body = [*unread, *([""] if unread and body else []), *body]
        indented = [f"{INDENT}{line}" if line else "" for line in body]
        helper_functions = solver_function(self.eom.n, self.real) if name == "forward_dynamics" else []
        return [*helper_functions, f"/* {comment_text(routine.about)} */", self.language.signature(routine), "{", *indented, "}"]

    def _void_unread(self, routine: Routine, body: list[str]) -> list[str]:
        """Statements that mention arguments that the body does not read: a compiler would warn of them."""
        names = [*(x.name for x in (*routine.inputs, *routine.outputs)), *(["p"] if self.fields else [])]
        code = re.sub(r"/\*.*?\*/", "", "\n".join(body), flags=re.DOTALL)
        return [f"(void){name};" for name in names if not re.search(rf"\b{name}\b", code)]

    def _formula_body(self, routine: Routine, name: str, formula_entries: list[FormulaEntry]) -> list[str]:
        output = routine.outputs[0]
        self._operators[routine.name] = sum(entry.formula.operator_count for entry in formula_entries)
        printer = self._formula_printer([x.name for x in (*routine.inputs, *routine.outputs)])
        if name == "constraint_bias":
            body = [
                self.language.array("Psi_dot", len(formula_entries)),
                "",
                *self._assign_entries(formula_entries, printer, "Psi_dot"),
                "",
            ]
            body += self._times_qd(output.name, "Psi_dot", printer, "phi_dot")
        else:
            body = self._assign_entries(formula_entries, printer, f"*{output.name}" if output.shape == () else output.name)
        return [*self._locals(printer), *body]

    def _locals(self, printer: FormulaPrinter) -> list[str]:
        """The constants of a function, each below its formula where it has one."""
        lines = []
        for local in printer.local_constants:
            lines += wrap_formula(f"/* {comment_text(local.formula)} */", " *     ") if local.formula else []
            lines += wrap_formula(self.language.constant(local.name, local.text), INDENT)
        return [*lines, *([""] if lines else [])]

    def _formula_printer(self, reserved: list[str]) -> FormulaPrinter:
        fields = dict(zip((p.name for p in self.package.parameters), self.fields, strict=True))
        return FormulaPrinter(self.eom, self.language, fields, [*reserved, "p", "i", "j", "Psi_dot"])

    def _assign_entries(self, formula_entries: list[FormulaEntry], printer: FormulaPrinter, array: str) -> list[str]:
        """Assignments to the entries of an array, each below its formula."""
        zero, zeros = self.language.number(0.0), [entry for entry in formula_entries if entry.formula.is_zero]
        lines: list[str] = []
        if len(zeros) > MAX_WRITTEN_ZEROS:
            size = sum(1 if entry.mirror_place is None else 2 for entry in formula_entries)
            remark = (
                "All entries are zero." if len(zeros) == len(formula_entries) else "Entries that are not written below are zero."
            )
            lines += [f"/* {remark} */", f"for (int i = 0; i < {size}; ++i) {{", f"{INDENT}{array}[i] = {zero};", "}", ""]
        for entry in formula_entries:
            if len(zeros) > MAX_WRITTEN_ZEROS and entry.formula.is_zero:
                continue
            place = array if array.startswith("*") else f"{array}[{entry.place}]"
            lines += wrap_formula(f"/* {comment_text(f'{entry.name} = {entry.formula}')} */", " *     ")
            lines += wrap_formula(f"{place} = {printer.formula(entry.formula)};", INDENT)
            if entry.mirror_place is not None:
                lines.append(f"{array}[{entry.mirror_place}] = {zero if entry.formula.is_zero else place};")
            lines.append("")
        return lines[:-1]

    def _sum_body(self, name: str) -> list[str]:
        function_names, n = CALLED_FUNCTIONS[name](self.eom), self.eom.n
        routines = {r.name: r for r in self.package.routines}
        arrays, calls = [], []
        for other in function_names:
            routine, array = routines[other], ARRAYS[other]
            arrays.append(self.language.array(array, routine.size))
            calls += self.language.call(routine, [x.name for x in routine.inputs], [array])
        if name == "constraint_rate":
            printer = self._formula_printer(["q", "qd", "t", "rate", "Psi"])
            body = self._times_qd("rate", "Psi", printer, "phi")
            return [*self._locals(printer), *arrays, *calls, "", *body]
        return [*arrays, *calls, *([""] if calls else []), *SUM_LINES[name](n, function_names, self.language.number(0.0))]

    def _times_qd(self, output: str, matrix: str, printer: FormulaPrinter, offset: str) -> list[str]:
        """matrix qd + phi(t), or its rate."""
        scalars = getattr(self.eom, offset)
        texts = [printer.scalar(x) for x in scalars] if any(str(x) != "0" for x in scalars) else []
        return times_qd_lines(output, matrix, self.eom.n, len(scalars), (offset, texts), self.language.number(0.0))

    def _cost(self, routine: Routine) -> str:
        count = self._operators.get(routine.name)
        return f"Its formulas have {count} operators." if count is not None else "It calls the functions of its terms."


def _split_frame(name: str) -> tuple[str, str]:
    """The function and the frame of a routine."""
    for function in ("pose", "jacobian"):
        if name.startswith(f"{function}_"):
            return function, name.removeprefix(f"{function}_")
    return name, ""


class FormulaCLanguage(CLanguage):
    """C whose functions are given the parameters `p`, and no constants."""

    model = ("parameters", "p")

    def signature(self, routine: Routine) -> str:
        text = super().signature(routine)
        if len(text) <= WIDTH:
            return text
        head, _, parameters = text.partition("(")
        return "\n".join([f"{head}(", *wrap_values(parameters.removesuffix(")").split(", "), INDENT, WIDTH)]) + ")"


@dataclass(frozen=True)
class FormulaEntry:
    """An entry of an output: its place, the name under which it is printed, and its formula.

    `mirror_place` is the place of an entry that is the same, as M21 is M12.
    """

    place: int
    name: str
    formula: Formula
    mirror_place: int | None = None


def matrix_entries(matrix: FormulaMatrix) -> list[FormulaEntry]:
    """All entries of a matrix or a vector, row by row; of a symmetric one those on and above the diagonal."""
    formula_entries = []
    for i, row in enumerate(matrix.rows):
        for j in range(i if matrix.symmetric else 0, len(row)):
            name = f"{matrix.name}{index_text(i) if matrix.vector else index_text(i, j)}"
            mirror_place = j * len(row) + i if matrix.symmetric and i != j else None
            formula_entries.append(FormulaEntry(i * len(row) + j, name, row[j], mirror_place))
    return formula_entries


def _named_matrix_entries(name: str) -> Callable[[EquationsOfMotion, str], list[FormulaEntry]]:
    return lambda eom, frame: matrix_entries(getattr(eom, name))


# formulas of functions, of a frame or of no frame; those of `constraint_bias` are of a matrix that it multiplies by qd
FORMULAS: dict[str, Callable[[EquationsOfMotion, str], list[FormulaEntry]]] = {
    "mass_matrix": _named_matrix_entries("M"),
    "coriolis_matrix": _named_matrix_entries("C"),
    "gravity": _named_matrix_entries("G"),
    "friction": _named_matrix_entries("F"),
    "potential_energy": lambda eom, frame: [FormulaEntry(0, "V", eom.potential_energy)],
    "closure": _named_matrix_entries("closure"),
    "constraint_jacobian": _named_matrix_entries("Psi"),
    "constraint_bias": _named_matrix_entries("Psi_dot"),
    "pose": lambda eom, frame: matrix_entries(eom.pose(frame)),
    "jacobian": lambda eom, frame: matrix_entries(eom.jacobian(frame)),
}


def force_functions(eom: EquationsOfMotion) -> tuple[str, ...]:
    """The terms beside M qdd of the equation of motion that are not zero for all motions."""
    terms = {"coriolis_matrix": eom.C, "gravity": eom.G, "friction": eom.F}
    return tuple(name for name, matrix in terms.items() if has_nonzero_entries(matrix))


# the functions that functions without formulas of their own call
CALLED_FUNCTIONS: dict[str, Callable[[EquationsOfMotion], tuple[str, ...]]] = {
    "inverse_dynamics": lambda eom: ("mass_matrix", *force_functions(eom)),
    "bias": lambda eom: force_functions(eom),
    "forward_dynamics": lambda eom: ("mass_matrix", *force_functions(eom)),
    "kinetic_energy": lambda eom: ("mass_matrix",),
    "constraint_rate": lambda eom: ("constraint_jacobian",),
}


def requested_functions(eom: EquationsOfMotion, functions: Sequence[str] | None) -> list[str]:
    """Functions as they were asked for, each after those that it calls; with None, those that a reader looks for."""
    names: dict[str, None] = {}
    for text in _default_functions(eom) if functions is None else functions:
        name = text.partition(":")[0] if isinstance(text, str) else ""
        if name in FUNCTIONS and name not in (*FORMULAS, *CALLED_FUNCTIONS):
            raise ArgumentError(
                f"the closed form has no formula of {name}",
                argument="functions",
                remedy=f"it has {', '.join([*FORMULAS, *CALLED_FUNCTIONS])}; {FAST_STYLE} writes all functions",
            )
        if name == "forward_dynamics" and eom.constraint_names:
            raise ArgumentError(
                "forward_dynamics has no closed form for mechanisms with constraints",
                argument="functions",
                remedy=f"{FAST_STYLE} writes it",
            )
        names |= dict.fromkeys(CALLED_FUNCTIONS[name](eom) if name in CALLED_FUNCTIONS else ())
        names[text] = None
    return list(names)


def _default_functions(eom: EquationsOfMotion) -> list[str]:
    names = [
        "mass_matrix",
        "coriolis_matrix",
        "gravity",
        *(["friction"] if has_nonzero_entries(eom.F) else []),
        "inverse_dynamics",
    ]
    if not eom.constraint_names:
        return [*names, "forward_dynamics"]
    return [*names, *(["closure"] if len(eom.closure) else []), "constraint_jacobian", "constraint_bias"]


def length_note(eom: EquationsOfMotion, name: str, formula_entries: list[FormulaEntry]) -> str:
    """A note on a function that is long, or ''; one that is too long is refused before its formulas are written."""
    terms = sum(entry.formula.term_count for entry in formula_entries)
    if terms > MAX_TERMS:
        raise ArgumentError(
            f"the formulas of {name} have {terms} terms; at most {MAX_TERMS} are written",
            where=eom.mechanism.name,
            concerns="style",
            remedy=f"{FAST_STYLE} writes the same function in far fewer operations; or leave it, and what calls it, out of "
            "functions",
        )
    return (
        f"{name} has {terms} terms, which is long to read; {FAST_STYLE} is shorter, and runs faster."
        if terms > MAX_PRINTED_TERMS
        else ""
    )


def wrap_formula(line: str, indent: str, width: int = WIDTH) -> list[str]:
    """A long line as several lines, broken before a plus or a minus that stands in as few brackets as can be."""
    depth, places = 0, []
    for k, c in enumerate(line):
        depth += (c == "(") - (c == ")")
        if line.startswith((" + ", " - "), k):
            places.append((k, depth))
    lines, start, lead = [], 0, ""
    while len(lead) + len(line) - start > width:
        room = width - len(lead)
        # not so early that lines become short
        fitting = [(k, d) for k, d in places if start + room // 3 < k <= start + room]
        fitting = fitting or [(k, d) for k, d in places if k > start][:1]
        if not fitting:
            break
        min_depth = min(d for _, d in fitting)
        end = max(k for k, d in fitting if d == min_depth)
        lines.append(lead + line[start:end].lstrip())
        start, lead = end, indent
    return [*lines, lead + line[start:].lstrip()]


def _inverse_dynamics_lines(n: int, terms: Sequence[str], zero: str) -> list[str]:
    """Lines for tau = M qdd + C qd + G + F, of the terms that there are."""
    return _sum_lines("tau", n, terms, zero)


def _bias_lines(n: int, terms: Sequence[str], zero: str) -> list[str]:
    return _sum_lines("b", n, terms, zero)


def _forward_dynamics_lines(n: int, terms: Sequence[str], zero: str) -> list[str]:
    """Lines for M qdd = tau - C qd - G - F, solved for qdd."""
    arrays = [ARRAYS[name] for name in terms if name != "mass_matrix"]
    lines = [f"/* M qdd = tau{''.join(f' - {_term(x)}' for x in arrays)} */", f"for (int i = 0; i < {n}; ++i) {{"]
    lines.append(f"    qdd[i] = tau[i]{''.join(f' - {x}[i]' for x in arrays if x not in MATRICES)};")
    if "C" in arrays:
        lines += [f"    for (int j = 0; j < {n}; ++j) {{", f"        qdd[i] -= C[{n}*i + j]*qd[j];", "    }"]
    return [*lines, "}", "solve(M, qdd);"]


def _kinetic_energy_lines(n: int, terms: Sequence[str], zero: str) -> list[str]:
    half = zero.replace("0.0", "0.5")
    return [
        "/* T = 1/2 qd^T M qd */",
        f"*T = {zero};",
        f"for (int i = 0; i < {n}; ++i) {{",
        f"    for (int j = 0; j < {n}; ++j) {{",
        f"        *T += {half}*M[{n}*i + j]*qd[i]*qd[j];",
        "    }",
        "}",
    ]


SUM_LINES = {
    "inverse_dynamics": _inverse_dynamics_lines,
    "bias": _bias_lines,
    "forward_dynamics": _forward_dynamics_lines,
    "kinetic_energy": _kinetic_energy_lines,
}


def times_qd_lines(output: str, matrix: str, n: int, rows: int, offset: tuple[str, Sequence[str]], zero: str) -> list[str]:
    """Lines for output = matrix qd + offset. The offset is its name and its texts row by row; without texts it is left out."""
    word, texts = offset
    lines = [
        f"/* {output} = {matrix} qd{f' + {word}' if texts else ''} */",
        *(f"{output}[{i}] = {x};" for i, x in enumerate(texts)),
    ]
    return [
        *lines,
        f"for (int i = 0; i < {rows}; ++i) {{",
        *([] if texts else [f"    {output}[i] = {zero};"]),
        f"    for (int j = 0; j < {n}; ++j) {{",
        f"        {output}[i] += {matrix}[{n}*i + j]*qd[j];",
        *("    }", "}"),
    ]


def solver_function(n: int, real: str) -> list[str]:
    """A C function for Gauss's elimination; the mass matrix is positive definite, so that no rows need be exchanged."""
    return [
        "/* Solves A x = b for a symmetric positive definite A by Gauss's elimination; x takes the place of b. */",
        f"static void solve({real} A[{n * n}], {real} b[{n}])",
        "{",
        f"    for (int k = 0; k < {n}; ++k) {{",
        f"        for (int i = k + 1; i < {n}; ++i) {{",
        f"            const {real} factor = A[{n}*i + k]/A[{n}*k + k];",
        f"            for (int j = k; j < {n}; ++j) {{",
        f"                A[{n}*i + j] -= factor*A[{n}*k + j];",
        "            }",
        "            b[i] -= factor*b[k];",
        "        }",
        "    }",
        f"    for (int k = {n - 1}; k >= 0; --k) {{",
        f"        for (int j = k + 1; j < {n}; ++j) {{",
        f"            b[k] -= A[{n}*k + j]*b[j];",
        "        }",
        f"        b[k] /= A[{n}*k + k];",
        "    }",
        "}",
        "",
    ]


def _sum_lines(output: str, n: int, terms: Sequence[str], zero: str) -> list[str]:
    arrays = [ARRAYS[name] for name in terms]
    plain = [f"{x}[i]" for x in arrays if x not in MATRICES]
    times = [f"{x}[{n}*i + j]*{'qdd' if x == 'M' else 'qd'}[j]" for x in arrays if x in MATRICES]
    lines = [f"/* {output} = {' + '.join(map(_term, arrays)) or '0'} */", f"for (int i = 0; i < {n}; ++i) {{"]
    lines.append(f"    {output}[i] = {' + '.join(plain) or zero};")
    if times:
        lines += [f"    for (int j = 0; j < {n}; ++j) {{", f"        {output}[i] += {' + '.join(times)};", "    }"]
    return [*lines, "}"]


def _term(array: str) -> str:
    """The term of the equation of motion that an array stands for."""
    return {"M": "M qdd", "C": "C qd"}.get(array, array)
