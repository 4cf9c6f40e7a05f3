"""The job `equations`: the equations of motion, section by section, typeset for the page and as LaTeX to copy."""

from __future__ import annotations

import time
from typing import Any

from lagrangian.closed_form.derive import derive
from lagrangian.closed_form.equations import EquationsOfMotion
from lagrangian.closed_form.render import aligned_block, coordinates_latex, equation_latex
from lagrangian.closed_form.sections import (
    EquationSection,
    definitions,
    equation_of_motion,
    has_nonzero_entries,
    parameter_values,
    section_formulas,
)
from lagrangian.equations.writing import printers
from lagrangian.equations.writing.printers import MathML
from lagrangian.errors import ArgumentError, unknown_name_message
from lagrangian.model.printed_table import pluralise
from lagrangian.report import typeset
from lagrangian.report.html import Html, element, number
from lagrangian.studio.request_checks import read_number
from lagrangian.studio.tasks import TaskRequest

DIGITS = 6
DEFAULT_LIMIT = 60.0  # s that a derivation may be forecast to take, unless the page says otherwise
MAX_COORDINATES = 40  # of more, nobody reads the matrices
MAX_ENTRY_TERMS = 300  # terms of an entry that is typeset; of a longer one there is the LaTeX
MAX_LATEX_TERMS = 30_000  # terms of a section that is given as LaTeX
FORMS = ("given", "inertial", "all")
TITLES = {  # of sections whose own title has a formula that a line of text spells poorly
    "christoffel": "Christoffel symbols (not zero)",
    "C": "Coriolis matrix C",
    "G": "G = ∂V/∂q from gravity and springs",
    "closure": "Loop closure η(q) = 0",
    "Psi": "Constraint matrix Ψ",
    "Psi_dot": "Rate Ψ̇ of the constraint matrix",
    "energies": "Energies and the Lagrangian L = K − V",
}


def equations(request: TaskRequest) -> dict[str, Any]:
    m, options, started = request.model.valid_mechanism, request.options, time.perf_counter()
    form = options.get("form") or "given"
    form = "given" if form == "full" else form
    if form not in FORMS:
        raise ArgumentError(unknown_name_message("form", form, FORMS))
    if not m.nv:
        raise ArgumentError("nothing moves in this mechanism, so it has no equations of motion", remedy="add a joint that moves")
    if m.nv > MAX_COORDINATES:
        raise ArgumentError(
            f"the equations of {m.nv} coordinates are too long to read",
            remedy="motions and studies do not need them; `lagrangian derive` writes them",
        )
    request.progress(0, 3, "deriving")
    eom = derive(
        m,
        form,
        limit=read_number(options, "limit", DEFAULT_LIMIT, 1.0, 36000.0),
        progress=lambda done, total: request.progress(done, total, "deriving"),
    ).display_form
    formatter = EquationsFormatter(eom)
    parts = [formatter.head()]
    request.partial({"part": parts[0]})
    section_keys = options.get("of") or None
    sections = [s for s in eom.sections(bool(options.get("full"))) if not section_keys or s.key in section_keys]
    for k, section in enumerate(sections):
        request.progress(k, len(sections), "writing")
        parts.append(formatter.section_part(section))
        request.partial({"part": parts[-1]})
    parts += formatter.definition_parts(sections)
    seconds = time.perf_counter() - started
    terms = sum(x.term_count for x in section_formulas(sections))
    return {
        "parts": parts,
        "latex": "\n\n".join(f"% {p['title']}\n{p['latex']}" for p in parts if p["latex"]),
        "digest": f"{pluralise(eom.n, 'coordinate')}, {pluralise(len(eom.constraint_names), 'constraint equation')}, "
        f"{terms} terms, derived in {seconds:.2g} s",
        "notes": list(eom.notes),
        "time": seconds,
    }


class EquationsFormatter:
    """The sections of equations as fragments of HTML with MathML, as LaTeX and as text."""

    def __init__(self, eom: EquationsOfMotion) -> None:
        self.eom, self.rounding = eom, printers.NumberFormat(DIGITS)
        self.style = MathML(eom.notation, self.rounding)
        self.latex = printers.latex_style(eom.notation, self.rounding)
        self.plain = printers.unicode_style(eom.notation, self.rounding)

    def head(self) -> dict[str, Any]:
        eom = self.eom
        lines = [
            typeset.equation_of_motion(has_nonzero_entries(eom.F), bool(eom.constraint_names)),
            typeset.coordinate_vector(eom),
        ]
        latex = rf"\[ {equation_latex(eom)}, \qquad {coordinates_latex(eom)} \]"
        names = "" if eom.notation.uses_coordinate_names else ", ".join(f"q{k} = {x}" for k, x in enumerate(eom.coordinates, 1))
        head = _part("motion", "Equation of motion", typeset.display_equations(*lines), latex, equation_of_motion(eom))
        return {**head, "words": [names] if names else []}

    def section_part(self, section: EquationSection) -> dict[str, Any]:
        short_formulas = tuple((same, x) for same, x in section.formulas if x.term_count <= MAX_ENTRY_TERMS)
        words = list(section.words)
        for same, x in section.formulas:
            if x.term_count > MAX_ENTRY_TERMS:
                words.append(f"{same[0]} has {x.term_count} terms: too long to show here; the copied LaTeX contains it.")
        html = typeset.formulas(short_formulas, self.style) if short_formulas else Html("")
        if section.lines and sum(x.term_count for line in section.lines for x in line.formulas) <= 4 * MAX_ENTRY_TERMS:
            html = Html(html + typeset.rows(section.lines, self.style))  # type: ignore[arg-type]
        if section.key == "multipliers" and section.latex_words:
            moving = any(str(phi) != "0" for phi in self.eom.phi)
            html = Html(html + typeset.display_equations(*typeset.multiplier_equations(moving)))
            words = [f"Row by row: {', '.join(self.eom.constraint_names[:40])}."]
        all_zero = section.key == "christoffel" and not section.heading.formula  # all of them are zero, and its own title fits
        title = str(section.heading) if all_zero else TITLES.get(section.key, str(section.heading))
        return {**_part(section.key, title, html, self._section_latex(section), self._section_text(section)), "words": words}

    def _section_latex(self, section: EquationSection) -> str:
        if section.latex_words:
            return "\n".join(rf"\[ {line} \]" for line in section.latex_words)
        if not section.formulas and not section.lines:
            return ""
        if sum(x.term_count for x in section_formulas([section])) > MAX_LATEX_TERMS:
            return "% too long to copy: lagrangian derive FILE --latex --full writes it"
        return aligned_block(section, self.latex)

    def _section_text(self, section: EquationSection) -> str:
        lines = [
            f"{' = '.join(same)} = {x.to_string(self.plain)}" for same, x in section.formulas if x.term_count <= MAX_ENTRY_TERMS
        ]
        for line in section.lines:
            if sum(x.term_count for x in line.formulas) <= MAX_ENTRY_TERMS:
                lines += line.lines(self.plain, 100)
        return "\n".join([*section.words, *lines])

    def definition_parts(self, sections: list[EquationSection]) -> list[dict[str, Any]]:
        """What names stand for, and the values of parameters."""
        eom, notation, parts = self.eom, self.eom.notation, []
        abbreviations = definitions(eom, [x for x in section_formulas(sections) if x.term_count <= MAX_ENTRY_TERMS])
        if abbreviations:
            html = element("div", *(typeset.definition(x, self.style) for x in abbreviations), class_="pairs")
            rows = [f"{notation.latex(x.name)} &= {x.latex}" for x in abbreviations if x.is_formula]
            latex = "\\begin{align*}\n" + " \\\\\n".join(rows) + "\n\\end{align*}" if rows else ""
            plain_text = "\n".join(f"{notation.unicode(x.name)} = {x.meaning}" for x in abbreviations)
            parts.append(_part("where", "where", html, latex, plain_text))
        values = parameter_values(eom)
        if values:
            pairs = [typeset.pair(printers.name_markup(name), number(x, 6)) for name, x in values]
            plain_text = "\n".join(f"{name} = {x:g}" for name, x in values)
            parts.append(_part("values", "Values", element("div", *pairs, class_="pairs"), "", plain_text))
        return parts


def _part(key: str, title: str, html: str, latex: str, plain_text: str) -> dict[str, Any]:
    return {"key": key, "title": title, "mathml": str(html), "latex": latex, "text": plain_text, "words": []}
